# SPDX-License-Identifier: BSD-3-Clause
"""Converts between .gpz and DCD, AMBER NetCDF, XTC, TRR and H5MD, and from TNG. Needs `pip install "gpz-md[convert]"`.

    import gpz.convert

    notes = gpz.convert.convert("melt.gpz", "melt.dcd")      # what got lost, a line each
    gpz.convert.convert("run.xtc", "run.gpz", bound=0.005, topology="run.gro")

In the shell: `gpz convert melt.gpz melt.dcd`.
"""

from gpz.convert.conversion import convert

__all__ = ["convert"]
