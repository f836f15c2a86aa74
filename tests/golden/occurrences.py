# SPDX-License-Identifier: BSD-3-Clause
"""What of docs/format.md occurs in files that the reference decoder reads meanwhile."""

import contextlib
import itertools
import json
import struct
from unittest import mock

import decoders

from gpz_reference import block as gpz_block
from gpz_reference import cells as gpz_cells
from gpz_reference import chunk as gpz_chunk
from gpz_reference import classed as gpz_classed
from gpz_reference import codec as gpz_codec
from gpz_reference import difference as gpz_difference
from gpz_reference import few_values as gpz_few_values
from gpz_reference import gridded as gpz_gridded
from gpz_reference import modelled as gpz_modelled
from gpz_reference import ordered as gpz_ordered
from gpz_reference import reader as gpz_ref
from gpz_reference import sequence as gpz_sequence
from gpz_reference import steps as gpz_steps
from gpz_reference import tables as gpz_tables
from gpz_reference import trees as gpz_trees
from gpz_reference.codec import EXACT, FLOAT32, FLOAT64, INTEGER

CLASSES = GRID, WHOLE, LOSSLESS = "grid", "integers", "lossless floats"
MODEL_FLAGS = gpz_modelled.SLOTS, gpz_modelled.SPACE, gpz_modelled.LATTICE_NEIGHBOURS
STEP_FLAGS = gpz_steps.NEW, gpz_steps.CONSTANTS, gpz_steps.TABLES, gpz_steps.WRAP, gpz_steps.TILTED, gpz_steps.BRICK, gpz_steps.MOTION_ENDS
LINKS = gpz_trees.BESIDE, gpz_trees.ABOVE, gpz_trees.BEYOND
KNOWN_RECORDS = *gpz_ref.RECORD_TYPES, gpz_tables.TABLES, gpz_tables.OBSERVABLES
PAYLOAD_PARTS = "bitmap", "margin", "flags", "exceptions"


def class_of(field):
    return WHOLE if field.type == INTEGER else GRID if field.step > 0 else LOSSLESS


def block_size_class(n, block_size):
    return "full block" if n == block_size else "last block"


class Noted(set):
    def section(self, chunk, data, kind):
        """Of these bytes and a field of this class, if there is a section: an empty one says that nothing has changed."""
        self.add(("section", chunk, data[0] if data else None, kind))

    def when(self, condition, *what):
        if condition:
            self.add(what)

    def payload(self, where, record, dimensions):
        """Of a record as sections 9 and 10 have it, behind the first places."""
        self.update((where, "head", head) for head in record[dimensions : 2 * dimensions])
        for part, there in zip(PAYLOAD_PARTS, record[2 * dimensions :]):
            self.when(there, where, part)


def note_blocks(noted):
    decode_block = gpz_codec.decode_block

    def note(payload, record, field, n, block_size):
        noted.add(("block", "mode", record.mode, class_of(field)))
        noted.add(("block", field.type, "components", field.dimensions))
        noted.add(("block", "mode", record.mode, block_size_class(n, block_size)))
        noted.when(record.exceptions, "block", "mode", record.mode, "exceptions")
        noted.when(max(record.extent).bit_length() > 32, "block", "wider than a word")
        noted.when(block_size != 1024, "block", "size is not 1024")
        return decode_block(payload, record, field, n, block_size)

    return mock.patch.object(gpz_codec, "decode_block", note)


def note_chunks(noted):
    decode = gpz_ref.decode_any_chunk

    def note(data, fields, particles, history):
        kind = int.from_bytes(data[4:8], "little")
        noted.add(("chunk", kind, "key frame" if history is None else "difference frame"))
        noted.when(particles == 0, "chunk", kind, "without particles")
        if kind == gpz_difference.DIFFERENCES:
            before, leaving, arriving = (int.from_bytes(data[i : i + 8], "little") for i in (8, 16, 24))
            noted.when(0 < leaving < before, "chunk", "some leave")
            noted.when(0 < leaving == before, "chunk", "all leave")
            noted.when(arriving, "chunk", "some arrive")
        return decode(data, fields, particles, history)

    return mock.patch.object(gpz_ref, "decode_any_chunk", note)


