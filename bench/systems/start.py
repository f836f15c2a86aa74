#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Data files that the simulations of water, polymers and hexane start from, for the read_data of LAMMPS.

start.py water|polymer|hexane N FILE: N molecules, or chains, along each edge of a cube."""

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


def hexane(n):
    """All-trans molecules with their hydrogens, far apart on a cubic lattice; Angstrom, atom_style full. Types of bonds: CC, CH; of angles:
    CCC, CCH, HCH; of dihedrals: CCCC, HCCC, HCCH."""
    generator = random.Random(2)
    spacing, carbons = 10.0, 6
    bond, angle, hydrogen = 1.529, math.radians(112.7) / 2, 1.09
    chain = [(k * bond * math.sin(angle), (k % 2) * bond * math.cos(angle), 0.0) for k in range(carbons)]
    shape, links, kinds = [], [], []
    for k, (x, y, z) in enumerate(chain):
        carbon = len(shape)
        shape.append((x, y, z))
        kinds.append("C")
        if k:
            links.append((previous, carbon))
        up = 1 if k % 2 else -1
        directions = [(0, 0.577 * up, 0.816), (0, 0.577 * up, -0.816)]
        if k in (0, carbons - 1):
            directions.append((-0.943 if k == 0 else 0.943, -0.333 * up, 0))
        for d in directions:
            links.append((carbon, len(shape)))
            shape.append(tuple(p + hydrogen * e for p, e in zip((x, y, z), d)))
            kinds.append("H")
        previous = carbon
    middle = [sum(site[d] for site in shape) / len(shape) for d in range(3)]
    neighbours = [[b if a == k else a for a, b in links if k in (a, b)] for k in range(len(shape))]
    angles = [(a, k, b) for k, near in enumerate(neighbours) for i, a in enumerate(near) for b in near[i + 1:]]
    dihedrals = [(a, b, c, d) for b, c in links for a in neighbours[b] if a != c for d in neighbours[c] if d != b]
    charge = [0.06 if kind == "H" else -0.06 * sum(kinds[m] == "H" for m in neighbours[k]) for k, kind in enumerate(kinds)]
    atoms, out = [], ([], [], [])
    for cell in range(n ** 3):
        corner = [spacing * (place + 0.5) for place in (cell % n, cell // n % n, cell // (n * n))]
        turn = rotation(generator)
        first = len(atoms) + 1
        for k, site in enumerate(shape):
            off = [s - m for s, m in zip(site, middle)]
            place = [(c + sum(r * s for r, s in zip(row, off))) % (n * spacing) for c, row in zip(corner, turn)]
            atoms.append((cell + 1, 2 if kinds[k] == "H" else 1, charge[k], *place))
        for rows, groups in zip(out, (links, angles, dihedrals)):
            for group in groups:
                ends = (kinds[group[0]] == "H") + (kinds[group[-1]] == "H")
                rows.append((ends + 1, *(first + k for k in group)))
    return n * spacing, (12.011, 1.008), atoms, *out


def write(path, edge, masses, atoms, bonds, angles, dihedrals=()):
    with open(path, "w", encoding="ascii") as file:
        file.write(f"start of a simulation\n\n{len(atoms)} atoms\n{len(masses)} atom types\n")
        for name, rows in (("bond", bonds), ("angle", angles), ("dihedral", dihedrals)):
            if rows:
                file.write(f"{len(rows)} {name}s\n{max(row[0] for row in rows)} {name} types\n")
        file.write("".join(f"0 {edge:.9g} {d}lo {d}hi\n" for d in "xyz"))
        file.write("\nMasses\n\n" + "".join(f"{k + 1} {mass}\n" for k, mass in enumerate(masses)))
        for title, rows in (("Atoms", atoms), ("Bonds", bonds), ("Angles", angles), ("Dihedrals", dihedrals)):
            if rows:
                file.write(f"\n{title}\n\n" + "".join(f"{k + 1} {' '.join(f'{v:.9g}' for v in row)}\n" for k, row in enumerate(rows)))


if __name__ == "__main__":
    kind, n, path = sys.argv[1:]
    write(path, *{"water": water, "polymer": polymer, "hexane": hexane}[kind](int(n)))
