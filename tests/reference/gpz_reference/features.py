# SPDX-License-Identifier: BSD-3-Clause
"""Required features (section 13 of docs/format.md), and which of them a chunk needs."""

import struct

from .codec import require

MODELLED_SECTIONS, CELL_CHUNKS, SEQUENCE_CHUNKS, CLASSED_SECTIONS, FRAME_ARRAY = 1, 2, 4, 8, 16
STEPS = 256
# Of files. Bytes with FRAME_ARRAY are no file, but a frame array.
KNOWN = MODELLED_SECTIONS | CELL_CHUNKS | SEQUENCE_CHUNKS | CLASSED_SECTIONS | STEPS
NAMES = {
    MODELLED_SECTIONS: "modelled sections",
    CELL_CHUNKS: "cell chunks",
    SEQUENCE_CHUNKS: "sequence chunks",
    CLASSED_SECTIONS: "classed sections",
    STEPS: "steps",
}
FEATURE_OF_KIND = {3: CELL_CHUNKS, 4: SEQUENCE_CHUNKS}

NUMBERS_OF_KIND = {1: 5, 2: 2, 3: 1, 4: 1}  # 64-bit numbers in front of the section lengths, with the first 8 bytes as one
# Of each coding, where chunks of the kind may have it.
FEATURE_OF_CODING = {
    1: {4: MODELLED_SECTIONS, 10: CLASSED_SECTIONS, 11: CLASSED_SECTIONS, 13: STEPS},
    2: {10: CLASSED_SECTIONS, 11: CLASSED_SECTIONS, 13: STEPS},
    3: {10: CLASSED_SECTIONS, 11: CLASSED_SECTIONS},
    4: {11: CLASSED_SECTIONS},
}


def sections(data, kind, fields):
    """The sections of a chunk of any kind but 0, if their lengths can be true."""
    numbers = NUMBERS_OF_KIND[kind]
    if len(data) < 8 * (numbers + fields):
        return []
    arrivals = struct.unpack_from("<Q", data, 32)[0] if kind == 1 else 0
    lengths = struct.unpack_from(f"<{fields}Q", data, 8 * numbers)
    start = len(data) - arrivals - sum(lengths)
    if start < 8 * (numbers + fields):
        return []
    found = []
    for length in lengths:
        found.append(data[start : start + length])
        start += length
    return found


def names_of(required):
    return [name for bit, name in NAMES.items() if required & bit]


def needed_by_section(section, kind):
    """What of a section in a chunk of this kind needs which feature: pairs of a name and a bit."""
    if len(section) > 0 and section[0] in FEATURE_OF_CODING[kind]:
        yield f"coding {section[0]}", FEATURE_OF_CODING[kind][section[0]]


def needed(data, fields):
    """The same of a chunk with so many fields."""
    kind = struct.unpack_from("<I", data, 4)[0] if len(data) >= 8 else 0
    if kind in FEATURE_OF_KIND:
        yield f"chunk kind {kind}", FEATURE_OF_KIND[kind]
    if kind in NUMBERS_OF_KIND:
        for section in sections(data, kind, fields):
            yield from needed_by_section(section, kind)


def require_named(pairs, named):
    for what, feature in pairs:
        require(feature & named, f"{what} needs a required feature that the file header does not name")
