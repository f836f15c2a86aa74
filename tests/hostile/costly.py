# SPDX-License-Identifier: BSD-3-Clause
"""Sound files that cost more than they are: every checksum holds, and numbers in them ask for time or memory out of proportion
to the bytes. One function a class; `size` is about the bytes of the file. `FILES` has them by name, small enough for a test."""

import pathlib
import struct
import sys

TESTS = pathlib.Path(__file__).parent.parent
sys.path[:0] = [str(TESTS / "reference"), str(TESTS)]

from gpz_reference.codec import EXACT, FLOAT64, INTEGER, PLAIN, SIGN  # noqa: E402
from gpz_write import WriteField, encode_chunk, frame_record, pad, write_bytes  # noqa: E402
from gpz_write_difference import difference_chunk  # noqa: E402

LEADING = 1
STEP = 0.25


def ids(*names):
    return WriteField(INTEGER, list(names) or ["id"], [])


def floats(*names, flags=0):
    return WriteField(FLOAT64, list(names), [], STEP, STEP, flags)


def positions():
    return floats("x", "y", "z", flags=LEADING)


def one_value_section(field, blocks, mode=None):
    """A section whose blocks hold one value in all rows: two bits a block."""
    components = len(field.names)
    widths = bytes([2]) + bytes(4 + 3 * components)
    directory = (mode or (EXACT if field.type == INTEGER else PLAIN)) * 0x55
    bits = bytes([directory & 0xFF]) * (blocks // 4) + bytes([(directory & 0xFF) & (1 << 2 * (blocks % 4)) - 1] * (blocks % 4 > 0))
    return pad(widths) + struct.pack("<Q", SIGN) * components + pad(bits)


def block_chunk(sections, block_size=4096):
    return struct.pack(f"<II{len(sections)}Q", block_size, 0, *map(len, sections)) + b"".join(sections)


def one_value_chunk(fields, blocks, block_size=4096):
    return block_chunk([one_value_section(field, blocks) for field in fields], block_size)


def key_frame(fields, chunks, **more):
    return frame_record(fields, chunks, **more)


def file_of(*frames):
    return write_bytes({}, frames)


def chain(count, fields_of, chunks_of):
    """A key frame and the difference frames that build on it, by their numbers."""
    frames = []
    for k in range(count):
        more = {"since_key": k, "reference": frames[-1]} if k else {}
        frames.append(frame_record(fields_of(k), chunks_of(k), timestep=k, **more))
    return file_of(*frames)


# ---- many particles from few bytes


def particles_without_fields(particles=1 << 60):
    return file_of(key_frame([], [(particles, block_chunk([]))]))


def one_value(size=1 << 20, block_size=4096, fields=None):
    """The most particles that a block chunk of this size can have."""
    fields = fields or [ids()]
    blocks = max(1, size // len(fields) * 4)
    return file_of(key_frame(fields, [(blocks * block_size, one_value_chunk(fields, blocks, block_size))]))


def one_value_positions(size=1 << 20):
    return one_value(size, 4096, [positions(), ids()])


def small_blocks(size=1 << 20):
    """As many block records as there can be: blocks of 32."""
    return one_value(size, 32)


def ordered(size=1 << 20):
    """The most particles that an ordered chunk of this size can have: ids of one bit for each block of 1,024."""
    # Coding 3, an open axis, no exact values. Then widths: no first place, no planes, one bit for the head, 1 in all blocks.
    section = struct.pack("<B7x", 3) + bytes(16) + struct.pack("<Q", 0)
    section += pad(struct.pack("<BBHH7B", 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0)) + bytes(24) + b"\xff" * size
    chunk = struct.pack("<IIQQ", 1024, 2, 0, len(section)) + section
    return file_of(key_frame([ids()], [(8192 * size, chunk)]))


def arrivals(size=1 << 20):
    """A difference frame in which as many particles as there can be arrive."""
    fields, blocks = [ids()], size * 4
    new = one_value_chunk(fields, blocks)
    key = [(0, block_chunk([b""]))]
    moved = [(blocks * 4096, difference_chunk(0, [], [b""], blocks * 4096, new))]
    return chain(2, lambda k: fields, lambda k: moved if k else key)


def at_rest(frames=40, blocks=16):
    """Frames of a few bytes that decode to as much as the key frame."""
    fields = [positions(), ids()]
    n = blocks * 4096
    key = [(n, one_value_chunk(fields, blocks))]
    return chain(frames, lambda k: fields, lambda k: [(n, difference_chunk(n, [], [b"", b""]))] if k else key)


def all_leave(before, field_count):
    """A difference chunk in which all particles leave."""
    head = struct.pack("<IIQQQQ", 1024, 1, before, before, 0, 0) + bytes(8 * field_count)
    words = (before + before + 1 + 31) // 32
    bitmap = sum(1 << 2 * i for i in range(before))
    return head + pad(bitmap.to_bytes(4 * words, "little"))


def chunks_in_turn(chunks=40, blocks=64):
    """In each frame another chunk has all the particles, and the one before has lost its own."""
    fields, n = [ids()], blocks * 4096
    full, empty = one_value_chunk(fields, blocks), block_chunk([b""])
    return chain(chunks, lambda k: fields, lambda k: [(n, full) if c == k else (0, empty) for c in range(chunks)])


# ---- many frames, fields, chunks


def empty_frames(count=3900):
    return file_of(*[key_frame([], [])] * count)


def alternating_fields(count=800):
    """Difference frames, the fields of which are others than those of the frame before."""
    lists = [[ids()], [ids(), ids("type")]]
    chunks = [[(1, one_value_chunk(fields, 1))] for fields in lists]
    return chain(count, lambda k: lists[k % 2], lambda k: chunks[k % 2])


def fields_in_turn(count=90, fields=60):
    """Difference frames that give one field in turn to who reads the columns of XYZ alone: the others have other names."""
    chunk = [(1, one_value_chunk([ids()] * fields, 1))]
    named = [[ids("type" if f == k else f"c{f}") for f in range(fields)] for k in range(fields)]
    return chain(count, lambda k: named[k % fields], lambda k: chunk)


def lost_in_interval(count=2000):
    """A difference frame in the middle of its key interval does not decode, so that none behind it does."""
    fields = [ids()]
    good = [(1, one_value_chunk(fields, 1))]
    bad = [(1, difference_chunk(1, [], [struct.pack("<B7x", 7)]))]
    return chain(count, lambda k: fields, lambda k: bad if k == count // 2 else good)


def new_names(count=2500):
    """Key frames, the fields of which have names that no other has."""
    return file_of(*(key_frame([ids(f"n{k}")], [], timestep=k) for k in range(count)))


def many_names(count=19000):
    """Three components a field."""
    return file_of(key_frame([ids(*(f"{d}{f:x}" for d in "xyz")) for f in range(count)], [(0, block_chunk([b""] * count))]))


def many_fields(count=23000, particles=0):
    fields = [ids(f"{f:x}") for f in range(count)]
    section = one_value_section(fields[0], 1) if particles else b""
    return file_of(key_frame(fields, [(particles, block_chunk([section] * count))]))


def many_fields_of_one(count=14000):
    return many_fields(count, 1)


def long_names(size=1 << 20):
    """Fields of three names of 255 bytes, in frames without particles."""
    fields = [ids(*(f"{3 * f + d}".rjust(255, "n") for d in range(3))) for f in range(100)]
    frame = key_frame(fields, [])
    return file_of(*[frame] * max(1, size // len(frame)))


def many_chunks(count=26000):
    return file_of(key_frame([ids()], [(0, block_chunk([b""]))] * count))


def many_chunks_built_on(count=7000):
    """A difference frame of as many chunks: each has a history."""
    fields = [ids()]
    key = [(0, block_chunk([b""]))] * count
    moved = [(0, difference_chunk(0, [], [b""]))] * count
    return chain(2, lambda k: fields, lambda k: moved if k else key)


def many_chunks_and_fields(chunks=100, fields=400):
    """As many histories of fields as chunks times fields."""
    described = [ids(*(f"{3 * f + d}".rjust(250, "n") for d in range(3))) for f in range(fields)]
    key = [(0, block_chunk([b""] * fields))] * chunks
    moved = [(0, difference_chunk(0, [], [b""] * fields))] * chunks
    return chain(2, lambda k: described, lambda k: moved if k else key)


def short_sections(count=9000):
    """One particle in blocks of 4,096 for each field."""
    return many_fields(count, 1)


def sections_of_few_blocks(count=6000, blocks=64):
    """Fields of many blocks of 32: to decode each of them in threads takes longer than to decode it."""
    fields = [ids(f"{f:x}") for f in range(count)]
    section = one_value_section(fields[0], blocks)
    return file_of(key_frame(fields, [(blocks * 32, block_chunk([section] * count, 32))]))


def many_small_chunks(count=10000):
    """Chunks of one particle."""
    fields = [ids()]
    return file_of(key_frame(fields, [(1, one_value_chunk(fields, 1))] * count))


# ---- ids


def id_list(values, block_size=4096):
    field = WriteField(INTEGER, ["id"], [values], modes=[EXACT])
    return file_of(key_frame([field], [(len(values), encode_chunk([field], range(len(values)), block_size)[0])]))


def sparse_ids(count=50000):
    """Far apart, and in no order."""
    return id_list([(i * 0x9E3779B97F4A7C15 + (1 << 63)) % (1 << 64) - (1 << 63) for i in range(count)])


def falling_ids(count=50000):
    return id_list(list(range(count, 0, -1)))


def equal_ids(count=50000):
    """Equal ids, and a smaller one at the end."""
    return id_list([7] * (count - 1) + [6])


SIZE = 1 << 16

FILES = {
    "particles-without-fields": particles_without_fields,
    "one-value-64k": lambda: one_value(SIZE),
    "one-value-1m": one_value,
    "one-value-positions-1m": one_value_positions,
    "small-blocks-1m": small_blocks,
    "ordered-64k": lambda: ordered(SIZE),
    "ordered-1m": ordered,
    "arrivals-1m": arrivals,
    "at-rest": at_rest,
    "chunks-in-turn": chunks_in_turn,
    "empty-frames": empty_frames,
    "alternating-fields": alternating_fields,
    "fields-in-turn": fields_in_turn,
    "lost-in-interval": lost_in_interval,
    "new-names": new_names,
    "many-fields": many_fields,
    "many-names": many_names,
    "many-fields-of-one": many_fields_of_one,
    "long-names": long_names,
    "many-chunks": many_chunks,
    "many-chunks-built-on": many_chunks_built_on,
    "many-chunks-and-fields": many_chunks_and_fields,
    "sections-of-few-blocks": sections_of_few_blocks,
    "many-small-chunks": many_small_chunks,
    "sparse-ids": sparse_ids,
    "falling-ids": falling_ids,
    "equal-ids": equal_ids,
}

# What reading them takes, in all ways that decode a frame.
LIMIT = 256 << 20  # bytes
WITHIN_LIMIT = {
    "at-rest", "chunks-in-turn", "empty-frames", "alternating-fields", "fields-in-turn", "new-names", "many-names",
    "many-fields", "many-fields-of-one", "long-names", "many-chunks", "many-chunks-built-on", "many-chunks-and-fields",
    "sections-of-few-blocks", "many-small-chunks", "sparse-ids", "falling-ids", "equal-ids",
}  # fmt: skip
# A column of one frame takes more.
BEYOND_LIMIT = {
    "one-value-64k", "one-value-1m", "one-value-positions-1m", "small-blocks-1m", "ordered-64k", "ordered-1m", "arrivals-1m",
}  # fmt: skip
# Of the two others, one has particles without columns, which no memory can hold as text, and one is damaged.
