# SPDX-License-Identifier: BSD-3-Clause
"""Where the tests find the runs of LAMMPS and the test classes of MDAnalysis."""

import os
import sys

for variable in ("GPZ_CLIENT_TESTS", "GPZ_MDANALYSIS_TESTS"):
    if variable in os.environ:
        sys.path.insert(0, os.environ[variable])
