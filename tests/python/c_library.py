# SPDX-License-Identifier: BSD-3-Clause
"""The C interface (gpz/gpz.h) through ctypes. GPZ_LIBRARY: the path of the shared library."""

import ctypes
import ctypes.util
import math
import os
from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_double, c_int, c_int64, c_ssize_t
from ctypes import c_size_t, c_uint16, c_uint32, c_uint64, c_void_p

import numpy as np

STATUS = "OK INVALID_ARGUMENT IO_ERROR NOT_GPZ UNSUPPORTED_VERSION CORRUPT TRUNCATED OUT_OF_MEMORY NOT_FOUND LIMIT_EXCEEDED"
(OK, INVALID_ARGUMENT, IO_ERROR, NOT_GPZ, UNSUPPORTED_VERSION, CORRUPT, TRUNCATED, OUT_OF_MEMORY, NOT_FOUND, LIMIT_EXCEEDED) = (
    range(10)
)
INT32, INT64, FLOAT32, FLOAT64 = 1, 2, 3, 4
LOSSLESS, ABSOLUTE, RELATIVE, AS_STORED = 0, 1, 2, 3
CREATE, APPEND = 0, 1
ORDERS = {"place": 0, "id": 1, "memory": 2, "auto": 3}
EFFORTS = {"fast": 0, "standard": 1, "dense": 2}
SORT_BY_ID = 1
TYPES = {np.dtype(np.int32): INT32, np.dtype(np.int64): INT64, np.dtype(np.float32): FLOAT32, np.dtype(np.float64): FLOAT64}
DTYPES = {number: dtype for dtype, number in TYPES.items()}


class Sized(Structure):
    """A structure that says its size."""

    @classmethod
    def new(cls, **members):
        made = cls()
        made.struct_size = ctypes.sizeof(cls)
        for name, value in members.items():
            setattr(made, name, value)
        return made


class Field(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("names", c_char_p),
        ("data", c_void_p * 3),
        ("stride", c_ssize_t),
        ("type", c_int),
        ("bound_kind", c_int),
        ("bound", c_double),
        ("display", c_int),
        ("reserved", c_uint32),
        ("origin_bound", c_double),
        ("origin_step", c_double),
        ("origin_error", c_double),
        ("origin_rounding", c_double),
        ("origin_type", c_int),
        ("reserved2", c_uint32),
    ]


class Output(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("names", c_char_p),
        ("data", c_void_p * 3),
        ("stride", c_ssize_t),
        ("type", c_int),
        ("reserved", c_uint32),
    ]


class Frame(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("particles", c_uint64),
        ("timestep", c_int64),
        ("time", c_double),
        ("dimension", c_int),
        ("box_kind", c_int),
        ("box", c_double * 12),
        ("boundary", c_char * 6),
        ("since_key", c_uint16),
    ]


class Metadata(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("generator", c_char_p),
        ("units", c_char_p),
        ("atom_style", c_char_p),
        ("command", c_char_p),
        ("columns", POINTER(c_char_p)),
        ("column_count", c_size_t),
        ("elements", POINTER(c_char_p)),
        ("element_count", c_size_t),
        ("type_labels", POINTER(c_char_p)),
        ("type_label_count", c_size_t),
        ("timestep_size", c_double),
        ("features", c_uint32),
        ("reserved", c_uint32),
        ("reference", c_char_p),
        ("reference_grid", c_double),
    ]


class Record(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("type", c_uint32),
        ("reserved", c_uint32),
        ("head", c_void_p),
        ("head_size", c_size_t),
        ("body", c_void_p),
        ("body_size", c_size_t),
    ]


class ReadOptions(Sized):
    _fields_ = [("struct_size", c_size_t), ("max_memory", c_uint64), ("threads", c_int), ("reserved", c_uint32)]


class ColumnInfo(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char * 256),
        ("type", c_int),
        ("display", c_int),
        ("bound", c_double),
        ("largest_error", c_double),
        ("field", c_uint32),
        ("component", c_uint32),
        ("column", c_uint32),
        ("reserved", c_uint32),
        ("step", c_double),
    ]


