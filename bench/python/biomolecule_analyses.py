# SPDX-License-Identifier: BSD-3-Clause
"""Analyses of water and of a protein, for biomolecules.py: each returns quantities that original and decoded frames share.

Frames are arrays (frames, atoms, 3) in Angstrom. Angles are in degrees.
"""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as xml
import zlib
from dataclasses import dataclass

import numpy as np
from MDAnalysis.analysis.align import rotation_matrix
from MDAnalysis.lib.distances import calc_dihedrals, capped_distance, self_capped_distance
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

BIN = 0.05
LONGEST = 8.0
HYDROGEN_BOND = (3.5, 30.0)  # donor to acceptor; hydrogen, donor, acceptor
LAGS = 5


@dataclass
class Quantity:
    """values: of the whole trajectory. halves: of its first and second half, where the statistical spread is their difference.
    spread: where it is the standard deviation between frames, atoms or angles instead. angle: values are periodic."""

    values: np.ndarray
    halves: tuple[np.ndarray, np.ndarray] | None = None
    spread: float | None = None
    angle: bool = False

    def __post_init__(self):
        self.values = np.asarray(self.values, float)
        if self.halves is not None:
            self.spread = rms(self.halves[0] - self.halves[1])
        elif self.spread is None:
            self.spread = self.values.std(ddof=1)

    def difference(self, other: Quantity) -> np.ndarray:
        apart = other.values - self.values
        return (apart + 180) % 360 - 180 if self.angle else apart


def rms(values) -> float:
    return float(np.sqrt(np.mean(np.square(values, dtype=float))))


def of_halves(function, frames):
    half = len(frames) // 2
    return Quantity(function(frames), (function(frames[:half]), function(frames[half:])))


def lengths(vectors):
    return np.sqrt((vectors**2).sum(axis=-1))


def angles_between(one, other):
    cosine = (one * other).sum(axis=-1) / (lengths(one) * lengths(other))
    return np.degrees(np.arccos(np.clip(cosine, -1, 1)))


def nearest(vectors, box):
    return vectors if box is None else vectors - box * np.round(vectors / box)


def dimensions(box):
    return np.array([*box, 90, 90, 90], np.float32)


def changed(original, decoded):
    """Hydrogen bonds that only one of both has, as a part of those of the original frame; one value for each frame."""
    return [len(np.setxor1d(one, other)) / len(one) for one, other in zip(original, decoded, strict=True)]


def bonded_hydrogens(donors, acceptors, hydrogens, box):
    """Which pairs of positions have a hydrogen of the donor within the angle. hydrogens: (pairs, any number, 3)."""
    to_acceptor = nearest(acceptors - donors, box)[:, None]
    return (angles_between(nearest(hydrogens - donors[:, None], box), to_acceptor) < HYDROGEN_BOND[1]).any(axis=1)


def tetrahedral_order(oxygens, first, second, apart, box):
    """Errington and Debenedetti: 1 - 3/8 sum (cos + 1/3)^2 over the six pairs of the four nearest neighbours."""
    centre, other = np.concatenate([first, second]), np.concatenate([second, first])
    order = np.lexsort((np.concatenate([apart, apart]), centre))
    starts = np.searchsorted(centre[order], np.arange(len(oxygens)))
    if np.diff([*starts, len(order)]).min() < 4:
        raise SystemExit("a molecule has fewer than four neighbours")
    four = other[order][starts[:, None] + np.arange(4)]
    vectors = nearest(oxygens[four] - oxygens[:, None], box)
    vectors /= lengths(vectors)[..., None]
    i, j = np.triu_indices(4, 1)
    cosines = np.einsum("mix,mjx->mij", vectors, vectors)[:, i, j]
    return 1 - 3 / 8 * ((cosines + 1 / 3) ** 2).sum(axis=1)


def survival(bonds):
    """The fraction of the hydrogen bonds of a frame that exist 1, 2, ... frames later, also if they broke in between."""
    return np.array(
        [
            np.mean([np.isin(bonds[k], bonds[k + lag]).mean() for k in range(len(bonds) - lag)])
            for lag in range(1, LAGS + 1)
        ]
    )


