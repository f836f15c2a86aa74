# SPDX-License-Identifier: BSD-3-Clause
"""Efforts: required features in file headers, copies of frames that need them, and recompression bit for bit."""

import functools
import json
import os
import pathlib
import struct
import sys

from cli_case import MOVING_COLUMNS, CliCase, dump_frame, moving_rows

TESTS = pathlib.Path(__file__).parent.parent
GOLDEN = TESTS / "golden" / "files"
sys.path[:0] = [str(TESTS / "reference"), str(TESTS)]

from gpz_reference import reader as gpz_ref  # noqa: E402
from long_form import sample  # noqa: E402

EFFORTS = ("fast", "standard", "dense")
MODELLED, CELLS, CLASSED, STEPS = 1, 2, 8, 256
FEATURES = {"fast": 0, "standard": CLASSED | STEPS, "dense": MODELLED | CELLS | CLASSED | STEPS}
NAMES = {"modelled sections": MODELLED, "cell chunks": CELLS, "classed sections": CLASSED, "steps": STEPS}
UNREADABLE = {"empty"}  # no frame in it
TORN = {"torn"}


def header_features(content):
    return struct.unpack_from("<I", content, 12)[0]


def bits(number):
    return struct.pack("<d", number)


def field_of(field):
    return (field.type, field.flags, field.names, field.columns, bits(field.bound), bits(field.step), bits(field.largest_error))


def head_of(frame):
    box = tuple(map(bits, frame.box))
    return (frame.particles, frame.timestep, bits(frame.time), frame.dimension, frame.box_kind, frame.boundary, box)


def particles_of(frame):
    """The bytes of all values of each particle, in an order that does not depend on how they are stored."""
    columns = []
    for column in frame.columns:
        size = 4 if column.field.type == gpz_ref.FLOAT32 else 8
        columns.append([column.data[i : i + size] for i in range(0, len(column.data), size)])
    return sorted(zip(*columns)) if columns else []


@functools.lru_cache(maxsize=8)
def contents(content):
    """What a file decodes to, by the reference decoder."""
    file = gpz_ref.read_bytes(content)
    return [(head_of(frame), [field_of(field) for field in frame.fields], particles_of(frame)) for frame in file.frames]


class EffortCase(CliCase):
    def values(self, name):
        """What a file decodes to. Codings that the reference decoder may not have are taken out first: the library decodes them, and
        writes codings that it has."""
        if header_features(self.read(name)) == 0:
            return contents(self.read(name))
        self.gpz("encode", name, "-o", "plain.gpz", "--effort", "fast")
        self.assertEqual(header_features(self.read("plain.gpz")), 0)
        return contents(self.read("plain.gpz"))


class Recompression(EffortCase):
    """Every golden file: all kinds of fields, boxes, exact values, particles that arrive and leave, frames without ids. Each with one
    of four ways, in the long form with all."""

    def check(self, number, *options):
        for path in sample(sorted(GOLDEN.glob("*.gpz")), 4, number):
            with self.subTest(file=path.stem):
                original = path.read_bytes()
                if path.stem in UNREADABLE:
                    continue
                torn = path.stem in TORN
                self.gpz("encode", str(path), "-o", "e.gpz", *options, code=5 if torn else 0, err=None if torn else "")
                # What the golden file says of its largest errors holds, and what was made of it says the same.
                self.assertEqual(self.values("e.gpz"), contents(original))

    def test_dense_keeps_every_bit(self):
        self.check(0, "--effort", "dense")

    def test_standard_keeps_every_bit(self):
        self.check(1, "--effort", "standard", "--key", "3")

    def test_place_keeps_every_bit(self):
        self.check(2, "--effort", "dense", "--order", "place")

    def test_fast_keeps_every_bit(self):
        self.check(3, "--effort", "fast", "--key", "1", "--threads", "2")

    def test_twice_is_as_once(self):
        """From a dense file back to a fast one: as if it had never been dense."""
        path = str(GOLDEN / "difference-special-f64.gpz")
        self.gpz("encode", path, "-o", "fast.gpz", "--effort", "fast")
        self.gpz("encode", path, "-o", "dense.gpz", "--effort", "dense")
        self.gpz("encode", "dense.gpz", "-o", "back.gpz", "--effort", "fast")
        self.assertEqual(header_features(self.read("back.gpz")), 0)
        self.assertEqual(self.values("back.gpz"), self.values("fast.gpz"))


