# SPDX-License-Identifier: BSD-3-Clause
"""A writer of .gpz files for tests, from docs/format.md: the caller picks block size and block modes, sense or not.

It makes what the library's encoder would never choose, so that decoders are tested on all that the format allows.
"""

import json
import math
import struct
from dataclasses import dataclass, field

from gpz_reference.codec import ELIAS_FANO, EXACT, FLOAT32, FLOAT64, INTEGER, LARGEST_INDEX, MASK, PLAIN, RUNS, SIGN, ceil_div
from gpz_reference.reader import END_MARKER, FRAME, INDEX, MAGIC, MARKER
from gpz_reference.xxh3 import xxh3_64


@dataclass
class WriteField:
    """A field and its values: `values[component][particle]`, ints or floats."""

    type: int
    names: list
    values: list
    step: float = 0.0
    bound: float = 0.0
    flags: int = 0
    modes: list = field(default_factory=lambda: [EXACT])  # of the blocks, in turn
    shifts: list = field(default_factory=lambda: [0])  # of the blocks, in turn, for modes 0 and 1

    @property
    def letter(self):
        return {INTEGER: "q", FLOAT32: "f", FLOAT64: "d"}[self.type]

    @property
    def bits_letter(self):
        return "I" if self.type == FLOAT32 else "Q"

    def bits(self, value):
        return struct.unpack("<" + self.bits_letter, struct.pack("<" + self.letter, value))[0]

    def grid(self, value):
        """The grid index of a float and whether the value there holds the bound."""
        if not math.isfinite(value) or abs(value / self.step) > LARGEST_INDEX:
            return 0, False
        index = round(value / self.step)
        decoded = struct.unpack("<" + self.letter, struct.pack("<" + self.letter, index * self.step))[0]
        return index, abs(decoded - value) <= self.bound

    def exact_key(self, value):
        if self.type == INTEGER:
            return value + SIGN & MASK
        sign = SIGN if self.type == FLOAT64 else 1 << 31
        bits = self.bits(value)
        return bits ^ (2 * sign - 1) if bits & sign else bits | sign


def pad(data):
    return data + bytes(-len(data) % 8)


def bit_string(items):
    """(value, width) pairs, low bits first, to whole words."""
    total = position = 0
    for value, width in items:
        assert 0 <= value < 1 << width or (value == width == 0)
        total |= value << position
        position += width
    return total.to_bytes(4 * ceil_div(position, 32), "little")


