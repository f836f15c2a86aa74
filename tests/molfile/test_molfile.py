# SPDX-License-Identifier: BSD-3-Clause
"""The molfile plugins in a program that loads them as VMD does: runs of LAMMPS against their text dumps, and what the
plugins have to say. Environment: that of molfile_host.py and runs.py; GPZ, the command."""

import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from molfile_host import float32, read

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "clients"))
sys.path.insert(0, str(TESTS / "lammps"))
import runs  # noqa: E402
from harness import read_dump  # noqa: E402

ATOMIC_NUMBERS = {"Ar": 18, "Kr": 36, "O": 8, "H": 1}


def edges(frame):
    """Origin and edge vectors of a frame of a text dump."""
    if len(frame.box) == 6:
        xlo, xhi, ylo, yhi, zlo, zhi = frame.box
        return (xlo, ylo, zlo), ((xhi - xlo, 0, 0), (0, yhi - ylo, 0), (0, 0, zhi - zlo))
    xlo, xhi, xy, ylo, yhi, xz, zlo, zhi, yz = frame.box
    xlo -= min(0, xy, xz, xy + xz)
    xhi -= max(0, xy, xz, xy + xz)
    ylo -= min(0, yz)
    yhi -= max(0, yz)
    return (xlo, ylo, zlo), ((xhi - xlo, 0, 0), (xy, yhi - ylo, 0), (xz, yz, zhi - zlo))


def cell(vectors):
    def angle(u, v):
        return math.degrees(math.acos(sum(a * b for a, b in zip(u, v)) / (math.hypot(*u) * math.hypot(*v))))

    a, b, c = vectors
    return [math.hypot(*v) for v in vectors] + [angle(b, c), angle(a, c), angle(a, b)]


def positions(frame, atom):
    if "xs" in frame.columns:
        origin, vectors = edges(frame)
        s = [float(atom[axis + "s"]) for axis in "xyz"]
        return [o + sum(f * v[i] for f, v in zip(s, vectors)) for i, o in enumerate(origin)]
    suffix = "u" if "xu" in frame.columns else ""
    return [float(atom.get(axis + suffix, 0)) for axis in "xyz"]


class Runs(unittest.TestCase):
    """Every run that other programs are compared with."""

    def compare(self, name, abi=18):
        run = runs.make(name)
        expected = read_dump(run.text)[: -1 if run.torn else None]
        times = runs.read_times(run.folder / "log.lammps")
        seen = read(run.gpz, abi=abi)
        self.assertEqual(seen.exit_code, 0, seen.messages)
        self.assertEqual(len(seen.messages), 1 if run.torn else 0, seen.messages)
        self.assertEqual(seen.facts["frames"], len(expected))
        self.assertEqual(sorted(seen.frames), list(range(len(expected))))
        self.check_structure(seen, expected[0], run)
        moved = "vx" in expected[0].columns
        self.assertEqual(seen.facts["velocities"], int(moved))
        for index, frame in enumerate(expected):
            time, box, xs, vs = seen.frames[index]
            self.assertAlmostEqual(time, times[frame.step], delta=1e-9 * max(1, times[frame.step]))
            for got, true in zip(box, cell(edges(frame)[1])):
                self.assertAlmostEqual(got, true, delta=1e-6 * true)
            for row, atom in enumerate(sorted(frame.atoms, key=int)):
                values = frame.atoms[atom]
                for got, true in zip(xs[3 * row :], positions(frame, values)):
                    self.assertLessEqual(abs(got - true), run.bounds["x"] + abs(true) * 2**-24, (name, index, atom))
                if moved:
                    for axis, got in zip("xyz", vs[3 * row :]):
                        true = float(values.get("v" + axis, 0))
                        bound = run.bounds.get("vx", 0) + abs(true) * 2**-24
                        self.assertLessEqual(abs(got - true), bound, (name, index, atom))

    def check_structure(self, seen, first, run):
        atoms = [first.atoms[atom] for atom in sorted(first.atoms, key=int)]
        self.assertEqual(seen.facts["atoms"], len(atoms))
        elements = "element" in first.columns
        self.assertEqual(bool(seen.options & 0x80), elements)
        self.assertEqual(bool(seen.options & 0x8), "mass" in first.columns)
        self.assertEqual(bool(seen.options & 0x10), "q" in first.columns)
        for got, atom in zip(seen.atoms, atoms):
            name = atom["element"] if elements else atom["type"]
            mass, charge = (float32(float(atom.get(column, 0))) for column in ("mass", "q"))
            number = ATOMIC_NUMBERS[name] if elements else 0
            self.assertEqual(got, (name, atom["type"], int(atom.get("mol", 1)), mass, charge, 0, number))

    def test_interface_of_vmd_1_9_3(self):
        self.compare("melt", abi=17)

    def test_number_of_atoms_changes(self):
        seen = read(runs.make("varying").gpz)
        self.assertEqual((seen.exit_code, seen.frames), (1, {}))
        self.assertEqual(len(seen.messages), 1)
        self.assertIn("varying/run.gpz: the number of atoms changes (", seen.messages[0])

    def test_files_of_ranks(self):
        seen = read(runs.make("percent").gpz)
        self.assertEqual(seen.exit_code, 1)
        self.assertIn("run.%.gpz", seen.messages[0])


