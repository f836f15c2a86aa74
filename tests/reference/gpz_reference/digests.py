# SPDX-License-Identifier: BSD-3-Clause
"""What `python -m gpz_reference` prints of a file."""

from .codec import FLOAT32, FLOAT64, INTEGER
from .tables import VALUE_TYPES

FIELD_TYPES = {INTEGER: "i64", FLOAT32: "f32", FLOAT64: "f64"}


def describe_tables(tables, before):
    """Of those that are not among the tables `before`, which are described."""
    described = [
        {
            "name": table.name,
            "rows": table.rows,
            "columns": [{"name": c.name, "unit": c.unit, "type": VALUE_TYPES[c.type], "digest": c.digest} for c in table.columns],
        }
        for table in tables
    ]
    return [table for table in described if table not in before], described


def describe_frame(frame):
    described = {
        "timestep": frame.timestep,
        "particles": frame.particles,
        "columns": [
            {"name": c.name, "type": FIELD_TYPES[c.field.type], "digest": c.digest}
            for c in frame.columns
        ],
    }
    if frame.observables:
        described["observables"] = [{"name": o.name, "unit": o.unit, "bits": f"{o.bits:016x}"} for o in frame.observables]
    return described


def describe(file):
    """What is printed, as data. A frame has the tables that are not the same for the frame before."""
    frames, before = [], []
    for frame in file.frames:
        new, before = describe_tables(frame.tables, before)
        frames.append({**describe_frame(frame), **({"tables": new} if new else {})})
    return frames


def describe_last_tables(file):
    """Those behind the last frame that are not the same for that frame."""
    before = describe_tables(file.frames[-1].tables, [])[1] if file.frames else []
    return describe_tables(file.tables, before)[0]


def lines_of_tables(tables):
    for table in tables:
        yield f"table {table['name']} rows {table['rows']}"
        for column in table["columns"]:
            yield f"  {column['name']} {column['type']} {column['digest']}" + (f" unit {column['unit']}" if column["unit"] else "")


def lines(file):
    """What is printed, line by line."""
    for i, frame in enumerate(describe(file)):
        yield from lines_of_tables(frame.get("tables", []))
        yield f"frame {i} timestep {frame['timestep']} particles {frame['particles']}"
        for column in frame["columns"]:
            yield f"  {column['name']} {column['type']} {column['digest']}"
        for observable in frame.get("observables", []):
            unit = f" unit {observable['unit']}" if observable["unit"] else ""
            yield f"  observable {observable['name']} {observable['bits']}{unit}"
    yield from lines_of_tables(describe_last_tables(file))
