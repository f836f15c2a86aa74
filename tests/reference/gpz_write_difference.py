# SPDX-License-Identifier: BSD-3-Clause
"""A writer of difference chunks for tests, from sections 8 and 9 of docs/format.md: the caller picks codings, axes and
codes, sense or not. Nothing is predicted but by the last index (a = b = c = 0), so that no history is kept."""

import struct
from dataclasses import dataclass, field

from gpz_reference.block import eighths, triples_by_rank
from gpz_reference.codec import ceil_div
from gpz_write import bit_string, encode_section, pack, pad

BLOCK_SIZE = 1024


@dataclass
class Section:
    """A field of the particles that stay, in the order of their slots."""

    indices: list  # [component][slot], of this frame
    before: list  # of the previous frame, edges counted
    axes: list = field(default_factory=list)  # (lo, period) each; none: open
    codes: list = field(default_factory=lambda: [(0, 0)])  # (width, head) of the components of all blocks, in turn
    margin: int = 0
    edges: tuple = (0, 0, 0)
    exact: list = field(default_factory=list)  # (component, slot, bits)
    empty: bool = False
    levels: list = None  # coefficients of the neighbours of particles of each level


def image(p, lo, period, margin):
    """Section 9, periodic axes: where p is in the box, and the other place that it may have, or None."""
    if period == 0:
        return p, None
    p += period if p < lo else -period if p >= lo + period else 0
    reach = min(margin, period // 4)
    if 0 <= p - lo < reach:
        return p, p + period
    if p - period < lo and lo + period - p <= reach:
        return p, p - period
    return p, None


def residual(q, last, lo, period, margin):
    """The smallest that leads to q, and its flag (None: it takes none); None if there is none."""
    turns = range(-2, 3) if period else (0,)
    for r in sorted((q - last + turn * period for turn in turns), key=abs):
        p, other = image(last + r, lo, period, margin)
        if q in (p, other):
            return r, None if other is None else int(q == other)
    return None


def expected_of(section, slot, steps):
    """The N of the particle in this slot; `steps`: of those before it in the block."""
    if section.levels is None:
        return 32
    limited = [max(1 - 2**20, min(2**20 - 1, r)) for r in steps[::-1]]
    return 32 + sum(g * r for g, r in zip(section.levels[slot % len(section.levels)], limited))


def number_of(step, expected):
    """The u."""
    r = step - (expected >> 6)
    x = r if expected & 32 else -r
    return 2 * x - 1 if x > 0 else -2 * x


def is_triples(codes):
    return codes[0][1] >= 4 and len(codes) == 3


def shape(width, head):
    """Of a number: bits of the low part, and the first high part that goes to the unary bitmap."""
    head %= 4
    return max(width - head, 0) if head >= 2 else width, 2**head - 1


def fits(u, width, head):
    return u >> shape(width, head)[0] <= (0 if head % 4 == 1 else 500)


def coded_numbers(numbers, expected, codes):
    """What the components of a particle have to code, and which of them can: the others are exceptions. A number that is None
    cannot be."""
    if not is_triples(codes):
        coded = [u is not None and fits(u, *code) for u, code in zip(numbers, codes)]
        return [u if can else 0 for u, can in zip(numbers, coded)], coded
    coded = [u is not None and u < 8 for u in numbers]
    triple = tuple(u if can else 0 for u, can in zip(numbers, coded))
    rank = triples_by_rank(tuple(map(eighths, expected))).index(triple)
    return ([rank, 0, 0], coded) if fits(rank, *codes[0]) else ([0] * 3, [False] * 3)


def displacement(q, last, period):
    direct = q - last
    return direct - period if direct > period // 2 and period else direct + period if direct < -(period // 2) and period else direct


def exceptional(q, last, expected, axis, margin):
    """The step, and the flag, which nothing depends on."""
    other = image(last + (expected >> 6), *axis, margin)[1]
    return displacement(q, last, axis[1]), None if other is None else 1


def encode_block(section, start, n, number):
    """The items of the record, and the payload."""
    axes = section.axes or [(0, 0)] * len(section.indices)
    codes = [section.codes[(number * len(axes) + d) % len(section.codes)] for d in range(len(axes))]
    numbers, steps, flags = ([[] for _ in axes] for _ in range(3))
    exceptions = []
    for slot in range(start, start + n):
        expected = [expected_of(section, slot, column) for column in steps]
        last, q = ([column[slot] for column in columns] for columns in (section.before, section.indices))
        found = [residual(q[d], last[d], *axis, section.margin) for d, axis in enumerate(axes)]
        wanted = [None if f is None else number_of(f[0], e) for f, e in zip(found, expected)]
        for d, (u, coded) in enumerate(zip(*coded_numbers(wanted, expected, codes))):
            step, flag = found[d] if coded else exceptional(q[d], last[d], expected[d], axes[d], section.margin)
            if not coded:
                exceptions.append((d, slot - start, q[d]))
            numbers[d].append(u)
            steps[d].append(step)
            if section.margin and flag is not None:
                flags[d].append((flag, 1))
    planes, unary = b"", []
    for column, code in zip(numbers, codes):
        low_width, first = shape(*code)
        plane = [u if u >> low_width < first else (first << low_width) + (u & (1 << low_width) - 1) for u in column]
        planes += pack(plane, code[0], 32 if n == BLOCK_SIZE else 1)
        if code[1] % 4 != 1:
            unary += [(u >> low_width) - first for u in column if u >> low_width >= first]
    bitmap = bit_string([(1 << zeros, zeros + 1) for zeros in unary])
    flag_words = bit_string(sum(flags, []))
    exceptions.sort()
    payload = planes + bitmap + flag_words
    payload += b"".join(struct.pack("<I", i | d << 16) for d, i, _ in exceptions)
    payload += b"".join(struct.pack("<q", q) for _, _, q in exceptions)
    widths, heads = zip(*codes)
    return (*widths, *heads, len(bitmap) // 4, section.margin, len(flag_words) // 4, len(exceptions)), payload


def encode_predicted(section):
    head = struct.pack("<B3B4x", 1, *section.edges)
    if section.indices == section.before and not section.exact:
        return head
    for lo, period in section.axes or [(0, 0)] * len(section.indices):
        head += struct.pack("<qq", lo, period)
    head += struct.pack("<Q", len(section.exact))
    head += b"".join(struct.pack("<QQ", slot | d << 56, bits) for d, slot, bits in section.exact)
    n = len(section.indices[0])
    blocks = [
        encode_block(section, b * BLOCK_SIZE, min(BLOCK_SIZE, n - b * BLOCK_SIZE), b) for b in range(ceil_div(n, BLOCK_SIZE))
    ]
    widths = [max(item).bit_length() for item in zip(*(items for items, _ in blocks))]
    directory = bit_string([(item, width) for items, _ in blocks for item, width in zip(items, widths)])
    prediction = b"\1\0\0\0"
    if section.levels is not None:
        prediction = struct.pack("<B3xBB", 2, len(section.levels), len(section.levels[0]))
        prediction += b"".join(struct.pack(f"{len(level)}b", *level) for level in section.levels)
    return pad(head + pad(prediction + bytes(widths)) + pad(directory) + b"".join(payload for _, payload in blocks))


def encode_block_coded(write_field, block_size=64):
    """A WriteField with the values of the particles that stay."""
    n = len(write_field.values[0])
    blocks = [[v[start : start + block_size] for v in write_field.values] for start in range(0, n, block_size)]
    section, _ = encode_section(write_field, blocks, block_size)
    return struct.pack("<B7xIIQ", 2, block_size, 0, len(section)) + section


def leaving_slots(slots, before):
    if not slots:
        return b""
    low = (before // len(slots)).bit_length() - 1
    bitmap = sum(1 << (slot >> low) + i for i, slot in enumerate(slots))
    words = ceil_div(len(slots) + (before >> low) + 1, 32)
    return pad(bitmap.to_bytes(4 * words, "little") + bit_string([(slot & (1 << low) - 1, low) for slot in slots]))


def difference_chunk(before, leaving, sections, arriving=0, arrivals=b"", block_size=BLOCK_SIZE, kind=1):
    """`before`: particles of the chunk before. `leaving`: their slots. `sections`: bytes. `arrivals`: a chunk of kind 0."""
    head = struct.pack("<IIQQQQ", block_size, kind, before, len(leaving), arriving, len(arrivals))
    head += struct.pack(f"<{len(sections)}Q", *map(len, sections))
    return head + leaving_slots(leaving, before) + b"".join(sections) + arrivals
