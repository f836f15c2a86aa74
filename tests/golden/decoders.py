# SPDX-License-Identifier: BSD-3-Clause
"""What is in a file, by the library and by the reference decoder, in one form; floating-point numbers of heads as their bits."""

import functools
import json
import os
import pathlib
import struct
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parent
FILES = FOLDER / "files"
CODEC = os.environ.get("GPZ_GOLDEN_CODEC")

sys.path[:0] = [str(FOLDER.parent / "reference"), str(FOLDER.parent)]

from gpz_reference import reader as gpz_ref  # noqa: E402
from gpz_reference.conformance import digest  # noqa: E402

TABLE_TYPES = {1: "i64", 3: "f64", 4: "text"}
TYPE_NAMES = {1: "i64", 2: "f32", 3: "f64"}
VALUE_SIZES = {1: 8, 2: 4, 3: 8}


def codec(*arguments):
    assert CODEC, "GPZ_GOLDEN_CODEC is not set"
    return subprocess.run([CODEC, *map(str, arguments)], capture_output=True, check=False, timeout=300)


def double_bits(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def with_columns(head, data):
    """The head of a frame and the bytes of its columns, in field order. Returns the frame's description and what was used."""
    columns, start = {}, 0
    for field in head["fields"]:
        for name in field["names"]:
            end = start + head["particles"] * VALUE_SIZES[field["type"]]
            assert end <= len(data)
            columns[name] = bytes(data[start:end])
            start = end
    return {**head, "data": columns}, start


def by_library(path, *how):
    """The facts about the file, and a list of frames with `data`: bytes of every column by name."""
    result = codec("decode", path, *how)
    assert result.returncode == 0, result.stderr.decode()
    rest, frames = memoryview(result.stdout), []

    def take_line():
        nonlocal rest
        end = bytes(rest).index(b"\n")
        line, rest = json.loads(bytes(rest[:end])), rest[end + 1 :]
        return line

    facts = take_line()
    while len(rest):
        frame, used = with_columns(take_line(), rest)
        frames.append(frame)
        rest = rest[used:]
    return facts, frames


def ends_with_index(file, content):
    if file.index is None:
        return False
    record = gpz_ref.read_record(content, len(content) - gpz_ref.RECORD_OVERHEAD - 8 - 40 * len(file.index))
    return record is not None and record.type == gpz_ref.INDEX


def describe_tables(tables):
    """As golden_codec.cpp."""
    return [
        {
            "name": table.name,
            "rows": table.rows,
            "columns": [{"name": c.name, "type": TABLE_TYPES[c.type], "unit": c.unit, "data": c.data.hex()} for c in table.columns],
        }
        for table in tables
    ]


METADATA = {"generator": "", "units": "", "atom_style": "", "command": "", "columns": [], "elements": [], "type_labels": []}


@functools.cache
def read(path):
    """By the reference decoder, each file once."""
    return gpz_ref.read_file(path)


def by_reference(path):
    content, file = path.read_bytes(), read(path)
    metadata = {key: file.metadata.get(key, value) for key, value in {**METADATA, "timestep_size": 0.0}.items()}
    facts = {"metadata": metadata, "has_index": ends_with_index(file, content), "torn": file.torn is not None}
    facts["tables"] = describe_tables(file.tables)
    frames = []
    for frame in file.frames:
        fields = [
            {
                "type": f.type,
                "flags": f.flags,
                "bound": double_bits(f.bound),
                "step": double_bits(f.step),
                "largest_error": double_bits(f.largest_error),
                "names": f.names,
                "columns": f.columns,
            }
            for f in frame.fields
        ]
        head = {key: getattr(frame, key) for key in ("particles", "timestep", "dimension", "box_kind", "boundary", "since_key")}
        head.update(time=double_bits(frame.time), box=[double_bits(v) for v in frame.box], fields=fields)
        head.update(tables=describe_tables(frame.tables), observables=[[o.name, o.unit, o.bits] for o in frame.observables])
        frames.append({**head, "data": {column.name: column.data for column in frame.columns}})
    return facts, frames


PLAIN_FACTS = "particles", "timestep", "since_key"
BESIDE_HEAD = "data", "tables", "observables"


def pinned_tables(tables):
    """By name: rows, and for each column its type, unit and digest."""
    return {
        table["name"]: {
            "rows": table["rows"],
            "columns": {c["name"]: [c["type"], c["unit"], digest(bytes.fromhex(c["data"]))] for c in table["columns"]},
        }
        for table in tables
    }


def pinned(facts, frames):
    """What digests.json has of a file. Digests are the first 128 bits of SHA-256: of all that a frame's head says, as JSON, of
    the little-endian bytes of every column in stored order, and of the bytes of each column of a table."""
    described = []
    for frame in frames:
        head = {key: value for key, value in frame.items() if key not in BESIDE_HEAD}
        entry = {key: head[key] for key in PLAIN_FACTS}
        entry["head"] = digest(json.dumps(head, sort_keys=True).encode())
        entry["columns"] = {name: digest(data) for name, data in frame["data"].items()}
        if frame["tables"]:
            entry["tables"] = pinned_tables(frame["tables"])
        if frame["observables"]:
            entry["observables"] = [[name, unit, f"{bits:016x}"] for name, unit, bits in frame["observables"]]
        described.append(entry)
    facts = {**facts, "tables": pinned_tables(facts.get("tables", []))}
    if not facts["tables"]:
        del facts["tables"]
    return {**facts, "frames": described}
