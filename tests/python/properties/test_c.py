# SPDX-License-Identifier: BSD-3-Clause
"""The C interface: what comes back of random trajectories, and of files that are written again with gpz_set_origin."""

from __future__ import annotations

import copy
import ctypes
import itertools
import os
import pathlib
import sys
from ctypes import byref

import numpy as np
import pytest
from expected import Expected
from hypothesis import given
from hypothesis import strategies as st
from made import BOUNDS, options, tagged, trajectories

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

import c_library as c  # noqa: E402

VECTORS = (("x", "y", "z"), ("xu", "yu", "zu"), ("xs", "ys", "zs"), ("x", "y"), ("vx", "vy", "vz"))
MINIMUM = 2.0**-150  # half of the smallest float32
names = itertools.count()


@pytest.fixture(scope="session")
def library():
    return c.Library()


def taken(array):
    """The array in a type and byte order that C has; with its strides, if it has them already."""
    if array.dtype in c.TYPES:
        return array
    with np.errstate(invalid="ignore"):
        return array.astype(np.int64 if array.dtype.kind != "f" else np.float32 if array.itemsize <= 4 else np.float64)


def groups_of(columns):
    """Names of columns that are one field: they have one type and one stride. Positions lead."""
    left = dict(columns)
    groups = []
    for vector in VECTORS:
        if all(name in left for name in vector):
            if len({(left[name].dtype, left[name].strides) for name in vector}) == 1:
                groups.append(vector)
                left = {name: array for name, array in left.items() if name not in vector}
    return groups + [(name,) for name in left]


class File:
    """A file that is written, which is closed and continued at a frame."""

    def __init__(self, library, path, chosen):
        self.library, self.path, self.chosen = library, path, chosen
        self.count = 0
        self.writer = None
        self.open(c.CREATE)

    def open(self, mode):
        self.writer = self.library.open("writer_open", os.fsencode(self.path), mode, None, 1)
        self.library.call("writer_set_order", self.writer, c.ORDERS[self.chosen.order])
        self.library.call("writer_set_effort", self.writer, c.EFFORTS[self.chosen.effort])
        self.library.call("writer_set_key_interval", self.writer, self.chosen.key_interval)

    def write(self, frame, fields):
        if self.count and self.count == self.chosen.append:
            self.close()
            self.open(c.APPEND)
        array = (c.Field * len(fields))(*fields)
        size = self.library.functions.gpz_writer_size(self.writer)
        try:
            self.library.call("writer_write", self.writer, byref(frame), array, len(fields))
        except c.CError:
            assert self.library.functions.gpz_writer_frames(self.writer) == self.count
            if not self.continues:
                assert self.library.functions.gpz_writer_size(self.writer) == size
            raise
        self.count += 1

    @property
    def continues(self):
        """Whether the next frame cuts the index of a file that is continued."""
        return 0 < self.count == self.chosen.append

    def close(self):
        if self.writer is not None:
            writer, self.writer = self.writer, None
            self.library.call("writer_close", writer)


def write_given(library, path, frames, chosen, kinds):
    """kinds: of bounds, of positions and of others."""
    file = File(library, path, chosen)
    try:
        for given_frame in frames:
            columns = {name: taken(array) for name, array in given_frame.columns.items()}
            fields = []
            for group in groups_of(columns):
                kind, bound = c.LOSSLESS, 0.0
                if columns[group[0]].dtype.kind == "f":
                    asked = chosen.bound_of_q if group == ("q",) else chosen.bound if group[0] not in ("vx",) else None
                    kind, bound = (c.LOSSLESS, 0.0) if asked is None else (kinds, float(asked))
                fields.append(c.field_of(" ".join(group), [columns[name] for name in group], kind, bound))
            frame = c.frame_of(given_frame.count, given_frame.timestep)
            if given_frame.box is not None:
                box = given_frame.box
                frame.box_kind = {"orthogonal": 1, "triclinic": 2, "general triclinic": 3}[box.kind]
                matrix, origin = box.matrix, box.origin
                if frame.box_kind == 3:
                    frame.box = (ctypes.c_double * 12)(*matrix.flat, *origin)
                else:
                    sides = [value for d in range(3) for value in (origin[d], origin[d] + matrix[d, d])]
                    frame.box = (ctypes.c_double * 12)(*sides, matrix[1, 0], matrix[2, 0], matrix[2, 1])
            file.write(frame, fields)
    finally:
        file.close()


class Read:
    """A frame of a file: its columns, in the order of ids where there are ids."""

    def __init__(self, frame, infos, values):
        self.frame, self.infos, self.values = frame, infos, values


def read(library, path, narrow=False, stream=False):
    """All frames. narrow: floats into float32."""
    if not stream:
        reader = library.open("reader_open", os.fsencode(path), 1)
        try:
            for k in range(library.functions.gpz_reader_frames(reader)):
                frame = c.Frame.new()
                library.call("reader_frame", reader, k, byref(frame))
                yield read_one(library, "reader", (reader, k), frame, narrow)
        finally:
            library.functions.gpz_reader_close(reader)
        return
    with open(path, "rb") as file:
        opened = library.open("stream_open", file.fileno(), b"stream", 1)
        try:
            while True:
                frame, found = c.Frame.new(), ctypes.c_int()
                library.call("stream_next", opened, byref(frame), byref(found))
                if not found.value:
                    break
                yield read_one(library, "stream", (opened,), frame, narrow)
        finally:
            library.functions.gpz_stream_close(opened)


