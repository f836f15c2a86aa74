# SPDX-License-Identifier: BSD-3-Clause
"""Options of the gpz command that the documents show exist. The program: environment variable GPZ."""
import os
import re
import subprocess
import unittest
from functools import lru_cache

from pages import ROOT, markdown_pages, tracked_files

# "gpz encode ... --key 100 ..." up to the end of a line, of a quotation in backticks or of a comment.
COMMAND = re.compile(r"(?:^|[\s`/(|*:])gpz (decode|encode|cat|merge|select|info|verify|repair|bench)\b([^`#|\n]*)")


@lru_cache
def options_of(subcommand):
    shown = subprocess.run([os.environ["GPZ"], subcommand, "--help"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"(?<![\w-])(--?[a-z][a-z-]*)", shown))


class Options(unittest.TestCase):
    def test_options_in_documents_exist(self):
        unknown = []
        commands = 0
        pages = markdown_pages() + [path for path in tracked_files() if path.endswith(".rst") or path.startswith("examples/")]
        for page in pages:
            for number, line in enumerate((ROOT / page).read_text().splitlines(), 1):
                for subcommand, rest in COMMAND.findall(line):
                    commands += 1
                    rest = re.sub(r"'[^']*'", "", rest)  # the commands of other programs
                    for option in re.findall(r"(?<=\s)(--?[a-z][a-z-]*)", rest):
                        if option not in options_of(subcommand):
                            unknown.append(f"{page}:{number}: gpz {subcommand} {option}")
        self.assertGreater(commands, 30)
        self.assertEqual(unknown, [])


if __name__ == "__main__":
    unittest.main()
