# SPDX-License-Identifier: BSD-3-Clause
"""Many small structures with energies and forces in one .gpz file, read at random: training data of potentials.

    import gpz.pack

    gpz.pack.write("train.gpz", structures, bound=1e-4)      # ase.Atoms, or dicts of arrays
    with gpz.pack.open("train.gpz") as pack:
        len(pack), pack[17].positions, pack[17].energy, pack[17].to_ase()

A frame of the file is a batch: it has the atoms of many structures, one after the other. A table in front of it has a row for
each structure: number of atoms, cell, energy and other values.
"""

from gpz.pack.reader import Pack, open
from gpz.pack.structure import Structure
from gpz.pack.writer import Writer, write

__all__ = ["Pack", "Structure", "Writer", "open", "write"]