class Efforts(EffortCase):
    def setUp(self):
        super().setUp()
        rows = moving_rows(6, 300, 4)
        self.write("in.dump", "".join(dump_frame(10 * k, part, MOVING_COLUMNS) for k, part in enumerate(rows)))
        for effort in EFFORTS:
            self.encode(effort + ".gpz", "--effort", effort)

    def encode(self, name, *options):
        self.gpz("encode", "in.dump", "-o", name, "--eb", "0.001", "--key", "3", *options)

    def info(self, name):
        return json.loads(self.gpz("info", name, "--json", out=None))

    def features(self, name):
        """As the header has them, and as info says."""
        features = header_features(self.read(name))
        self.assertEqual(sum(NAMES[text] for text in self.info(name)["features"]), features)
        return features

    def test_the_header_names_the_features(self):
        for effort in EFFORTS:
            self.assertEqual(self.features(effort + ".gpz"), FEATURES[effort])
            self.assertEqual(self.info(effort + ".gpz")["effort"], effort)
        text = self.gpz("info", "dense.gpz", out=None).decode()
        self.assertIn("modelled sections, cell chunks, classed sections, steps (effort dense)", text)
        self.assertNotIn("features", self.gpz("info", "fast.gpz", out=None).decode())

    def test_frames_of_files_that_are_encoded_again(self):
        for effort in EFFORTS:
            self.gpz("select", "fast.gpz", "--frames", "1", "--effort", effort, "-o", "one.gpz", out=None)
            self.assertEqual(self.features("one.gpz"), FEATURES[effort])
            self.gpz("verify", "one.gpz", out=None)
            piped = self.gpz("select", "fast.gpz", "--frames", "1", "--effort", effort, "-o", "-", out=None)
            self.assertEqual(piped, self.read("one.gpz"))

    def test_standard_is_the_default(self):
        self.gpz("encode", "in.dump", "-o", "e.gpz", "--effort", "default", code=2,
                 err="encode: --effort: default not in {fast,standard,dense} (gpz encode --help explains)")
        for options in ((), ("--order", "auto"), ("--order", "id")):
            self.encode("e.gpz", *options)
            self.assertEqual(self.read("e.gpz"), self.read("standard.gpz"))

    def test_standard_without_the_order_of_ids_needs_nothing(self):
        self.encode("e.gpz", "--effort", "standard", "--order", "place")
        self.assertEqual(self.features("e.gpz"), 0)

    def test_standard_output_gets_the_same_file(self):
        for effort in EFFORTS:
            piped = self.gpz("encode", "in.dump", "-o", "-", "--eb", "0.001", "--key", "3", "--effort", effort, out=None)
            self.assertEqual(piped, self.read(effort + ".gpz"))

    def test_all_efforts_decode_alike(self):
        first = self.values("fast.gpz")
        for effort in EFFORTS:
            self.assertEqual(self.values(effort + ".gpz"), first)
            self.gpz("verify", effort + ".gpz", out=None)

    def test_more_effort_is_never_larger(self):
        sizes = [os.path.getsize(self.path(effort + ".gpz")) for effort in EFFORTS]
        self.assertLessEqual(sizes[2], sizes[0])
        self.assertLessEqual(sizes[1], sizes[0])

    def test_unknown_efforts_are_refused(self):
        self.gpz("encode", "in.dump", "-o", "e.gpz", "--eb", "0.1", "--effort", "strong", code=2, err=None)

    def test_cat_names_the_features_of_all(self):
        for inputs, effort in (("fast.gpz standard.gpz", "standard"), ("fast.gpz dense.gpz", "dense"), ("standard.gpz fast.gpz", "standard"),
                               ("fast.gpz fast.gpz", "fast")):
            self.gpz("cat", *inputs.split(), "-o", "c.gpz", "--keep", "all", out=None)
            self.assertEqual(self.features("c.gpz"), FEATURES[effort])
            self.gpz("verify", "c.gpz", out=None)
            joined = [frame for name in inputs.split() for frame in self.values(name)]
            self.assertEqual(self.values("c.gpz"), joined)

    def test_merge_names_the_features_of_all(self):
        self.write("another.gpz", self.read("fast.gpz"))
        for name, effort in (("another.gpz", "fast"), ("dense.gpz", "dense")):
            self.gpz("merge", "fast.gpz", name, "-o", "m.gpz", out=None)
            self.assertEqual(self.features("m.gpz"), FEATURES[effort])
            self.gpz("verify", "m.gpz", out=None)

    def test_select_keeps_the_features(self):
        for effort in EFFORTS:
            for options in (("--frames", "1:"), ("--frames", "::2"), ("--columns", "id,type,x,y,z"), ("--ids", "1:100")):
                self.gpz("select", effort + ".gpz", "-o", "s.gpz", *options, out=None)
                self.assertEqual(self.features("s.gpz"), FEATURES[effort])
                self.gpz("verify", "s.gpz", out=None)

    def test_select_takes_an_effort(self):
        self.gpz("select", "fast.gpz", "-o", "s.gpz", "--ids", "1:100", "--effort", "dense", out=None)
        self.assertEqual(self.features("s.gpz"), FEATURES["dense"])

    def test_repair_keeps_the_features(self):
        for effort in EFFORTS:
            content = self.read(effort + ".gpz")
            self.write("torn.gpz", content[:-100])
            self.gpz("repair", "torn.gpz", "-o", "r.gpz", out=None)
            self.assertEqual(self.features("r.gpz"), FEATURES[effort])

    def test_unknown_features_are_refused(self):
        content = bytearray(self.read("fast.gpz"))
        struct.pack_into("<I", content, 12, 1 << 16)
        self.write("later.gpz", bytes(content))
        for command in (("info", "later.gpz"), ("verify", "later.gpz"), ("decode", "later.gpz", "-o", "d.xyz")):
            self.gpz(*command, code=4, err="later.gpz: byte 12: the file requires an unknown feature")
