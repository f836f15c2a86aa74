# SPDX-License-Identifier: BSD-3-Clause
"""Bytes and samples a second of training data: gpz.pack next to extxyz, ASE's databases and HDF5.

    learning.py DATA.npz [--repeat 3] [--sample 500] [--batches]

DATA: of learning_data.py. Each format stores atomic numbers, positions, cell, periodic axes, energy and forces (and stress, where
the data have it), and each sample is read as arrays of these: of extxyz and of ASE's databases as ase.Atoms. Samples a second of
processor time, of the whole process: all structures in order, and so many at random, "shuffled". Data and programs are in the
cache of the machine. What is read is compared with the data: energies and forces that are exact, the largest errors of others.

--batches: packs of several sizes of batches instead: bytes, heads and tables, and the time of one structure without a cache.

Needs ase, h5py, and ase-db-backends for LMDB.
"""

import argparse
import os
import statistics
import tempfile
import time

import ase.db
import ase.io
import h5py
import numpy as np
from learning_data import load

import gpz.pack


def write_pack(**options):
    return lambda path, images: gpz.pack.write(path, images, **options)


def read_pack(cache):
    def opened(path):
        pack = gpz.pack.open(path, cache=cache)
        return pack.__getitem__, lambda: iter(pack), pack

    return opened


def of_structure(structure):
    return structure.positions, structure.forces, structure.energy


def of_atoms(atoms):
    return atoms.positions, atoms.get_forces(), atoms.get_potential_energy()


def write_extxyz(path, images):
    ase.io.write(path, images, format="extxyz")


def open_extxyz(path):
    return (
        lambda k: ase.io.read(path, index=k, format="extxyz"),
        lambda: ase.io.iread(path, index=":", format="extxyz"),
        None,
    )


def database(kind):
    def write(path, images):
        with ase.db.connect(path, type=kind) as made:
            for atoms in images:
                made.write(atoms)

    def opened(path):
        made = ase.db.connect(path, type=kind)
        return lambda k: made.get(k + 1).toatoms(), lambda: (row.toatoms() for row in made.select()), made

    return write, opened


def parts_of(atoms):
    parts = {"numbers": atoms.numbers, "positions": atoms.positions, "cell": atoms.cell.array, "pbc": atoms.pbc}
    return parts | {name: np.asarray(value) for name, value in atoms.calc.results.items()}


def write_groups(path, images):
    with h5py.File(path, "w", libver="latest") as file:
        for k, atoms in enumerate(images):
            group = file.create_group(str(k))
            for name, value in parts_of(atoms).items():
                group[name] = value


def open_groups(path):
    file = h5py.File(path)

    def get(k):
        return {name: value[()] for name, value in file[str(k)].items()}

    return get, lambda: (get(k) for k in range(len(file))), file


def of_parts(parts):
    return parts["positions"], parts["forces"], float(parts["energy"])


OF_ATOMS = ("numbers", "positions", "forces")


def write_arrays(**options):
    """Structures side by side, in chunks of about 4,000 atoms."""

    def write(path, images):
        parts = [parts_of(atoms) for atoms in images]
        with h5py.File(path, "w", libver="latest") as file:
            file["ends"] = np.cumsum([len(atoms) for atoms in images])
            for name in parts[0]:
                join = np.concatenate if name in OF_ATOMS else np.array
                values = join([part[name] for part in parts])
                rows = 4000 if name in OF_ATOMS else 4000 // len(images[0])
                file.create_dataset(name, data=values, chunks=(min(rows, len(values)), *values.shape[1:]), **options)

    return write


def open_arrays(path):
    file = h5py.File(path)
    sets = {name: file[name] for name in file if name != "ends"}
    ends = file["ends"][()]

    def get(k):
        atoms = slice(ends[k - 1] if k else 0, ends[k])
        return {name: values[atoms if name in OF_ATOMS else k] for name, values in sets.items()}

    return get, lambda: (get(k) for k in range(len(ends))), file


EXACT = write_pack(bound=0)
LOSSY = write_pack(bound=1e-4)
SMALL = write_pack(bound=1e-3, bounds={"forces": 1e-3})
# Name, writer, opener, what is compared, whether random reads are few because each reads the whole file.
FORMATS = [
    ("pack, exact", EXACT, read_pack(64 << 20), of_structure),
    ("pack, positions 0.0001", LOSSY, read_pack(64 << 20), of_structure),
    ("pack, positions 0.001, forces 0.001", SMALL, read_pack(64 << 20), of_structure),
    ("extxyz", write_extxyz, open_extxyz, of_atoms),
    ("ASE, SQLite", *database("db"), of_atoms),
    ("ASE, LMDB", *database("aselmdb"), of_atoms),
    ("HDF5, a group each", write_groups, open_groups, of_parts),
    ("HDF5, arrays", write_arrays(), open_arrays, of_parts),
    ("HDF5, arrays, shuffle and gzip 4", write_arrays(shuffle=True, compression="gzip", compression_opts=4), open_arrays, of_parts),
]
ENDINGS = {"ASE, SQLite": ".db", "ASE, LMDB": ".aselmdb"}


