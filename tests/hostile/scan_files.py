# SPDX-License-Identifier: BSD-3-Clause
"""Files made to cost time or memory before a chunk is decoded, or to mislead who prints them: records, index, metadata, names,
numbers. Checksums hold, unless a false one is the point. One function a class; `size` is about the bytes of the file.
`FILES` has them by name."""

import itertools
import json
import pathlib
import struct
import sys

sys.path[:0] = [str(pathlib.Path(__file__).parent.parent / folder) for folder in ("golden", "reference", "")]

from gpz_reference.codec import FLOAT64, INTEGER  # noqa: E402
from gpz_reference.reader import END_MARKER, FRAME, INDEX, MARKER  # noqa: E402
from gpz_write import WriteField, encode_chunk, frame_record, record, write_bytes  # noqa: E402
from violations_container import EMPTY_CHUNK, bare_frame, entry_of, field_entry, header  # noqa: E402

SIZE = 1 << 20
SKIPPED = 1 << 31 | 9  # a type of record that readers skip


def text_header(text):
    """A file header with this text, right or wrong, as metadata."""
    text = text.encode() if isinstance(text, str) else text
    return header(text=text, padding=bytes(-len(text) % 8))


def start_of_record(kind, head_length, length):
    return MARKER + struct.pack("<IIQ", kind, head_length, length)


# ---- records