def pack(values, width, lanes):
    strings = [bit_string([(v, width) for v in values[lane::lanes]]) for lane in range(lanes)]
    size = max(len(s) for s in strings)
    words = [struct.unpack(f"<{size // 4}I", s.ljust(size, b"\0")) for s in strings]
    return b"".join(struct.pack("<I", words[lane][j]) for j in range(size // 4) for lane in range(lanes))


def wide(values, width, lanes):
    low = pack([v & 0xFFFFFFFF for v in values], min(width, 32), lanes)
    return low + pack([v >> 32 for v in values], width - 32, lanes) if width > 32 else low


def runs_of(ids):
    """Gaps and lengths of the runs of equal ids."""
    runs = []
    for segment in ids:
        if runs and runs[-1][0] == segment:
            runs[-1][1] += 1
        else:
            runs.append([segment, 1])
    gaps = [u - before - 1 for (u, _), before in zip(runs, [-1] + [u for u, _ in runs])]
    return gaps, [count - 1 for _, count in runs]


def encode_block(f, columns, block_size, number):
    """Returns the record's items, the payload and the order in which the particles were put."""
    n, d = len(columns[0]), len(columns)
    mode, lanes = f.modes[number % len(f.modes)], 32 if n == block_size else 1
    exceptions = []
    if mode == EXACT:
        keys = [[f.exact_key(v) for v in column] for column in columns]
    else:
        grid = [[f.grid(v) for v in column] for column in columns]
        held = [[q for q, holds in column if holds] or [0] for column in grid]
        keys = [[(q if holds else some[0]) + SIGN for q, holds in column] for column, some in zip(grid, held)]
        exceptions = [(i, c) for c in range(d) for i in range(n) if not grid[c][i][1]]
    smallest = [min(column) for column in keys]
    extent = [max(column) - least for column, least in zip(keys, smallest)]
    delta = [[k - least for k in column] for column, least in zip(keys, smallest)]
    order, shift, runs, payload = list(range(n)), [0] * d, (0, 0, 0), b""

    if mode in (RUNS, ELIAS_FANO):
        shift = [f.shifts[number % len(f.shifts)]] * d
        while math.prod((e >> s) + 1 for e, s in zip(extent, shift)) > 2 * block_size:
            shift = [s + 1 for s in shift]
        counts = [(e >> s) + 1 for e, s in zip(extent, shift)]
        widths = [min(s, e.bit_length()) for e, s in zip(extent, shift)]
        ids, offsets = [0] * n, [0] * n
        for c in reversed(range(d)):
            ids = [s * counts[c] + (x >> shift[c]) for s, x in zip(ids, delta[c])]
            offsets = [o << widths[c] | x & ((1 << shift[c]) - 1) for o, x in zip(offsets, delta[c])]
        order.sort(key=lambda i: ids[i])
        ids, offsets = [ids[i] for i in order], [offsets[i] for i in order]
        if mode == ELIAS_FANO:
            bitmap = sum(1 << s + i for i, s in enumerate(ids))
            payload = bitmap.to_bytes(4 * ceil_div(n + math.prod(counts), 32), "little")
        else:
            gaps, lengths = runs_of(ids)
            runs = (len(gaps), max(gaps).bit_length(), max(lengths).bit_length())
            payload = bit_string([item for g, c in zip(gaps, lengths) for item in ((g, runs[1]), (c, runs[2]))])
        payload += wide(offsets, sum(widths), lanes)
    else:
        for column, e in zip(delta, extent):
            payload += wide(column, e.bit_length(), lanes)

    place = {particle: i for i, particle in enumerate(order)}
    payload += b"".join(struct.pack("<I", place[i] | c << 16) for i, c in exceptions)
    payload += b"".join(struct.pack("<" + f.letter, columns[c][i]) for i, c in exceptions)
    return (mode, smallest, extent, shift, *runs, len(exceptions)), payload, order


def encode_section(f, blocks, block_size):
    """Returns the section and the order of every block."""
    encoded = [encode_block(f, columns, block_size, b) for b, columns in enumerate(blocks)]
    base = [min(items[1][c] for items, _, _ in encoded) for c in range(len(f.names))]
    records = [
        (mode, *(m - b for m, b in zip(smallest, base)), *extent, *shift, *rest)
        for (mode, smallest, extent, shift, *rest), _, _ in encoded
    ]
    widths = [max(item).bit_length() for item in zip(*records)]
    directory = bit_string([(item, width) for record in records for item, width in zip(record, widths)])
    header = pad(bytes(widths)) + struct.pack(f"<{len(base)}Q", *base)
    return pad(header + pad(directory) + b"".join(p for _, p, _ in encoded)), [order for _, _, order in encoded]


def encode_chunk(fields, particles, block_size):
    """Encodes rows `particles` of the fields. Returns the chunk and the rows in the order of decoding."""
    starts = range(0, len(particles), block_size)
    blocks = [list(particles[start : start + block_size]) for start in starts]
    sections = []
    for f in fields:
        section = b""
        if blocks:
            section, orders = encode_section(f, [[[v[i] for i in rows] for v in f.values] for rows in blocks], block_size)
            if f.flags & 1:
                blocks = [[rows[i] for i in order] for rows, order in zip(blocks, orders)]
        sections.append(section)
    lengths = struct.pack(f"<II{len(fields)}Q", block_size, 0, *map(len, sections))
    return lengths + b"".join(sections), [row for rows in blocks for row in rows]


def record(kind, head, body=b""):
    length = 56 + len(head) + len(body)
    start = MARKER + struct.pack("<IIQ", kind, len(head), length) + head
    checksum = xxh3_64(start)
    return start + struct.pack("<Q", checksum) + body + struct.pack("<QQ", length, checksum) + END_MARKER


def head_checksum(whole_record):
    return whole_record[-16:-8]


def frame_record(
    fields, chunks, timestep=0, time=math.nan, box_kind=0, box=(0.0,) * 12, since_key=0, reference=None, codec=None
):
    """`chunks`: (particles, bytes) pairs. `reference`: the record of the previous frame, for difference frames."""
    head = struct.pack("<QqdBB6s12d", sum(n for n, _ in chunks), timestep, time, 3, box_kind, b"ppffsm", *box)
    head += struct.pack("<HHI", len(fields), since_key, len(chunks))
    column = 0
    for f in fields:
        head += struct.pack("<BBBBIddd", f.type, len(f.names), f.flags, codec or 1 + (since_key > 0), 0, f.bound, f.step, f.bound)
        for name in f.names:
            head += struct.pack("<HB", column, len(name.encode())) + name.encode()
            column += 1
    for n, data in chunks:
        head += struct.pack("<QQQ", n, len(data), xxh3_64(data))
    if since_key:
        head += head_checksum(reference)
    return record(FRAME, pad(head), b"".join(data for _, data in chunks))


def file_header(metadata, minor=0, optional=0, required=0):
    text = json.dumps(metadata).encode()
    header = pad(MAGIC + struct.pack("<HHIII", 1, minor, required, optional, len(text)) + text)
    return header + struct.pack("<Q", xxh3_64(header))


def write_bytes(metadata, frames, index=True):
    """`frames`: frame records, and any others between them. Returns a whole file."""
    data, entries = file_header(metadata), []
    for frame in frames:
        if struct.unpack_from("<I", frame, 8)[0] != FRAME:
            data += frame
            continue
        head_length = struct.unpack_from("<I", frame, 12)[0]
        particles, timestep, time = struct.unpack_from("<QqQ", frame, 24)
        assert len(frame) >= 56 + head_length
        entries.append(struct.pack("<QQqQQ", len(data), len(frame), timestep, time, particles))
        data += frame
    if index:
        data += record(INDEX, struct.pack("<Q", len(entries)) + b"".join(entries))
    return data
