# SPDX-License-Identifier: BSD-3-Clause
"""Number streams: this decoder and that of the library give the same numbers, and refuse the same streams."""

import os
import random
import struct
import subprocess
import unittest

from gpz_reference.codec import BadFile
from gpz_reference.numbers import NumberStream

HELPER = os.environ["GPZ_NUMBER_STREAMS"]


def run(mode, contexts, words, stream=b""):
    count = len(words) // (2 if mode == "encode" else 1)
    data = struct.pack(f"<{2 + len(words)}I", contexts, count, *words) + stream
    return subprocess.run([HELPER, mode], input=data, stdout=subprocess.PIPE)


def encode(contexts, items):
    done = run("encode", contexts, [word for item in items for word in item])
    assert done.returncode == 0
    return done.stdout


def decode_by_library(contexts, context, stream):
    """None if it is refused."""
    done = run("decode", contexts, context, stream)
    assert done.returncode in (0, 1), done.returncode
    return None if done.returncode else list(struct.unpack(f"<{len(context)}I", done.stdout))


def decode(contexts, context, stream):
    try:
        numbers = NumberStream(stream, contexts)
        out = [numbers.get(c) for c in context]
        numbers.end()
    except BadFile:
        return None
    return [number % 2**32 for number in out]


def items(rng):
    """Numbers of some distribution, and how many contexts they have."""
    contexts, octaves, size = rng.randint(1, 30), rng.choice((0, 0.1, 0.5)), 2 ** rng.uniform(-3, 24)
    kind = rng.choice(("normal", "exponential", "jumps", "bits"))

    def number(context):
        if kind == "bits":
            return rng.getrandbits(32) >> rng.randrange(32)
        scale = size * 2 ** (octaves * context) * (1000 if kind == "jumps" and rng.random() < 0.05 else 1)
        return min(int(abs(rng.gauss(0, scale) if kind != "exponential" else rng.expovariate(1 / scale))), 2**32 - 1)

    used = [c for c in range(contexts) if rng.random() < 0.8] or [0]
    drawn = [rng.choice(used) for _ in range(rng.choice((0, 1, 2, 30, 500, 3000)))]
    return contexts, [(context, number(context)) for context in drawn]


class NumberStreams(unittest.TestCase):
    def test_streams_of_the_library(self):
        rng = random.Random(1)
        for _ in range(60):
            contexts, pairs = items(rng)
            stream = encode(contexts, pairs)
            context, numbers = [c for c, _ in pairs], [u for _, u in pairs]
            self.assertEqual(decode(contexts, context, stream), numbers)
            self.assertEqual(decode_by_library(contexts, context, stream), numbers)

    def test_damaged_streams(self):
        """Most damage is in the tables, where it may go unnoticed for some numbers."""
        rng = random.Random(2)
        read = 0
        for _ in range(150):
            contexts, pairs = items(rng)
            pairs = pairs[:20]
            stream = bytearray(encode(contexts, pairs))
            for _ in range(rng.randint(1, 3)):
                stream[rng.randrange(min(len(stream), 24))] ^= 1 << rng.randrange(8)
            context = [c for c, _ in pairs]
            numbers = decode(contexts, context, bytes(stream))
            self.assertEqual(decode_by_library(contexts, context, bytes(stream)), numbers)
            read += numbers is not None
        self.assertGreater(read, 0)


if __name__ == "__main__":
    unittest.main()
