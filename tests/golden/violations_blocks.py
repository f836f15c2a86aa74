# SPDX-License-Identifier: BSD-3-Clause
"""Files whose chunks of kind 0 break one rule of sections 4 to 6 of docs/format.md each: as in violations_container.py."""

import struct

from violations_container import entry_of, frame

from gpz_reference.codec import ELIAS_FANO, EXACT, FLOAT32, FLOAT64, INTEGER, PLAIN, RUNS, SIGN
from gpz_write import WriteField, bit_string, pack, pad

LATER = (3, 4, 255)  # numbers without a meaning, where 1 and 2 have one


def chunk_of(sections, block_size=32, kind=0, lengths=None, more=b""):
    lengths = list(map(len, sections)) if lengths is None else lengths
    return struct.pack(f"<II{len(sections)}Q", block_size, kind, *lengths) + b"".join(sections) + more


def coded(head, widths, items, payload, base=(), padding=None, directory_bits=0, end=None, fill=0):
    """Of one block: a head, record widths, `base`, a directory with these items, and a payload. `directory_bits` and `fill` set bits
    that are zero."""
    start = head + bytes(widths)
    start += bytes(-len(start) % 8) if padding is None else padding
    directory = pad(bit_string(list(zip(items, widths))))
    bits = int.from_bytes(directory, "little") | directory_bits << sum(widths)
    content = start + struct.pack(f"<{len(base)}Q", *base) + bits.to_bytes(len(directory), "little") + payload
    return content + (bytes([fill] * (-len(content) % 8)) if end is None else end)


GRID_FIELD = WriteField(FLOAT64, ["x"], [[]], 0.5, 0.25, 1)
FOLLOWING_FIELD = WriteField(FLOAT64, ["x"], [[]], 0.5, 0.25)
LOSSLESS_FIELD = WriteField(FLOAT64, ["x"], [[]])
LOSSLESS_FLOAT32 = WriteField(FLOAT32, ["x"], [[]])
INTEGER_FIELD = WriteField(INTEGER, ["id"], [[]])


def block(
    field=GRID_FIELD,
    particles=3,
    mode=PLAIN,
    smallest=SIGN,
    extent=3,
    shift=0,
    runs=0,
    gap_width=0,
    count_width=0,
    exceptions=(),
    exception_count=None,
    payload=None,
    widths=None,
    block_size=32,
    kind=0,
    lengths=None,
    more=b"",
    **section,
):
    """A chunk with one block of three particles and one component."""
    count = len(exceptions) if exception_count is None else exception_count
    items = [mode, 0, extent, shift, runs, gap_width, count_width, count]
    widths = widths or [item.bit_length() for item in items]
    payload = pack([0, 1, 3], extent.bit_length(), 1) if payload is None else payload
    payload += b"".join(struct.pack("<I", place) for place in exceptions) + bytes(8 * len(exceptions))
    data = coded(b"", widths, items, payload, [smallest], **section)
    chunk = chunk_of([data], block_size, kind, lengths, more)
    return frame(fields=[entry_of(field)], chunks=[(particles, chunk)])


def words(*values):
    return struct.pack(f"<{len(values)}I", *values)


def elias_fano(bitmap=0b100101, **changes):
    """Segments 0, 1 and 3 of 4."""
    return block(**{"mode": ELIAS_FANO, "payload": words(bitmap), **changes})


def runs(items=((0, 1), (2, 0)), **changes):
    """Segments 0, 0 and 3 of 4. `items`: gaps and lengths less 1."""
    widths = {"gap_width": 2, "count_width": 1, **changes}
    string = bit_string([item for gap, more in items for item in ((gap, widths["gap_width"]), (more, widths["count_width"]))])
    return block(**{"mode": RUNS, "runs": len(items), "payload": string, **widths})


