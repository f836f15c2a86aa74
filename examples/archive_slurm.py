#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Archives folders with the nodes of a cluster that Slurm runs: jobs of dask-jobqueue, each with workers for gpz.archive.

  pip install ".[archive-cluster,convert]" dask-jobqueue          # at the root of the repository, on a file system of all nodes
  python examples/archive_slurm.py /scratch/me/runs /archive/me/runs

Change the account, the partition and the numbers below. Start it on a node that may run for days, or in a job of its own. If it ends
early, start it again: it goes on where it was. It was tried with the job script that it makes, not with Slurm.
"""

import sys

from dask.distributed import Client
from dask_jobqueue import SLURMCluster

from gpz.archive import archive

CORES = 32  # of a job: each runs one program gpz with one thread
MEMORY_GIB = 64  # of a job
MOST_JOBS = 20


def cluster():
    """Jobs come when there is work, and end when there is none."""
    made = SLURMCluster(
        account="my_account",
        queue="my_partition",
        cores=CORES,
        processes=4,  # of Python in a job: what ends one does not end the others
        memory=f"{MEMORY_GIB}GiB",
        walltime="08:00:00",
        # A worker ends before Slurm kills its job, and gives back what it has not begun.
        worker_extra_args=["--lifetime", "7h", "--lifetime-stagger", "10m"],
        local_directory="/tmp",
    )
    made.adapt(minimum_jobs=1, maximum_jobs=MOST_JOBS)
    return made


def main():
    """Prints the report, and returns the exit code of gpz archive."""
    folder, target = sys.argv[1:]
    with cluster() as jobs, Client(jobs) as client:
        report = archive(
            folder, to=target, client=client, max_memory=MEMORY_GIB * 2**30 // CORES, units="metal", effort="dense"
        )
    print(*report.lines(), sep="\n")
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