for each in (
    "melt_place",
    "triclinic",
    "two_dimensional",
    "no_z",
    "group",
    "torn",
    "fields",
    "scaled",
    "unwrapped",
    "elements",
):
    setattr(Runs, f"test_{each}", lambda self, name=each: self.compare(name))


class Made(unittest.TestCase):
    """Small files, made of text."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def encode(self, frames, columns="id type x y z", *options):
        """frames: lists of rows."""
        text = "".join(
            f"ITEM: TIMESTEP\n{10 * i}\nITEM: NUMBER OF ATOMS\n{len(rows)}\nITEM: BOX BOUNDS pp pp pp\n0 4\n0 4\n0 4\n"
            f"ITEM: ATOMS {columns}\n" + "".join(row + "\n" for row in rows)
            for i, rows in enumerate(frames)
        )
        (self.folder / "t.dump").write_text(text)
        path = self.folder / "t.gpz"
        command = [os.environ["GPZ"], "encode", self.folder / "t.dump", "-o", path, "--eb", "1e-4", *options]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        return path

    def test_registration(self):
        path = self.encode([["1 1 0 0 0"]])
        for abi in 17, 18:
            facts = read(path, abi=abi).facts["plugin"]
            self.assertEqual(facts, [str(abi), "gpz", "gpz", "thread-safe", "1", "mol", "file", "reader"])

    def test_in_the_order_of_ids(self):
        seen = read(self.encode([["7 2 1 0 0", "3 1 2 0 0", "5 1 3 0 0"], ["5 1 3 0 0", "7 2 1 0 0", "3 1 2 0 0"]]))
        self.assertEqual([atom[1] for atom in seen.atoms], ["1", "1", "2"])
        for _, _, xs, _ in seen.frames.values():
            self.assertEqual([round(x) for x in xs[::3]], [2, 3, 1])

    def test_coordinates_in_columns_of_several_forms(self):
        """In a box with edges of 4."""
        for columns, row in (("x y zs", "1 2 0.75"), ("xs ysu z", "0.25 0.5 3"), ("xu yu z", "1 2 3"), ("x y xs ys zs", "9 9 0.25 0.5 0.75")):
            for _, _, xs, _ in read(self.encode([[f"1 1 {row}"]], f"id type {columns}")).frames.values():
                self.assertEqual([round(x, 3) for x in xs], [1, 2, 3], columns)

    def test_skipped_frames(self):
        path = self.encode([[f"1 1 {i}.25 0 0", f"2 1 0 {i}.5 0"] for i in range(3)], "id type x y z", "--key", "2")
        every, third = read(path), read(path, every=2)
        self.assertEqual(sorted(third.frames), [0, 2])
        self.assertEqual(third.frames, {i: every.frames[i] for i in (0, 2)})

    def test_gromacs(self):
        """It gets no velocities, and times in picoseconds."""
        rows = [[f"1 1 {i}.25 0 1 5 6 7", f"2 1 0 {i}.5 2 5 6 7"] for i in range(3)]
        for units, picoseconds in ("real", 0.002), ("metal", 2):
            path = self.encode(rows, "id type x y z vx vy vz", "--units", units, "--dt", "2")
            seen, usual = read(path, abi="gromacs"), read(path, abi=17)
            self.assertEqual((seen.exit_code, seen.messages, seen.atoms), (0, [], usual.atoms))
            self.assertEqual(usual.facts["velocities"], 1)
            for i, (time, cell_of_frame, positions_read, _) in seen.frames.items():
                self.assertAlmostEqual(time, 10 * i * picoseconds, places=9)
                self.assertEqual((cell_of_frame, positions_read), usual.frames[i][1:3])
            self.assertEqual(len(seen.frames), 3)

    def test_tables(self):
        """Masses, charges, molecules and bonds of a data file; the bond to an atom that the frame lacks is left out."""
        data = self.folder / "t.data"
        data.write_text(
            "title\n\n4 atoms\n3 bonds\n2 atom types\n1 bond types\n\nMasses\n\n1 15.9994\n2 1.008\n\nAtoms # full\n\n"
            "9 4 2 0.41 0 0 0\n7 4 2 0.41 0 0 0\n3 4 1 -0.82 0 0 0\n2 5 1 -0.5 0 0 0\n\n"
            "Bonds\n\n1 1 3 9\n2 1 2 3\n3 1 7 3\n"
        )
        path = self.encode([["9 2 1 0 0", "3 1 2 0 0", "7 2 3 0 0"]], "id type x y z", "--data", data)
        seen = read(path)
        self.assertEqual(seen.messages, [])
        self.assertEqual(seen.options & 0x18, 0x18)
        expected = [("1", 4, 15.9994, -0.82), ("2", 4, 1.008, 0.41), ("2", 4, 1.008, 0.41)]
        self.assertEqual([atom[1:5] for atom in seen.atoms], [(t, m, float32(a), float32(q)) for t, m, a, q in expected])
        self.assertEqual(seen.bonds, [(1, 3), (2, 1)])
        self.assertEqual(read(path, abi=17).bonds, seen.bonds)
        self.assertEqual(read(self.encode([["1 1 0 0 0"]])).bonds, [])

    def test_other_atoms_later(self):
        seen = read(self.encode([["1 1 0 0 0", "2 1 1 0 0"], ["1 1 0 0 0", "3 1 1 0 0"]]))
        self.assertEqual(sorted(seen.frames), [0])
        self.assertIn("t.gpz: timestep 10: has other atoms than the first frame", seen.messages[-1])

    def test_without_ids(self):
        frames = [["1 0 0 0", "2 1 0 0"], ["1 0 0 0", "2 1 0 0"]]
        self.assertEqual(read(self.encode(frames, "type x y z")).messages, [])  # the rows are numbered
        seen = read(self.encode(frames, "type x y z", "--order", "place"))
        self.assertEqual(len(seen.frames), 2)
        self.assertIn("t.gpz: atoms have no ids", seen.messages[0])
        self.assertEqual(read(self.encode([["1 0 0 0"]], "type x y z")).messages, [])

    def test_without_positions(self):
        seen = read(self.encode([["1 1 0.5"]], "id type vx"))
        self.assertIn("has no positions", seen.messages[0])

    def test_names_of_any_bytes(self):
        path = self.encode([["1 2 0 0 0"]], "id type x y z", "--elements", "A-name-of-more-than-15-characters,B\x1b[1m")
        ((name, *_),) = read(path).atoms
        self.assertEqual(name, "B?[1m")

    def test_no_such_file(self):
        seen = read(self.folder / "missing.gpz")
        self.assertEqual(seen.exit_code, 1)
        self.assertIn("missing.gpz", seen.messages[0])

    def test_no_gpz_file(self):
        (self.folder / "t.gpz").write_text("ITEM: TIMESTEP\n0\n")
        self.assertIn("not a gpz file", read(self.folder / "t.gpz").messages[0])

    def test_damaged_frame(self):
        path = self.encode([[f"{i} 1 {i / 100} 0 0" for i in range(1, 300)]] * 3, "id type x y z", "--key", "1")
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
        seen = read(path)
        self.assertEqual((seen.exit_code, sorted(seen.frames)), (0, [0]))
        self.assertIn("t.gpz", seen.messages[-1])

    def test_messages_to_the_console(self):
        """Where the application offers one."""
        seen = read(self.encode([["1 1 0 0 0", "2 1 1 0 0"], ["1 1 0 0 0", "3 1 1 0 0"]]), console=True)
        self.assertTrue(seen.messages[-1].startswith("console 3 gpzplugin) "), seen.messages)

    def test_general_triclinic_box(self):
        seen = read(TESTS / "golden" / "files" / "general-triclinic-f64.gpz")
        self.assertEqual(seen.exit_code, 0)
        self.assertIn("has a general triclinic box", seen.messages[0])


if __name__ == "__main__":
    unittest.main()
