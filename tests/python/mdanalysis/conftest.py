# SPDX-License-Identifier: BSD-3-Clause
"""Where the tests find the runs of LAMMPS. Without them the files test_runs*.py are left out."""

import os
import sys

if "GPZ_CLIENT_TESTS" in os.environ:
    sys.path.insert(0, os.environ["GPZ_CLIENT_TESTS"])
else:
    collect_ignore_glob = ["test_runs*"]