def note_differences(noted):
    decode_section, read_indices, read_block = (
        getattr(gpz_difference, name) for name in ("decode_section", "read_indices", "read_block")
    )
    where = "difference"

    def note_section(data, history, t, passages):
        coding = data[0] if data else None
        noted.section(gpz_difference.DIFFERENCES, data, class_of(history.field))
        noted.when(len(data) == 8 and coding == gpz_difference.PREDICTED, where, "nothing but the coding")
        if data:
            noted.update((where, "edge", edge) for edge in data[1:4] if edge)
        if coding == gpz_difference.PREDICTED and len(data) > 8:
            noted.when(any(data[8 + 16 * history.field.dimensions :][:8]), where, "exact values")
        return decode_section(data, history, t, passages)

    def note_indices(cursor, history, t, axes):
        noted.add((where, "prediction", cursor.data[cursor.offset]))
        noted.update((where, "axis", "periodic" if axis.periodic else "open") for axis in axes)
        return read_indices(cursor, history, t, axes)

    def note_block(payload, history, start, n, t, axes, weights, record, levels):
        noted.payload(where, record, len(axes))
        noted.add((where, block_size_class(n, gpz_block.BLOCK_SIZE)))
        noted.update((where, "weight", name) for name, weight in zip("abc", weights) if weight)
        noted.when(any(map(any, levels)), where, "neighbours")
        noted.when(len(levels) > 1, where, "levels")
        noted.when(len(levels[0]) > 1, where, "several neighbours")
        return read_block(payload, history, start, n, t, axes, weights, record, levels)

    return mock.patch.multiple(gpz_difference, decode_section=note_section, read_indices=note_indices, read_block=note_block)


def note_models(noted):
    start = gpz_modelled.Pass.__init__
    where = "modelled"

    def note_start(self, cursor, history, t, axes, models):
        model, flags, levels = cursor.data[cursor.offset : cursor.offset + 3]
        noted.add((where, "model", model))
        noted.update((where, "flag", flag) for flag in MODEL_FLAGS if flags & flag)
        noted.when(levels > 1, where, "levels")
        start(self, cursor, history, t, axes, models)

    return mock.patch.object(gpz_modelled.Pass, "__init__", note_start)


def note_steps(noted):
    section, block = gpz_steps.Pass, gpz_steps.Block
    start, shape, take_side, take_raw = section.__init__, section.shape, block.take_side, block.take_raw
    take_tables = gpz_steps.take_tables
    where = "steps"

    def note_start(self, cursor, particles, axes, memory, history=None, frames=0, is_known=False):
        (flags,) = struct.unpack_from("<Q", cursor.data, cursor.offset)
        noted.update((where, "flag", flag) for flag in STEP_FLAGS if flags & flag)
        had_key = memory.layout is not None and memory.sections == 0 and history is not None
        is_behind = not flags & gpz_steps.NEW and history is not None and not is_known
        noted.when(history is None, where, "key section")
        noted.when(had_key, where, "new molecules" if flags & gpz_steps.NEW else "the same molecules", "behind a key section")
        start(self, cursor, particles, axes, memory, history, frames, is_known)
        bonds = "bonds" if memory.layout.have_bonds else "no bonds"
        noted.add((where, bonds))
        noted.when(is_behind, where, bonds, "after another section")
        noted.when(self.codes, where, "images")
        noted.when(len(self.blocks) > 1, where, "several blocks")
        noted.update((where, "axis", "periodic" if period else "open") for period in self.box.period)
        noted.update((where, "states", len(of.states)) for of in self.blocks)
        for first, second in gpz_trees.find_links(memory.layout.parents):
            noted.when(first, where, "first reference", first and first[1])
            noted.when(second, where, "second reference", second and second[1])

    def note_shape(self, kind, particles, constants):
        noted.add((where, "kind", kind))
        return shape(self, kind, particles, constants)

    def note_side(self, lane, nearer):
        other = take_side(self, lane, nearer)
        noted.add((where, "side", bool(other)))
        return other

    def note_tables(cursor):
        sides, tables = take_tables(cursor)
        noted.when(tables.stored, where, "tables", "stored")
        noted.when(any(levels for _, levels in tables.shapes), where, "tables", "of shapes")
        return sides, tables

    def note_raw(self, lane, width):
        noted.add((where, "raw", "escape" if width == 16 else "bits"))
        return take_raw(self, lane, width)

    patches = contextlib.ExitStack()
    patches.enter_context(mock.patch.object(gpz_steps, "take_tables", note_tables))
    patches.enter_context(mock.patch.multiple(section, __init__=note_start, shape=note_shape))
    patches.enter_context(mock.patch.multiple(block, take_side=note_side, take_raw=note_raw))
    return patches


