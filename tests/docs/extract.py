#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The first code block of a page in a language, for a compiler: extract.py PAGE LANGUAGE OUT."""
import sys
from pathlib import Path

from pages import code_blocks

page, language, out = sys.argv[1:]
blocks = code_blocks(page, language)
if not blocks:
    sys.exit(f"{page}: no block of {language}")
Path(out).write_text(blocks[0])
