# SPDX-License-Identifier: BSD-3-Clause
"""MDAnalysis reads and writes .gpz files after `import gpz.mdanalysis`.

    import MDAnalysis as mda
    import gpz.mdanalysis

    u = mda.Universe("traj.gpz")                      # topology (ids, types, elements, molecules) and frames
    u = mda.Universe("system.data", "traj.gpz")       # topology with bonds from elsewhere
    for ts in u.trajectory:
        ts.time, ts.dimensions, u.atoms.positions     # ps, A and degrees, A
    u.atoms.write("out.gpz", frames="all")
    gpz.mdanalysis.annotate("traj.gpz", "system.psf") # names, bonds, charges go into the file

GPZReader          frames: see its help for the keywords, which Universe passes on
GPZWriter          writes frames
GPZParser          topologies
GPZStreamReader    frames of a pipe (MDAnalysis 2.10 or newer)
"""

from MDAnalysis.coordinates import base

from gpz.mdanalysis.annotate import annotate
from gpz.mdanalysis.layout import FrameError
from gpz.mdanalysis.reader import GPZReader
from gpz.mdanalysis.topology import GPZParser
from gpz.mdanalysis.writer import GPZWriter

__all__ = ["FrameError", "GPZParser", "GPZReader", "GPZWriter", "annotate"]

if hasattr(base, "StreamReaderBase"):
    from gpz.mdanalysis.stream import GPZStreamReader

    __all__ += ["GPZStreamReader"]
