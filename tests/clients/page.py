# SPDX-License-Identifier: BSD-3-Clause
"""The Python of docs/programs.md."""

import shutil
import sys
from pathlib import Path

from runs import make

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))
from pages import code_blocks


def run_block(client, folder, monkeypatch):
    """Runs what the page has for a client, in a folder with a file of LAMMPS called traj.gpz."""
    (block,) = (
        text
        for text in code_blocks("docs/programs.md", "python")
        if f"import {client}" in text or f"from {client}" in text
    )
    shutil.copy(make("fields").gpz, folder / "traj.gpz")
    monkeypatch.chdir(folder)
    exec(compile(block, "docs/programs.md", "exec"), {})