def note_order(noted):
    decode_section, read_indices, read_block = (
        getattr(gpz_ordered, name) for name in ("decode_section", "read_indices", "read_block")
    )
    where = "order"

    def note_section(data, field, particles, ids, *others):
        noted.section(gpz_ordered.ORDERED, data, "the ids" if ids is None else class_of(field))
        if data[0] == gpz_ordered.PREDICTED_IN_ORDER:
            noted.when(any(data[8 + 16 * field.dimensions :][:8]), where, "exact values")
        return decode_section(data, field, particles, ids, *others)

    def note_indices(cursor, ids, particles, axes):
        noted.add((where, "section", cursor.data[cursor.offset]))
        noted.update((where, "axis", "periodic" if axis.periodic else "open") for axis in axes)
        return read_indices(cursor, ids, particles, axes)

    def note_block(payload, lags, ids, n, axes, first, record):
        noted.payload(where, record, len(axes))
        noted.add((where, block_size_class(n, gpz_block.BLOCK_SIZE)))
        noted.update((where, "lag", i) for i, lag in enumerate(lags.lags) if lag)
        noted.when(lags.lags[0] == 0, where, "no lags")
        noted.when(lags.first_ones, where, "lag 1 first")
        noted.when(ids is not None and any(a >= b for a, b in zip(ids, ids[1:])), where, "ids do not ascend")
        return read_block(payload, lags, ids, n, axes, first, record)

    return mock.patch.multiple(gpz_ordered, decode_section=note_section, read_indices=note_indices, read_block=note_block)


def note_few_values(noted):
    read = gpz_few_values.read_few_values

    def note(cursor, particles, field, others, last=None):
        kind, class_field = cursor.data[cursor.offset], cursor.data[cursor.offset + 2]
        noted.add(("few values", kind, "classes" if class_field else "no classes"))
        return read(cursor, particles, field, others, last)

    with_it = gpz_difference, gpz_ordered, gpz_gridded
    stack = contextlib.ExitStack()
    for module in with_it:
        stack.enter_context(mock.patch.object(module, "read_few_values", note))
    return stack


def note_classed(noted):
    def note(cursor, particles, field, others, history=None, t=0):
        flags, levels = cursor.data[cursor.offset : cursor.offset + 2]
        where = "differences" if history is not None else "alone"
        noted.when(flags & gpz_classed.RULES_FOLLOW, "classed", where, "rules")
        noted.when(not flags & gpz_classed.RULES_FOLLOW, "classed", where, "earlier rules")
        noted.when(flags & gpz_classed.BY_GROUP, "classed", where, "by group")
        noted.when(levels > 1, "classed", "levels")
        noted.when(any(cursor.data[8:16]), "classed", "exact values")
        noted.add(("classed", where, class_of(field)))
        reader = gpz_classed.Reader(cursor, particles, field, others, history, t)
        noted.when(len(reader.streams) > 1, "classed", "segments")
        noted.when(any(reader.exceptions), "classed", "exceptions")
        noted.update(("classed", "term", term[2]) for terms in reader.rules.terms for term in terms)
        noted.when(reader.rules.groups > 1, "classed", "groups")
        return reader.read()

    stack = contextlib.ExitStack()
    for module in (gpz_difference, gpz_ordered, gpz_gridded):
        stack.enter_context(mock.patch.object(module, "read_classed", note))
    return stack


def note_cells(noted):
    decode_section = gpz_cells.decode_section

    def note_section(data, field, particles, others):
        noted.section(gpz_cells.CELLS, data, class_of(field))
        return decode_section(data, field, particles, others)

    return mock.patch.object(gpz_cells, "decode_section", note_section)