def water(frames, box):
    """Quantities by name, and the hydrogen bonds of each frame. Atoms are O H H of whole molecules."""
    edges = np.arange(2, LONGEST + BIN / 2, BIN)
    shells = 4 / 3 * np.pi * np.diff(edges**3)
    histograms, order, bonds = [], [], []
    for frame in frames:
        oxygens, hydrogens = frame[0::3], np.stack([frame[1::3], frame[2::3]], axis=1)
        count = len(oxygens)
        pairs, apart = self_capped_distance(oxygens.astype(np.float32), LONGEST, box=dimensions(box))
        pairs = pairs.astype(np.int64)
        expected = count * (count - 1) / 2 * shells / np.prod(box)
        histograms.append(np.histogram(apart, edges)[0] / expected)
        near = pairs[apart < 6]
        order.append(tetrahedral_order(oxygens, *near.T, apart[apart < 6], box))
        close = pairs[apart < HYDROGEN_BOND[0]]
        donor, acceptor = np.concatenate([close, close[:, ::-1]]).T
        found = bonded_hydrogens(oxygens[donor], oxygens[acceptor], hydrogens[donor], box)
        bonds.append(np.unique(donor[found] * count + acceptor[found]))
    histograms, order = np.array(histograms), np.array(order)
    arms = [frames[:, k::3] - frames[:, 0::3] for k in (1, 2)]
    bond_lengths = lengths(np.stack(arms))
    angle = angles_between(*arms)
    steps = nearest(np.diff(frames[:, 0::3], axis=0), box)
    quantities = {
        "O-H bond, Å": Quantity(bond_lengths),
        "H-O-H angle, degrees": Quantity(angle),
        "mean O-H bond of a frame, Å": Quantity(bond_lengths.mean(axis=(0, 2))),
        "g(r) of O-O, bins of 0.05 Å": of_halves(lambda some: some.mean(axis=0), histograms),
        "first peak of g(r) in a frame": Quantity(histograms.max(axis=1)),
        "hydrogen bonds a molecule in a frame": Quantity([len(some) / count for some in bonds]),
        "hydrogen bonds that exist again 1 to 5 frames later": of_halves(survival, bonds),
        "tetrahedral order of a molecule": Quantity(order),
        "mean tetrahedral order of a frame": Quantity(order.mean(axis=1)),
        "mean squared displacement of O in one interval, Å²": Quantity((steps**2).sum(axis=2).mean(axis=1)),
    }
    return quantities, bonds


@dataclass
class Protein:
    """Indices of atoms. Residues are those between two peptide bonds, in the order of the chain."""

    atoms: np.ndarray
    elements: np.ndarray
    masses: np.ndarray
    bonds: np.ndarray  # pairs
    phi: np.ndarray  # C N CA C
    psi: np.ndarray  # N CA C N
    constants: np.ndarray | None = None  # of harmonic bonds: atom, atom, length in nm, kJ/mol/nm^2

    @classmethod
    def of_bonds(cls, bonds, elements, masses, constants=None):
        """The molecule of atom 0. Its main chain follows from bonds and elements alone."""
        count = len(elements)
        graph = coo_matrix((np.ones(len(bonds)), bonds.T), (count, count))
        molecule = connected_components(graph, directed=False)[1]
        atoms = np.flatnonzero(molecule == molecule[0])
        bonds = bonds[molecule[bonds[:, 0]] == molecule[0]]
        neighbours = {int(atom): set() for atom in atoms}
        for one, other in bonds.tolist():
            neighbours[one].add(other)
            neighbours[other].add(one)

        def is_peptide(carbon, nitrogen):
            if elements[carbon] != "C" or elements[nitrogen] != "N":
                return False
            around = sorted(elements[k] for k in neighbours[carbon])
            # The nitrogen of a side chain's amide has one carbon.
            return around == ["C", "N", "O"] and sum(elements[k] == "C" for k in neighbours[nitrogen]) > 1

        peptides = sorted(
            pair for bond in bonds.tolist() for pair in (tuple(bond), tuple(bond[::-1])) if is_peptide(*pair)
        )
        residues = []
        for (before, nitrogen), (carbon, after) in itertools.pairwise(peptides):
            (alpha,) = neighbours[nitrogen] & neighbours[carbon]
            residues.append((before, nitrogen, alpha, carbon, after))
        residues = np.array(residues)
        return cls(atoms, elements, masses, bonds, residues[:, :4], residues[:, 1:], constants)

    @classmethod
    def of_system(cls, path):
        """For the system that bench/openmm/adk.py prepared."""
        with np.load(path) as stored:
            tree = xml.fromstring(zlib.decompress(stored["system"].tobytes()))
            elements = stored["elements"]
        constraints = [[int(one.get(key)) for key in ("p1", "p2")] for one in tree.iter("Constraint")]
        constants = np.array(
            [[float(one.get(key)) for key in ("p1", "p2", "d", "k")] for one in tree.find(".//Bonds").iter("Bond")]
        )
        masses = np.array([float(one.get("mass")) for one in tree.find("Particles")])
        return cls.of_bonds(np.concatenate([constants[:, :2].astype(int), constraints]), elements, masses, constants)

    def pairs_of(self, *wanted):
        """Bonds of two elements, in this order."""
        both = np.concatenate([self.bonds, self.bonds[:, ::-1]])
        return both[(self.elements[both[:, 0]] == wanted[0]) & (self.elements[both[:, 1]] == wanted[1])]


