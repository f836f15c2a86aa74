# SPDX-License-Identifier: BSD-3-Clause
"""The program gpz of the build folder reads dumps of LAMMPS for gpz.plot."""

import os

if "GPZ" in os.environ:
    os.environ["PATH"] = os.path.dirname(os.environ["GPZ"]) + os.pathsep + os.environ["PATH"]