def read_one(library, kind, where, frame, narrow):
    count = ctypes.c_size_t()
    library.call(f"{kind}_column_count", *where, byref(count))
    infos = {}
    for k in range(count.value):
        info = c.ColumnInfo.new()
        library.call(f"{kind}_column", *where, k, byref(info))
        infos[info.name.decode()] = info
    values, outputs = {}, []
    for name, info in infos.items():
        dtype = c.DTYPES[c.FLOAT32 if narrow and info.type == c.FLOAT64 else info.type]
        room = np.zeros(2 * frame.particles + 1, dtype)  # with a stride
        values[name] = room[::2][: frame.particles]
        output = c.Output.new(names=name.encode(), stride=2 * dtype.itemsize, type=c.TYPES[dtype])
        output.data[0] = room.ctypes.data
        outputs.append(output)
    array = (c.Output * len(outputs))(*outputs)
    flags = c.SORT_BY_ID if "id" in infos else 0
    library.call(f"{kind}_read", *where, array, len(outputs), frame.particles, flags)
    if narrow and any(array.dtype == np.float32 and np.isinf(array).any() for array in values.values()):
        return read_one(library, kind, where, frame, False)  # a rounding to infinity has no bound
    return Read(frame, infos, values)


def check(library, path, expected):
    for stream in (False, True):
        for k, (found, wanted) in enumerate(zip(read(library, path, stream=stream), expected, strict=True)):
            wanted = copy.copy(wanted)
            wanted.quiet = wanted.quiet or stream
            bounds = {name: info.bound for name, info in found.infos.items()}
            errors = {name: info.largest_error for name, info in found.infos.items()}
            wanted.check(found.values, bounds, errors, f"frame {k}")
            assert found.frame.timestep == wanted.timestep


def prepared(frames, orders):
    if "place" in orders:
        tagged(frames)
    for frame in frames:
        for name in [name for name, array in frame.columns.items() if len(array) and array.strides[0] == 0]:
            frame.columns[name] = frame.columns[name].copy()
    return frames


@given(trajectories(), options(), st.sampled_from([c.ABSOLUTE, c.ABSOLUTE, c.RELATIVE]))
def test_written_once(library, folder, frames, chosen, kind):
    if kind == c.RELATIVE:
        chosen.append = 0
        chosen.bound = None if chosen.bound is None else min(chosen.bound, 0.5)
        chosen.bound_of_q = None if chosen.bound_of_q is None else min(chosen.bound_of_q, 0.5)
    frames = prepared(frames, [chosen.order])
    path = folder / f"c{next(names) % 8}.gpz"
    try:
        write_given(library, path, frames, chosen, kind)
    except c.CError as error:
        # The distance of the values is more than a double can be.
        assert kind == c.RELATIVE and "the error bound has to be positive and finite" in str(error)
        return
    check(library, path, [Expected.of(frame, chosen.order) for frame in frames])


class Step:
    """How a file becomes another one. bound: of columns that are floats; None: as they are stored."""

    def __init__(self, draw):
        self.narrow = draw(st.booleans())
        self.stream = draw(st.booleans())
        self.bound = draw(st.one_of(st.none(), st.sampled_from(BOUNDS), st.floats(1e-6, 5)))
        self.options = draw(options())

    def __repr__(self):
        return str(vars(self))


@st.composite
def chains(draw):
    return [Step(draw) for _ in range(draw(st.integers(1, 4)))]


@given(trajectories(), options(), chains())
def test_written_again(library, folder, frames, chosen, steps):
    frames = prepared(frames, [chosen.order, *(step.options.order for step in steps)])
    path = folder / f"c{next(names) % 8}.gpz"
    write_given(library, path, frames, chosen, c.ABSOLUTE)
    expected = [Expected.of(frame, chosen.order) for frame in frames]
    for step in steps:
        to = folder / f"c{next(names) % 8}.gpz"
        after = rewrite(library, path, to, expected, step)
        check(library, to, after)
        if len(after) < len(expected):
            return
        path, expected = to, after


def rewrite(library, path, to, expected, step):
    """What is expected of the frames that were not refused."""
    after = []
    file = File(library, to, step.options)
    try:
        for found, wanted in zip(read(library, path, step.narrow, step.stream), expected, strict=True):
            wanted = copy.deepcopy(wanted)
            wanted.quiet = wanted.quiet or step.stream or step.narrow
            wanted.note_order(step.options.order)
            fields, room = fields_of(found, step)
            try:
                file.write(found.frame, fields)
            except c.CError as error:
                assert error.status == c.INVALID_ARGUMENT, error
                text = str(error)
                if "give ids with every frame" in text:  # the numbers of rows, which some frames have in the order of memory
                    assert step.options.order == "place"
                    break
                assert room or "cannot be kept" not in text or file.continues, error
                assert file.continues or "rounded since they were read" in text or "cannot be kept" in text, error
                break
            after.append(wanted)
    finally:
        file.close()
    return after


def fields_of(found, step):
    """Fields, and whether a bound leaves little room for the error that the values have."""
    fields, little = [], False
    for group in groups_of(found.values):
        arrays = [found.values[name] for name in group]
        info = found.infos[group[0]]
        field = c.field_of(" ".join(group), arrays)
        if arrays[0].dtype.kind == "f":
            top = max(float(np.abs(array[np.isfinite(array)]).max(initial=0)) for array in arrays)
            rounded = arrays[0].dtype.itemsize < c.DTYPES[info.type].itemsize
            rounding = max(top * 2.0**-24, MINIMUM) if rounded else 0.0
            c.set_origin(field, info, rounding)
            if step.bound is not None:
                field.bound_kind, field.bound = c.ABSOLUTE, step.bound
                room = 2 * rounding + top * 2.0**-20 if rounded else 0
                little = little or step.bound < (2 if rounded else 1) * info.bound + room
        fields.append(field)
    return fields, little
