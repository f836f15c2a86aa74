# SPDX-License-Identifier: BSD-3-Clause
"""Wrong inputs of every function of the C interface that takes numbers: the status, and texts that gpz_last_error has: the
argument, the value, what to do. Files stay as they are."""

import ctypes
import math
import os
import pathlib
import sys
from collections.abc import Callable
from ctypes import byref
from typing import Any, NamedTuple

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

import c_library as c  # noqa: E402

N = 5
X = np.random.default_rng(1).uniform(0, 10, (N, 3))
IDS = np.arange(1, N + 1)
INVALID = c.INVALID_ARGUMENT


class Place:
    """file: positions x y z with the bound 0.001, q with 0.01, n and ids; units metal. new: a path where nothing is."""

    def __init__(self, library, folder):
        self.library, self.new, self.file = library, os.fsencode(folder / "new.gpz"), os.fsencode(folder / "file.gpz")
        metadata = c.Metadata.new(units=b"metal")
        writer = library.open("writer_open", self.file, c.CREATE, byref(metadata), 1)
        self.write(writer, fields())
        library.call("writer_close", writer)

    def write(self, writer, given, frame=None):
        array = (c.Field * len(given))(*given)
        self.library.call("writer_write", writer, byref(frame or c.frame_of(N)), array, len(given))

    def writing(self, path=None, mode=c.CREATE, metadata=None):
        return self.library.open("writer_open", path or self.new, mode, metadata, 1)

    def reading(self):
        return self.library.open("reader_open", self.file, 1)


RECORD = ctypes.create_string_buffer(16)
KEEP = [X[:, 0].copy(), X[:, 1].copy(), X[:, 2].copy(), IDS]  # what fields point to


def fields(**changes):
    """Four fields. changes: of the first."""
    made = [
        c.field_of("x y z", KEEP[:3], c.ABSOLUTE, 0.001),
        c.field_of("q", [KEEP[0]], c.ABSOLUTE, 0.01),
        c.field_of("n", [KEEP[3]]),
        c.field_of("id", [KEEP[3]]),
    ]
    for name, value in changes.items():
        setattr(made[0], name, value)
    return made


class Row(NamedTuple):
    entry: str
    name: str
    call: Callable[[Place], Any]
    status: int
    says: tuple[str, ...]


def field(name, *says, at=0, **changes):
    """gpz_writer_write with a changed field."""

    def call(place):
        given = fields()
        for member, value in changes.items():
            setattr(given[at], member, value)
        writer = place.writing()
        try:
            place.write(writer, given)
        finally:
            place.library.call("writer_close", writer)

    return Row("gpz_writer_write", name, call, INVALID, says)


def frame(name, *says, **changes):
    def call(place):
        given = c.frame_of(N)
        for member, value in changes.items():
            setattr(given, member, value)
        writer = place.writing()
        try:
            place.write(writer, fields(), given)
        finally:
            place.library.call("writer_close", writer)

    return Row("gpz_writer_write", name, call, INVALID, says)


def appended(name, *says, at=0, **changes):
    def call(place):
        given = fields()
        for member, value in changes.items():
            setattr(given[at], member, value)
        writer = place.writing(place.file, c.APPEND)
        try:
            place.write(writer, given)
        finally:
            place.library.call("writer_close", writer)

    return Row("GPZ_APPEND", name, call, INVALID, says)


def setting(function, name, value, *says):
    def call(place):
        writer = place.writing()
        try:
            place.library.call(function, writer, value)
        finally:
            place.library.call("writer_close", writer)

    return Row(f"gpz_{function}", name, call, INVALID, says)


def read(name, status, *says, frame=0, capacity=N, flags=0, **changes):
    def call(place):
        room = np.zeros(N)
        output = c.Output.new(names=b"q", stride=8, type=c.FLOAT64)
        output.data[0] = room.ctypes.data
        for member, value in changes.items():
            setattr(output, member, value)
        reader = place.reading()
        try:
            place.library.call("reader_read", reader, frame, byref(output), 1, capacity, flags)
        finally:
            place.library.functions.gpz_reader_close(reader)

    return Row("gpz_reader_read", name, call, status, says)


def thermal(name, *says, given, count=N):
    """given: the names of fields and their arrays."""

    def call(place):
        array = (c.Field * max(len(given), 1))(*(c.field_of(field, [values]) for field, values in given.items()))
        bound = ctypes.c_double(7)
        try:
            place.library.call("thermal_bound", array, len(given), count, byref(bound))
        finally:
            assert bound.value == 0

    return Row("gpz_thermal_bound", name, call, INVALID, says)


def record(name, *says, **changes):
    """gpz_writer_write_record of 16 bytes with these changes."""

    def call(place):
        place_of_bytes = ctypes.addressof(RECORD)
        given = c.Record.new(type=1 << 31 | 7, head=place_of_bytes, head_size=8, body=place_of_bytes, body_size=16)
        for member, value in changes.items():
            setattr(given, member, value)
        writer = place.writing()
        try:
            place.library.call("writer_write_record", writer, byref(given))
        finally:
            place.library.call("writer_close", writer)

    return Row("gpz_writer_write_record", name, call, INVALID, says)


