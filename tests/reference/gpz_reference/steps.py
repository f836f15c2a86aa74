# SPDX-License-Identifier: BSD-3-Clause
"""Section 9d of docs/format.md: steps. Slow and plain on purpose."""

from .codec import Cursor, require
from .difference import limited, signed
from .floats import F32, clamp
from .edges import Box, take_box
from .step_classes import find_classes, take_short_bonds, take_templates
from .step_motions import LineUp, Motions
from .step_tables import (
    CONSTANTS_OF_CLASS,
    FINE_LEVELS,
    LANES,
    LEVELS,
    PARTS,
    PLACES_OF_KIND,
    SIDE_SLOTS,
    SLOTS,
    WEIGHTS,
    constants_of,
    raw_bits_of_level,
    take_constants,
    take_images,
    take_table_stream,
    take_tables,
)
from .step_ways import KEY_WEIGHTS, KINDS, NARROW, ROOT, SPHERE, WIDE, Means, Shape, Weights
from .trees import find_links, take_lags

NEW, CONSTANTS, TABLES, WRAP, TILTED, BRICK, MOTION_ENDS = 1, 2, 4, 8, 16, 32, 64  # flags
FEW_STEPS = 256  # blocks of fewer have half as many states as lanes
LEAST_STATE = 2**16
LEAST_BLOCK = 32
MEANS = 4
RAW_BITS = 7  # of the first operation
LARGEST_EXPECTED = 2**22


def row_of(x):
    """Modulo 2^32, as two's complement."""
    return (x + 2**31 & 2**32 - 1) - 2**31


def image_of(x):
    """Modulo 2^8."""
    return (x + 128 & 255) - 128


# ---- blocks and steps


def find_heights(references):
    """Of each particle, from the references of all."""
    heights = [1] * len(references)
    for i in reversed(range(len(references))):
        for j in references[i]:
            heights[j] = max(heights[j], heights[i] + 1)
    return heights


def find_pieces(parents, heights):
    """In the order in which they are admitted: the particles of each."""
    piece_of, pieces = [], {}
    for i, p in enumerate(parents):
        piece_of.append(i if p is None else piece_of[p])
        pieces.setdefault(piece_of[i], []).append(i)
    return [pieces[root] for root in sorted(pieces, key=lambda root: (-heights[root], root))]


