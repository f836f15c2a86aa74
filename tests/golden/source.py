# SPDX-License-Identifier: BSD-3-Clause
"""What a golden file is made of: fields, frames, and how they are encoded."""

import struct
from dataclasses import dataclass, field

NUMBER, ELEMENT, TYPE_LABEL = 0, 2, 4  # how an integer field is shown
NO_BOX = {"kind": 0, "dimension": 3, "boundary": "", "values": [0.0] * 12}


def bits_of(value, kind):
    """Of a number in a file: an unsigned integer."""
    if kind == "i64":
        return value % 2**64
    code, bits = ("<f", "<I") if kind == "f32" else ("<d", "<Q")
    return struct.unpack(bits, struct.pack(code, value))[0]


@dataclass
class Field:
    """Values are bit patterns, `bits[component][particle]`, as a file holds them."""

    type: str  # i64, f32, f64
    names: list
    bits: list
    bound: float = 0.0
    leading: bool = False
    display: int = NUMBER
    step: float = 0.0  # 0: the widest grid step that keeps the bound


def number_field(kind, names, values, **more):
    """`values[component][particle]`: numbers."""
    return Field(kind, list(names), [[bits_of(v, kind) for v in column] for column in values], **more)


@dataclass
class TableColumn:
    """Values are bit patterns, or texts as bytes."""

    name: str
    type: str  # i64, f64, text
    values: list
    unit: str = ""

    def data(self):
        """Numbers as 64 bits; of each text its length as u32, and its bytes. As the decoders give them."""
        if self.type == "text":
            return b"".join(struct.pack("<I", len(text)) + text for text in self.values)
        return struct.pack(f"<{len(self.values)}Q", *self.values)

    def as_json(self):
        values = [text.hex() for text in self.values] if self.type == "text" else self.values
        return {**vars(self), "values": values}


def table_column(name, values, unit=""):
    """`values`: integers, floats or bytes."""
    kind = {int: "i64", float: "f64", bytes: "text"}[type(values[0])]
    return TableColumn(name, kind, list(values) if kind == "text" else [bits_of(v, kind) for v in values], unit)


@dataclass
class Table:
    name: str
    columns: list

    def as_json(self):
        return {"name": self.name, "columns": [column.as_json() for column in self.columns]}


def tables_as_json(records):
    return [[table.as_json() for table in record] for record in records]


@dataclass
class Frame:
    fields: list
    timestep: int
    box: dict
    time: float | None = None
    sizes: list | None = None  # particles of each chunk, whose rows follow each other; None: one chunk
    tables: list = field(default_factory=list)  # records in front of the frame: a list of tables each
    observables: list = field(default_factory=list)  # name, unit, bits of each

    @property
    def particles(self):
        return len(self.fields[0].bits[0]) if self.fields else 0


@dataclass
class Source:
    """What a golden file is made of."""

    frames: list
    key_interval: int = 1
    order: str = "place"  # or "id", "memory": of particles in independent chunks
    effort: str = "fast"  # or default, dense
    features: int = 7  # required features that the file may name: all that there were when the golden file was made
    chunks: int = 1
    identity: str = "id"  # column by which particles are found again: no two of a frame have the same value in it
    metadata: dict = field(default_factory=lambda: {"units": "lj"})
    tables: list = field(default_factory=list)  # records behind the last frame

    def as_json(self):
        frames = []
        for frame in self.frames:
            fields = [vars(f) for f in frame.fields]
            tables = tables_as_json(frame.tables)
            frames.append({**vars(frame), "fields": fields, "particles": frame.particles, "tables": tables})
        return {**vars(self), "frames": frames, "tables": tables_as_json(self.tables)}


# ---- particles that move
