# SPDX-License-Identifier: BSD-3-Clause
"""LAMMPS's data files: what `--data` of gpz encode reads, and what that of gpz decode writes."""

from cli_case import dump_frame
from table_case import DATA, TableCase


class Read(TableCase):
    def test_wrong_data_files(self):
        def refused(code, err, text, *arguments):
            self.write("bad.data", text)
            self.gpz("encode", "t.dump", "-o", "bad.gpz", "--eb", "0.1", "--data", "bad.data", *arguments, code=code, err=err)
            self.assert_files("bad.data", "plain.gpz", "t.data", "t.dump", "t.log")

        refused(4, "bad.data: no LAMMPS data file: no line says how many atoms there are", "title\n\n")
        refused(2, "bad.data: the line 'Atoms' does not name the atom style; give it, e.g. --atom-style full",
                DATA.replace("Atoms # full", "Atoms"))
        refused(4, "bad.data: line 38: the section Atoms has fewer rows than the 13 atoms of the header",
                DATA.replace("12 atoms", "13 atoms"))
        refused(5, None, DATA[:DATA.rindex("\n1 1 2 1 3") + 1])
        refused(4, None, DATA.replace("\n5 1 1 2\n", "\n5 1 1 x\n"))
        refused(4, "bad.data: two atoms have id 1", DATA.replace("\n4 2 1 -0.82", "\n1 2 1 -0.82"))

    def test_data_of_another_system(self):
        """encode refuses it as annotate does, and leaves no file."""
        lines = DATA.splitlines(keepends=True)
        row = next(line for line in lines if line.startswith("5 2 "))
        self.write("lacks.data", DATA.replace("12 atoms", "11 atoms").replace(row, ""))
        says = "lacks.data: has no atom with id 5, which is in the first frame"
        for source in ("t.dump", "plain.gpz"):
            self.gpz("encode", source, "-o", "e.gpz", "--eb", "0.1", "--data", "lacks.data", code=7, err=says)
        with open(self.path("plain.gpz"), "rb") as file:  # a pipe has no columns of its own
            self.gpz("encode", "-", "-o", "e.gpz", "--format", "gpz", "--data", "lacks.data", code=7, err=says, stdin=file.read())
        self.gpz("annotate", "plain.gpz", "--data", "lacks.data", code=7, err=says)
        self.assert_files("lacks.data", "plain.gpz", "t.data", "t.dump", "t.log")
        self.write("more.data", DATA.replace("12 atoms", "13 atoms").replace("\nBonds", "13 5 2 0 1 1 1 0 0 0\n\nBonds"))
        self.gpz("encode", "t.dump", "-o", "t.gpz", "--eb", "0.1", "--data", "more.data")

    def test_what_is_left_over_in_data_files(self):
        def refused(old, new, err, code=4):
            self.assertIn(old, DATA)
            self.write("bad.data", DATA.replace(old, new, 1))
            self.gpz("encode", "t.dump", "-o", "bad.gpz", "--eb", "0.1", "--data", "bad.data", code=code, err=f"bad.data: {err}")

        refused("\nBonds\n\n", "\nBonds\n", "line 39: the section Bonds needs a blank line after its name")
        refused("\nMasses\n\n", "\nMasses # of types\n", "line 14: the section Masses needs a blank line after its name")
        refused("12 atoms", "11 atoms", "line 37: '11 4 2 0.41 3.5 1.25 4.125 0 0 0' after the rows of the section Atoms, of which "
                "the header has 11")
        refused("8 bonds", "8 bonds\n9 bonds", "line 5: '9 bonds', and a line in front says 8")
        refused("12 atoms", "-12 atoms", "line 3: '-12 atoms' is no number of atoms")
        refused("12 atoms", "12 13 atoms", "line 3: '12 13 atoms': 2 numbers where 1 is expected")
        refused("0 10 zlo zhi", "0 zlo zhi", "line 12: '0 zlo zhi': 1 number where 2 are expected")
        refused(" 0 0 0\n", " 0 0 x\n", "line 26: 'x' is no number")
        refused("\n5 1 1 2\n", "\nfive 1 1 2\n", "line 45: 'five' is no integer")
        refused("1 15.9994  # O", "1 15.9994 O", "line 16: a row of Masses with 3 words where 2 are expected")
        refused(" 0 0 0\n", " 0 0\n", "line 26: a row of Atoms with 9 words where 7 or 10 are expected; is it the right atom style?")
        refused("\n5 1 1 2\n", "\n5 1 1 2 3\n", "line 45: a row of Bonds with 5 words where 4 are expected")
        refused("\nMasses", "\nmore text\n\nMasses", "line 14: 'more text' is no line of the header and no section")
        for labels, line, label, number in (("1 O\n1 H", 17, "H", 1), ("1 O\n2 O", 17, "O", 2)):
            refused("\nMasses", f"\nAtom Type Labels\n\n{labels}\n\nMasses",
                    f"line {line}: a second label of type {number}, or a second type with the label {label}")

    def test_unknown_parts_of_data_files(self):
        """They are named, and left out; sections of LAMMPS that gpz does not need are not."""
        for old, new, note in (
                ("Masses", "Tags\n\n1 a b\n2 c d\n\nMasses", "the section Tags is not known, and left out"),
                ("Masses", "Velocities\n\n1 0 0 0\n\nMasses", ""),
                ("12 atoms", "12 atoms\n3 crossterms", "'3 crossterms' in the header is not known, and left out"),
                ("12 atoms", "12 atoms\n2 extra bond per atom\n0 0 0 xy xz yz", "")):
            self.write("u.data", "\ufeff" + DATA.replace(old, new, 1))
            self.gpz("encode", "t.dump", "-o", "t.gpz", "--eb", "0.001", "--data", "u.data", err=f"u.data: {note}" if note else "")
            self.assertEqual(self.info("t.gpz")[0]["atoms"], self.TABLES["atoms"])

    def test_a_section_with_another_name(self):
        self.write("u.data", DATA.replace("Angles\n", "Angels\n"))
        self.gpz("encode", "t.dump", "-o", "e.gpz", "--eb", "0.001", "--data", "u.data", code=4,
                 err="u.data: the section Angels is not known, and left out\n"
                     "gpz: u.data: the header says 4 angles, and there is no section Angles")

    def test_atom_style_by_name(self):
        self.write("u.data", DATA.replace("Atoms # full", "Atoms"))
        self.gpz("encode", "t.dump", "-o", "t.gpz", "--eb", "0.001", "--data", "u.data", "--atom-style", "full")
        self.assertEqual(self.info("t.gpz")[0]["atoms"], self.TABLES["atoms"])

    def test_names_of_atom_styles(self):
        """Accelerated variants, the option before the comment, and words that are no style."""
        for comment, arguments in (("full/kk", ()), ("full/omp and more", ()), ("id mol type q x y z", ("--atom-style", "full"))):
            self.write("u.data", DATA.replace("Atoms # full", f"Atoms # {comment}").replace("2 atom types", "2  atom\ttypes"))
            self.gpz("encode", "t.dump", "-o", "t.gpz", "--eb", "0.001", "--data", "u.data", *arguments)
            self.assertEqual(self.info("t.gpz")[0]["atoms"], self.TABLES["atoms"], comment)
        for comment, arguments in (("fulll", ()), ("full", ("--atom-style", "charged"))):
            self.write("u.data", DATA.replace("Atoms # full", f"Atoms # {comment}"))
            self.gpz("encode", "t.dump", "-o", "u.gpz", "--eb", "0.001", "--data", "u.data", *arguments, code=2, err=None)
        # With another style, molecules are taken for types.
        self.write("u.data", DATA)
        self.gpz("encode", "t.dump", "-o", "u.gpz", "--eb", "0.001", "--data", "u.data", "--atom-style", "charge", code=4,
                 err="u.data: line 26: a row of Atoms with 10 words where 6 or 9 are expected; is it the right atom style?")
        self.write("u.data", DATA.replace(" 0 0 0\n", " 0 0\n"))
        self.gpz("encode", "t.dump", "-o", "u.gpz", "--eb", "0.001", "--data", "u.data", "--atom-style", "charge", code=4,
                 err="u.data: line 28: 3 is none of the atom types of the header; is it the right atom style?")


