# SPDX-License-Identifier: BSD-3-Clause
"""The hash against vectors made with `xxhsum -H3` of xxHash 0.8.1."""

import unittest

from gpz_reference.xxh3 import xxh3_64


def sample(length):
    """Bytes of a linear congruential generator, so that the vectors can be made again with anything."""
    x, result = 12345, bytearray()
    for _ in range(length):
        x = (x * 1664525 + 1013904223) % 2**32
        result.append(x >> 24)
    return bytes(result)


# Around every change of algorithm and of block and stripe boundaries.
VECTORS = {
    0: "2d06800538d394c2",
    1: "929e358d27ae3ee2",
    2: "90f801129e7ad607",
    3: "5153836bf6da91e2",
    4: "f4d42cd4e4fb28d8",
    7: "0bb07da2893edcc5",
    8: "25d7d03dce9e307a",
    9: "3498730e3d7930ea",
    15: "578fc9f2db1b55a8",
    16: "8ec5a02e2caa51de",
    17: "e0516e36333d945e",
    32: "dff9b40445a411e3",
    33: "55e7418dc99ce101",
    64: "4ed07069cc9f31c2",
    65: "68dcdcf5d4d26393",
    96: "83510814662fae55",
    97: "efa56a7a8f10d5a8",
    127: "9a951e9baf333fc0",
    128: "7c44df3d90561b4a",
    129: "d5c6a55b2fa7ec7b",
    143: "cb887c9aa84f4a99",
    144: "d1abb910fa3ebac9",
    145: "6b5229dfde4d4254",
    239: "b85faf104b009e18",
    240: "e9b8ecbc23497c67",
    241: "f6e31830f6b8d622",
    255: "8bc8fbdf3e75375a",
    256: "04df5f152e6d2322",
    257: "4357d847c3a2f0b1",
    320: "15c9ac6d910142f5",
    1000: "363b0e11214f06a2",
    1023: "19d587d9f9a65034",
    1024: "dfc65ee527d39599",
    1025: "54394304b68776bc",
    1088: "46fd47653d21a11e",
    1089: "f1708fc9e049c932",
    2047: "034b1e23c115586d",
    2048: "ae45d3c2beff4fcb",
    2049: "d4e0c3a80754e13b",
    100000: "3ec2f93fe1b94a4d",
}


class Xxh3(unittest.TestCase):
    def test_vectors(self):
        data = sample(max(VECTORS))
        for length, expected in VECTORS.items():
            with self.subTest(length=length):
                self.assertEqual(f"{xxh3_64(data[:length]):016x}", expected)


if __name__ == "__main__":
    unittest.main()
