#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Adenylate kinase in water, prepared for simulate.py: adk.npz with the System as XML and positions.

  adk.py FOLDER [--edge NM] [--steps N]

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


def heavy_atoms(path: Path) -> io.StringIO:
    """The protein's atoms other than hydrogen as PDB text, from columns of a .gro file."""
    text, serial = [], 0
    for line in path.read_text().splitlines()[2:-1]:
        number, residue, name = int(line[0:5]), line[5:10].strip(), line[10:15].strip()
        if residue in WATER or name.lstrip("0123456789").startswith("H"):
            continue
        serial += 1
        x, y, z = (10 * float(line[20 + 8 * d : 28 + 8 * d]) for d in range(3))
        text.append(f"ATOM  {serial:5} {name:^4} {residue:3} A{number:4}    {x:8.3f}{y:8.3f}{z:8.3f}  1.00  0.00          {name[0]:>2}")
    return io.StringIO("\n".join([*text, "TER", "END", ""]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--gro", type=Path, help="the structure; that of MDAnalysisTests")
    parser.add_argument("--edge", type=float, default=7.68, help="of the cubic box, nm (7.68)")
    parser.add_argument("--steps", type=int, default=0, help="of 2 fs after the energy is minimised; 0: neither (0)")
    options = parser.parse_args()
    if options.gro is None:
        from MDAnalysisTests.datafiles import GRO

        options.gro = Path(GRO)

    field = app.ForceField("amber14-all.xml", "amber14/tip3p.xml")
    pdb = app.PDBFile(heavy_atoms(options.gro))
    modeller = app.Modeller(pdb.topology, pdb.positions)
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

    def save(positions: unit.Quantity) -> None:
        np.savez(
            options.folder / "adk.npz",
            positions=np.array(positions.value_in_unit(unit.nanometer), np.float32),
            box=np.array([edge] * 3),
            system=np.frombuffer(zlib.compress(openmm.XmlSerializer.serialize(system).encode(), 9), np.uint8),
            elements=np.array([atom.element.symbol for atom in modeller.topology.atoms()]),
        )

    save(modeller.positions)
    if not options.steps:
        return
    integrator = openmm.LangevinMiddleIntegrator(300, 10, 0.002)
    context = openmm.Context(system, integrator)
    context.setPositions(modeller.positions)
    openmm.LocalEnergyMinimizer.minimize(context, 100, 200)
    print("minimised", context.getState(getEnergy=True).getPotentialEnergy(), flush=True)
    context.setVelocitiesToTemperature(300, 1)
    integrator.step(options.steps)
    state = context.getState(getPositions=True, getEnergy=True)
    print("after the steps", state.getPotentialEnergy(), flush=True)
    save(state.getPositions(asNumpy=True))


if __name__ == "__main__":
    main()
