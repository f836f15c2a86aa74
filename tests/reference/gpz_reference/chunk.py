# SPDX-License-Identifier: BSD-3-Clause
"""Chunks of any kind (docs/format.md, section 4)."""

from .cells import CELLS, decode_cells
from .codec import BadFile, decode_chunk
from .difference import DIFFERENCES, MODELLED, READERS, STEPS, ChunkHistory, decode_differences
from .modelled import read_modelled
from .ordered import ORDERED, decode_ordered
from .sequence import SEQUENCE, decode_sequence
from .steps import read_steps

BLOCK_CODED = 0  # kind of chunks
INDEPENDENT = {BLOCK_CODED: decode_chunk, CELLS: decode_cells, SEQUENCE: decode_sequence}  # kinds, beside ORDERED
READERS.update({MODELLED: read_modelled, STEPS: read_steps})
KINDS = (BLOCK_CODED, DIFFERENCES, ORDERED, CELLS, SEQUENCE)


def decode_any_chunk(data, fields, particles, history):
    """`history` is that of the chunk before, None in key frames. Returns the columns and the history for the next frame."""
    kind = int.from_bytes(data[4:8], "little")
    if kind == DIFFERENCES and history is not None:
        return decode_differences(data, fields, particles, history), history
    if kind == ORDERED:
        columns, steps = decode_ordered(data, fields, particles)
    elif kind in INDEPENDENT:
        columns, steps = INDEPENDENT[kind](data, fields, particles), None
    else:
        raise BadFile(f"chunk kind {kind} is not one for here")
    return columns, ChunkHistory(fields, columns, particles, steps)
