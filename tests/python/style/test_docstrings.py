# SPDX-License-Identifier: BSD-3-Clause
"""Everything public of the package has a docstring: ruff's rules D1, as pyproject.toml chooses them."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
RULES = "D100,D101,D102,D103,D104,D106"


def missing(*arguments):
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format", "concise", *arguments]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode in (0, 1), result.stderr
    return [line for line in result.stdout.splitlines() if ": D1" in line]


def test_everything_public_has_one():
    assert missing("python/gpz") == []


def test_the_rules_find_what_has_none(tmp_path):
    """So that a change of the settings, or of ruff, cannot silence the test above."""
    public = tmp_path / "module.py"
    public.write_text("class Public:\n    def method(self):\n        return 1\n\n\ndef function():\n    return 1\n")
    assert len(missing("--isolated", "--select", RULES, str(public))) == 4
    assert chosen_rules() == RULES.split(",")


def chosen_rules():
    line = next(line for line in (ROOT / "pyproject.toml").read_text().splitlines() if line.startswith("lint.extend-select"))
    return line.partition("[")[2].rstrip("]").replace('"', "").replace(" ", "").split(",")