def records(function, name, status, *says, arguments):
    def call(place):
        reader = place.reading()
        try:
            place.library.call(function, reader, *arguments)
        finally:
            place.library.functions.gpz_reader_close(reader)

    return Row(f"gpz_{function}", name, call, status, says)


def row(entry, name, status, *says, call):
    return Row(entry, name, call, status, says)


def origin(name, *says, **changes):
    """A field whose values were read from a file with the bound 0.001, with another bound."""
    return field(name, *says, **{"origin_bound": 0.001, "origin_step": 0.002, "origin_type": c.FLOAT64, **changes})


def opened(place, threads):
    return place.library.open("reader_open", place.file, threads)


ROWS = [
    field("names none", "names", "1 to 3 names", "not 0", names=b""),
    field("names four", "names", "1 to 3 names", "not 4", names=b"a b c d"),
    field("names twice", "x x z", "two columns of the name x", names=b"x x z"),
    field("names of another field", "two columns of the name q", names=b"x q z"),
    field("data null", "x y z", "data is a null pointer", data=(ctypes.c_void_p * 3)()),
    field("stride 0", "x y z", "stride is 0", stride=0),
    field("type 0", "type", "GPZ_FLOAT64 (4)", "not 0", type=0),
    field("type 7", "type", "GPZ_INT32 (1)", "not 7", type=7),
    field("bound -1", "x y z", "bound", "at least 0", "not -1", bound=-1.0),
    field("bound nan", "bound", "finite", "not nan", bound=math.nan),
    field("bound inf", "bound", "finite", "not inf", bound=math.inf),
    field("bound of lossless", "x y z", "bound_kind is GPZ_LOSSLESS", "set GPZ_ABSOLUTE", bound_kind=c.LOSSLESS),
    field("bound relative", "GPZ_RELATIVE", "below 1", "not 2", bound_kind=c.RELATIVE, bound=2.0),
    field("bound of integers", '"n"', "exact", "not 0.5", at=2, bound_kind=c.ABSOLUTE, bound=0.5),
    field("bound_kind 9", "bound_kind", "GPZ_AS_STORED (3)", "not 9", bound_kind=9),
    field("as stored without origin", "GPZ_AS_STORED", "gpz_set_origin", bound_kind=c.AS_STORED, bound=0.0),
    field("display 9", "display", "GPZ_TYPE_LABEL (4)", "not 9", at=2, display=9),
    field("display of floats", '"q"', "display", "integers", at=1, display=2),
    field("reserved", "reserved is not 0", reserved=1),
    field("struct_size", "gpz_field", struct_size=4),
    origin("origin bound", "x y z", "within 0.001", "a bound of 0.0001 cannot be kept", "Without a bound", bound=0.0001),
    origin("origin lossless", "within 0.001", "a bound of 0 cannot be kept", bound_kind=c.LOSSLESS, bound=0.0),
    origin("origin nan", "origin", "finite", origin_error=math.nan),
    origin("origin -1", "origin", "at least 0", origin_rounding=-1.0),
    origin("origin_type", "origin_type", "GPZ_FLOAT32 (3)", "not 2", origin_type=c.INT64),
    origin("origin of integers", '"n"', "integers", "no origin", at=2),
    field("rounded", "rounded since", "GPZ_AS_STORED", origin_rounding=1e-6, origin_type=4, bound_kind=0, bound=0.0),
    frame("dimension 7", "dimension", "2 or 3", "not 7", dimension=7),
    frame("box_kind 9", "box_kind", "from 0 to 3", "not 9", box_kind=9),
    frame("box nan", "box", "nan", "finite", box_kind=1, box=(ctypes.c_double * 12)(0, 1, 0, math.nan, 0, 1)),
    frame("struct_size 0", "gpz_frame", struct_size=0),
    appended("other bound", "file.gpz", "column x", "0.01", "0.001", "give the same", bound=0.01),
    appended("exact", "column x", "0 (exact)", "0.001", bound=0.0),
    appended("other bound of q", "column q", "0.5", "0.01", at=1, bound=0.5),
    row("GPZ_APPEND", "units", INVALID, "file.gpz", "units", "nano", "metal", "leave it out",
        call=lambda place: place.writing(place.file, c.APPEND, byref(c.Metadata.new(units=b"nano")))),
    row("gpz_writer_open", "mode 7", INVALID, "mode", "GPZ_APPEND (1)", "not 7", call=lambda place: place.writing(mode=7)),
    row("gpz_writer_open", "path null", INVALID, "path is a null pointer",
        call=lambda place: place.library.open("writer_open", None, 0, None, 1)),
    row("gpz_writer_open", "no folder", c.IO_ERROR, "/nonexistent/x.gpz", "No such file",
        call=lambda place: place.writing(b"/nonexistent/x.gpz")),
    row("gpz_writer_open", "threads -1", INVALID, "threads", "0 (all cores)", "not -1",
        call=lambda place: place.library.open("writer_open", place.new, 0, None, -1)),
    record("type", "type 7", "bit 31", type=7),
    record("head_size", "head of a record has 12 bytes", "multiple of 8", head_size=12),
    record("body_size", "body of a record has 9 bytes", "multiple of 8", body_size=9),
    record("head null", "gpz_record: head is a null pointer", head=None),
    record("body null", "gpz_record: body is a null pointer", body=None),
    record("reserved", "gpz_record: reserved is not 0", reserved=5),
    record("struct_size", "gpz_record: struct_size is 4", struct_size=4),
    records("reader_record_count", "frame 2", c.NOT_FOUND, "file.gpz", "frame 2", "1",
            arguments=(2, byref(ctypes.c_size_t()))),
    records("reader_record_count", "count null", INVALID, "count is a null pointer", arguments=(0, None)),
    records("reader_record", "record 3", c.NOT_FOUND, "no record 3", "frame 1", "0",
            arguments=(1, 3, byref(c.Record.new()))),
    records("reader_select_ids", "ids null", INVALID, "ids is a null pointer", arguments=(None, 2)),
    setting("writer_set_key_interval", "0", 0, "key interval", "1 to 65535", "not 0"),
    setting("writer_set_key_interval", "65536", 65536, "key interval", "1 to 65535", "not 65536"),
    setting("writer_set_order", "4", 4, "order", "GPZ_ORDER_AUTO (3)", "not 4"),
    setting("writer_set_order", "-1", -1, "order", "GPZ_ORDER_PLACE (0)", "not -1"),
    setting("writer_set_effort", "3", 3, "effort", "GPZ_EFFORT_DENSE (2)", "not 3"),
    row("gpz_default_position_bound", "imperial", INVALID, "units", "imperial", "known: lj",
        call=lambda place: place.library.call("default_position_bound", b"imperial", byref(ctypes.c_double()))),
    thermal("no fields", "no float column is vx, vy or vz", given={}),
    thermal("velocities of integers", "no float column is vx, vy or vz", given={"vx": KEEP[3], "type": KEEP[3]}),
    thermal("no species", "no column is type, typelabel, element or mass", "give", given={"vx": KEEP[0]}),
    thermal("no two of one species", "column type", "no thermal speed", "give a number", given={"vx": KEEP[0], "type": KEEP[3]}),
    thermal("no particles", "no thermal speed", given={"vx": KEEP[0], "type": KEEP[3]}, count=0),
    thermal("names twice", "two columns of the name vx", given={"vx": KEEP[0], "vx vx": KEEP[0]}),
    row("gpz_thermal_bound", "bound null", INVALID, "bound is a null pointer",
        call=lambda place: place.library.call("thermal_bound", (c.Field * 4)(*fields()), 4, N, None)),
    row("gpz_reader_open", "threads", INVALID, "threads", "0 (all cores)", "not -3", call=lambda place: opened(place, -3)),
    row("gpz_reader_open", "missing", c.IO_ERROR, "new.gpz", "No such file",
        call=lambda place: place.library.open("reader_open", place.new, 1)),
    row("gpz_reader_open_memory", "text", c.NOT_GPZ, "magic",
        call=lambda place: place.library.open("reader_open_memory", b"a text that is no file", 22, 1)),
    row("gpz_stream_open", "descriptor", c.IO_ERROR, "a pipe", "Bad file descriptor",
        call=lambda place: place.library.open("stream_open", 9999, b"a pipe", 1)),
    read("frame 7", c.NOT_FOUND, "file.gpz", "no frame 7", "1", frame=7),
    read("column", c.NOT_FOUND, "file.gpz", "p", names=b"p"),
    read("names none", INVALID, "names of an output", "not 0", names=b""),
    read("integers", INVALID, "q", "float", type=c.INT64),
    read("type", INVALID, "type", "not 9", type=9),
    read("floats", INVALID, "id", "integer", names=b"id"),
    read("stride", INVALID, "stride of an output is 0", stride=0),
    read("capacity", c.LIMIT_EXCEEDED, "5", "4", capacity=4),
    read("flags", INVALID, "flags", "GPZ_SORT_BY_ID (1)", "not 6", flags=6),
]  # fmt: skip


@pytest.fixture(scope="module")
def library():
    return c.Library()


@pytest.mark.parametrize("case", ROWS, ids=lambda case: f"{case.entry}, {case.name}")
def test_refused(library, tmp_path, case):
    place = Place(library, tmp_path)
    before = pathlib.Path(os.fsdecode(place.file)).read_bytes()
    with pytest.raises(c.CError) as caught:
        case.call(place)
    assert caught.value.status == case.status, caught.value
    missing = [text for text in case.says if text not in str(caught.value)]
    assert not missing, f"{caught.value}: without {missing}"
    assert pathlib.Path(os.fsdecode(place.file)).read_bytes() == before
