# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of .gpz files, and the adviser for error bounds. Needs `pip install "gpz-md[plot]"`.

    import gpz.plot

    gpz.plot.overview("melt.gpz").savefig("melt.png")            # sizes, g(r), displacements
    gpz.plot.overview("melt.gpz", against="melt.lammpstrj")      # and errors against the bound
    advice = gpz.plot.advise("melt.lammpstrj")                   # which bound do these data allow?
    advice.bound
    gpz.plot.picture_of(advice).savefig("advice.svg")

Numbers without pictures: sizes, errors, radial_distribution, displacement, thermo, advise. In the shell: `gpz plot melt.gpz`.
"""

from __future__ import annotations

from gpz.plot.accuracy import ColumnErrors, errors
from gpz.plot.advice import Advice, Trial, advise
from gpz.plot.observables import Displacement, Radial, displacement
from gpz.plot.pages import Numbers, measure, overview, picture_of, radial_distribution
from gpz.plot.storage import Sizes, sizes
from gpz.plot.thermo import Thermo, thermo

__all__ = [
    "Advice",
    "ColumnErrors",
    "Displacement",
    "Numbers",
    "Radial",
    "Sizes",
    "Thermo",
    "Trial",
    "advise",
    "displacement",
    "errors",
    "measure",
    "overview",
    "picture_of",
    "radial_distribution",
    "sizes",
    "thermo",
]