def load():
    library = ctypes.CDLL(os.environ["GPZ_LIBRARY"])
    library.gpz_last_error.restype = c_char_p
    library.gpz_writer_frames.restype = c_size_t
    library.gpz_writer_size.restype = c_uint64
    library.gpz_reader_frames.restype = c_size_t
    handle, size = c_void_p, c_size_t
    for name, arguments in {
        "gpz_compress": [POINTER(Frame), POINTER(Field), size, c_int, POINTER(c_void_p), POINTER(size)],
        "gpz_free": [c_void_p],
        "gpz_default_position_bound": [c_char_p, POINTER(c_double)],
        "gpz_thermal_bound": [POINTER(Field), size, size, POINTER(c_double)],
        "gpz_writer_open": [c_char_p, c_int, POINTER(Metadata), c_int, POINTER(handle)],
        "gpz_writer_open_descriptor": [c_int, c_char_p, POINTER(Metadata), c_int, POINTER(handle)],
        "gpz_writer_open_memory": [POINTER(Metadata), c_int, POINTER(handle)],
        "gpz_writer_set_key_interval": [handle, ctypes.c_uint],
        "gpz_writer_choose_key_interval": [handle],
        "gpz_writer_set_order": [handle, c_int],
        "gpz_writer_set_effort": [handle, c_int],
        "gpz_writer_write": [handle, POINTER(Frame), POINTER(Field), size],
        "gpz_writer_write_record": [handle, POINTER(Record)],
        "gpz_writer_frames": [handle],
        "gpz_writer_size": [handle],
        "gpz_writer_close": [handle],
        "gpz_writer_close_memory": [handle, POINTER(c_void_p), POINTER(size)],
        "gpz_writer_copy": [handle, handle, size],
        "gpz_reader_open": [c_char_p, c_int, POINTER(handle)],
        "gpz_reader_open_with": [c_char_p, POINTER(ReadOptions), POINTER(handle)],
        "gpz_reader_open_memory": [c_void_p, size, c_int, POINTER(handle)],
        "gpz_reader_close": [handle],
        "gpz_reader_frames": [handle],
        "gpz_reader_frame": [handle, size, POINTER(Frame)],
        "gpz_reader_column_count": [handle, size, POINTER(size)],
        "gpz_reader_column": [handle, size, size, POINTER(ColumnInfo)],
        "gpz_reader_read": [handle, size, POINTER(Output), size, size, ctypes.c_uint],
        "gpz_reader_read_double": [handle, size, c_char_p, c_void_p, size],
        "gpz_reader_read_int64": [handle, size, c_char_p, c_void_p, size],
        "gpz_reader_select_ids": [handle, c_void_p, size],
        "gpz_reader_verify": [handle, size],
        "gpz_reader_record_count": [handle, size, POINTER(size)],
        "gpz_reader_record": [handle, size, size, POINTER(Record)],
        "gpz_stream_open": [c_int, c_char_p, c_int, POINTER(handle)],
        "gpz_stream_close": [handle],
        "gpz_stream_next": [handle, POINTER(Frame), POINTER(c_int)],
        "gpz_stream_column_count": [handle, POINTER(size)],
        "gpz_stream_column": [handle, size, POINTER(ColumnInfo)],
        "gpz_stream_read": [handle, POINTER(Output), size, size, ctypes.c_uint],
    }.items():
        getattr(library, name).argtypes = arguments
    return library


class CError(Exception):
    """A status other than GPZ_OK, and the text of gpz_last_error."""

    def __init__(self, status, text):
        super().__init__(f"{STATUS.split()[status] if status < 10 else status}: {text}")
        self.status = status


class Library:
    """call("writer_open", ...): the function gpz_writer_open. Raises CError."""

    def __init__(self):
        self.functions = load()

    def call(self, name, *arguments):
        status = getattr(self.functions, f"gpz_{name}")(*arguments)
        if status != OK:
            raise CError(status, self.functions.gpz_last_error().decode())

    def open(self, name, *arguments):
        """A handle, from the last argument of the function."""
        handle = c_void_p()
        self.call(name, *arguments, byref(handle))
        return handle

    def image(self, name, *arguments):
        """Bytes, from the last two arguments of the function."""
        image, size = c_void_p(), c_size_t()
        self.call(name, *arguments, byref(image), byref(size))
        made = ctypes.string_at(image, size.value)
        self.functions.gpz_free(image)
        return made


def field_of(name, arrays, bound_kind=LOSSLESS, bound=0.0):
    """A field of one to three columns with one stride. The arrays have to live as long as the field is used."""
    data = [array.ctypes.data if len(array) else None for array in arrays]
    made = Field.new(names=name.encode(), stride=arrays[0].strides[0], type=TYPES[arrays[0].dtype])
    made.data = (c_void_p * 3)(*data, *[None] * (3 - len(data)))
    made.bound_kind, made.bound = bound_kind, bound
    return made


def set_origin(field, column, rounding):
    """The inline function gpz_set_origin."""
    field.origin_bound, field.origin_step, field.origin_error = column.bound, column.step, column.largest_error
    field.origin_rounding, field.origin_type = rounding, column.type
    if field.bound_kind == LOSSLESS and (column.bound > 0 or rounding > 0):
        field.bound_kind = AS_STORED


def frame_of(particles, timestep=0):
    return Frame.new(particles=particles, timestep=timestep, time=math.nan, dimension=3)