BLOCK = [
    *((dict(block_size=size), f"block size {size} ") for size in (0, 16, 33, 4128, 2**31)),
    *((dict(kind=kind), f"chunk kind {kind} ") for kind in (*LATER, 2**32 - 1)),
    (dict(kind=1), "chunk kind 1 "),
    (dict(lengths=[12]), "not a multiple of 8"),
    (dict(lengths=[2**64 - 8]), "ends too early"),
    (dict(lengths=[24]), "ends too early"),
    (dict(lengths=[40]), "ends too early"),
    (dict(more=bytes(8)), "do not fill"),
    (dict(particles=0), "without particles is not empty"),
    (dict(particles=33), "number of runs"),
    (dict(widths=[65, 0, 2, 0, 0, 0, 0, 0]), "width is larger"),
    (dict(directory_bits=1), "padding of the directory"),
    (dict(directory_bits=1 << 40), "padding"),
    (dict(fill=1), "padding"),
    (dict(end=bytes(12)), "too long"),
    (dict(mode=4), "block mode 4"),
    (dict(mode=7), "block mode 7"),
    *((dict(field=FOLLOWING_FIELD, mode=mode), f"block mode {mode}") for mode in (RUNS, ELIAS_FANO)),
    *((dict(field=LOSSLESS_FIELD, mode=mode), f"block mode {mode}") for mode in (RUNS, ELIAS_FANO, PLAIN)),
    *((dict(field=INTEGER_FIELD, mode=mode), f"block mode {mode}") for mode in (RUNS, ELIAS_FANO, PLAIN)),
    (dict(shift=1), "not sorted has a shift"),
    (dict(mode=EXACT, shift=1), "not sorted has a shift"),
    (dict(runs=1), "without runs"),
    (dict(gap_width=1), "without runs"),
    (dict(count_width=1), "without runs"),
    (dict(mode=EXACT, runs=1), "without runs"),
    (dict(mode=EXACT, exceptions=[0]), "too many exceptions"),
    (dict(exceptions=[0] * 4), "too many exceptions"),
    (dict(exception_count=2**40), "too many exceptions"),
    (dict(exceptions=[3]), "exception is out of range"),
    (dict(exceptions=[1 << 16]), "exception is out of range"),
    (dict(exceptions=[1 << 18]), "reserved bits of an exception"),
    (dict(smallest=SIGN - 2**51), "out of range"),
    (dict(smallest=SIGN + 2**51 - 3), "out of range"),
    (dict(smallest=0), "out of range"),
    (dict(field=INTEGER_FIELD, mode=EXACT, smallest=2**64 - 3), "out of range"),
    (dict(field=LOSSLESS_FIELD, mode=EXACT, smallest=2**64 - 1), "out of range"),
    (dict(field=LOSSLESS_FLOAT32, mode=EXACT, smallest=2**32 - 3), "out of range"),
    (dict(payload=b""), "ends too early"),
]

ELIAS_FANO_BLOCK = [
    (dict(bitmap=0b101), "not one set bit a particle"),
    (dict(bitmap=0b1100101), "not one set bit a particle"),
    (dict(bitmap=0b10000101), "beyond its end"),
    (dict(shift=64), "shift is larger"),
    (dict(extent=64), "too many segments"),
    (dict(extent=2**50), "too many segments"),
    (dict(runs=1), "without runs"),
]

RUNS_BLOCK = [
    (dict(items=((0, 1),)), "shorter than the block"),
    (dict(items=((0, 1), (2, 1))), "longer than the block"),
    (dict(items=((0, 1), (3, 0))), "segment is out of range"),
    (dict(items=((0, 0),) * 4), "number of runs"),
    (dict(runs=0), "number of runs"),
    (dict(gap_width=18), "width of the runs"),
    (dict(count_width=17), "width of the runs"),
    (dict(shift=64), "shift is larger"),
    (dict(extent=64), "too many segments"),
]


def wide_offsets(bits=21):
    """A sorted block of three components whose offsets have three times so many bits."""
    extent, field = 2**bits - 1, WriteField(FLOAT64, ["x", "y", "z"], [[]], 0.5, 0.25, 1)
    items = [ELIAS_FANO, *[0] * 3, *[extent] * 3, *[bits] * 3, 0, 0, 0, 0]
    payload = words(0b111) + pack([0] * 3, 32, 1) + pack([0] * 3, 3 * bits - 32, 1)
    data = coded(b"", [item.bit_length() for item in items], items, payload, [SIGN] * 3)
    return frame(fields=[entry_of(field)], chunks=[(3, chunk_of([data]))])


WIDE_OFFSETS = [(dict(bits=22), "wider than 64 bits"), (dict(bits=40), "wider than 64 bits")]

FAMILIES = [(block, BLOCK), (elias_fano, ELIAS_FANO_BLOCK), (runs, RUNS_BLOCK), (wide_offsets, WIDE_OFFSETS)]
