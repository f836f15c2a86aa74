# SPDX-License-Identifier: BSD-3-Clause
"""Golden frame arrays (section 16 of docs/format.md): the data that the library compresses, and arrays that it would not write, made by the test
writer of tests/reference. As in data.py, operations give the same bits on every machine."""

import math
import random
import struct
from dataclasses import dataclass, field

import decoders  # noqa: F401  makes the test writer known

from matter import Waters
from source import NO_BOX, bits_of

from gpz_reference.codec import EXACT, FLOAT64, INTEGER, PLAIN
from gpz_reference.features import CLASSED_SECTIONS, SEQUENCE_CHUNKS
from gpz_write import WriteField, encode_chunk
from gpz_write_array import frame_array, number, packed
from gpz_write_difference import difference_chunk
from violations_trajectories import in_order

STRANGE = math.nan, math.inf, -math.inf, -0.0, 5e-324, 1e300


@dataclass
class ArraySource:
    """`frames[frame][particle]`: the components of a particle, as numbers."""

    type: str  # f32, f64
    components: int
    frames: list
    bound: float
    effort: str = "default"
    key_interval: int = 100
    boxes: list = field(default_factory=list)
    empty: int = 0  # particles, where there are no frames

    @property
    def particles(self):
        return len(self.frames[0]) if self.frames else self.empty

    @property
    def bits(self):
        return [bits_of(x, self.type) for frame in self.frames for row in frame for x in row]

    def as_json(self):
        return {**vars(self), "frames": len(self.frames), "particles": self.particles, "bits": self.bits}


def walk(seed, components, particles, frames, speed=0.02, spread=5.0, jump=None):
    """Particles that drift. In frame `jump` all are elsewhere."""
    rng, made = random.Random(seed), []
    now = [[spread * rng.random() for _ in range(components)] for _ in range(particles)]
    drift = [[speed * (rng.random() - 0.5) for _ in range(components)] for _ in range(particles)]
    for number_of_frame in range(frames):
        if number_of_frame == jump:
            now = [[spread * rng.random() for _ in range(components)] for _ in range(particles)]
        now = [[x + v + 0.1 * speed * (rng.random() - 0.5) for x, v in zip(*of)] for of in zip(now, drift)]
        made.append(now)
    return made


def with_strange(frames):
    """Values that no grid holds: some of each frame."""
    return [[[STRANGE[(i + t) % 6] if (i + 3 * t) % 11 == 0 and d == t % len(row) else x for d, x in enumerate(row)] for i, row in enumerate(frame)] for t, frame in enumerate(frames)]


def noise(seed, components, particles, frames):
    rng = random.Random(seed)
    return [[[rng.random() for _ in range(components)] for _ in range(particles)] for _ in range(frames)]


def few(particles, frames):
    """Values of a table; in the last frame they are others."""
    return [[[(0.5, -1.25, 3.0)[i * i % 3] + (t == frames - 1)] for i in range(particles)] for t in range(frames)]


def lines(particles, frames):
    """Each particle is beside the one before."""
    return [[[0.5 * (i % 20) + 0.01 * t, 0.5 * (i // 20), 0.0] for i in range(particles)] for t in range(frames)]


def waters(seed, count, edge, frames):
    matter, made = Waters(seed, count, edge), []
    for number_of_frame in range(frames):
        if number_of_frame:
            matter.run(1)
        made.append([[x - edge * math.floor(x / edge) for x in place] for place in matter.places])
    return made


def sources():
    """By name of the golden array."""
    box = {"kind": 1, "dimension": 3, "boundary": "pppppp", "values": [0.0, 20.0] * 3 + [0.0] * 6}
    return {
        "walk-f64": ArraySource("f64", 3, walk(1, 3, 60, 6), 0.001),
        "walk-f32": ArraySource("f32", 2, walk(2, 2, 50, 7, jump=4), 0.002, key_interval=3),
        "walk-fast": ArraySource("f64", 1, walk(3, 1, 70, 5), 0.001, effort="fast"),
        "strange": ArraySource("f64", 3, with_strange(walk(4, 3, 50, 4)), 0.005),
        "noise": ArraySource("f32", 3, noise(5, 3, 400, 2), 0.1),
        "lossless-f64": ArraySource("f64", 2, with_strange(walk(7, 2, 25, 3)), 0.0),
        "lossless-f32": ArraySource("f32", 1, few(60, 4), 0.0),
        "lines": ArraySource("f32", 3, lines(300, 3), 0.01, key_interval=2),
        "waters": ArraySource("f64", 3, waters(8, 250, 20.0, 2), 0.01, boxes=[box]),
        "waters-dense": ArraySource("f64", 3, waters(9, 60, 20.0, 3), 0.01, effort="dense", boxes=[box, NO_BOX, box]),
        "still": ArraySource("f64", 3, walk(10, 3, 20, 1) * 4, 0.01),
        "one": ArraySource("f32", 3, [[[1.0, 2.0, 3.0]], [[1.5, 2.0, -3.0]]], 0.25),
        "no-particles": ArraySource("f32", 3, [[], [], []], 0.01),
        "no-frames": ArraySource("f64", 1, [], 0.0, empty=7),
        "nothing": ArraySource("f64", 2, [], 0.5),
    }


# ---- what the library does not write


def whole(values, ids, step=1.0, bound=0.5):
    """A chunk of kind 0."""
    modes = [PLAIN] if step else [EXACT]
    fields = [WriteField(FLOAT64, list("xyz"[: len(values)]), values, step, bound, 1, modes), WriteField(INTEGER, ["id"], [ids])]
    return encode_chunk(fields, range(len(ids)), 32)[0]


def forms():
    """Ids in another order, a difference chunk with ids that leave and come back, packed words that need not be, a step that is said again, numbers
    with more bytes than they need, a later minor version, a feature that is not used."""
    first = whole([[4.0, 5.0, 6.0]], [3, 1, 2])
    exchanged = difference_chunk(3, [1], [b"", b""], 1, whole([[-7.0]], [1]))
    section = in_order()
    frames = [
        (0, 1.0, first),
        (2, 1.0, packed(b"")),
        (0, None, exchanged),
        (2, None, packed(b"")),
        (1, None, packed(section, len(section) // 8)),
        (2, None, number(0, 2)),
        (1, 0.5, packed(section)),
        (0, None, whole([[0.5, 2.5, -3.0]], [2, 3, 1], 0.5)),
        (0, None, difference_chunk(3, [0, 1, 2], [b"", b""], 3, whole([[1.0, 2.0, 3.0]], [3, 2, 1], 0.5))),
    ]
    return frame_array(number(3, 9), frames, bound=0.5, minor=7, features=SEQUENCE_CHUNKS)


def lossless():
    """A step of 0 that is said, and a table of values in words that are large."""
    table = struct.pack("<B7xBBHIqQQ", 11, 1, 0, 0, 0, 0, 1, 2**63 + 5)
    frames = [(0, 0.0, whole([[1.5, -0.0]], [2, 1], 0, 0)), (1, None, packed(table, len(table) // 8)), (2, -0.0, packed(b""))]
    return frame_array(2, frames, features=CLASSED_SECTIONS)


def by_hand():
    """By name: bytes."""
    return {
        "hand-forms": forms(),
        "hand-lossless": lossless(),
        "hand-no-particles": frame_array(0, [(2, 1.0, b""), (1, None, b""), (0, 0.25, b"")], components=2, double=False, bound=2.0),
    }
