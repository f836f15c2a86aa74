# SPDX-License-Identifier: BSD-3-Clause
"""Analyses and exports of MDAnalysis on files of LAMMPS."""

import os
import pickle
import warnings

import MDAnalysis as mda
import numpy as np
import pytest
from MDAnalysis.analysis.backends import BackendBase
from MDAnalysis.analysis.rdf import InterRDF
from MDAnalysis.analysis.rms import RMSD, rmsd
from MDAnalysis.lib.distances import self_distance_array
from runs import make

import gpz.mdanalysis  # noqa: F401  (registers the format)

pytestmark = pytest.mark.filterwarnings("ignore:.*(masses|element information|dt information)")


@pytest.fixture(scope="module")
def water():
    return make("fields")


@pytest.fixture
def universe(water):
    return mda.Universe(water.gpz)


def true_positions(run, frame):
    """(N, 3) from the text."""
    columns = run.frames[frame]["columns"]
    return np.column_stack([columns[name] for name in "xyz"]) - run.frames[frame]["origin"]


def test_radial_distribution_function():
    run = make("melt")
    universe = mda.Universe(run.gpz)
    analysis = InterRDF(universe.atoms, universe.atoms, nbins=50, range=(0.5, 3), exclusion_block=(1, 1)).run()
    counts = np.zeros(50)
    for i, frame in enumerate(run.frames):
        box = np.array([*frame["lengths"], 90, 90, 90], np.float32)
        distances = self_distance_array(true_positions(run, i).astype(np.float32), box=box)
        counts += 2 * np.histogram(distances, bins=50, range=(0.5, 3))[0]
    # Pairs move from bin to bin by the error bound: few of the hundreds in a bin.
    np.testing.assert_allclose(analysis.results.count, counts, rtol=0.05, atol=50)
    assert analysis.results.count.sum() == pytest.approx(counts.sum(), rel=1e-3)


@pytest.mark.parametrize("backend", ["serial", "multiprocessing", "dask"])
def test_rmsd_with_each_backend(backend, universe, water):
    workers = {} if backend == "serial" else {"n_workers": 2}
    analysis = RMSD(universe.atoms).run(backend=backend, **workers)
    np.testing.assert_array_equal(analysis.results.rmsd[:, 0], np.arange(len(water.frames)))
    first = true_positions(water, 0)
    of_text = [rmsd(true_positions(water, i), first, superposition=True) for i in range(len(water.frames))]
    np.testing.assert_allclose(analysis.results.rmsd[:, 2], of_text, atol=2 * water.bounds["x"])


class Cluster(BackendBase):
    """MDAnalysis's parts of an analysis, on the workers of a dask cluster."""

    def __init__(self, client):
        super().__init__(n_workers=2)
        self.client = client

    def apply(self, func, computations):
        return self.client.gather(self.client.map(func, computations))


def read_in_a_worker(universe, frame):
    universe.trajectory[frame]
    return os.getpid(), universe.atoms.positions


def test_a_dask_cluster_reads_frames_in_several_processes(universe, water):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, local_directory=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.wait_for_workers(2)  # a busy machine starts them one after the other
        # Each worker opens the file for itself: a universe is pickled without what it has decoded.
        tasks = [
            client.submit(read_in_a_worker, universe, frame, workers=[address], pure=False)
            for frame in range(len(water.frames))
            for address in client.scheduler_info()["workers"]
        ]
        results = client.gather(tasks)
        for i, (_, positions) in enumerate(results):
            np.testing.assert_allclose(positions, true_positions(water, i // 2), rtol=0, atol=water.bounds["x"] + 1e-5)
        processes = {process for process, _ in results}
        assert len(processes) == 2 and os.getpid() not in processes

        analysis = RMSD(universe.atoms)
        analysis.run(backend=Cluster(client), n_parts=4, unsupported_backend=True)
        alone = RMSD(universe.atoms).run()
        np.testing.assert_array_equal(analysis.results.rmsd, alone.results.rmsd)


def test_a_pickled_universe(universe, water):
    universe.trajectory[4]
    again = pickle.loads(pickle.dumps(universe))
    assert again.trajectory.frame == 4
    np.testing.assert_array_equal(again.atoms.positions, universe.atoms.positions)
    np.testing.assert_array_equal(again.atoms.elements, universe.atoms.elements)
    again.trajectory.next()
    np.testing.assert_allclose(again.atoms.positions, true_positions(water, 5), rtol=0, atol=water.bounds["x"] + 1e-5)
    assert universe.trajectory.frame == 4
    # What is pickled is the timestep and the topology, no open file and no second array of ids.
    assert len(pickle.dumps(universe.trajectory)) < 1.2 * 3 * universe.atoms.positions.nbytes + 10_000


def test_in_memory(water):
    universe = mda.Universe(water.gpz, in_memory=True)
    assert universe.trajectory.format == "MEMORY"
    universe.trajectory[7]
    np.testing.assert_allclose(
        universe.atoms.positions, true_positions(water, 7), rtol=0, atol=water.bounds["x"] + 1e-5
    )


def test_files_one_after_the_other(water):
    universe = mda.Universe(water.gpz, [water.gpz, water.gpz])
    count = len(water.frames)
    assert len(universe.trajectory) == 2 * count
    for frame in (1, count + 2):
        universe.trajectory[frame]
        true = true_positions(water, frame % count)
        np.testing.assert_allclose(universe.atoms.positions, true, rtol=0, atol=water.bounds["x"] + 1e-5)
    assert [ts.frame for ts in universe.trajectory] == list(range(2 * count))


# How far a coordinate may be from that of the .gpz file, in A: XTC stores hundredths, all others float32.
@pytest.mark.parametrize(
    ("extension", "rounding"), [("dcd", 0), ("nc", 0), ("h5md", 0), ("xtc", 0.00501), ("trr", 1e-5), ("gpz", 0.001)]
)
def test_exports(extension, rounding, universe, tmp_path):
    path = str(tmp_path / f"out.{extension}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        universe.atoms.write(path, frames="all", dt=universe.trajectory.dt)  # without which a DCD file has 1 ps
        other = mda.Universe(universe.filename, path)
    assert len(other.trajectory) == len(universe.trajectory)
    for ts, copy in zip(universe.trajectory, other.trajectory):
        np.testing.assert_allclose(copy.positions, ts.positions, rtol=1e-6, atol=rounding)
        np.testing.assert_allclose(copy.dimensions, ts.dimensions, rtol=1e-5)
        assert copy.time == pytest.approx(ts.time, abs=1e-6)
        if extension in ("h5md", "trr", "gpz"):
            np.testing.assert_allclose(copy.velocities, ts.velocities, rtol=1e-6)
            np.testing.assert_allclose(copy.forces, ts.forces, rtol=1e-6)


def test_h5md_of_a_file_in_reduced_units(tmp_path):
    universe = mda.Universe(make("melt").gpz)
    path = str(tmp_path / "out.h5md")
    universe.atoms.write(path, frames="all", convert_units=False)
    other = mda.Universe(universe.filename, path, convert_units=False)
    for ts, copy in zip(universe.trajectory, other.trajectory):
        np.testing.assert_array_equal(copy.positions, ts.positions)