def superposed(frames, chosen):
    """Frames moved onto the first by the atoms `chosen`, and their RMSD."""
    to = frames[0, chosen] - frames[0, chosen].mean(axis=0)
    moved, apart = [], []
    for frame in frames:
        centre = frame[chosen].mean(axis=0)
        rotation, distance = rotation_matrix(frame[chosen] - centre, to)
        moved.append((frame - centre) @ rotation.T)
        apart.append(distance)
    return np.array(moved), np.array(apart)


def fluctuations(frames):
    return np.sqrt(((frames - frames.mean(axis=0)) ** 2).sum(axis=2).mean(axis=0))


def order_parameters(vectors):
    """S2 of unit vectors (frames, residues, 3) in the frame of the protein."""
    products = np.einsum("fri,frj->rij", vectors, vectors) / len(vectors)
    return 1.5 * (products**2).sum(axis=(1, 2)) - 0.5


def hydrogen_bonds(frame, pairs, acceptors):
    """N-H to O, as numbers of the pair of atoms."""
    found, _ = capped_distance(
        frame[pairs[:, 0]].astype(np.float32), frame[acceptors].astype(np.float32), HYDROGEN_BOND[0]
    )
    donors = pairs[found[:, 0]]
    kept = bonded_hydrogens(frame[donors[:, 0]], frame[acceptors[found[:, 1]]], frame[donors[:, 1], None], None)
    return np.unique(found[kept, 0] * len(acceptors) + found[kept, 1])


def protein(frames, known):
    """Quantities by name, and the hydrogen bonds of each frame. The protein is whole in every frame."""
    backbone = np.unique(known.psi[:, :3])
    alphas = known.psi[:, 1]
    moved, apart = superposed(frames, backbone)
    weights = known.masses[known.atoms]
    centred = frames[:, known.atoms] - np.average(frames[:, known.atoms], axis=1, weights=weights)[:, None]
    radius = np.sqrt(np.average((centred**2).sum(axis=2), axis=1, weights=weights))
    of_bonds = {
        text: lengths(frames[:, pairs[:, 0]] - frames[:, pairs[:, 1]])
        for text, pairs in {
            "N-H bond, Å": known.pairs_of("N", "H"),
            "C-C bond, Å": np.unique(np.sort(known.pairs_of("C", "C")), axis=0),
        }.items()
    }
    if max(values.max() for values in of_bonds.values()) > 2.5:
        raise SystemExit("the protein is not whole in every frame")
    dihedrals = {
        name: np.degrees([calc_dihedrals(*np.moveaxis(frame[four].astype(np.float32), 1, 0)) for frame in frames])
        for name, four in (("phi", known.phi), ("psi", known.psi))
    }
    both = np.concatenate([dihedrals["phi"], dihedrals["psi"]], axis=1)
    mean_direction = np.angle(np.exp(1j * np.radians(both)).mean(axis=0), deg=True)
    fluctuation = rms((both - mean_direction + 180) % 360 - 180)
    hydrogens = known.pairs_of("N", "H")
    hydrogens = hydrogens[np.isin(hydrogens[:, 0], known.psi[:, 0])]
    vectors = moved[:, hydrogens[:, 1]] - moved[:, hydrogens[:, 0]]
    acceptors = known.atoms[known.elements[known.atoms] == "O"]
    donors = known.pairs_of("N", "H")
    bonds = [hydrogen_bonds(frame, donors, acceptors) for frame in frames]
    quantities = {
        # The spread of a bond is that of its own length in time.
        **{text: Quantity(values, spread=rms(values - values.mean(axis=0))) for text, values in of_bonds.items()},
        "RMSD of the backbone to the first frame, Å": Quantity(apart[1:]),
        "RMSF of CA, Å": of_halves(fluctuations, moved[:, alphas]),
        "radius of gyration, Å": Quantity(radius),
        "phi or psi, degrees": Quantity(both, spread=fluctuation, angle=True),
        **{
            f"histogram of {name}, bins of 10 degrees, % of the residues": of_halves(
                lambda some: 100 * np.histogram(some, np.arange(-180, 181, 10))[0] / some.size, values
            )
            for name, values in dihedrals.items()
        },
        "S2 of N-H vectors": of_halves(order_parameters, vectors / lengths(vectors)[..., None]),
        "hydrogen bonds N-H to O in a frame": Quantity([len(some) for some in bonds]),
    }
    if known.constants is not None:
        first, second = known.constants[:, :2].astype(int).T
        inside = np.isin(first, known.atoms)
        first, second, rest, stiffness = first[inside], second[inside], *known.constants[inside, 2:].T
        stretched = lengths(frames[:, first] - frames[:, second]) / 10 - rest
        quantities["energy of the harmonic bonds in a frame, kJ/mol a bond"] = Quantity(
            (0.5 * stiffness * stretched**2).mean(axis=1)
        )
    return quantities, bonds