class Written(TableCase):
    def rows(self, text, section, count):
        lines = text[text.index(f"\n{section}"):].split("\n")[3:3 + count]
        return sorted(tuple(line.split()) for line in lines)

    def test_what_came_in_goes_out(self):
        self.gpz("encode", "t.dump", "-o", "t.gpz", "--eb", "0.001", "--units", "real", "--data", "t.data")
        self.gpz("decode", "t.gpz", "--data", "-1", "-o", "o.data",
                 err="the frame has no velocities: the input script has to create them")
        text = self.text("o.data")
        self.assertRegex(text, r"\ALAMMPS data file by gpz [0-9.]+, timestep = 20, units = real\n\n12 atoms\n2 atom types\n"
                               r"8 bonds\n1 bond types\n4 angles\n1 angle types\n\n0 10 xlo xhi\n0 10 ylo yhi\n0 10 zlo zhi\n")
        for section, given, count in (("Masses", "Masses", 2), ("Bonds", "Bonds", 8), ("Angles", "Angles", 4)):
            rows = [row[1 if section != "Masses" else 0:] for row in self.rows(text, section, count)]
            expected = [row[1 if section != "Masses" else 0:][:len(rows[0])] for row in self.rows(DATA, given, count)]
            self.assertEqual(sorted(rows), sorted(expected), section)
        atoms = self.rows(text, "Atoms # full", 12)
        given = self.rows(DATA, "Atoms # full", 12)
        self.assertEqual([row[:4] for row in atoms], [row[:4] for row in given])
        for row, source in zip(atoms, given):
            for value, place, shift in zip(row[4:7], source[4:7], (0.2, 0, 0)):
                self.assertLessEqual(abs(float(value) - float(place) - shift), 0.001 + 1e-12)
        # A file that is made of it again has the same tables.
        self.gpz("encode", "t.dump", "-o", "u.gpz", "--eb", "0.001", "--units", "real", "--data", "o.data")
        self.assertEqual(self.read("u.gpz"), self.read("t.gpz"))

    def test_some_atoms(self):
        self.gpz("encode", "t.dump", "-o", "t.gpz", "--eb", "0.001", "--data", "t.data")
        self.gpz("decode", "t.gpz", "--data", "0", "-o", "o.data", "--ids", "1:5", err=None)
        text = self.text("o.data")
        self.assertIn("\n5 atoms\n", text)
        self.assertEqual([row[2:] for row in self.rows(text, "Bonds", 3)], [("1", "2"), ("1", "3"), ("4", "5")])
        self.assertEqual([row[2:] for row in self.rows(text, "Angles", 1)], [("2", "1", "3")])

    def test_without_tables(self):
        self.gpz("decode", "plain.gpz", "--data", "0", "-o", "o.data",
                 err="not all masses are known: the input script has to set them\n"
                     "gpz: the frame has no velocities: the input script has to create them")
        self.assertIn("\nAtoms # atomic\n\n1 1 0.", self.text("o.data"))

    def test_types_that_lammps_has_not(self):
        for kind in (0, 400_000_000_000):
            self.write("n.dump", dump_frame(0, [(1, kind, 1.5, 2, 3)], "id type x y z"))
            self.gpz("encode", "n.dump", "-o", "n.gpz", "--eb", "0.1")
            self.gpz("decode", "n.gpz", "--data", "0", "-o", "o.data", code=2, err=f"n.gpz: LAMMPS has no type {kind}")
        self.write("n.dump", dump_frame(0, [(1, 2_000_000_000, 1.5, 2, 3)], "id type x y z"))
        self.gpz("encode", "n.dump", "-o", "n.gpz", "--eb", "0.1")
        self.gpz("decode", "n.gpz", "--data", "0", "-o", "o.data", "--max-memory", "16M", err=
                 "not all masses are known: the input script has to set them\n"
                 "gpz: the frame has no velocities: the input script has to create them")

    def test_refused(self):
        for options in (("--format", "xyz"), ("--columns", "id"), ("--frames", "1:"), ("--exact",), ("--sort", "id")):
            self.gpz("decode", "plain.gpz", "--data", "0", "-o", "o.data", *options, code=2,
                     err="--data: a data file takes --ids, --types and --region, and no other option of text")
        self.gpz("decode", "plain.gpz", "--data", "0:2", "-o", "o.data", code=2, err="--data: '0:2' is not the number of a frame")
        self.gpz("decode", "plain.gpz", "--data", "3", "-o", "o.data", code=2, err="plain.gpz: no frame 3")
        self.write("n.dump", "".join(dump_frame(0, [(1.5, 2, 3)], "x y z")))
        self.gpz("encode", "n.dump", "-o", "n.gpz", "--eb", "0.1", "--order", "place", err=None)
        self.gpz("decode", "n.gpz", "--data", "0", "-o", "o.data", code=2, err="n.gpz: the frame has no ids")
