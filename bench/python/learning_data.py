# SPDX-License-Identifier: BSD-3-Clause
"""Structures with energies and forces for bench/python/learning.py, as a list of ase.Atoms in an .npz file.

    learning_data.py molecules|crystals OUT.npz [--count 5000]

molecules: molecular dynamics of benzene, methyl ethyl ether, spiropentane, butane and octane (12 to 26 atoms) at 500 K, with
    GFN1-xTB (pip install tblite), a structure every 3 fs.
crystals: fcc alloys of Cu, Ag, Au, Ni, Pd and Pt with 32 atoms, each with a composition, a strain and velocities of 800 K of
    its own, after 20 fs of molecular dynamics with ASE's EMT. They have cells, stresses and periodic axes.

Structures are shuffled, as those of most data sets are.
"""

import argparse

import numpy as np
from ase import Atoms, units
from ase.build import bulk, molecule
from ase.calculators.emt import EMT
from ase.calculators.singlepoint import SinglePointCalculator
from ase.md.langevin import Langevin
from ase.md.velocitydistribution import MaxwellBoltzmannDistribution
from ase.md.verlet import VelocityVerlet

METALS = ["Cu", "Ag", "Au", "Ni", "Pd", "Pt"]
MOLECULES = ["C6H6", "CH3CH2OCH3", "C5H8", "trans-butane"]


def alkane(count):
    """A zigzag of `count` carbon atoms."""
    carbons = np.array([[1.27 * k, 0.42 * (-1) ** k, 0] for k in range(count)])
    positions, symbols = list(carbons), ["C"] * count
    for k, carbon in enumerate(carbons):
        up = (-1) ** k
        directions = [[0, 0.63 * up, 0.89], [0, 0.63 * up, -0.89]]
        directions += [[-0.9, -0.6 * up, 0]] if k == 0 else []
        directions += [[0.9, -0.6 * up, 0]] if k == count - 1 else []
        positions += [carbon + np.array(direction) for direction in directions]
        symbols += ["H"] * len(directions)
    return Atoms(symbols, positions)


def with_results(atoms, names):
    made = Atoms(atoms.numbers, atoms.positions, cell=atoms.cell, pbc=atoms.pbc)
    found = {name: atoms.calc.get_property(name, atoms) for name in names}
    made.calc = SinglePointCalculator(made, **{name: np.copy(value)[()] for name, value in found.items()})
    return made


def molecules(count, random):
    from tblite.ase import TBLite

    for start in [*map(molecule, MOLECULES), alkane(8)]:
        atoms = Atoms(start.numbers, start.positions)
        atoms.calc = TBLite(method="GFN1-xTB", verbosity=0)
        MaxwellBoltzmannDistribution(atoms, temperature_K=500, rng=random)
        dynamics = Langevin(atoms, units.fs, temperature_K=500, friction=0.01 / units.fs, rng=random)
        dynamics.run(100)
        for _ in range(count // (len(MOLECULES) + 1)):
            dynamics.run(3)
            yield with_results(atoms, ["energy", "forces"])


def crystals(count, random):
    for _ in range(count):
        first, second = random.choice(METALS, 2, replace=False)
        atoms = bulk(first, "fcc", cubic=True) * (2, 2, 2)
        chosen = random.random(len(atoms)) < random.random()
        atoms.symbols[chosen] = second
        strain = np.eye(3) + random.normal(0, 0.03, (3, 3))
        atoms.set_cell(atoms.cell.array @ strain, scale_atoms=True)
        atoms.calc = EMT()
        MaxwellBoltzmannDistribution(atoms, temperature_K=800, rng=random)
        VelocityVerlet(atoms, 5 * units.fs).run(4)
        yield with_results(atoms, ["energy", "forces", "stress"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["molecules", "crystals"])
    parser.add_argument("out")
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    random = np.random.default_rng(args.seed)
    images = list({"molecules": molecules, "crystals": crystals}[args.kind](args.count, random))
    images = [images[k] for k in random.permutation(len(images))]
    save(args.out, images)


def save(path, images):
    results = {name: [image.calc.results[name] for image in images] for name in images[0].calc.results}
    np.savez(
        path,
        counts=[len(image) for image in images],
        numbers=np.concatenate([image.numbers for image in images]),
        positions=np.concatenate([image.positions for image in images]),
        cells=[image.cell.array for image in images],
        pbc=[image.pbc for image in images],
        **{name: np.concatenate(values) if name == "forces" else np.array(values) for name, values in results.items()},
    )


def load(path):
    """The list of Atoms that was saved."""
    with np.load(path) as file:
        data = dict(file)
    ends = np.cumsum(data["counts"])
    images = []
    for k, (begin, end) in enumerate(zip(ends - data["counts"], ends)):
        atoms = Atoms(data["numbers"][begin:end], data["positions"][begin:end], cell=data["cells"][k], pbc=data["pbc"][k])
        results = {name: data[name][k] for name in ("energy", "stress") if name in data}
        atoms.calc = SinglePointCalculator(atoms, forces=data["forces"][begin:end], **results)
        images.append(atoms)
    return images


if __name__ == "__main__":
    main()