def find_blocks(pieces, particles, size):
    """The pieces of each block."""
    count, before = max(1, (particles + size // 2) // size), 0
    blocks = [[] for _ in range(count)]
    for piece in pieces:
        blocks[min(before * count // particles, count - 1)].append(piece)
        before += len(piece)
    return blocks


def find_steps(pieces, kinds, references, heights):
    """The steps of a block: (kind, particles) of each."""
    waiting = {i: len(set(references[i])) for piece in pieces for i in piece}
    followers = {i: [] for i in waiting}
    for i in waiting:
        for j in set(references[i]):
            followers[j].append(i)
    queues, steps, admitted = [[] for _ in KINDS], [], 0

    def add(particles):
        for i in particles:
            queues[kinds[i]].append(i)
        for queue in queues:
            queue.sort(key=lambda i: (-heights[i], i))

    while True:
        full = [kind for kind in KINDS if len(queues[kind]) >= LANES]
        if full:
            kind = max(full, key=lambda kind: heights[queues[kind][0]])  # of equal ones the first
        elif admitted < len(pieces):
            add(i for i in pieces[admitted] if waiting[i] == 0)
            admitted += 1
            continue
        else:
            kind = max(KINDS, key=lambda kind: len(queues[kind]))
            if not queues[kind]:
                return steps
        particles, queues[kind] = sorted(queues[kind][:LANES]), queues[kind][LANES:]
        steps.append((kind, particles))
        ready = []
        for i in particles:
            for follower in followers[i]:
                waiting[follower] -= 1
                if waiting[follower] == 0:
                    ready.append(follower)
        add(ready)


def take_kinds(cursor, classes):
    """Of the particles of each class that have an axis."""
    numbers = take_table_stream(cursor, 1)
    found = [numbers.get(0) for _ in range(classes)]
    require(max(found) <= 2, "the kind of a class")
    numbers.end()
    return [(NARROW, WIDE, SPHERE)[number] for number in found]


class Layout:
    """What follows from the table of molecules with bonds alone."""

    have_bonds = True

    def __init__(self, cursor, particles, block_size):
        self.parents = take_lags(cursor, particles)
        links = find_links(self.parents)
        self.class_of, self.classes = find_classes(self.parents, links, take_short_bonds(cursor, self.parents))
        kind_of_class = take_kinds(cursor, self.classes)
        kinds = []
        for p, (axis, _), number in zip(self.parents, links, self.class_of):
            kinds.append(ROOT if p is None else SPHERE if axis is None else kind_of_class[number])
        used = [(None, None) if kind == SPHERE else of for kind, of in zip(kinds, links)]
        self.axis, self.second = ([both[d] and both[d][0] for both in used] for d in range(2))
        references = [[j for j in of if j is not None] for of in zip(self.parents, self.axis, self.second)]
        heights = find_heights(references)
        blocks = find_blocks(find_pieces(self.parents, heights), particles, block_size)
        self.blocks = [find_steps(pieces, kinds, references, heights) for pieces in blocks]
        self.steps = [particles for steps in self.blocks for _, particles in steps]


def take_layout(cursor, particles):
    """The table of molecules."""
    block_size, unbound = cursor.unpack("II")
    require(block_size >= LEAST_BLOCK, "blocks of steps are too small")
    require(unbound <= 1, "particles neither have bonds nor have none")
    layout = LineUp(cursor, particles, block_size, ROOT) if unbound else Layout(cursor, particles, block_size)
    require(len(cursor.rest()) == 0, f"{cursor.what} is too long")
    return layout


# ---- the numbers of a block


def states_of(steps):
    """How many a block of so many steps has."""
    return LANES // 2 if steps < FEW_STEPS else LANES


class Block:
    def __init__(self, words, sides, tables, steps):
        """`steps`: how many the block has."""
        self.words, self.at, self.sides, self.tables = words, 0, sides, tables
        halves = [self.take_word() for _ in range(2 * states_of(steps))]
        self.states = [low | high << 16 for low, high in zip(halves[::2], halves[1::2])]
        require(min(self.states) >= LEAST_STATE, "a state of steps is too small")

    def take_word(self):
        require(self.at < len(self.words), "a block of steps ends too early")
        self.at += 1
        return self.words[self.at - 1]

    def refill(self, lanes):
        for lane in lanes:
            state = lane % len(self.states)
            if self.states[state] < LEAST_STATE:
                self.states[state] = self.states[state] << 16 | self.take_word()

    def rounds(self, items):
        """Of the lanes: pairs of a lane and its item."""
        items = list(enumerate(items))
        return [items[first : first + len(self.states)] for first in range(0, len(items), len(self.states))]

    def take(self, E, V, group):
        """A component of each lane."""
        return [component for places in self.rounds(zip(*self.places(E, V, group))) for component in self.take_round(places)]

    def take_round(self, places):
        lanes = [lane for lane, _ in places]
        found = [self.take_token(lane, *place) for lane, place in places]
        self.refill(lanes)
        numbers = []
        for lane, (low, token, b, _, _) in zip(lanes, found):
            if token is not None and b > RAW_BITS:
                low = low << b - RAW_BITS | self.take_raw(lane, b - RAW_BITS)
            numbers.append(low)
        self.refill(lanes)
        components = []
        for lane, low, (_, token, b, middle, turned) in zip(lanes, numbers, found):
            if token is None:
                number = 0
                for _ in range(2):
                    number = number << 16 | self.take_raw(lane, 16)
                    self.refill([lane])
            else:
                number = (token << b) + low
            components.append(row_of(middle - number if turned else middle + number))
        return components

    @staticmethod
    def places(E, V, group):
        """N, whether d < 0, the place and b of each lane."""
        E = clamp(E, LARGEST_EXPECTED)
        middles, turned, places, widths = [], [], [], []
        for expected, bits in zip(E.lanes, V.bits()):
            middle = round(expected)
            d = expected - middle
            level = max(0, limited((bits >> 23) - 123, LEVELS - 1))
            part = min(int(8 * abs(d)), PARTS - 1) if level < FINE_LEVELS else 0
            middles.append(middle)
            turned.append(d < 0)
            places.append(PLACES_OF_KIND * group + PARTS * level + part)
            widths.append(raw_bits_of_level(level))
        return middles, turned, places, widths

    def take_token(self, lane, middle, turned, place, b):
        number = lane % len(self.states)
        state = self.states[number]
        token, frequency, start = self.tables[place].slots[state % SLOTS]
        self.states[number] = frequency * (state // SLOTS) + state % SLOTS - start
        low = self.take_raw(lane, min(b, RAW_BITS)) if token is not None else 0
        return low, token, b, middle, turned

    def take_raw(self, lane, width):
        number = lane % len(self.states)
        state = self.states[number]
        self.states[number] = state >> width
        return state & (1 << width) - 1

    def take_sides(self, lanes, levels):
        """Of the lanes that are true: whether it is the other one. False of the others."""
        others = []
        for sides in self.rounds(zip(lanes, levels)):
            others += [is_taken and self.take_side(lane, self.sides[level]) for lane, (is_taken, level) in sides]
            self.refill(lane for lane, (is_taken, _) in sides if is_taken)
        return others

    def take_side(self, lane, nearer):
        number = lane % len(self.states)
        high, slot = divmod(self.states[number], SIDE_SLOTS)
        is_other = slot >= nearer
        self.states[number] = (SIDE_SLOTS - nearer) * high + slot - nearer if is_other else nearer * high + slot
        return is_other

    def end(self):
        require(self.states == [LEAST_STATE] * len(self.states), "the states of steps do not end where they do")
        require(self.at == len(self.words), "a block of steps has too many words")


# ---- sections


class Steps:
    """What is remembered of field 0 for sections of steps, since the independent chunk."""

    def __init__(self):
        self.layout = None  # None: the next section has new molecules
        self.stored_constants = self.constants = self.tables = self.sides = None
        self.rows, self.images, self.means = [], [], []  # of each particle
        self.motions = None  # of particles without bonds
        self.sections = 0  # of difference chunks with these molecules
        self.at = None  # frame of the last section

    def remove(self, slots, _particles):
        if slots:
            self.layout = None

    def append(self, _count):
        self.layout = None

    def begin(self, layout):
        self.layout = layout
        self.restart_means()

    def restart_means(self):
        self.means, self.sections = [[0.0] * MEANS for _ in self.layout.parents], 0

    def begin_key(self, root, headings):
        """In front of a key section."""
        self.headings = headings
        self.rows = [list(root) for _ in self.layout.parents]  # of roots
        self.images = [[0, 0, 0] for _ in self.rows]

    def recall(self, index, box, history, frames):
        """Makes rows and images from the last indices, and motions from the history."""
        if not self.layout.have_bonds:
            self.motions = Motions(history, frames)
        self.rows, self.images = [], []
        for i, p in enumerate(self.layout.parents):
            if p is None:
                row, image = index[i], (0, 0, 0)
            else:
                way, image = box.short([signed(a - b) for a, b in zip(index[i], index[p])])
                row = [a + b for a, b in zip(self.rows[p], way)]
                image = [a + b for a, b in zip(self.images[p], image)]
            self.rows.append([row_of(x) for x in row])
            self.images.append([image_of(x) for x in image])


def vectors_of_headings(kind, headings):
    """w, y, A0 and S0 of a key section."""

    def lanes(of):
        return [F32(column) for column in zip(*of)]

    def all_lanes(*vector):
        return lanes([vector] * len(headings))

    w = all_lanes(1.0, 0.0, 0.0) if kind == SPHERE else lanes((0.0, float(p), float(q)) for p, q in headings)
    return w, all_lanes(0.0, 0.0, 0.0), all_lanes(1.0, 0.0, 0.0), all_lanes(0.0, 2.0, 0.0)


class Pass:
    """A section, to the end of the cursor."""

    def __init__(self, cursor, particles, axes, memory, history=None, frames=0, is_known=False):
        """`history`: of section 9, after the last frame and so many in all; None in a key section. `is_known`: whether the last frame had
        a section of steps."""
        self.memory, self.particles, self.frames, self.is_key = memory, particles, frames, history is None
        (flags,) = cursor.unpack("Q")
        require(flags < 128 and (flags & TILTED or not flags & BRICK), "flags of steps")
        require(not flags & NEW or flags & CONSTANTS and flags & TABLES, "new molecules without constants or tables")
        require(flags & NEW or not self.is_key, "a key section without molecules")
        require(not flags & MOTION_ENDS or not self.is_key, "motion ends in a key section")
        self.wrap, memory.motion_ends = bool(flags & WRAP), bool(flags & MOTION_ENDS)
        self.box = take_box(cursor, bool(flags & BRICK)) if flags & TILTED else Box(axes)
        if flags & NEW:
            (length,) = cursor.unpack("Q")
            memory.begin(take_layout(Cursor(cursor.take(length), "the table of molecules"), particles))
        require(memory.layout is not None, "molecules that were never given")
        require(memory.layout.have_bonds or not self.is_key, "a key section without bonds")
        if flags & CONSTANTS:
            none = [[0] * CONSTANTS_OF_CLASS for _ in range(memory.layout.classes)]
            memory.stored_constants = take_constants(cursor, none if flags & NEW else memory.stored_constants)
            memory.constants = [constants_of(integers) for integers in memory.stored_constants]
        if flags & TABLES:
            memory.sides, memory.tables = take_tables(cursor)
        if self.is_key:
            memory.begin_key(*take_templates(cursor, memory.layout.classes))
        elif flags & NEW or not is_known:
            memory.recall(list(zip(*history.index)), self.box, history, frames)
        self.codes = take_images(cursor, memory.layout.steps)
        counts = cursor.unpack(f"{len(memory.layout.blocks)}I")
        self.blocks = [
            Block(cursor.unpack(f"{count}H"), memory.sides, memory.tables, len(steps)) for count, steps in zip(counts, memory.layout.blocks)
        ]
        cursor.skip_padding()
        require(len(cursor.rest()) == 0, f"{cursor.what} is too long")

    def read(self):
        """The indices, a list a component."""
        memory, self.rows = self.memory, [None] * self.particles
        for block, steps in zip(self.blocks, memory.layout.blocks):
            for kind, particles in steps:
                classes = [memory.layout.class_of[i] for i in particles]
                constants = [memory.constants[number] for number in classes]
                if kind == ROOT:
                    before = [memory.rows[i] for i in particles]
                    if memory.layout.have_bonds:
                        ways = self.read_roots(block, constants)
                    else:
                        ways = memory.motions.read(block, particles, [memory.stored_constants[number] for number in classes], self.frames + 1)
                else:
                    before = [self.rows[memory.layout.parents[i]] for i in particles]
                    formulas = WIDE if kind == NARROW and self.is_key else kind
                    ways = self.shape(formulas, particles, constants).read(block.take, block.take_sides)
                for i, row, way in zip(particles, before, ways):
                    self.rows[i] = [row_of(a + b) for a, b in zip(row, way)]
            block.end()
        indices = [self.find_index(i) for i in range(self.particles)]
        memory.rows = self.rows
        memory.sections += 1
        if self.is_key:
            memory.restart_means()
        return [list(column) for column in zip(*indices)]

    @staticmethod
    def read_roots(block, constants):
        V = F32(of_class[WEIGHTS + 2] for of_class in constants)
        expected = F32([0.0] * len(constants))
        return list(zip(*[block.take(expected, V, 0) for _ in range(3)]))

    def shape(self, kind, particles, constants):
        memory = self.memory
        if self.is_key:
            headings = [memory.headings[memory.layout.class_of[i]] for i in particles]
            w, y, A0, S0 = vectors_of_headings(kind, headings)
            constants = [(*KEY_WEIGHTS, *of_class[WEIGHTS:]) for of_class in constants]
        else:
            last = memory.rows
            y = self.ways(particles, last, memory.layout.parents, self.rows)
            w, A0, S0 = (self.ways(particles, last, of) for of in (range(self.particles), memory.layout.axis, memory.layout.second))
        axis = second = None
        if kind != SPHERE:
            axis, second = ((before, self.ways(particles, self.rows, of)) for before, of in ((A0, memory.layout.axis), (S0, memory.layout.second)))
        means = Means([memory.means[i] for i in particles], memory.sections)
        shape = Shape(kind, Weights(kind, constants), means, w, y, axis, second, self.is_key)
        for i, of_particle in zip(particles, means.of_particles()):
            memory.means[i] = of_particle
        return shape

    def ways(self, particles, rows, to, rows_of_ends=None):
        """From the parents to the particles `to` (None: to the parents), a component each."""
        ends, ways = rows_of_ends or rows, []
        for i in particles:
            p = self.memory.layout.parents[i]
            end = ends[p if to[i] is None else to[i]]
            ways.append([row_of(a - b) for a, b in zip(end, rows[p])])
        return [F32(column) for column in zip(*ways)]

    def find_index(self, i):
        image = self.memory.images[i]
        if self.wrap:
            wrapping = self.box.wrapping(self.box.add(self.rows[i], image))
            image = [a + b for a, b in zip(image, wrapping)]
        if i in self.codes:
            c = self.codes[i]
            image = [a + b - 1 for a, b in zip(image, (c % 3, c // 3 % 3, c // 9))]
        self.memory.images[i] = image = [image_of(x) for x in image]
        return self.box.add(self.rows[i], image)


def read_steps(cursor, history, t, axes):
    """The indices of a section of steps in a difference chunk, to the end of the cursor, a list a component."""
    if history.steps is None:
        history.steps = Steps()
    is_known, history.steps.at = history.steps.at == t - 1, t
    return Pass(cursor, len(history.index[0]), axes, history.steps, history, t, is_known).read()


def read_key_steps(cursor, particles, axes):
    """The same in an ordered chunk, and what it leaves to later sections."""
    memory = Steps()
    memory.at = 0
    return Pass(cursor, particles, axes, memory).read(), memory
