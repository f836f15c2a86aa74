# SPDX-License-Identifier: BSD-3-Clause
"""Files with sections of steps that no encoder writes: chance decides what stands in them, within the rules of the page."""

import pathlib
import random
import struct
import sys
from unittest import mock

from gpz_reference import reader as gpz_ref
from gpz_reference import step_classes as gpz_classes
from gpz_reference import steps as gpz_steps
from gpz_reference.codec import FLOAT64, INTEGER, PLAIN, Cursor
from gpz_reference.trees import KindHistory
from gpz_write import WriteField, encode_chunk, head_checksum
from gpz_write_difference import Section, encode_predicted

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "golden"))

import violations_steps as by_hand  # noqa: E402
from violations_container import bare_frame, entry_of, header  # noqa: E402
from violations_trajectories import in_order, runs_section  # noqa: E402


class Lanes(gpz_steps.Block):
    """In place of the words of a block: any numbers, from which words() makes the words."""

    def __init__(self, rng, sides, tables, steps):
        self.rng, self.sides, self.tables = rng, sides, tables
        self.states = [2**16] * gpz_steps.states_of(steps)  # at the end
        self.operations = []  # in the order of decoding: what a state was, by what it becomes
        self.far = rng.choice((0, 0, 0.1, 0.5))

    def add(self, lane, frequency=1, start=0, bits=0, low=0, width=0):
        self.operations.append((lane % len(self.states), lambda x: ((x << width | low) // frequency << bits) + start + (x << width | low) % frequency))

    def refill(self, _lanes):
        pass

    def take_token(self, lane, middle, turned, place, b):
        slots = self.tables[place].slots
        token, frequency, start = slots[511 if self.rng.random() < self.far else self.rng.randrange(512)]
        width = 0 if token is None else min(b, gpz_steps.RAW_BITS)
        low = self.rng.getrandbits(width) if width else 0
        self.add(lane, frequency, start, 9, low, width)
        return low, token, b, middle, turned

    def take_raw(self, lane, width):
        value = self.rng.getrandbits(width)
        if width == 16:  # half of an escape
            value = self.rng.choice((value, value >> self.rng.randrange(16), 0, 0, 0xFFFF))
        self.add(lane, low=value, width=width)
        return value

    def take_side(self, lane, nearer):
        is_other = self.rng.random() < 0.5
        self.add(lane, *((128 - nearer, nearer) if is_other else (nearer, 0)), 7)
        return is_other

    def end(self):
        pass

    def words(self):
        """Backwards from the last states."""
        states, words = list(self.states), []
        for number, before in reversed(self.operations):
            if before(states[number]) >= 2**32:
                words.append(states[number] & 0xFFFF)
                states[number] >>= 16
            states[number] = before(states[number])
        return [*(half for state in states for half in (state & 0xFFFF, state >> 16)), *reversed(words)]


class Trajectory:
    def __init__(self, seed, have_bonds):
        self.rng = rng = random.Random(seed)
        self.have_bonds = have_bonds
        self.count, self.block = rng.choice((3, 20, 150)), rng.choice((32, 40, 1000))
        if not have_bonds:
            self.count = rng.choice((1, 31, 32, 33, 150))
        is_chain = rng.random() < 0.2  # with a step for each particle, so many that a block has a state for each lane
        if is_chain:
            self.count, self.block = 270, 1000
        self.axes = [(0, 0) if rng.random() < 0.3 else (rng.randrange(-50, 50), rng.choice((8, 100, 2**20))) for _ in range(3)]
        points, along_axes, sizes = [], rng.random() < 0.4, rng.choice(((3, 12, 100), (30, 60), (1, 1000, 2**20, 2**33)))
        for _ in range(self.count):
            near = points[-1] if points and rng.random() < 0.8 else [rng.randrange(-1000, 1000) for _ in range(3)]
            size = rng.choice(sizes)
            points.append([x + rng.randint(-size, size) * (not along_axes or rng.random() < 0.5) for x in near])
        self.field = WriteField(FLOAT64, ["x", "y", "z"], [[0.5 * x for x in axis] for axis in zip(*points)], 1.0, 0.5, 1, [PLAIN])
        self.lags = [1] if is_chain else sorted({rng.randrange(1, 4) for _ in range(3)})
        self.kinds, history = [], KindHistory()
        bound = 1 if is_chain else rng.choice((0.5, 0.9, 1))
        for i in range(self.count):
            here = [k + 1 for k, lag in enumerate(self.lags) if lag <= i]
            kind, expected = rng.choice(here) if here and rng.random() < bound else 0, history.expected()
            self.kinds.append(0 if kind == expected else kind + 1 if kind < expected else kind)
            history.add(kind)
        self.is_key = rng.random() < 0.5 and self.count > 1  # the first section is a key section
        self.heads = [self.head(number) for number in range(rng.choice((1, 2, 4)))]
        # How many frames in front of each section are predicted, and then rest: motions are of the history, which is short or long.
        self.others = [(0, 0) if have_bonds else (rng.randrange(3), rng.choice((0, 0, 3, 70))) for _ in self.heads]

    def constants(self, new):
        """As differences to those before."""
        rng, found = self.rng, []
        any_weight, tame = rng.random() < 0.3, rng.random() < 0.7
        for _ in range(self.classes):
            if self.are_bound:
                found += [rng.randrange(-128, 128) if any_weight else rng.randrange(-17, 17) for _ in range(9)]
            else:
                found += [rng.randrange(-(2**15), 2**15) if any_weight else rng.randrange(-260, 520) for _ in range(9)]
            found += [rng.randrange(2 ** rng.choice((4, 10, 24))), rng.randrange(2 ** rng.choice((4, 10, 24))) * rng.choice((-1, 1))]
            found += [rng.randrange(40, 140) if tame else rng.randrange(401) for _ in range(2)]
            found += [rng.randrange(60, 161) if tame else rng.randrange(401) for _ in range(2)]
        before, self.last = [0] * len(found) if new else self.last, found
        return [2 * (x - y) if x >= y else 2 * (y - x) - 1 for x, y in zip(found, before)]

    def tables(self):
        rng = self.rng
        given, place = [rng.randrange(1, 128) for _ in range(16)], 0
        for _ in range(3):
            given += [rng.choice((0, rng.randrange(256), 255)) for _ in range(10)]
            first = rng.choice((0, 0, rng.randrange(41)))
            given += [first, rng.choice((0, 40 - first, rng.randrange(41 - first)))]
        some = rng.choice((1, 3, 100, 500))
        while True:
            without = min(rng.randrange(some), 480 - place)
            given.append(without)
            place += without
            if place == 480:
                return given
            first = rng.choice((rng.randrange(-3, 1), rng.randrange(-126, 127)))
            tokens, left = min(rng.choice((1, 3, 5, 20)), 127 - first), 511
            given += [2 * first if first >= 0 else -2 * first - 1, tokens]
            for _ in range(tokens):
                given.append(rng.randrange(left + 1) if rng.random() < 0.9 else 0)
                left -= given[-1]
            place += 1

    def unbound(self):
        """The table of molecules of particles without bonds."""
        self.classes = self.rng.choice((1, 2, 16))
        numbers, before = [self.classes - 1], 0
        for _ in range(0, self.count, 32):
            of_step = self.rng.randrange(self.classes)
            numbers.append(2 * (of_step - before) if of_step >= before else 2 * (before - of_step) - 1)
            before = of_step
        data = struct.pack("<II", self.block, 1) + by_hand.table_stream(2, numbers)
        return struct.pack("<Q", len(data)) + data

    def molecules(self):
        """Their table, and the number of their classes as the reference decoder finds it."""
        lags = struct.pack("<II", self.block, 0) + by_hand.lags_table(tuple(self.lags), tuple(self.kinds))
        parents = gpz_steps.take_lags(Cursor(lags[8:], "lags"), self.count)
        ends = sum(len(bonds) == 1 for bonds in gpz_classes.neighbours_of(parents))
        data = lags + by_hand.table_stream(2, [self.rng.choice((0, self.rng.randrange(2))) for _ in range(ends)])
        shorts = gpz_classes.take_short_bonds(Cursor(data[len(lags) :], "short bonds"), parents)
        self.classes = gpz_classes.find_classes(parents, gpz_steps.find_links(parents), shorts)[1]
        data += by_hand.table_stream(1, [self.rng.randrange(3) for _ in range(self.classes)])
        return struct.pack("<Q", len(data)) + data

    def templates(self):
        rng = self.rng
        largest = rng.choice((2**31 - 1, 2**11))  # as signed numbers are stored
        root = [min(rng.randrange(largest), 2**30) for _ in range(3)]
        return by_hand.table_stream(3, root + [rng.choice((0, rng.randrange(129))) for _ in range(2 * self.classes)])

    def head(self, number):
        """Of a section, up to the images."""
        rng = self.rng
        new, is_key = number == 0 or rng.random() < 0.1, number == 0 and self.is_key
        flags = by_hand.ALL if new else rng.choice((0, 0, 2, 4, 6))
        flags |= rng.choice((0, 8)) | rng.choice((0, 16, 16 | 32)) | (0 if is_key else rng.choice((0, 64)))
        data = struct.pack("<B7x", 13) + b"".join(struct.pack("<qq", *axis) for axis in self.axes) + bytes(8) + struct.pack("<Q", flags)
        if flags & by_hand.TILTED:
            data += b"".join(struct.pack("<qq", *axis) for axis in self.axes) + struct.pack("<3q", *(rng.randrange(-60, 60) for _ in range(3)))
        if new:
            self.are_bound = self.have_bonds or is_key or rng.random() < 0.2
            data += self.molecules() if self.are_bound else self.unbound()
        if flags & by_hand.CONSTANTS:
            data += by_hand.table_stream(15, self.constants(new))
        if flags & by_hand.TABLES:
            data += by_hand.table_stream(17, self.tables())
        data += self.templates() if is_key else b""
        images = rng.choice((0, 0, 1, 3))
        data += struct.pack("<Q", images)
        return data + (by_hand.table_stream(2, [u for _ in range(images) for u in (rng.randrange(8), rng.randrange(27))]) if images else b"")

    def predicted(self):
        """A section that depends on the motion of the frames before."""
        section = bytearray(encode_predicted(Section([[0] * self.count] * 3, [[1] * self.count] * 3, [(0, 0)] * 3, [(2, 0)])))
        section[65:68] = b"\x1f\xf3\x20"
        return bytes(section)

    def file(self, blocks):
        """`blocks`: the words of each block of each frame."""
        ids = WriteField(INTEGER, ["id"], [list(range(1, self.count + 1))])
        fields, sections = [self.field, ids], []
        for head, words in zip(self.heads, blocks):
            head += struct.pack(f"<{len(words)}I", *map(len, words)) + b"".join(struct.pack(f"<{len(of)}H", *of) for of in words)
            sections.append(by_hand.zeros(head))
        if self.is_key:
            in_steps, following = [sections[0], in_order(section=runs_section(more=self.count - 1))], sections[1:]
            chunk = struct.pack("<IIQQQ", 1024, 2, 1, *map(len, in_steps)) + b"".join(in_steps)
        else:
            chunk, following = encode_chunk(fields, range(self.count), 32)[0], sections
        found = [header(required=by_hand.STEPS), bare_frame(fields=[entry_of(f) for f in fields], chunks=[(self.count, chunk)])]
        others = self.others[len(self.heads) - len(following) :]
        following = [of for (moving, resting), section in zip(others, following) for of in (*[self.predicted()] * moving, *[b""] * resting, section)]
        for number, section in enumerate([*following, self.predicted()]):
            chunk = struct.pack("<IIQQQQQQ", 1024, 1, self.count, 0, 0, 0, len(section), 0) + section
            reference = int.from_bytes(head_checksum(found[-1]), "little")
            frame = dict(fields=[entry_of(f, 2) for f in fields], chunks=[(self.count, chunk)], since_key=number + 1)
            found.append(bare_frame(**frame, reference=reference))
        return b"".join(found)


def make(seed, have_bonds=True):
    """A whole file. Without bonds: but in key sections, and a few others."""
    trajectory, blocks = Trajectory(seed, have_bonds), []
    count = max(1, (trajectory.count + trajectory.block // 2) // trajectory.block)

    def opened(_words, sides, tables, steps):
        blocks.append(Lanes(trajectory.rng, sides, tables, steps))
        return blocks[-1]

    frames = len(trajectory.heads)
    with mock.patch.object(gpz_steps, "Block", opened):
        gpz_ref.read_bytes(trajectory.file([[[]] * count] * frames))
    words = [of.words() for of in blocks]
    return trajectory.file([words[i * count : (i + 1) * count] for i in range(frames)])