def cost(work):
    """Samples a second of processor time."""
    begin = time.process_time()
    count = work()
    return count / (time.process_time() - begin)


def spread(rates):
    return f"{statistics.median(rates):,.0f} ({min(rates):,.0f} to {max(rates):,.0f})"


def measure(images, repeat, sample):
    random = np.random.default_rng(1)
    print("| format | bytes a structure | written | in order | shuffled | error of positions, of forces, of energies |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, write, opened, parts in FORMATS:
            path = os.path.join(folder, "data" + ENDINGS.get(name, ".data"))
            begin = time.process_time()
            write(path, images)
            writing = len(images) / (time.process_time() - begin)
            size = os.path.getsize(path) / len(images)
            get, walk, file = opened(path)
            errors = np.zeros(3)
            for read, atoms in zip(walk(), images, strict=True):
                pairs = zip(parts(read), of_atoms(atoms))
                errors = np.maximum(errors, [np.abs(np.subtract(a, b)).max() for a, b in pairs])
            few = random.permutation(len(images))[: 5 if name == "extxyz" else sample]
            orders, shuffles = [], []
            for _ in range(repeat):
                orders.append(cost(lambda walk=walk, parts=parts: sum(1 for one in walk() if parts(one))))
                shuffles.append(cost(lambda get=get, few=few: sum(1 for k in few if get(int(k)) is not None)))
            shown = ", ".join(f"{error:.1e}" if error else "0" for error in errors)
            print(f"| {name} | {size:.1f} | {writing:,.0f} | {spread(orders)} | {spread(shuffles)} | {shown} |", flush=True)
            if name.startswith("pack, positions 0.0001"):
                orders_of_packs(path, repeat, sample)
            if hasattr(file, "close"):
                file.close()
            os.remove(path)


def orders_of_packs(path, repeat, sample):
    """Structures at random without the decoded batches of before."""
    lines = {}
    for _ in range(repeat):
        with gpz.pack.open(path, cache=0) as pack:
            chosen = np.random.default_rng(2).permutation(len(pack))[: min(sample, 300)]
            lines.setdefault("one batch in the cache, shuffled freely", []).append(cost(lambda p=pack, c=chosen: sum(1 for k in c if p[int(k)])))
        for text, seed in (("first epoch, Pack.shuffled", 1), ("first epoch, shuffled freely", None)):
            with gpz.pack.open(path) as pack:
                numbers = np.random.default_rng(3).permutation(len(pack)) if seed is None else pack.shuffled(seed)
                lines.setdefault(text, []).append(cost(lambda p=pack, n=numbers: sum(1 for k in n if p[int(k)])))
    for text, rates in lines.items():
        print(f"| … {text} | | | | {spread(rates)} | |", flush=True)


def batches(images):
    values = 1 + 6 * ("stress" in images[0].calc.results) + 9 * bool(images[0].cell.rank)
    print("| atoms of a batch | batches | bytes a structure | heads and tables | without the values of the tables | µs of one structure |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for size in (500, 1000, 2000, 4000, 8000, 16000):
            path = os.path.join(folder, "a.gpz")
            gpz.pack.write(path, images, bound=1e-4, batch=size)
            with gpz.open(path) as file:
                fields = [file.field_sizes(k).items() for k in range(len(file))]
            payload = sum(bytes_ for of_frame in fields for names, bytes_ in of_frame if names != ("id",))
            total = os.path.getsize(path)
            rates = []
            with gpz.pack.open(path, cache=0) as pack:
                pack[len(pack) - 1]
                for turn in range(3):
                    chosen = np.random.default_rng(turn).permutation(len(pack))[:100]
                    rates.append(1e6 / cost(lambda chosen=chosen, pack=pack: sum(1 for k in chosen if pack[int(k)])))
                heads = (total - payload) / len(pack)
                print(
                    f"| {size:,} | {pack.n_batches} | {total / len(pack):.1f} | {heads:.1f} | {heads - 8 * values:.1f} | {spread(rates)} |",
                    flush=True,
                )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--sample", type=int, default=500)
    parser.add_argument("--batches", action="store_true")
    args = parser.parse_args()
    images = load(args.data)
    print(f"{len(images):,} structures of {min(map(len, images))} to {max(map(len, images))} atoms")
    if args.batches:
        batches(images)
    else:
        measure(images, args.repeat, args.sample)


if __name__ == "__main__":
    main()
