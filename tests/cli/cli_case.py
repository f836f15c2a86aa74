# SPDX-License-Identifier: BSD-3-Clause
"""Runs the gpz command in a folder of its own and checks what it prints."""

import os
import random
import re
import struct
import subprocess
import tempfile
import unittest
from fractions import Fraction

GPZ = os.environ["GPZ"]
RECORD_MARKER = bytes.fromhex("F59A47505AC3520A")
FRAME_TYPE = 1
# What gpz encode says of inputs without ids.
NUMBERED = "particles have no ids and are numbered by their rows"
A_SET = "particles have no ids: the rows of each frame are stored as a set, sorted by position"


class CliCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gpz-cli-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return name

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def text(self, name):
        return self.read(name).decode()

    def gpz(self, *arguments, code=0, out="", err="", stdin=b""):
        """Standard output must be `out` (None: anything), standard error the one line `err` after 'gpz: ' (None: any one)."""
        result = subprocess.run([GPZ, *arguments], cwd=self.folder, input=stdin, capture_output=True, check=False)
        stderr = result.stderr.decode()
        if err is None:
            self.assertRegex(stderr, r"\Agpz: [^\n]+\n\Z", arguments)
            err = stderr[len("gpz: "):-1]
        self.assertEqual((result.returncode, stderr), (code, f"gpz: {err}\n" if err else ""), arguments)
        if out is not None:
            self.assertEqual(result.stdout.decode(), out)
        return result.stdout

    def assert_files(self, *names):
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(names))

    def assert_within(self, decoded, true, bound):
        """Every decoded text, read as a double, against its true value, with exact arithmetic."""
        self.assertEqual(len(decoded), len(true))
        limit = Fraction(bound)
        for text, value in zip(decoded, true):
            self.assertLessEqual(abs(Fraction(float(text)) - Fraction(value)), limit, f"{text} for {value!r}")


BOX = "ITEM: BOX BOUNDS pp pp pp\n" + 3 * "0.0000000000000000e+00 1.0000000000000000e+01\n"


def dump_frame(timestep, rows, columns="id type x y z", box=BOX):
    """One frame of a LAMMPS text dump; floats with all their digits."""
    lines = [" ".join(str(value) for value in row) + "\n" for row in rows]
    return (f"ITEM: TIMESTEP\n{timestep}\nITEM: NUMBER OF ATOMS\n{len(rows)}\n{box}"
            f"ITEM: ATOMS {columns}\n" + "".join(lines))


def binary_frame(timestep, columns, rows, chunks=1, box=None, kind=0, units="", time=None, magic=b"DUMPCUSTOM",
                 revision=2, endian=1):
    """A frame of a LAMMPS binary dump."""
    box = box or [0.0, 10.0] * 3
    out = struct.pack("<q", -len(magic)) + magic + struct.pack("<ii", endian, revision)
    out += struct.pack("<qqi", timestep, len(rows), kind) + struct.pack("<6i", 0, 0, 1, 1, 2, 3)
    out += struct.pack(f"<{len(box)}d", *box) + struct.pack("<i", len(columns.split()))
    out += struct.pack("<i", len(units)) + units.encode()
    out += b"\0" if time is None else b"\1" + struct.pack("<d", time)
    out += struct.pack("<i", len(columns)) + columns.encode() + struct.pack("<i", chunks)
    for chunk in range(chunks):
        values = [float(value) for row in rows[chunk::chunks] for value in row]
        out += struct.pack("<i", len(values)) + struct.pack(f"<{len(values)}d", *values)
    return out


def parse_dump(text):
    """[(timestep, columns, rows of words)] of a LAMMPS text dump with nine header lines a frame."""
    frames = []
    lines = text.split("\n")
    at = 0
    while at < len(lines) - 1:
        count = int(lines[at + 3])
        columns = lines[at + 8].split()[2:]
        frames.append((int(lines[at + 1]), columns, [line.split() for line in lines[at + 9:at + 9 + count]]))
        at += 9 + count
    return frames


def parse_xyz(text):
    """[(comment, rows of words)] of an XYZ file."""
    frames = []
    lines = text.split("\n")
    at = 0
    while at < len(lines) - 1:
        count = int(lines[at])
        frames.append((lines[at + 1], [line.split() for line in lines[at + 2:at + 2 + count]]))
        at += 2 + count
    return frames


def random_rows(count, seed, low=0.0, high=10.0):
    """id, type, x, y, z in a mixed order of ids."""
    source = random.Random(seed)
    ids = list(range(1, count + 1))
    source.shuffle(ids)
    return [(i, 1 + i % 3, *(source.uniform(low, high) for _ in range(3))) for i in ids]


def record_offsets(content):
    """Where the records of a .gpz file begin: its frames and, last, its index."""
    return [match.start() for match in re.finditer(re.escape(RECORD_MARKER), content) if match.start() % 8 == 0]


def frame_bodies(content):
    """The bytes of the chunks of each frame of a .gpz file (docs/format.md, section 2)."""
    bodies = []
    for at in record_offsets(content):
        kind, head = struct.unpack_from("<II", content, at + 8)
        length, = struct.unpack_from("<Q", content, at + 16)
        if kind == FRAME_TYPE:
            bodies.append(content[at + 32 + head:at + length - 24])
    return bodies


def moving_rows(frames, count, seed):
    """For each frame rows of id, type, x, y, z, ix: particles that move in the box of dump_frame, some leave and arrive."""
    source = random.Random(seed)
    particles = {i: [1 + i % 3, *(source.uniform(0, 10) for _ in range(3)), 0] for i in range(1, count + 1)}
    rows = []
    for k in range(frames):
        for values in particles.values():
            x = values[1] + source.uniform(-0.4, 0.5)
            values[1:] = [x % 10, values[2], values[3] + source.uniform(-0.1, 0.1), values[4] + int(x // 10)]
        for i in source.sample(sorted(particles), 2):
            del particles[i]
        particles[1000 + k] = [3, 1.0, 2.0, 3.0, k]
        rows.append([(i, *values) for i, values in particles.items()])
        source.shuffle(rows[-1])
    return rows


MOVING_COLUMNS = "id type x y z ix"
