#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Adenylate kinase in water, prepared for simulate.py: adk.npz with the System as XML and positions.

  adk.py FOLDER [--edge NM] [--gro FILE]

simulate.py --relax minimises the energy and finds the density. The structure is that of MDAnalysisTests (4AKE, chain A). Its heavy atoms get hydrogens at pH 7, water, and ions of 0.1 M.
Forces: amber14-all, tip3p; PME, 0.9 nm; bonds of hydrogen and water are rigid; hydrogen atoms weigh 3 amu.
"""

from __future__ import annotations

import argparse
import io
import zlib
from pathlib import Path

import numpy as np
import openmm
from openmm import app, unit

WATER = ("SOL", "NA+", "CL-")


def cell_of(line: str) -> np.ndarray:
    """The edges of the cell in the last line of a .gro file, one a row."""
    values = np.zeros(9)
    given = [float(word) for word in line.split()]
    values[: len(given)] = given
    xx, yy, zz, xy, xz, yx, yz, zx, zy = values
    return np.array([[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]])


def whole(positions: np.ndarray, cell: np.ndarray) -> np.ndarray:
    """A molecule that the file cuts at the faces of its cell: each atom is the image next to the atom before it."""
    steps = np.diff(positions, axis=0)
    shifts = np.round(steps @ np.linalg.inv(cell)) @ cell
    return positions - np.concatenate([np.zeros((1, 3)), np.cumsum(shifts, axis=0)])


def heavy_atoms(path: Path) -> io.StringIO:
    """The protein's atoms other than hydrogen as PDB text, from columns of a .gro file."""
    *lines, last = path.read_text().splitlines()[2:]
    kept = [
        line
        for line in lines
        if line[5:10].strip() not in WATER and not line[10:15].strip().lstrip("0123456789").startswith("H")
    ]
    given = np.array([[float(line[20 + 8 * d : 28 + 8 * d]) for d in range(3)] for line in kept])
    text = []
    for serial, (line, (x, y, z)) in enumerate(zip(kept, 10 * whole(given, cell_of(last)), strict=True), 1):
        number, residue, name = int(line[0:5]), line[5:10].strip(), line[10:15].strip()
        text.append(
            f"ATOM  {serial:5} {name:^4} {residue:3} A{number:4}    {x:8.3f}{y:8.3f}{z:8.3f}  1.00  0.00          {name[0]:>2}"
        )
    return io.StringIO("\n".join([*text, "TER", "END", ""]))


def require_whole(topology: app.Topology, positions: unit.Quantity) -> None:
    """Templates fit a protein that is cut as well, and its first energy is infinite."""
    points = np.array(positions.value_in_unit(unit.nanometer))
    pairs = np.array([[bond[0].index, bond[1].index] for bond in topology.bonds()])
    longest = np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1).max()
    if longest > 0.25:
        raise SystemExit(f"a bond of {longest:.3f} nm: the structure is not whole")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--gro", type=Path, help="the structure; that of MDAnalysisTests")
    parser.add_argument("--edge", type=float, default=7.68, help="of the cubic box, nm (7.68)")
    options = parser.parse_args()
    if options.gro is None:
        from MDAnalysisTests.datafiles import GRO

        options.gro = Path(GRO)

    field = app.ForceField("amber14-all.xml", "amber14/tip3p.xml")
    pdb = app.PDBFile(heavy_atoms(options.gro))
    modeller = app.Modeller(pdb.topology, pdb.positions)
    require_whole(modeller.topology, modeller.positions)
    modeller.addHydrogens(field, pH=7.0)
    edge = options.edge
    modeller.addSolvent(field, model="tip3p", boxSize=openmm.Vec3(edge, edge, edge), ionicStrength=0.1 * unit.molar)
    print(modeller.topology, flush=True)
    system = field.createSystem(
        modeller.topology,
        nonbondedMethod=app.PME,
        nonbondedCutoff=0.9 * unit.nanometer,
        constraints=app.HBonds,
        rigidWater=True,
        hydrogenMass=3.0 * unit.amu,
        removeCMMotion=False,
    )
    options.folder.mkdir(parents=True, exist_ok=True)
    np.savez(
        options.folder / "adk.npz",
        positions=np.array(modeller.positions.value_in_unit(unit.nanometer), np.float32),
        box=np.array([edge] * 3),
        system=np.frombuffer(zlib.compress(openmm.XmlSerializer.serialize(system).encode(), 9), np.uint8),
        elements=np.array([atom.element.symbol for atom in modeller.topology.atoms()]),
    )


if __name__ == "__main__":
    main()
