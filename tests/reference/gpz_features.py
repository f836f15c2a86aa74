# SPDX-License-Identifier: BSD-3-Clause
"""Required features (section 13 of docs/format.md), and which of them a chunk needs."""

import struct

from gpz_codec import require

MODELLED_SECTIONS, CELL_CHUNKS, SEQUENCE_CHUNKS = 1, 2, 4
KNOWN = MODELLED_SECTIONS | CELL_CHUNKS | SEQUENCE_CHUNKS
FEATURE_OF_KIND = {3: CELL_CHUNKS, 4: SEQUENCE_CHUNKS}

NUMBERS_OF_KIND = {1: 5, 2: 2}  # 64-bit numbers in front of the section lengths, with the first 8 bytes as one
MODELLED_CODING = {1: 4, 2: 5}


def sections(data, kind, fields):
    """The sections of a chunk of kind 1 or 2, if their lengths can be true."""
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


def needed(data, fields):
    """The required features of a chunk with so many fields."""
    kind = struct.unpack_from("<I", data, 4)[0] if len(data) >= 8 else 0
    if kind in FEATURE_OF_KIND:
        return FEATURE_OF_KIND[kind]
    if kind not in NUMBERS_OF_KIND:
        return 0
    is_modelled = any(len(section) > 0 and section[0] == MODELLED_CODING[kind] for section in sections(data, kind, fields))
    return MODELLED_SECTIONS if is_modelled else 0


def require_named(data, fields, named):
    missing = needed(data, fields) & ~named
    if missing == 0:
        return
    kind = struct.unpack_from("<I", data, 4)[0]
    what = f"chunk kind {kind}" if kind in FEATURE_OF_KIND else f"coding {MODELLED_CODING[kind]}"
    require(False, f"{what} needs a required feature that the file header does not name")