def note_sequences(noted):
    decode_section, read_block = gpz_sequence.decode_section, gpz_sequence.read_block

    def note_section(data, field, particles, others):
        noted.section(gpz_sequence.SEQUENCE, data, class_of(field))
        return decode_section(data, field, particles, others)

    def note_block(payload, n, axes, tables, record):
        noted.add(("sequence", block_size_class(n, gpz_sequence.PARTICLES)))
        noted.when(record[1] > 0, "sequence", "escapes")
        noted.when(any(axis.shift for axis in axes), "sequence", "low bits")
        return read_block(payload, n, axes, tables, record)

    return mock.patch.multiple(gpz_sequence, decode_section=note_section, read_block=note_block)


def note_tables(noted):
    read_data, read_integers, read_texts, read_tables = (
        getattr(gpz_tables, name) for name in ("read_data", "read_integers", "read_texts", "read_tables")
    )

    def note_data(entry, data, rows, before):
        kind, _, unit, _ = entry
        noted.add(("column", "type", kind))
        noted.when(unit, "column", "unit")
        noted.when(rows == 0, "column", "without rows", kind)
        noted.when(before is not None, "column", "behind another", kind)
        return read_data(entry, data, rows, before)

    def note_integers(cursor, rows, before):
        if rows:
            noted.add(("column", "coding", *cursor.data[cursor.offset : cursor.offset + 2]))
            noted.add(("column", "coding", cursor.data[cursor.offset], "first" if before is None else "of classes"))
        return read_integers(cursor, rows, before)

    def note_texts(cursor):
        texts = read_texts(cursor)
        noted.when(b"" in texts, "texts", "empty")
        noted.when(any(not is_utf8(text) for text in texts), "texts", "not UTF-8")
        noted.when(len(set(texts)) < len(texts), "texts", "equal")
        return texts

    def note_record(record):
        tables = read_tables(record)
        noted.when(not tables, "tables", "none in a record")
        noted.when(len(tables) > 1, "tables", "several in a record")
        return tables

    return mock.patch.multiple(gpz_tables, read_data=note_data, read_integers=note_integers, read_texts=note_texts, read_tables=note_record)


def is_utf8(data):
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def names_of(records):
    return {name for record in records if record.type == gpz_tables.TABLES for name in gpz_tables.read_tables(record)}


def note_valid_tables(noted):
    complete, find_observables, observables_at = (getattr(gpz_tables, name) for name in ("complete", "find_observables", "observables_at"))

    def note(frames, behind, damage):
        at_end, before = complete(frames, behind, damage), {}
        for _, frame in frames:
            now = {table.name: table for table in frame.tables}
            noted.when(any(name in before and before[name] is not table for name, table in now.items()), "tables", "replaced")
            noted.when(any(not table.columns for table in frame.tables), "tables", "without columns")
            noted.when(frame.observables, "observables")
            noted.when(frame.tables and not frame.observables, "observables", "none")
            before = now
        noted.when(any(before.get(table.name) is not table for table in at_end), "tables", "replaced behind all frames")
        in_front = names_of(record for records, _ in frames for record in records)
        noted.when(names_of(behind) - in_front, "tables", "of a record behind all frames")
        return at_end

    def note_observables(timestep, records, valid, damage):
        of_frame = [record for record in records if gpz_tables.read_observables(record)[0] == timestep]
        noted.when(len(of_frame) > 1, "observables", "several times")
        noted.when(len(of_frame) < len(records), "observables", "of another frame")
        return find_observables(timestep, records, valid, damage)

    def note_thermo(thermo, timestep):
        noted.add(("observables", "of a table of timesteps"))
        return observables_at(thermo, timestep)

    patches = contextlib.ExitStack()
    patches.enter_context(mock.patch.object(gpz_ref, "complete", note))
    patches.enter_context(mock.patch.multiple(gpz_tables, find_observables=note_observables, observables_at=note_thermo))
    return patches


