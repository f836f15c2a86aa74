# SPDX-License-Identifier: BSD-3-Clause
"""Files of molecules that no encoder writes: chance decides what stands in them, within the rules of the page."""

import pathlib
import random
import struct
import sys
from unittest import mock

from gpz_reference import molecules as gpz_molecules
from gpz_reference import reader as gpz_ref
from gpz_reference.bonds import KindHistory
from gpz_reference.codec import FLOAT64, PLAIN
from gpz_write import WriteField, encode_chunk, head_checksum

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "golden"))

import violations_molecules as by_hand  # noqa: E402
from violations_container import bare_frame, entry_of, header  # noqa: E402


class Chance:
    """In place of a number stream: any numbers, which it keeps."""

    def __init__(self, rng):
        self.rng, self.given = rng, []
        self.kind = rng.choice(("near", "any", "usual", "far"))

    def get(self, _context):
        rng = self.rng
        numbers = {
            "near": lambda: rng.randrange(4),
            "any": lambda: rng.getrandbits(32) >> rng.randrange(32),
            "usual": lambda: int(abs(rng.gauss(0, 30))),
            "far": lambda: rng.choice((0, 1, 2, 2**32 - 1, 2**31, 2**22)),
        }
        self.given.append(numbers[self.kind]())
        return self.given[-1]

    def end(self):
        pass


class Trajectory:
    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        self.count, self.frames = rng.choice((3, 6, 20)), rng.choice((1, 2, 4))
        self.axes = [(0, 0) if rng.random() < 0.3 else (rng.randrange(-50, 50), rng.choice((8, 100, 2**20))) for _ in range(3)]
        self.box = self.axes, [rng.randrange(-60, 60) for _ in range(3)]
        points, along_axes = [], rng.random() < 0.4
        for _ in range(self.count):
            near = points[-1] if points and rng.random() < 0.8 else [rng.randrange(-1000, 1000) for _ in range(3)]
            size = rng.choice((3, 12, 100))
            points.append([x + rng.randint(-size, size) * (not along_axes or rng.random() < 0.5) for x in near])
        self.field = WriteField(FLOAT64, ["x", "y", "z"], [[0.5 * x for x in axis] for axis in zip(*points)], 1.0, 0.5, 1, [PLAIN])
        self.lags = sorted({rng.randrange(1, 4) for _ in range(3)})
        self.kinds, history = [], KindHistory()
        for i in range(self.count):
            here = [k + 1 for k, lag in enumerate(self.lags) if lag <= i]
            kind, expected = rng.choice(here) if here and rng.random() < 0.9 else 0, history.expected()
            self.kinds.append(0 if kind == expected else kind + 1 if kind < expected else kind)
            history.add(kind)
        self.heads = [self.head(new=number == 0) for number in range(self.frames)]
        # Deviations, which are small, and bends, up to any direction.
        self.classes = bytes(rng.randrange(60, 97) if i % 3 == 2 else rng.randrange(16) for i in range(3 * 256))

    def head(self, new):
        """Of a section, up to the classes; and its contexts."""
        rng, base, levels = self.rng, self.rng.randrange(12), self.rng.randrange(1, 20)
        flags = new * by_hand.NEW | rng.choice((0, 2, 6)) | rng.choice((0, 8))
        data = struct.pack("<B7x", 9) + b"".join(struct.pack("<qq", *axis) for axis in self.axes) + bytes(8)
        data += bytes([flags, base, levels]) + bytes(5)
        if flags & by_hand.TILTED:
            data += b"".join(struct.pack("<qq", *axis) for axis in self.box[0]) + struct.pack("<3q", *self.box[1])
        slots = sorted({rng.randrange(self.count) for _ in range(rng.choice((0, 0, 1, 2)))})
        data += struct.pack("<Q", len(slots))
        for slot in slots:
            places = [rng.choice((rng.randrange(-100, 100), rng.getrandbits(63) - 2**62)) for _ in range(3)]
            data += struct.pack("<Q3q", slot, *places)
        return data, 2 * (levels + 3 * max(0, min(8 - base, levels))) + levels + 12

    def file(self, classes, numbers):
        """`numbers` of each frame."""
        found = [header(required=by_hand.CLASSED)]
        chunk = encode_chunk([self.field], range(self.count), 32)[0]
        found.append(bare_frame(fields=[entry_of(self.field)], chunks=[(self.count, chunk)]))
        for number, ((head, contexts), given) in enumerate(zip(self.heads, numbers)):
            if number == 0:
                head += by_hand.lags_table(lags=tuple(self.lags), kinds=tuple(self.kinds)) + by_hand.zeros(self.classes[: 3 * classes])
            section = head + by_hand.segmented(contexts, [by_hand.numbers(given)])
            chunk = struct.pack("<IIQQQQQ", 1024, 1, self.count, 0, 0, 0, len(section)) + section
            reference = int.from_bytes(head_checksum(found[-1]), "little")
            frame = dict(fields=[entry_of(self.field, 2)], chunks=[(self.count, chunk)], since_key=number + 1)
            found.append(bare_frame(**frame, reference=reference))
        return b"".join(found)


def make(seed):
    """A whole file."""
    trajectory, streams, classes = Trajectory(seed), [], []
    find_classes = gpz_molecules.find_classes

    def found(*what):
        result = find_classes(*what)
        classes.append(result[1])
        return result

    def opened(_data, _contexts, _segments):
        streams.append(Chance(trajectory.rng))
        return streams[-1:]

    nothing = [[]] * trajectory.frames
    # First only to see how many classes there are; the numbers are those of the second time.
    with mock.patch.multiple(gpz_molecules, find_classes=found, segment_streams=opened):
        gpz_ref.read_bytes(trajectory.file(256, nothing))
        streams.clear()
        gpz_ref.read_bytes(trajectory.file(classes[0], nothing))
    return trajectory.file(classes[0], [stream.given for stream in streams])
