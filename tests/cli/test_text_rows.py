# SPDX-License-Identifier: BSD-3-Clause
"""Rows of text that several threads read: the same frames, the same names and the same messages as with one thread."""

import json
import os
import random
import subprocess
import threading
import unittest

from cli_case import GPZ, CliCase, dump_frame

ROWS = 60_000  # some 3 MB of text: several threads have work
THREADS = ("1", "2", "3", "8")


def coordinates(seed=7):
    source = random.Random(seed)
    return [[round(source.uniform(0, 10), digits) for digits in (2, 6, 12)] for _ in range(ROWS)]


def pieces(data, size=100_003):
    return [data[k:k + size] for k in range(0, len(data), size)]


class TextRows(CliCase):
    def encoded(self, name, *options):
        """The output of each number of threads, which must all be the same bytes."""
        outputs = []
        for threads in THREADS:
            self.gpz("encode", name, "-o", f"{threads}.gpz", "--lossless", "--threads", threads, *options)
            outputs.append(self.read(f"{threads}.gpz"))
        self.assertEqual([output == outputs[0] for output in outputs], [True] * len(outputs))
        return f"{THREADS[0]}.gpz"

    def decoded(self, name, columns):
        text = self.gpz("decode", name, "-o", "-", "--format", "lammps", "--sort", "id", "--exact", "--columns", columns,
                        out=None).decode()
        return [line.split() for line in text.split("ITEM: ATOMS ")[1].splitlines()[1:]]

    def test_values_of_every_notation(self):
        notations = [str, "{:+.17g}".format, "{:e}".format, "{:.3f}".format, "{:.0f}.".format, "{:.17E}".format]
        rows = [[f"{i}.0" if i % 97 == 0 else i, *(notations[(i + axis) % 6](x) for axis, x in enumerate(xyz))]
                for i, xyz in enumerate(coordinates(), 1)]
        self.write("in.dump", dump_frame(0, rows, "id x y z"))
        got = self.decoded(self.encoded("in.dump"), "id,x,y,z")
        self.assertEqual([[int(row[0]), *map(float, row[1:])] for row in got],
                         [[i, *map(float, row[1:])] for i, row in enumerate(rows, 1)])

    def test_blanks_and_line_ends(self):
        rows = [[i, *xyz] for i, xyz in enumerate(coordinates(), 1)]
        plain = dump_frame(0, rows, "id x y z")
        self.write("plain.dump", plain)
        head, body = plain.split("id x y z\n")
        odd = "".join(f"{' ' * (i % 3)}{line.replace(' ', chr(9) if i % 5 else '  ')}{' ' * (i % 2)}\n"
                      for i, line in enumerate(body.splitlines()))
        self.write("odd.dump", f"{head}id x y z\n{odd}".replace("\n", "\r\n"))
        expected = self.read(self.encoded("plain.dump"))
        self.assertEqual(self.read(self.encoded("odd.dump")), expected)

    def test_names_are_numbered_in_the_order_of_the_rows(self):
        names = {5: "Cu", 20_000: "H", 20_001: "O", 39_999: "Zr", 59_000: "B"}
        rows, name = [], "Xx"
        for i, xyz in enumerate(coordinates()):
            name = names.get(i, name)
            rows.append([i + 1, name, *xyz])
        rows[45_000][1] = "Cu"
        self.write("in.dump", dump_frame(0, rows, "id element x y z"))
        name = self.encoded("in.dump")
        self.assertEqual(json.loads(self.gpz("info", "--json", name, out=None))["elements"], ["Xx", "Cu", "H", "O", "Zr", "B"])
        self.assertEqual([row[1] for row in self.decoded(name, "id,element,x,y,z")], [row[1] for row in rows])

    def test_the_first_wrong_line_is_named(self):
        rows = [[i, *xyz] for i, xyz in enumerate(coordinates(), 1)]
        wrong = {30_000: [30_001, "1.0", "1.0"], 58_000: [58_001, "one", "1.0", "1.0"]}
        for row, values in wrong.items():
            rows[row] = values
        self.write("in.dump", dump_frame(0, rows, "id x y z"))
        line = 9 + 30_001
        for threads in THREADS:
            self.gpz("encode", "in.dump", "-o", "out.gpz", "--lossless", "--threads", threads, code=4,
                     err=f"in.dump: line {line}: 3 columns where 4 are expected")

    def test_a_wrong_line_behind_a_new_name(self):
        rows = [[i, "Cu", *xyz] for i, xyz in enumerate(coordinates(), 1)]
        rows[20_000][1] = "H"
        rows[20_001][2] = "1.0x"
        rows[50_000][2] = "none"
        self.write("in.dump", dump_frame(0, rows, "id element x y z"))
        for threads in THREADS:
            self.gpz("encode", "in.dump", "-o", "out.gpz", "--lossless", "--threads", threads, code=4,
                     err=f"in.dump: line {9 + 20_002}: column x: '1.0x' is no number")

    def test_more_rows_promised_than_there_are(self):
        text = dump_frame(0, [[i, *xyz] for i, xyz in enumerate(coordinates(), 1)], "id x y z")
        self.write("in.dump", text.replace(f"OF ATOMS\n{ROWS}", f"OF ATOMS\n{10 * ROWS}"))
        for threads in THREADS:
            self.gpz("encode", "in.dump", "-o", "out.gpz", "--lossless", "--threads", threads, code=5,
                     err="in.dump: truncated: it ends in frame 0")

    def test_a_pipe_in_pieces(self):
        text = "".join(dump_frame(10 * k, [[i, *xyz] for i, xyz in enumerate(coordinates(k), 1)], "id x y z") for k in range(2))
        self.write("in.dump", text)
        expected = self.read(self.encoded("in.dump"))
        for threads in THREADS:
            command = [GPZ, "encode", "-", "-o", "-", "--lossless", "--threads", threads]
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
                def feed(pipe=process.stdin):
                    for piece in pieces(text.encode()):
                        os.write(pipe.fileno(), piece[:50])  # and the rest of it by itself
                        pipe.write(piece[50:])
                        pipe.flush()
                    pipe.close()
                feeder = threading.Thread(target=feed)
                feeder.start()
                output = process.stdout.read()
                feeder.join()
            self.assertEqual(process.returncode, 0)
            self.assertEqual(output, expected)

    def test_xyz(self):
        text = f"{ROWS}\n\n" + "".join(f"{'CHON'[i // 20_000]} {x!r} {y!r} {z!r}\n" for i, (x, y, z) in enumerate(coordinates()))
        self.write("in.xyz", text)
        outputs = []
        for threads in THREADS:
            self.gpz("encode", "in.xyz", "-o", f"{threads}.gpz", "--eb", "0.001", "--threads", threads, err=None)
            outputs.append(self.read(f"{threads}.gpz"))
        self.assertEqual([output == outputs[0] for output in outputs], [True] * len(outputs))
        self.gpz("verify", "1.gpz", "--against", "in.xyz", out=None)


if __name__ == "__main__":
    unittest.main()
