# SPDX-License-Identifier: BSD-3-Clause
"""evaluation/data/lammps.py, with a program in the place of LAMMPS that writes a known dump."""
import json
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "evaluation" / "data" / "lammps.py"
# Writes a binary dump with columns z x y and two chunks, as of two ranks, where the input asks for one.
LAMMPS = """#!{python}
import re, struct, sys
print("LAMMPS (1 Jan 2030)")
text = open(sys.argv[sys.argv.index("-in") + 1]).read()
if "99" in sys.argv:
    print("ERROR: too large")
    sys.exit(3)
path = re.search(r"dump .* all custom 7 (\\S+) x y z", text).group(1)
open({arguments!r}, "w").write("\\n".join(sys.argv[1:]) + "\\n" + text)
columns = b"z x y"
head = struct.pack("q", -8) + b"DUMPCUST" + struct.pack("iiq", 1, 2, 7) + struct.pack("=qi6i6di", 5, 0, *[0] * 6, *[0, 1] * 3, 3)
head += struct.pack("i", 0) + struct.pack("b", 0) + struct.pack("i", len(columns)) + columns + struct.pack("i", 2)
rows = [[10 * i + d for d in (3, 1, 2)] for i in range(5)]
with open(path, "wb") as file:
    file.write(head)
    for chunk in rows[:2], rows[2:]:
        values = [value for row in chunk for value in row]
        file.write(struct.pack("=i%dd" % len(values), len(values), *values))
"""


@pytest.fixture
def lmp(tmp_path):
    path = tmp_path / "lmp"
    path.write_text(LAMMPS.format(python=sys.executable, arguments=str(tmp_path / "arguments")))
    path.chmod(0o755)
    return path


def run(lmp, out, *arguments):
    command = [sys.executable, SCRIPT, "--lmp", lmp, "--system", "copper", "--steps", "7", "--out", out, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_positions(lmp, tmp_path):
    result = run(lmp, tmp_path / "copper.f32", "--size", "4", "--potentials", tmp_path, "--", "-k", "on")
    assert (result.returncode, result.stderr) == (0, "")
    written = numpy.fromfile(tmp_path / "copper.f32", dtype="<f4").reshape(3, 5)
    assert written.tolist() == [[10 * i + d for i in range(5)] for d in (1, 2, 3)]
    about = json.loads((tmp_path / "copper.json").read_text())
    assert (about["name"], about["particles"], about["components"]) == ("copper", 5, 3)
    assert all(part in about["source"] for part in ("LAMMPS 1 Jan 2030", "copper.lmp", "size 4", "7 steps", "-k on"))
    given = (tmp_path / "arguments").read_text()
    assert given.startswith("-k\non\n") and f"size\n4\n-var\npotentials\n{tmp_path}\n" in given
    assert f"include {SCRIPT.parents[2] / 'bench' / 'systems' / 'copper.lmp'}\n" in given.replace("evaluation/data/../../", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arguments", "copper.f32", "copper.json", "lmp"]


def test_failures(lmp, tmp_path):
    result = run(lmp, tmp_path / "copper.f32", "--size", "99")
    assert result.returncode == 1
    assert result.stderr == "LAMMPS failed with 3:\nLAMMPS (1 Jan 2030)\nERROR: too large\n"
    result = run(lmp, tmp_path / "copper.raw")
    assert result.returncode == 1
    assert result.stderr == f"{tmp_path / 'copper.raw'}: the name has to end in .f32\n"
    assert [path.name for path in tmp_path.iterdir()] == ["lmp"]
