# SPDX-License-Identifier: BSD-3-Clause
"""The Python of docs/clients.md runs, on a file of LAMMPS called traj.gpz. That of OVITO is run by test_ovito.py."""

import shutil
import sys
from pathlib import Path

import pytest
from runs import make

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))
from pages import code_blocks

BLOCKS = code_blocks("docs/clients.md", "python")


def run_block(block, folder, monkeypatch):
    shutil.copy(make("fields").gpz, folder / "traj.gpz")
    monkeypatch.chdir(folder)
    exec(compile(block, "docs/clients.md", "exec"), {})


@pytest.mark.parametrize("client", ["ase", "mdtraj", "dpdata"])
def test_block(client, tmp_path, monkeypatch):
    (block,) = (block for block in BLOCKS if f"import {client}\n" in block or f"import {client}." in block)
    run_block(block, tmp_path, monkeypatch)
