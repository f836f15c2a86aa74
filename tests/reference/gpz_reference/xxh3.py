# SPDX-License-Identifier: BSD-3-Clause
"""XXH3, 64 bits, seed 0, default secret: the checksum of .gpz files, in plain Python."""

import struct

MASK = 2**64 - 1

PRIME32_1 = 0x9E3779B1
PRIME32_2 = 0x85EBCA77
PRIME32_3 = 0xC2B2AE3D
PRIME64_1 = 0x9E3779B185EBCA87
PRIME64_2 = 0xC2B2AE3D27D4EB4F
PRIME64_3 = 0x165667B19E3779F9
PRIME64_4 = 0x85EBCA77C2B2AE63
PRIME64_5 = 0x27D4EB2F165667C5
PRIME_MX1 = 0x165667919E3779F9
PRIME_MX2 = 0x9FB21C651E98DF25

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)

STRIPE = 64
STRIPES_PER_BLOCK = (len(SECRET) - STRIPE) // 8


def u32(data, offset):
    return struct.unpack_from("<I", data, offset)[0]


def u64(data, offset):
    return struct.unpack_from("<Q", data, offset)[0]


def rotate_left(value, count):
    return (value << count | value >> (64 - count)) & MASK


def swap_bytes(value):
    return int.from_bytes(value.to_bytes(8, "little"), "big")


def multiply_fold(a, b):
    """The two halves of the 128-bit product, xored."""
    product = a * b
    return (product & MASK) ^ (product >> 64)


def avalanche64(h):
    h ^= h >> 33
    h = h * PRIME64_2 & MASK
    h ^= h >> 29
    h = h * PRIME64_3 & MASK
    return h ^ h >> 32


def avalanche(h):
    h ^= h >> 37
    h = h * PRIME_MX1 & MASK
    return h ^ h >> 32


def mix16(data, offset, secret_offset):
    return multiply_fold(
        u64(data, offset) ^ u64(SECRET, secret_offset), u64(data, offset + 8) ^ u64(SECRET, secret_offset + 8)
    )


def hash_1_to_3(data):
    n = len(data)
    combined = data[0] << 16 | data[n >> 1] << 24 | data[n - 1] | n << 8
    return avalanche64(combined ^ u32(SECRET, 0) ^ u32(SECRET, 4))


def hash_4_to_8(data):
    n = len(data)
    h = (u32(data, n - 4) + (u32(data, 0) << 32)) ^ u64(SECRET, 8) ^ u64(SECRET, 16)
    h ^= rotate_left(h, 49) ^ rotate_left(h, 24)
    h = h * PRIME_MX2 & MASK
    h ^= (h >> 35) + n
    h = h * PRIME_MX2 & MASK
    return h ^ h >> 28


def hash_9_to_16(data):
    n = len(data)
    low = u64(data, 0) ^ u64(SECRET, 24) ^ u64(SECRET, 32)
    high = u64(data, n - 8) ^ u64(SECRET, 40) ^ u64(SECRET, 48)
    return avalanche((n + swap_bytes(low) + high + multiply_fold(low, high)) & MASK)


def hash_17_to_128(data):
    n = len(data)
    h = n * PRIME64_1
    for i in range((n - 1) // 32 + 1):  # pairs of 16 bytes, from both ends towards the middle
        h += mix16(data, 16 * i, 32 * i) + mix16(data, n - 16 * (i + 1), 32 * i + 16)
    return avalanche(h & MASK)


def hash_129_to_240(data):
    n = len(data)
    h = n * PRIME64_1 + sum(mix16(data, 16 * i, 16 * i) for i in range(8))
    h = avalanche(h & MASK)
    h += sum(mix16(data, 16 * i, 16 * (i - 8) + 3) for i in range(8, n // 16))
    h += mix16(data, n - 16, 136 - 17)
    return avalanche(h & MASK)


def accumulate(lanes, data, offset, key):
    words = struct.unpack_from("<8Q", data, offset)
    for i in range(8):
        word = words[i]
        mixed = word ^ key[i]
        lanes[i ^ 1] += word
        lanes[i] += (mixed & 0xFFFFFFFF) * (mixed >> 32)
    for i in range(8):
        lanes[i] &= MASK


def scramble(lanes, key):
    for i in range(8):
        lanes[i] = ((lanes[i] ^ lanes[i] >> 47) ^ key[i]) * PRIME32_1 & MASK


def hash_long(data):
    n = len(data)
    keys = [struct.unpack_from("<8Q", SECRET, 8 * i) for i in range(STRIPES_PER_BLOCK)]
    scramble_key = struct.unpack_from("<8Q", SECRET, len(SECRET) - STRIPE)
    last_key = struct.unpack_from("<8Q", SECRET, len(SECRET) - STRIPE - 7)
    lanes = [PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1]
    for stripe in range((n - 1) // STRIPE):  # all but the last one, which may overlap the one before
        accumulate(lanes, data, stripe * STRIPE, keys[stripe % STRIPES_PER_BLOCK])
        if (stripe + 1) % STRIPES_PER_BLOCK == 0:
            scramble(lanes, scramble_key)
    accumulate(lanes, data, n - STRIPE, last_key)
    h = n * PRIME64_1
    for i in range(4):
        h += multiply_fold(lanes[2 * i] ^ u64(SECRET, 11 + 16 * i), lanes[2 * i + 1] ^ u64(SECRET, 19 + 16 * i))
    return avalanche(h & MASK)


def xxh3_64(data):
    """The 64-bit hash of a bytes-like object."""
    n = len(data)
    if n == 0:
        return avalanche64(u64(SECRET, 56) ^ u64(SECRET, 64))
    if n <= 3:
        return hash_1_to_3(data)
    if n <= 8:
        return hash_4_to_8(data)
    if n <= 16:
        return hash_9_to_16(data)
    if n <= 128:
        return hash_17_to_128(data)
    if n <= 240:
        return hash_129_to_240(data)
    return hash_long(data)
