# SPDX-License-Identifier: BSD-3-Clause
"""A writer of frame arrays for tests, from section 16 of docs/format.md: the caller gives the chunks, sense or not."""

import struct

from gpz_reference.features import FRAME_ARRAY
from gpz_reference.frame_array import HAS_BOUND, IS_DOUBLE, LENGTH_SHIFT, STEP_FOLLOWS
from gpz_reference.reader import MAGIC
from gpz_reference.xxh3 import xxh3_64


def number(value, longer=0):
    """`longer`: bytes that say nothing."""
    data = []
    while value >= 128:
        data.append(value & 127 | 128)
        value >>= 7
    data.append(value)
    if longer:
        data[-1] |= 128
        data += [128] * (longer - 1) + [0]
    return bytes(data)


def packed(section, count=0):
    """The section with its first words as numbers."""
    words = struct.unpack(f"<{count}q", section[: 8 * count])
    return number(count) + b"".join(number(2 * w if w >= 0 else -2 * w - 1) for w in words) + section[8 * count :]


def entry(form, length, step=None):
    return number(form | (STEP_FOLLOWS if step is not None else 0) | length << LENGTH_SHIFT) + (b"" if step is None else struct.pack("<d", step))


def frame_array(
    particles, frames, components=1, double=True, bound=None, features=0, major=1, minor=0, magic=MAGIC, kind=None, count=None, more=b"", checksum=None,
    required=None,
):
    """`frames`: form, step or None, and what is stored, of each. `kind`, `count`, `particles`: the byte or the number, or the bytes of one."""
    if kind is None:
        kind = components | (IS_DOUBLE if double else 0) | (HAS_BOUND if bound is not None else 0)
    numbers = [value if isinstance(value, bytes) else number(value) for value in (particles, len(frames) if count is None else count)]
    required = FRAME_ARRAY | features if required is None else required
    data = magic + struct.pack("<HHI", major, minor, required) + bytes([kind]) + b"".join(numbers)
    data += b"" if bound is None else struct.pack("<d", bound)
    data += b"".join(entry(form, len(stored), step) for form, step, stored in frames)
    data += b"".join(stored for _, _, stored in frames) + more
    return data + struct.pack("<Q", xxh3_64(data) if checksum is None else checksum)
