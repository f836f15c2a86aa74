# SPDX-License-Identifier: BSD-3-Clause
"""What cell and sequence chunks share (format, sections 10e and 10f): a section for each field, exact values in front."""
from .block import BLOCK_SIZE
from .codec import Cursor, require
from .classed import read_classed
from .difference import read_exact, value_from_index
from .few_values import Others, read_few_values
from .ordered import PARTICLES_A_BYTE

def columns_of(indices, exact, field):
    columns = [[value_from_index(index, field) for index in column] for column in indices]
    for place, bits in exact:
        columns[place >> 56][place & 2**56 - 1] = bits & 2 ** (8 * field.value_size) - 1
    return columns


def decode_sections(data, fields, particles, name, decode_section):
    """A chunk called `name` in messages to columns as decode_chunk gives them."""
    cursor = Cursor(data, "chunk")
    block_size, _kind = cursor.unpack("II")
    require(block_size == BLOCK_SIZE, f"block size {block_size} is not one of {name} chunks")
    require(0 < particles < 2**31 and particles // PARTICLES_A_BYTE <= len(data), "there are more particles than a chunk has")
    lengths = cursor.unpack(f"{len(fields)}Q")
    require(all(length % 8 == 0 for length in lengths), "the length of a section is not a multiple of 8")
    sections = [cursor.take(length) for length in lengths]
    require(len(cursor.rest()) == 0, "sections do not fill their chunk")
    columns = []
    for section, field in zip(sections, fields):
        columns.append(decode_section(section, field, particles, Others(fields, columns)))
    return [column for of_field in columns for column in of_field]


def few_values(cursor, particles, field, others):
    """The columns of a section of coding 11."""
    return [[value_from_index(key, field) for key in column] for column in read_few_values(cursor, particles, field, others)]


def classed(cursor, particles, field, others):
    """The columns of a section of coding 10."""
    exact = read_exact(cursor, particles, field)
    require(field.step > 0 and not field.flags & 1, "a field that is not of values on a grid is classed")
    return columns_of(read_classed(cursor, particles, field, others), exact, field)
