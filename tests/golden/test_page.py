# SPDX-License-Identifier: BSD-3-Clause
"""What docs/format.md says of files/example.gpz is so, byte for byte; its sections have the numbers by which code names them."""

import re
import struct
import unittest

import decoders

PAGE = (decoders.FOLDER.parents[1] / "docs" / "format.md").read_text()
EXAMPLE = decoders.FILES / "example.gpz"
SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "i64": 8, "f64": 8, "word": 4, "marker": 8, "end marker": 8, "magic": 8}
SECTIONS = [
    "File",
    "Records",
    "Frames",
    "Chunks",
    "Sections",
    "Blocks",
    "Values",
    "Differences",
    "Prediction",
    "Order of ids",
    "Index",
]
SECTIONS += ["Reading rules", "Policy", "A file in bytes", "Errata", "Frame arrays"]
ROW = re.compile(r"^\| ([0-9a-f]{3}) \| `([0-9a-f ]+)` \| (.*?) \| (.*?) ?\|$", re.MULTILINE)


def section(number):
    """Its text."""
    return re.search(rf"^## {number}\. .*?(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL).group()


class Page(unittest.TestCase):
    def test_numbers_of_sections(self):
        headings = re.findall(r"^## (\d+)\. ([A-Z][A-Za-z ]*[a-z])", PAGE, re.MULTILINE)
        self.assertEqual(headings, [(str(i), name) for i, name in enumerate(SECTIONS, 1)])
        for number, name in headings:
            self.assertIn(f"{number} {name}", PAGE.split("Contents:")[1].split("\n\n")[0])

    def test_bytes_of_the_example(self):
        content = EXAMPLE.read_bytes()
        offset = 0
        for place, digits, _, _ in ROW.findall(section(14)):
            data = bytes.fromhex(digits)
            self.assertEqual(int(place, 16), offset)
            self.assertEqual(content[offset : offset + len(data)], data, place)
            offset += len(data)
        self.assertEqual(offset, len(content))

    def test_types_of_the_example(self):
        """As long as their names say, and the number that an explanation begins or ends with is there."""
        numbers = {"u16": "H", "u32": "I", "u64": "Q", "i64": "q", "f64": "d"}
        checked = 0
        for place, digits, kind, what in ROW.findall(section(14)):
            data = bytes.fromhex(digits)
            name, _, count = kind.partition(" x ")
            if name in SIZES:
                self.assertEqual(len(data), SIZES[name] * int(count or 1), place)
            said = re.fullmatch(r"(?:[A-Z] = )?(-?[\d.]+) .*|[a-z ]* (-?[\d.]+)", what)
            if said and kind in numbers:
                value = struct.unpack("<" + numbers[kind], data)[0]
                self.assertEqual(value, float(said[1] or said[2]), place)
                checked += 1
        self.assertGreater(checked, 10)

    def test_values_of_the_example(self):
        """Those that the explanation arrives at."""
        said = [tuple(map(float, pair)) for pair in re.findall(r"position(?: is)? \((-?[\d.]+), (-?[\d.]+)\)", section(14))]
        frame = decoders.gpz_ref.read_file(EXAMPLE).frames[0]
        self.assertEqual(said, list(zip(frame.column("x").values, frame.column("y").values)))
        self.assertEqual(frame.column("id").values, [1, 2])


if __name__ == "__main__":
    unittest.main()
