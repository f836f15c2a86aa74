#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Data files that the simulations of water, polymers and grains start from, for the read_data of LAMMPS.

start.py water|polymer N FILE: N molecules, or chains, along each edge of a cube."""

import math
import random
import sys


def rotation(generator):
    """A random one, from a quaternion."""
    q = [generator.gauss(0, 1) for _ in range(4)]
    norm = math.sqrt(sum(c * c for c in q))
    w, x, y, z = (c / norm for c in q)
    return ((1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
            (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
            (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)))


def water(n):
    """SPC/E at 1 g/cm^3, molecules on a cubic lattice: (edge, masses, atoms, bonds, angles); Angstrom, atom_style full."""
    generator = random.Random(1)
    spacing = 3.1042
    angle = math.radians(109.47) / 2
    shape = ((0, 0, 0), (math.sin(angle), math.cos(angle), 0), (-math.sin(angle), math.cos(angle), 0))
    atoms, bonds, angles = [], [], []
    for cell in range(n ** 3):
        corner = [spacing * (place + 0.5) for place in (cell % n, cell // n % n, cell // (n * n))]
        turn = rotation(generator)
        first = len(atoms) + 1
        for k, site in enumerate(shape):
            place = [c + sum(r * s for r, s in zip(row, site)) for c, row in zip(corner, turn)]
            atoms.append((cell + 1, 2 if k else 1, 0.4238 if k else -0.8476, *place))
        bonds += [(1, first, first + 1), (1, first, first + 2)]
        angles.append((1, first + 1, first, first + 2))
    return n * spacing, (15.9994, 1.008), atoms, bonds, angles


def polymer(n):
    """Chains of 32 beads along a path through a cubic lattice of (4 n)^3 sites, 0.85 sigma^-3; atom_style bond."""
    edge, spacing, length = 4 * n, (1 / 0.85) ** (1 / 3), 32
    atoms, bonds = [], []
    for site in range(edge ** 3):
        z, rest = divmod(site, edge * edge)
        y, x = divmod(rest, edge)
        y = y if z % 2 == 0 else edge - 1 - y
        x = x if (rest // edge + z) % 2 == 0 else edge - 1 - x
        atoms.append((site // length + 1, 1, *(spacing * (place + 0.5) for place in (x, y, z))))
        if site % length:
            bonds.append((1, site, site + 1))
    return edge * spacing, (1.0,), atoms, bonds, []


def write(path, edge, masses, atoms, bonds, angles):
    with open(path, "w", encoding="ascii") as file:
        file.write(f"start of a simulation\n\n{len(atoms)} atoms\n{len(masses)} atom types\n{len(bonds)} bonds\n1 bond types\n")
        if angles:
            file.write(f"{len(angles)} angles\n1 angle types\n")
        file.write("".join(f"0 {edge:.9g} {d}lo {d}hi\n" for d in "xyz"))
        file.write("\nMasses\n\n" + "".join(f"{k + 1} {mass}\n" for k, mass in enumerate(masses)))
        for title, rows in (("Atoms", atoms), ("Bonds", bonds), ("Angles", angles)):
            if rows:
                file.write(f"\n{title}\n\n" + "".join(f"{k + 1} {' '.join(f'{v:.9g}' for v in row)}\n" for k, row in enumerate(rows)))


if __name__ == "__main__":
    kind, n, path = sys.argv[1:]
    write(path, *{"water": water, "polymer": polymer}[kind](int(n)))
