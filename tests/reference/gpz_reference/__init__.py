# SPDX-License-Identifier: BSD-3-Clause
"""A second decoder of .gpz files, written from the specification of the format alone: slow, clear, and strict.

    from gpz_reference import read_file

    file = read_file("melt.gpz")
    for frame in file.frames:
        print(frame.timestep, frame.particles, [column.name for column in frame.columns])
        print(frame.column("x").values)         # a list, in stored order
        print([(table.name, table.rows) for table in frame.tables], frame.observables)

`decode_frame_array` decodes frame arrays, which are no files (section 16).

`python -m gpz_reference FILE` prints a digest of every column, and `-o OUT` writes the values.
`python -m gpz_reference.conformance` tests any decoder with the golden files of the format.
"""

from .codec import BadFile
from .frame_array import FrameArray, decode_frame_array
from .reader import Column, Field, File, Frame, read_bytes, read_file
from .tables import Observable, Table, TableColumn

__version__ = "1.0.0"

__all__ = ["BadFile", "Column", "Field", "File", "Frame", "FrameArray", "Observable", "Table", "TableColumn", "decode_frame_array", "read_bytes", "read_file"]