def note_container(noted):
    read_record = gpz_ref.read_record

    def note(data, offset):
        record = read_record(data, offset)
        if record:
            known = record.type in KNOWN_RECORDS
            noted.add(("record", record.type if known else "of unknown type"))
        return record

    return mock.patch.object(gpz_ref, "read_record", note)


@contextlib.contextmanager
def noting(noted):
    with contextlib.ExitStack() as patches:
        for note in (note_blocks, note_chunks, note_differences, note_models, note_steps, note_order, note_few_values, note_classed, note_cells, note_sequences, note_tables, note_valid_tables, note_container):
            patches.enter_context(note(noted))
        yield


def note_file(noted, content, file):
    """What the heads say. `content`: the bytes."""
    noted.when(int.from_bytes(content[10:12], "little"), "header", "larger minor version")
    noted.when(any(content[16:20]), "header", "optional features")
    noted.update(("metadata", key if key in gpz_ref.METADATA_TYPES else "unknown key") for key in file.metadata)
    noted.when(not decoders.ends_with_index(file, content), "index", "none")
    noted.when(file.torn is not None, "torn")
    for frame in file.frames:
        noted.add(("box", frame.box_kind))
        noted.add(("dimension", frame.dimension))
        noted.update(("boundary", letter) for letter in frame.boundary)
        noted.add(("frame", "key frame" if frame.since_key == 0 else "difference frame"))
        noted.when(frame.time != frame.time, "frame", "time is unknown")
        noted.when(frame.particles == 0, "frame", "without particles")
        noted.when(not frame.fields, "frame", "without fields")
        noted.when(not frame.chunks, "frame", "without chunks")
        noted.when(len(frame.chunks) > 1, "frame", "several chunks")
        for f in frame.fields:
            noted.add(("field", f.type, "bound" if f.bound else "lossless"))
            noted.add(("field", "flags", f.flags))


def tables():
    """What the library says of its features, kinds of chunks and codings."""
    return json.loads(decoders.codec("tables").stdout)


