# SPDX-License-Identifier: BSD-3-Clause
"""Notebooks are compiled, not run (scripts/notebooks.sh runs them): their code has to be Python, and what it takes from gpz has
to be there. What is stored was run without an error, and is small."""

import ast
import importlib
import json
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
MOST_BYTES = 500_000
ABSOLUTE_PATH = re.compile(r"(?<![\w.:/])/\w+/[\w.]")  # of the machine that ran them


def code_cells(path):
    return [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]


def code_of(path):
    return ast.parse("\n".join("".join(cell["source"]) for cell in code_cells(path)))


def test_there_are_notebooks():
    assert {path.stem for path in NOTEBOOKS} >= {"first_look", "choosing_a_bound", "analysis"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_names_of_gpz_exist(path):
    found = 0
    for node in ast.walk(code_of(path)):
        if isinstance(node, ast.Import):
            for name in node.names:
                if name.name.split(".")[0] == "gpz":
                    importlib.import_module(name.name)
                    found += 1
        if isinstance(node, ast.Attribute) and (dotted := ast.unparse(node)).startswith("gpz."):
            target = importlib.import_module("gpz")
            for name in dotted.split(".")[1:]:
                assert hasattr(target, name), dotted
                target = getattr(target, name)
    assert found > 0


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_scripts_of_lammps_exist(path):
    named = [
        node.args[0].value
        for node in ast.walk(code_of(path))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "lammps"
    ]
    assert named
    for name in named:
        assert (FOLDER.parents[1] / "examples" / name).exists(), name


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_stored_was_run(path):
    assert path.stat().st_size < MOST_BYTES
    counts = [cell["execution_count"] for cell in code_cells(path)]
    assert counts == list(range(1, len(counts) + 1))
    kinds = {output["output_type"] for cell in code_cells(path) for output in cell["outputs"]}
    assert "error" not in kinds
    for cell in code_cells(path):
        for output in cell["outputs"]:
            printed = "".join(output.get("text", output.get("data", {}).get("text/plain", "")))
            assert not ABSOLUTE_PATH.search(printed), printed
