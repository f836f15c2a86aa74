#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the cases: LAMMPS scripts that write t.gpz and t.dump, and what must hold afterwards."""

import sys

# They register their cases.
import test_append
import test_async
import test_columns
import test_errors
import test_faults
import test_gpu
import test_gpu_allocations
import test_modify
import test_reread
import test_reread_runs
import test_selection
import test_share
import test_trajectory
from harness import main

if __name__ == "__main__":
    sys.exit(main())