def expected():
    """All that the page names, by the numbers that the reference decoder accepts; codings by the table of the library."""
    # Cell chunks are of frames without ids, which are key frames.
    result = {("chunk", kind, "difference frame") for kind in gpz_chunk.KINDS if kind != gpz_chunk.CELLS}
    result |= {("chunk", kind, "key frame") for kind in gpz_chunk.KINDS if kind != gpz_difference.DIFFERENCES}
    result |= {("chunk", what) for what in ("some leave", "all leave", "some arrive")}
    result |= {("chunk", kind, "without particles") for kind in (gpz_chunk.BLOCK_CODED, gpz_difference.DIFFERENCES)}

    result |= {("block", "mode", mode, GRID) for mode in gpz_codec.MODES}
    result |= {("block", "mode", EXACT, kind) for kind in CLASSES}
    result |= {("block", "mode", m, size) for m in gpz_codec.MODES for size in ("full block", "last block")}
    result |= {("block", "mode", mode, "exceptions") for mode in gpz_codec.MODES if mode != EXACT}
    result |= {("block", kind, "components", d) for kind in (INTEGER, FLOAT32, FLOAT64) for d in (1, 2, 3)}
    result |= {("block", "wider than a word"), ("block", "size is not 1024")}

    result |= {("section", chunk, coding, kind) for chunk, coding, kind, _ in tables()["sections"]}
    result |= {("section", gpz_difference.DIFFERENCES, None, kind) for kind in CLASSES}
    result |= {("classed", "term", kind) for kind in gpz_classed.KINDS}
    result |= {("classed", what) for what in ("levels", "exact values", "segments", "exceptions", "groups")}
    result |= {("classed", "differences", what) for what in ("rules", "earlier rules")} | {("classed", "alone", "by group")}
    few = gpz_few_values.OF_CLASS, gpz_few_values.SYMBOLS
    result |= {("few values", kind, what) for kind in few for what in ("classes", "no classes")}
    result |= {("few values", gpz_few_values.REPEATED, "no classes")}
    models = gpz_modelled.TEMPORAL, gpz_modelled.LATTICE, gpz_modelled.PAIR_FORCES
    result |= {("modelled", "model", model) for model in models} | {("modelled", "flag", flag) for flag in MODEL_FLAGS}
    result |= {("modelled", "levels")}
    result |= {("steps", "first reference", link) for link in LINKS if link != gpz_trees.BEYOND}
    result |= {("steps", "second reference", link) for link in LINKS} | {("steps", "axis", axis) for axis in ("periodic", "open")}
    result |= {("steps", "states", count) for count in (gpz_steps.LANES // 2, gpz_steps.LANES)}
    result |= {("steps", bonds, *when) for bonds in ("bonds", "no bonds") for when in ((), ("after another section",))}
    result |= {("steps", what, "behind a key section") for what in ("new molecules", "the same molecules")} | {("steps", "key section")}
    result |= {("steps", "tables", how) for how in ("stored", "of shapes")} | {("steps", "flag", flag) for flag in STEP_FLAGS}
    result |= {("steps", "kind", kind) for kind in (gpz_steps.SPHERE, gpz_steps.WIDE, gpz_steps.NARROW)}
    result |= {("steps", "side", other) for other in (False, True)} | {("steps", "images"), ("steps", "raw", "escape")}
    result |= {("difference", "prediction", p) for p in gpz_difference.PREDICTIONS}
    result |= {("difference", "weight", name) for name in "abc"}
    result |= {("difference", "head", head) for head in (*gpz_block.HEADS, *gpz_block.TRIPLE_HEADS)}
    result |= {("difference", "edge", edge) for edge in (1, 2, 3)}
    more = "nothing but the coding", "exact values", "neighbours", "levels", "several neighbours"
    result |= {("difference", what) for what in more}

    result |= {("sequence", what) for what in ("full block", "last block", "escapes", "low bits")}

    result |= {("order", "section", section) for section in gpz_ordered.SECTIONS}
    result |= {("order", "head", head) for head in gpz_block.HEADS}
    result |= {("order", "lag", lag) for lag in (0, 1)}
    result |= {("order", what) for what in ("no lags", "lag 1 first", "ids do not ascend", "exact values")}

    for where in ("difference", "order"):
        result |= {(where, what) for what in (*PAYLOAD_PARTS, "full block", "last block")}
        result |= {(where, "axis", axis) for axis in ("periodic", "open")}

    result |= {("record", kind) for kind in (*KNOWN_RECORDS, "of unknown type")}
    kinds = gpz_tables.VALUE_TYPES
    result |= {("column", "type", kind) for kind in kinds} | {("column", "unit")}
    result |= {("column", what, kind) for what in ("without rows", "behind another") for kind in kinds}
    result |= {("column", "coding", *how) for how in itertools.product(gpz_tables.CODINGS, gpz_tables.PREDICTIONS)}
    result |= {("column", "coding", *how) for how in itertools.product(gpz_tables.CODINGS, ("first", "of classes"))}
    result |= {("texts", what) for what in ("empty", "not UTF-8", "equal")}
    places = "replaced", "replaced behind all frames", "of a record behind all frames"
    result |= {("tables", what) for what in ("none in a record", "several in a record", "without columns", *places)}
    observed = "none", "several times", "of another frame", "of a table of timesteps"
    result |= {("observables",), *(("observables", what) for what in observed)}
    result |= {("header", what) for what in ("larger minor version", "optional features")}
    result |= {("metadata", key) for key in (*gpz_ref.METADATA_TYPES, "unknown key")} | {("index", "none"), ("torn",)}
    result |= {("box", kind) for kind in gpz_ref.BOX_KINDS} | {("dimension", d) for d in (2, 3)}
    result |= {("boundary", letter) for letter in "pfsm?"}
    frames = "key frame", "difference frame", "time is unknown", "without particles", "without fields", "without chunks"
    result |= {("frame", what) for what in (*frames, "several chunks")}
    result |= {("field", kind, "bound") for kind in (FLOAT32, FLOAT64)}
    result |= {("field", kind, "lossless") for kind in (INTEGER, FLOAT32, FLOAT64)}
    result |= {("field", "flags", flags) for flags in (0, 1, 2, 4)}
    return result


def of_files(paths):
    noted = Noted()
    decoders.read.cache_clear()
    with noting(noted):
        for path in paths:
            note_file(noted, path.read_bytes(), decoders.read(path))
    return noted
