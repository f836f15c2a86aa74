#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Effects of error bounds of positions and velocities on analyses of water and of a protein. Prints Markdown tables.

biomolecules.py [--system adk.npz] [--no-others] NAME=FILE,EDGE...

FILE: a .npy of float32, frames x atoms x 3, in nm, with whole molecules, as simulate.py of bench/openmm makes it. EDGE: of the
cubic box, nm (its ABOUT lines have it). A NAME that begins with "water" has the atoms O H H of every molecule; "adk" is the
protein of adk.npz, which adk.py prepared. "dims" without a file: the DIMS trajectory of MDAnalysisTests. "velocities": its TRR.
Needs MDAnalysis, MDAnalysisTests, h5py, hdf5plugin, scipy. --no-others: without the sizes of zstd and SZ3.
"""

from __future__ import annotations

import argparse
import pathlib
import tempfile
import warnings

import h5py
import hdf5plugin
import numpy as np
from biomolecule_analyses import Protein, Quantity, changed, of_halves, protein, rms, water
from MDAnalysis.lib.formats.libmdaxdr import XTCFile

import gpz

BOUNDS = (0.0005, 0.005, 0.02, 0.1)  # Angstrom
XTC_BOUND = 0.005  # of its usual precision, 1000 steps a nm
PARTS = {
    "a tenth of the spread from": 0.1,
    "the spread from": 1,
}  # where the root mean square of the differences is above


def by_gpz(frames, bound, edge):
    """Frames in nm and a bound in Angstrom. Returns bits an atom and frame, and the decoded frames."""
    data = gpz.compress_frames(frames, bound / 10, box=[edge] * 3 if edge else None)
    return 8 * len(data) / frames[..., 0].size, gpz.decompress_frames(data)


def by_xtc(frames, bound, edge):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "a.xtc")
        with XTCFile(str(path), "w") as file:
            for k, frame in enumerate(frames):
                file.write(frame, np.diag([edge or 0] * 3).astype(np.float32), k, k, 5 / bound)
        with XTCFile(str(path)) as file:
            decoded = np.array([frame.x for frame in file])
        return 8 * path.stat().st_size / frames[..., 0].size, decoded


def bits_in_hdf5(frames, bound, **options):
    """All frames in one chunk. `bound`: in Angstrom; 0: exact."""
    with h5py.File("memory", "w", driver="core", backing_store=False) as file:
        data = file.create_dataset("x", data=frames, chunks=frames.shape, **options)
        if np.abs(data[...] - frames).max() > bound / 10 * 1.001:
            raise SystemExit(f"{options}: an error above the bound")
        return 8 * data.id.get_storage_size() / frames[..., 0].size


def shown(value):
    return "0" if value == 0 else f"{value:.2g}" if abs(value) < 100 else f"{value:.0f}"


def heading(first, columns):
    print("| " + " | ".join([*first, *columns]) + " |")
    print("|---" * (len(first) + len(columns)) + "|")


def table(original, decoded):
    """original: quantities by name. decoded: the same by the bound and the name of a column. Cells: root mean square and largest
    of the differences."""
    heading(["quantity", "mean", "spread"], [*(name for _, name in decoded), *PARTS])
    for name, quantity in original.items():
        apart = {column: quantity.difference(others[name]) for column, others in decoded.items()}
        cells = [f"{shown(rms(values))}, {shown(np.abs(values).max())}" for values in apart.values()]
        for part in PARTS.values():
            above = [
                bound
                for (bound, column), values in apart.items()
                if column.startswith("gpz") and rms(values) > part * quantity.spread
            ]
            cells.append(f"{min(above):.2g}" if above else "none")
        mean = "" if quantity.angle else f"{quantity.values.mean():.4g}"
        # For bins, lags and residues, the distance between the halves of the trajectory; otherwise the standard deviation.
        kind = " (halves)" if quantity.halves is not None else ""
        print(f"| {name} | {mean} | {shown(quantity.spread)}{kind} | {' | '.join(cells)} |", flush=True)


def shifts(original, decoded):
    """Change of the mean of a quantity. Histograms and g(r) have the same sum, and the mean of a frame is a row above."""
    print()
    heading(["shift of the mean", "mean"], [name for _, name in decoded])
    for name, quantity in original.items():
        if quantity.angle or name.startswith(("histogram", "g(r)", "mean O-H", "mean tetrahedral")):
            continue
        cells = [f"{quantity.difference(others[name]).mean():+.2g}" for others in decoded.values()]
        print(f"| {name} | {quantity.values.mean():.4g} | {' | '.join(cells)} |", flush=True)


def compare(name, frames, edge, analyse):
    codings = [(bound, f"gpz {bound:g} Å", by_gpz) for bound in BOUNDS]
    codings.insert(2, (XTC_BOUND, f"XTC {XTC_BOUND:g} Å", by_xtc))
    original, bonds = analyse(frames.astype(float) * 10)
    decoded, bits, flipped = {}, {}, []
    for bound, column, code in codings:
        bits[column], values = code(frames, bound, edge)
        if code is by_gpz and np.abs(values - frames.astype(float)).max() > bound / 10:
            raise SystemExit(f"{column}: an error above the bound")
        decoded[bound, column], others = analyse(values.astype(float) * 10)
        flipped.append(changed(bonds, others))
    print(f"\n{name}: {len(frames)} frames, {frames.shape[1]:,} atoms\n")
    table(original, decoded)
    cells = [f"{100 * rms(some):.2g}, {100 * max(some):.2g}" for some in flipped]
    print(f"| hydrogen bonds made or lost, % of a frame's | | | {' | '.join(cells)} | | |", flush=True)
    shifts(original, decoded)
    return bits


def sizes(name, frames, bits, others):
    """A row for each bound."""
    print(f"\n{name}: bits an atom and frame\n")
    print("| bound, Å | gpz standard | XTC | SZ3 | zstd -19 of float32 | the same, bytes shuffled |")
    print("|---|---|---|---|---|---|")
    exact = [""] * 2
    if others:
        zstd = hdf5plugin.Zstd(clevel=19)
        exact = [f"{bits_in_hdf5(frames, 0, shuffle=shuffle, **zstd):.1f}" for shuffle in (False, True)]
    for bound in BOUNDS:
        xtc = bits[f"XTC {XTC_BOUND:g} Å"] if bound == XTC_BOUND else by_xtc(frames, bound, None)[0]
        sz3 = f"{bits_in_hdf5(frames, bound, **hdf5plugin.SZ3(absolute=bound / 10)):.1f}" if others else ""
        row = [f"{bound:g}", f"{bits[f'gpz {bound:g} Å']:.1f}", f"{xtc:.1f}", sz3, *exact]
        print(f"| {' | '.join(row)} |", flush=True)


def dims():
    """In nm, with what is known of the protein."""
    import MDAnalysis
    from MDAnalysisTests.datafiles import DCD, PSF

    universe = MDAnalysis.Universe(PSF, DCD)
    elements = np.array([name.lstrip("0123456789")[0] for name in universe.atoms.names])
    known = Protein.of_bonds(universe.bonds.indices, elements, universe.atoms.masses)
    return np.ascontiguousarray(universe.trajectory.timeseries(order="fac") / 10, np.float32), known


def kinetic(velocities, masses, groups):
    """m v^2 / 3 k of an atom, K; constraints are not subtracted. Velocities in Angstrom/ps, masses in g/mol."""
    of_atoms = masses * (velocities.astype(float) ** 2).sum(axis=2) / 3 / 0.83144626
    return {
        **{
            f"kinetic temperature of {name}, K": Quantity(of_atoms[:, some].mean(axis=1))
            for name, some in groups.items()
        },
        "histogram of components, bins of 1 Å/ps, %": of_halves(
            lambda some: 100 * np.histogram(some, np.arange(-40, 41))[0] / some.size, velocities[:, masses > 0]
        ),
    }


def compare_velocities():
    """Velocities of the TRR of MDAnalysisTests, at the thermal bound and others."""
    import MDAnalysis
    from MDAnalysisTests.datafiles import TPR, TRR

    universe = MDAnalysis.Universe(TPR, TRR)
    atoms = universe.atoms
    groups = {
        # The water has four sites, and one of them no mass.
        "all atoms": np.flatnonzero(atoms.masses > 0),
        "the protein": universe.select_atoms("protein").indices,
        "water": universe.select_atoms("resname SOL and prop mass > 0").indices,
    }
    frames = [
        (step.positions.copy(), step.velocities.copy(), step.triclinic_dimensions.copy())
        for step in universe.trajectory
    ]
    original = np.array([velocities for _, velocities, _ in frames])

    def written(bound):
        """Bits an atom and frame with velocities, the bound in Angstrom/ps, and the decoded velocities."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "a.gpz")
            bounds = {"velocities": bound if isinstance(bound, str) else bound / 1000} if bound else None
            with gpz.Writer(path, units="real", bound=0.005, bounds=bounds) as writer:
                for positions, velocities, box in frames:
                    given = {} if bound is None else {"velocities": velocities / 1000.0, "mass": atoms.masses}
                    writer.write(positions=positions, box=box, **given)
            bits = 8 * path.stat().st_size / len(frames) / len(atoms)
            if bound is None:
                return bits, None, None
            with gpz.open(path) as trajectory:
                return (
                    bits,
                    (trajectory[0].bounds["vx"] or 0) * 1000,
                    np.array([frame.velocities * 1000 for frame in trajectory]),
                )

    alone, _, _ = written(None)
    exact, _, _ = written(0)
    _, thermal, _ = written("thermal")
    decoded, bits = {}, [f"| exact | {exact - alone:.1f} |"]
    for factor in (1, 10, 100, 300):
        size, bound, values = written("thermal" if factor == 1 else factor * thermal)
        if np.abs(values - original).max() > bound * 1.0001:
            raise SystemExit("an error above the bound")
        name = f"gpz {bound:.2g}, " + ("thermal" if factor == 1 else f"{factor} thermal")
        decoded[bound, name] = kinetic(values, atoms.masses, groups)
        bits.append(f"| {name} | {size - alone:.1f} |")
    print(f"\nvelocities: {len(frames)} frames, {len(atoms):,} atoms\n")
    table(kinetic(original, atoms.masses, groups), decoded)
    print("\nvelocities: bits an atom and frame beside positions\n\n| bound, Å/ps | bits |\n|---|---|")
    print("\n".join(bits), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--system", type=pathlib.Path, help="adk.npz, which adk.py of bench/openmm made")
    parser.add_argument("--no-others", action="store_true")
    parser.add_argument("sets", nargs="+", metavar="NAME=FILE,EDGE")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    for text in given.sets:
        name, _, rest = text.partition("=")
        file, _, edge = rest.rpartition(",")
        if name == "velocities":
            compare_velocities()
            continue
        if name == "dims":
            frames, known = dims()
            edge = None
        else:
            frames, edge = np.ascontiguousarray(np.load(file), np.float32), float(edge)
            if not name.startswith("water"):
                known = Protein.of_system(given.system)
        if name.startswith("water"):
            bits = compare(name, frames, edge, lambda some, edge=edge: water(some, np.full(3, 10 * edge)))
        else:
            bits = compare(name, frames, edge, lambda some, known=known: protein(some, known))
        sizes(name, frames, bits, not given.no_others)


if __name__ == "__main__":
    main()