def fragments(size=SIZE):
    """Whole records with 8 bytes between them: after each of them the next is searched for."""
    piece = record(SKIPPED, b"") + bytes(8)
    return header() + piece * (size // len(piece)) + bare_frame()


def fragments_of_frames(size=SIZE):
    """As `fragments`, with whole frames."""
    piece = bare_frame() + bytes(8)
    return header() + piece * (size // len(piece))


def lost_ends(size=SIZE):
    """Frames whose trailers are gone."""
    piece = bare_frame()[:-24]
    return header() + piece * (size // len(piece)) + bare_frame()


def far_ends(size=SIZE):
    """Starts of records, whose checksums hold, and whose ends are all over the rest of the file."""
    pieces = [record(SKIPPED, b"", bytes(size * i // 1000 // 8 * 8))[:32] for i in range(500)]
    return header() + b"".join(pieces) * (size // 32 // len(pieces)) + bare_frame()


def overlapping_heads(size=SIZE):
    """Heads that all end in the middle of the file, each with a trailer of its own that agrees with it: only the checksum of the
    head, over half of the file, can tell that they are false."""
    count = size // 48
    middle, size = 24 * count, 48 * count + 8
    false = b"\x55" * 8
    starts, trailers = [], []
    for i in range(count):
        trailer = middle + 8 + 24 * i
        length = trailer + 24 - 24 * i
        starts.append(start_of_record(SKIPPED, middle - 24 * i - 24, length))
        trailers.append(struct.pack("<Q", length) + false + END_MARKER)
    return header() + b"".join(starts) + false + b"".join(trailers) + bare_frame()


def heads_to_the_end(size=SIZE):
    """Markers everywhere, whose heads end at the end of the file."""
    count = size // 24
    return header() + b"".join(start_of_record(FRAME, 24 * (count - i), 24 * (count - i) + 56) for i in range(count)) + bytes(40)


# ---- index


def index_of(entries):
    return record(INDEX, struct.pack("<Q", len(entries)) + b"".join(struct.pack("<QQqdQ", *entry) for entry in entries))


def index_of_nothing(size=SIZE):
    """An index of the shortest frames that there could be, where there are zeros."""
    start, count = header(), size // (56 + 40)
    return start + bytes(56 * count) + index_of([(len(start) + 56 * i, 56, i, 0.0, 0) for i in range(count)])


def index_of_long_heads(size=SIZE):
    """An index of short frames; where they should be, heads begin that reach to the end of the file."""
    start, count = header(), size // (56 + 40)
    total = (56 + 40) * count + 64
    frames = b"".join(
        start_of_record(FRAME, total - 56 * i - 56, total - 56 * i).ljust(56, b"\0") for i in range(count)
    )
    return start + frames + index_of([(len(start) + 56 * i, 56, i, 0.0, 0) for i in range(count)])


def equal_frames(size=SIZE):
    """Empty frames, all of them equal, and an index of them."""
    frame = bare_frame()
    count = size // (len(frame) + 40)
    return write_bytes({}, [frame] * count)


# ---- metadata


def nested_arrays(size=SIZE):
    return text_header("[" * (size // 2) + "]" * (size // 2))


def nested_in_a_key(size=SIZE):
    half = size // 2 - 8
    return text_header('{"key":' + "[" * half + "]" * half + "}") + bare_frame()


def nested_objects(size=SIZE):
    count = size // 6
    return text_header('{"a":' * count + "1" + "}" * count) + bare_frame()


def many_keys(size=SIZE):
    return text_header("{" + ",".join(f'"{i:x}":{i % 10}' for i in range(size // 10)) + "}") + bare_frame()


def one_key_again(size=SIZE):
    return text_header("{" + ",".join(['"units":"lj"'] * (size // 13)) + "}") + bare_frame()


def long_number(size=SIZE):
    return text_header('{"timestep_size":' + "1" * (size - 30) + "}") + bare_frame()


def long_fraction(size=SIZE):
    return text_header('{"timestep_size":0.' + "3" * (size - 30) + "}") + bare_frame()


def many_numbers(size=SIZE):
    return text_header('{"key":[' + ",".join(["1e300"] * (size // 6)) + "]}") + bare_frame()


def many_elements(size=SIZE):
    return text_header('{"elements":[' + ",".join(['""'] * (size // 3 - 8)) + "]}") + typed_frame([1, 2, 3])


def typed_fields(types):
    count = len(types)
    axes = [[float(i + d) for i in range(count)] for d in range(3)]
    return [
        WriteField(FLOAT64, ["x", "y", "z"], axes),
        WriteField(INTEGER, ["id"], [list(range(1, count + 1))]),
        WriteField(INTEGER, ["element"], [types], flags=2),
    ]


def typed_frame(types, fields=None, **head):
    fields = fields or typed_fields(types)
    return frame_record(fields, [(len(types), encode_chunk(fields, range(len(types)), 32)[0])], **head)


def elements_for_many_frames(size=SIZE):
    """Half of it names of elements, half of it small frames."""
    frame = typed_frame([1, 2])
    names = json.dumps({"elements": ["C"] * (size // 10)})
    return text_header(names) + frame * (size // 2 // len(frame))


def long_element(size=SIZE):
    """One name as long as metadata can be, which no particle has."""
    return text_header(json.dumps({"elements": ["C", "N" * size]})) + typed_frame([1] * 2000)


# ---- names


def many_columns(size=SIZE):
    """Fields of three columns each, all with names of their own."""
    names = itertools.product("0123456789abcdefghijklmnopqrstuvwxyz", repeat=4)
    entries = []
    for _ in range(min(65535, size // 53)):
        entries.append(field_entry(names=["".join(next(names)) for _ in range(3)]))
    chunk = EMPTY_CHUNK + bytes(8 * len(entries))
    return header() + bare_frame(fields=entries, chunks=[(0, chunk)])


def one_wide_column(size=SIZE):
    """A name of 255 control characters, and as many short ones as there is room for."""
    entries = [field_entry(names=["\x1b" * 255])]
    entries += [field_entry(names=[f"{3 * i:x}", f"{3 * i + 1:x}", f"{3 * i + 2:x}"]) for i in range(min(65534, size // 50))]
    chunk = EMPTY_CHUNK + bytes(8 * len(entries))
    return header() + bare_frame(fields=entries, chunks=[(0, chunk)])


# Each with what a terminal, a text file or a parser of JSON would make of it.
HOSTILE_NAMES = [
    "\x1b[2J\x1b]0;title\x07",  # clears the screen, renames the window
    "c\nITEM: ATOMS id",  # a line of its own
    "two words",
    "tab\tbed",
    "\u009b31m",  # an escape sequence in one character
    "\u202egnp",  # is shown from right to left
    "a:R:1:b",  # another column of extended XYZ
    'quo"te',
    "\x7f\0end",
    b"\xff\xfe",  # no UTF-8
    b"\xc3",
    b"\xed\xa0\x80",  # a surrogate
    b"\xf4\x90\x80\x80",  # beyond Unicode
    b"\xc0\xaf",  # longer than need be
    "\u00c5ngstr\u00f6m",
]


def named_entry(name, kind=FLOAT64, flags=0):
    name = name.encode() if isinstance(name, str) else name
    entry = struct.pack("<BBBBIddd", kind, 1, flags, 1, 0, 0.0, 0.0, 0.0)
    return entry + struct.pack("<HB", 3, len(name)) + name


def bad_names(size=SIZE):  # noqa: ARG001
    """Every hostile name as a column, as an element, a label, and in all other texts of the metadata that can have it."""
    texts = [name for name in HOSTILE_NAMES if isinstance(name, str)]
    metadata = {
        "generator": texts[0],
        "units": texts[1],
        "atom_style": texts[2],
        "command": " ".join(texts),
        "columns": ["id", *texts],  # without id, decode takes the ids for numbers of rows
        "elements": texts,
        "type_labels": texts,
    }
    count = len(HOSTILE_NAMES)
    fields = typed_fields([1 + i % len(texts) for i in range(count)])
    fields += [WriteField(INTEGER, ["label"], [list(range(1, count + 1))], flags=4)]
    fields += [WriteField(FLOAT64, [str(i)], [[float(i)] * count]) for i in range(count)]
    entries = [entry_of(f) for f in fields[:-count]] + [named_entry(name) for name in HOSTILE_NAMES]
    chunk = encode_chunk(fields, range(count), 32)[0]
    return text_header(json.dumps(metadata)) + bare_frame(fields=entries, chunks=[(count, chunk)])


# ---- numbers


def far_timesteps(size=SIZE):  # noqa: ARG001
    """Differences between these timesteps are none that an i64 holds."""
    steps = [-(2**63), 2**63 - 1, -(2**63), 2**63 - 1]
    return write_bytes({}, [typed_frame([1], timestep=step) for step in steps])


def odd_numbers(size=SIZE):  # noqa: ARG001
    """NaN and infinities for times and boxes, and the least bound that there is."""
    infinity = float("inf")
    fields = typed_fields([1, 2])
    fields[0].bound, fields[0].step = 5e-324, 5e-324
    box = (-infinity, infinity, float("nan"), 1e308, -1e308, 5e-324) + (0.0,) * 6
    frames = [typed_frame([1, 2], fields, time=time, box_kind=1, box=box) for time in (-infinity, float("nan"), infinity)]
    return write_bytes({"timestep_size": 5e-324}, frames)


def many_particles(size=SIZE):  # noqa: ARG001
    """Frames that claim more particles, in sum, than 64 bits hold."""
    return header() + b"".join(
        bare_frame(fields=[field_entry(names=["x", "y", "z"])], chunks=[(2**63, EMPTY_CHUNK + bytes(8))]) for _ in range(3)
    )


FUNCTIONS = [
    fragments,
    fragments_of_frames,
    lost_ends,
    far_ends,
    overlapping_heads,
    heads_to_the_end,
    index_of_nothing,
    index_of_long_heads,
    equal_frames,
    nested_arrays,
    nested_in_a_key,
    nested_objects,
    many_keys,
    one_key_again,
    long_number,
    long_fraction,
    many_numbers,
    many_elements,
    elements_for_many_frames,
    long_element,
    many_columns,
    one_wide_column,
    bad_names,
    far_timesteps,
    odd_numbers,
    many_particles,
]
FILES = {function.__name__.replace("_", "-"): function for function in FUNCTIONS}
