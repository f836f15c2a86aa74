# SPDX-License-Identifier: BSD-3-Clause
"""What is written down beside the tables of the library agrees with them: the reference decoder, the C API, the page."""

import re
import unittest

import decoders
import occurrences

from gpz_reference import features as gpz_features

ROOT = decoders.FOLDER.parents[1]
TABLES = occurrences.tables()
# Of files.
FEATURES = {name.upper().replace(" ", "_"): bit for name, bit in TABLES["features"].items()}


class Features(unittest.TestCase):
    def test_reference_decoder(self):
        self.assertEqual({name: getattr(gpz_features, name, None) for name in FEATURES}, FEATURES)
        self.assertEqual(gpz_features.KNOWN, sum(FEATURES.values()))
        self.assertEqual({bit: name for name, bit in TABLES["features"].items()}, gpz_features.NAMES)
        kinds = {kind: bit for kind, bit in enumerate(TABLES["kinds"]) if bit}
        self.assertEqual(gpz_features.FEATURE_OF_KIND, kinds)
        codings = {kind: {} for kind in gpz_features.NUMBERS_OF_KIND}
        for kind, coding, _, bit in TABLES["sections"]:
            if bit:
                codings[kind][coding] = bit
        self.assertEqual(gpz_features.FEATURE_OF_CODING, codings)

    def test_c_api(self):
        header = (ROOT / "gpz/include/gpz/gpz_frame.h").read_text()
        self.assertEqual({name: int(bit) for name, bit in re.findall(r"#define GPZ_FEATURE_(\w+) (\d+)u", header)}, FEATURES)

    def test_page(self):
        page = (ROOT / "docs/format.md").read_text()
        named = re.findall(r"^\| (\d+) \| ([a-z ]+) \| ", page[page.index("## 13. Policy") :], re.MULTILINE)
        self.assertEqual({name.upper().replace(" ", "_"): 1 << int(bit) for bit, name in named}, {**FEATURES, "FRAME_ARRAY": gpz_features.FRAME_ARRAY})


if __name__ == "__main__":
    unittest.main()
