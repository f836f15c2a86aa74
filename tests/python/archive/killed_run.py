# SPDX-License-Identifier: BSD-3-Clause
"""Runs gpz archive and kills its process group at a step of the disk: killed_run.py NUMBER ARGUMENTS...

Steps are counted: each file that is synchronised, renamed or removed. The program is killed in front of step NUMBER; it prints the
number of steps if there are fewer. With --jobs 1 the steps are the same in each run.
"""

import itertools
import os
import signal
import sys

from gpz.programs import archive

steps = itertools.count()


def counted(action):
    def step(*arguments, **options):
        if next(steps) == int(sys.argv[1]):
            os.killpg(0, signal.SIGKILL)
        return action(*arguments, **options)

    return step


for name in ("fsync", "replace", "rename", "unlink"):
    setattr(os, name, counted(getattr(os, name)))
code = archive.main([*sys.argv[2:], "--quiet"])
print(next(steps))
sys.exit(code)
