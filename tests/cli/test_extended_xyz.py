# SPDX-License-Identifier: BSD-3-Clause
"""Comments of XYZ and extended XYZ: what gpz encode reads of them, what it refuses or names, and what gpz decode writes."""

import json
import subprocess

from cli_case import GPZ, NUMBERED, CliCase, dump_frame

LATTICE = 'Lattice="10 0 0 0 11 0 0 0 12"'
COLUMNS = "Properties=species:S:1:pos:R:3"


class CommentCase(CliCase):
    def encode(self, comment, rows="C 1 2 3\nO 4 5 6\n", *options):
        """Notes other than that of numbered rows."""
        self.write("in.xyz", f"{rows.count(chr(10))}\n{comment}\n{rows}")
        result = subprocess.run([GPZ, "encode", "in.xyz", "-o", "t.gpz", "--lossless", *options], cwd=self.folder,
                                capture_output=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        lines = result.stderr.decode().splitlines()
        self.assertIn(f"gpz: in.xyz: {NUMBERED}", lines)
        return [line[len("gpz: in.xyz: "):] for line in lines if NUMBERED not in line]

    def decoded(self, form="extxyz"):
        return self.gpz("decode", "t.gpz", "-o", "-", "--format", form, "--with-time", out=None).decode()

    def comment(self):
        return self.decoded().splitlines()[1]

    def observables(self):
        info = json.loads(self.gpz("info", "t.gpz", "--json", out=None))
        return {one["name"]: one["unit"] for one in info["observables"]}

    def refuse(self, comment, reason, rows="C 1 2 3\nO 4 5 6\n", code=4):
        self.write("in.xyz", f"{rows.count(chr(10))}\n{comment}\n{rows}")
        self.gpz("encode", "in.xyz", "-o", "t.gpz", "--lossless", code=code, err=f"in.xyz: {reason}")


class FreeText(CommentCase):
    def test_is_read_where_it_is_clear(self):
        for comment, step, time in (
                ("Step=100, time=50.0, E=-17.1", 100, 50),
                (" i =        5, time =        2.500, E =       -17.1661640", 5, 2.5),
                ("Atoms. Timestep: 40 Time: 0.25", 40, 0.25),
                ("Protein t= 10.00000 step= 5000", 5000, None),
                ("step: 7; time: 1e2", 7, 100),
                ("# CELL(abcABC): 1 2 3 90 90 90 Step:  10  Bead:  0 positions{angstrom}  cell{angstrom}", 10, None),
                # What could be taken in two ways says nothing.
                ("timestep: 1 fs, step 3", 0, None),
                ("timestep: 1, step: 3", 3, None),
                ("time step: 1", 0, None),
                ("wall time: 3.5", 0, None),
                ("step=1 step=2", 0, None),
                ("step=1.5 time=noon", 0, None),
                ("Lattice: fcc, a = 3.6, time: noon", 0, None),
                ('title="run step=5 time=3"', 0, None),
                ("i = 5", 0, None),
                ("E = 1, i = 5", 0, None)):
            self.assertEqual(self.encode(comment), [], comment)
            expected = f"2\nAtoms. Timestep: {step}" + ("" if time is None else f" Time: {time}")
            self.assertEqual(self.decoded("xyz").rsplit("\nC ", 1)[0], expected, comment)

    def test_is_never_refused(self):
        for comment in ('"', "it's [a {b \"c", "= = =", "Lattice=fcc Properties", "\\", "step=", "time = = 3", "lattice='x'", ":",
                        'Lattice="fcc" a=3', "CELL(abcABC): 1 2", "CELL(abcABC): 1 1 1 170 10 10 positions{a} cell{a}", "=5", '"step"=5'):
            self.encode(comment)
            self.assertNotIn("Lattice", self.comment(), comment)

    def test_the_cell_of_ipi(self):
        self.encode("# CELL(abcABC): 10 10 20 90 90 60 Step: 3 Bead: 0 positions{angstrom} cell{angstrom}")
        box = json.loads(self.gpz("info", "t.gpz", "--json", out=None))["box"]
        self.assertIn("p", json.dumps(box))
        numbers = [float(word) for word in self.comment().split('"')[1].split()]
        for got, true in zip(numbers, (10, 0, 0, 5, 75 ** 0.5, 0, 0, 0, 20)):
            self.assertAlmostEqual(got, true, 12)
        self.encode("# CELL(abcABC): 10 10 20 90 90 60 Step: 3 Bead: 0 positions{angstrom} cell{atomic_unit}")
        self.assertNotIn("Lattice", self.comment())


class KeysAndValues(CommentCase):
    def test_nothing_in_a_text_is_a_key(self):
        for text in (r'cmd="run \"a b\" step=99 time=8 energy=5 more"', "cmd='step=99 energy=5'", "cmd={step=99 energy=5}",
                     r'cmd="\\" x="step=99"', 'cmd=a"b step=99"', 'cmd=["step=99", "energy=5"]', "cmd=x=step=99"):
            notes = self.encode(f"{LATTICE} {COLUMNS} {text} step=7 energy=-3")
            self.assertEqual(len(notes), 1, text)
            self.assertRegex(notes[0], r"\Aleft out, as it is no number: cmd(, x)?\Z")
            self.assertIn(" Timestep=7 energy=-3", self.comment(), text)
            self.assertNotIn("Time=", self.comment(), text)
        self.encode(rf'comment="was \"Lattice=1 0 0 0 1 0 0 0 1\"" {LATTICE} {COLUMNS}')
        self.assertIn(LATTICE, self.comment())

    def test_values(self):
        for value, expected in (
                ("e=5", " e=5"), ("e = 5", " e=5"), ("e= 5", " e=5"), ("e =5", " e=5"), ("e='5'", " e=5"), ("e={5}", " e=5"),
                ("e=[5]", " e=5"), ('"e"=5', " e=5"), ('"a b"=5', ' "a b"=5'), ("e=-1.5D-1", " e=-0.15"), ("e=5,", " e=5"),
                ("e=[1, 2]", ' e="1 2"'), ("e={1 2}", ' e="1 2"'), ('e="1, 2"', ' e="1 2"'),
                ("e=[[1,2],[3,4]]", ' e="_JSON [[1, 2], [3, 4]]"'), ('e="_JSON [[1, 2], [3, 4]]"', ' e="_JSON [[1, 2], [3, 4]]"'),
                ("step=3 timestep=0.5", " Timestep=3 timestep_=0.5"), ("timestep=0.5", " Timestep=0 timestep_=0.5")):
            self.assertEqual(self.encode(f"{COLUMNS} {value}"), [], value)
            self.assertEqual(self.comment().split("pos:R:3")[1].replace(" Timestep=0" * ("timestep" not in value), ""), expected, value)

    def test_left_out(self):
        long = " ".join("1" * 10)
        for text, name in (("config_type=liquid", "config_type"), ("flag", "flag"), ("done=T", "done"), (f'soap="{long}"', "soap (10 numbers)"),
                           ("uid=9007199254740993", "uid"), ("e=", "e"), ("e=1x", "e"), ("Time=noon", "Time"), ('e=""', "e")):
            self.assertEqual(self.encode(f"{COLUMNS} energy=1 {text}"), [f"left out, as it is no number: {name}"])
            self.assertEqual(self.observables(), {"energy": "eV"})

    def test_names_of_the_frame_with_other_values(self):
        """Names that the specification does not have: of their values only those that fit are a box, an origin, flags."""
        self.encode(f"{LATTICE} {COLUMNS}")
        plain = self.comment()
        for text, name in (("lattice=fcc", "lattice"), ("Origin=database", "Origin"), ('origin="two words"', "origin"), ("PBC=slab", "PBC"),
                           ("properties=elastic", "properties")):
            self.assertEqual(self.encode(f"{text} {LATTICE} {COLUMNS}"), [f"left out, as it is no number: {name}"])
            self.assertEqual(self.comment(), plain)
        self.encode(f'LATTICE="10 0 0 0 11 0 0 0 12" {COLUMNS}')
        self.assertEqual(self.comment(), plain)

    def test_flags_without_a_box(self):
        for pbc, notes in (('"T F F"', ["pbc is left out: there is no Lattice"]), ('"F F F"', [])):
            self.assertEqual(self.encode(f"{COLUMNS} pbc={pbc}"), notes)

    def test_refused(self):
        for text, reason in (('a="b', '" in column 34 has no end'), ("a=[1, 2", "[ in column 34 has no end"),
                             ("a={1", "{ in column 34 has no end"), ("=5", "= has no key"), ('a="b"c', "a blank is missing after the value of a"),
                             ("a=[[1, 2], [3]]", "the rows of the array in column 34 differ in length"),
                             ("energy=1 energy=2", "energy occurs twice, with different values: leave one of them out"),
                             ('a="1 2" a[1]=3', "a[1] occurs twice: leave one of them out"),
                             ('pbc="T T"', "pbc is not 3 flags"), ('pbc="T T T T"', "pbc is not 3 flags"), ("pbc", "pbc is not 3 flags"),
                             ('pbc="T T maybe"', "pbc: 'maybe' is neither T nor F"),
                             ('Lattice="1 0 0 0 1 0 0 0 1 7"', "Lattice is not 9 numbers")):
            self.refuse(f"{COLUMNS} {text}", f"line 2: {reason}")

    def test_numbers_left_over_in_the_first_line(self):
        self.write("in.xyz", "1 7\n\nC 1 2 3\n")
        self.gpz("encode", "in.xyz", "-o", "t.gpz", "--lossless", code=4, err="in.xyz: line 1: expected the number of particles")


class Boxes(CommentCase):
    def flags(self, comment):
        self.encode(f"{COLUMNS} {comment}")
        lines = self.decoded("lammps").splitlines()
        return next(line for line in lines if "BOX BOUNDS" in line)[len("ITEM: BOX BOUNDS "):]

    def test_boundaries(self):
        for pbc, expected in (("", "pp pp pp"), ('pbc="T F T"', "pp ff pp"), ("pbc=[true, FALSE, T]", "pp ff pp"), ('PBC="1 0 1"', "pp ff pp"),
                              ("pbc=F", "ff ff ff"), ("pbc={T T F}", "pp pp ff")):
            self.assertEqual(self.flags(f"{LATTICE} {pbc}"), expected, pbc)

    def test_rows_of_a_matrix_are_vectors(self):
        self.encode(f"Lattice=[[10, 0, 0], [1, 11, 0], [2, 3, 12]] {COLUMNS}")
        self.assertIn('Lattice="10 0 0 1 11 0 2 3 12"', self.comment())

    def test_vectors_of_zeros(self):
        for lattice in ("10 0 0 0 11 0 0 0 0", "10 0 0 2 11 0 0 0 0", "0 0 0 0 11 0 0 0 12", "5 5 0 5 -5 0 0 0 0", "0 0 0 0 0 0 3 0 4"):
            pbc = " ".join("F" if lattice.split()[k:k + 3] == ["0"] * 3 else "T" for k in (0, 3, 6))
            for given in (f' pbc="{pbc}"', ""):
                self.encode(f'Lattice="{lattice}" {COLUMNS}{given}')
                self.assertIn(f'Lattice="{lattice}" Origin="0 0 0" pbc="{pbc}"', self.comment())
        way_out = "Give the Lattice of a box, or vectors of zeros in directions that are F in pbc"
        self.refuse(f'Lattice="10 0 0 0 11 0 0 0 0" {COLUMNS} pbc="T T T"',
                    f"line 2: frame 0: the box is periodic along z, and its edge has length 0. {way_out}")
        self.refuse(f'Lattice="5 5 0 5 -5 0 0 0 0" {COLUMNS} pbc="T T T"',
                    f"line 2: frame 0: the box is periodic along c, and its edge has length 0. {way_out}")
        self.refuse(f'Lattice="5 5 0 5 5 0 0 0 0" {COLUMNS} pbc="T T F"',
                    f"line 2: frame 0: the box has no volume: its vectors are in one plane. {way_out}")


class Columns(CommentCase):
    def test_logical(self):
        rows = "Fe 0 0 5 T True 1\nFe 4 0 5 F False 0\n"
        self.assertEqual(self.encode(f"{COLUMNS}:move_mask:L:1:a:L:2", rows), [])
        self.assertIn("ITEM: ATOMS element x y z move_mask a[1] a[2]\nFe 0 0 5 1 1 1\nFe 4 0 5 0 0 0\n", self.decoded("lammps"))
        self.assertIn(f"{COLUMNS}:move_mask:L:1:a:I:2 Timestep=0\nFe 0 0 5 T 1 1\nFe 4 0 5 F 0 0\n", self.decoded())
        self.refuse(f"{COLUMNS}:a:L:1", "line 3: column a: 'yes' is no T or F", "C 1 2 3 yes\n")
        self.refuse(f"{COLUMNS}:a:Q:1", "line 2: Properties: a has values of type Q; R, I, L and S are known", "C 1 2 3 yes\n")

    def test_text_is_left_out(self):
        rows = "CT3 C 0 0 5 a b 7\nHA H 1 0 5 c d 8\n"
        notes = self.encode("Properties=name:S:1:species:S:1:pos:R:3:tag:S:2:n:I:1", rows)
        self.assertEqual(notes, ["left out, as it is no number: column name, column tag"])
        self.assertIn("ITEM: ATOMS element x y z n\nC 0 0 5 7\nH 1 0 5 8\n", self.decoded("lammps"))

    def test_columns_without_names(self):
        advice = "in the comment, Properties=species:S:1:pos:R:3:charge:R:1:vel:R:3 or the like gives names to columns"
        notes = self.encode("MD iter: 5", "C 1 2 3 4.5 0.25 up\nO 4 5 6 5.5 0.5 down\n")
        self.assertEqual(notes, [f"columns without names are called column5, column6: {advice}", "columns of text are left out: column7"])
        self.assertIn("ITEM: ATOMS element x y z column5 column6\nC 1 2 3 4.5 0.25\n", self.decoded("lammps"))
        self.refuse("", "line 4: more than 4 columns", "C 1 2 3\nC 1 2 3 4\n")

    def test_threads_read_the_same(self):
        rows = "".join(f"C {k} 2 3 {'TF'[k % 2]} x{k} {k}\n" for k in range(30000))
        self.write("in.xyz", f"30000\n{COLUMNS}:m:L:1:t:S:1:n:I:1\n{rows}")
        for threads in "1", "4":
            self.gpz("encode", "in.xyz", "-o", f"t{threads}.gpz", "--lossless", "--threads", threads, err="in.xyz: left out, as it is no number: "
                     f"column t\ngpz: in.xyz: {NUMBERED}")
        self.assertEqual(self.read("t1.gpz"), self.read("t4.gpz"))


class Back(CommentCase):
    """What ASE and OVITO read of extended XYZ comes back under the names that they look for."""

    def test_values_and_vectors(self):
        comment = (f'{LATTICE} Origin="0 0 0" pbc="T F T" {COLUMNS}:vel:R:3:forces:R:3:momenta:R:3:dip:R:2 Timestep=3 Time=0.5 energy=-27.5 '
                   'stress="1 4 5 4 2 6 5 6 3" virial="1 2 3 2 4 5 3 5 6" dipole="1 2 3" free_energy=-28 a=2 Temp=300')
        rows = "C 1 2 3 1 2 3 4 5 6 7 8 9 10 11\nO 4 5 6 0.25 0.5 1 0.125 2 3 1 2 3 4 5\n"
        for options in (), ("--units", "metal"):
            self.assertEqual(self.encode(comment, rows, *options), [])
            self.assertEqual(self.decoded(), f"2\n{comment}\n{rows}")
        units = self.observables()
        self.assertEqual((units["energy"], units["stress[9]"], units["virial[1]"], units["dipole[3]"], units["Temp"]),
                         ("eV", "eV/Angstrom^3", "eV", "e*Angstrom", ""))

    def test_other_names_of_vectors(self):
        for velocities, forces in (("velo", "force"), ("velocities", "forces")):
            self.encode(f"{COLUMNS}:{velocities}:R:3:{forces}:R:3", "C 1 2 3 1 2 3 4 5 6\n")
            self.assertIn(f"{COLUMNS}:vel:R:3:forces:R:3 Timestep=0\nC 1 2 3 1 2 3 4 5 6\n", self.decoded())

    def test_energies_of_lammps_become_electronvolts(self):
        """One kcal/mol is 4184 J / 6.02214076e23, and one eV 1.602176634e-19 J."""
        self.write("t.dump", dump_frame(0, [(1, 1, 1, 2, 3, 4, 5, 6)], columns="id type x y z fx fy fz"))
        self.write("t.log", "Step PotEng Temp Time\n 0 -2 300 7\n")
        for units, energy in (("real", -2 * 4184 / 6.02214076e23 / 1.602176634e-19), ("metal", -2), ("lj", -2)):
            self.gpz("encode", "t.dump", "-o", "t.gpz", "--lossless", "--log", "t.log", "--units", units)
            note = "forces are in units real and keep the names fx fy fz, as programs take forces of extended XYZ for eV/Angstrom: " \
                   "ase convert FILE.gpz FILE.extxyz converts them"
            self.gpz("decode", "t.gpz", "-o", "t.extxyz", err=note if units == "real" else "")
            comment = self.text("t.extxyz").splitlines()[1]
            self.assertAlmostEqual(float(comment.split(" energy=")[1].split()[0]), energy, 12)
            self.assertIn(" Temp=300 Time_=7", comment)
            # Forces that are not in eV/Angstrom are not called forces.
            self.assertIn("fx:R:1:fy:R:1:fz:R:1" if units == "real" else "forces:R:3", comment)

    def test_some_of_the_atoms_have_no_energy(self):
        self.encode(f"{COLUMNS} energy=-3")
        text = self.gpz("decode", "t.gpz", "-o", "-", "--format", "extxyz", "--types", "C", out=None,
                        err="t.gpz: left out, because they are those of 2 atoms, of which frames have 1: energy").decode()
        self.assertNotIn("energy", text)

    def test_pipe(self):
        self.encode(f"{COLUMNS} energy=-3 a=1")
        with open(self.path("t.gpz"), "rb") as file:
            out = self.gpz("decode", "-", "-o", "-", "--format", "extxyz", out=None, stdin=file.read()).decode()
        self.assertEqual(out, self.decoded())
