#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the cases: LAMMPS scripts that write t.gpz and t.dump, and what must hold afterwards."""

import importlib
import sys

from harness import CASES, main

# They register their cases. The last ones import more than others.
MODULES = (
    "test_append test_async test_columns test_errors test_modify test_selection test_trajectory test_gpu test_gpu_allocations "
    "test_faults test_observables test_provenance test_share test_topology test_plugin test_reread test_rerun_origin test_reread_runs"
).split()


def register(names):
    """Imports what these cases need: a test is one case, and its start should be short. All modules, if none are named."""
    for module in MODULES:
        importlib.import_module(module)
        if names and all(name in CASES for name in names):
            return


if __name__ == "__main__":
    sys.exit(main(register))
