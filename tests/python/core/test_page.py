# SPDX-License-Identifier: BSD-3-Clause
"""The programs of docs/python.md run."""

import re
import shutil
import sys
from pathlib import Path

import numpy as np
from conftest import FRAMES, PARTICLES

import gpz

PAGE = Path(__file__).resolve().parents[3] / "docs/python.md"


def programs():
    return re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


class Standard:
    """In place of sys.stdin or sys.stdout, with a file as its buffer."""

    def __init__(self, buffer):
        self.buffer = buffer


def test_the_programs_run(sample, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("melt.gpz", "in.gpz", "run.gpz"):
        shutil.copy(sample.path, name)
    x = np.random.default_rng(1).random((PARTICLES, 3))
    charges = np.empty(PARTICLES)
    found = programs()
    assert len(found) == 9
    described = {"id": np.arange(1, 4), "mass": np.ones(3)}
    with gpz.Writer("described.gpz") as writer:
        writer.write_tables({"bonds": {"atom1": [1], "atom2": [2]}, "atoms": gpz.Table(described, {"mass": "grams/mole"})})
        writer.write(positions=x[:3], observables={"Temp": 300.0, "PotEng": -1.0})
    trajectory = gpz.open("described.gpz")
    for program in found:
        with open(sample.path, "rb") as stdin, open("piped.gpz", "wb") as stdout:
            monkeypatch.setattr(sys, "stdin", Standard(stdin))
            monkeypatch.setattr(sys, "stdout", Standard(stdout))
            names = {"gpz": gpz, "np": np, "sys": sys, "t": gpz.open(sample.path), "data": sample.path.read_bytes()}
            names |= {"n": PARTICLES, "x": x, "v": x, "array": x, "ids": np.arange(PARTICLES), "charges": charges}
            names |= {"frames": np.array([x] * 6, np.float32), "types": np.ones(PARTICLES, int), "print": lambda *_: None}
            names |= {"trajectory": trajectory, "frame": trajectory[0], "masses": charges, "names": ["CA"] * PARTICLES}
            exec(program.replace('"q"', '"charge"'), names)  # noqa: S102
            monkeypatch.undo()
            monkeypatch.chdir(tmp_path)
    np.testing.assert_array_equal(charges, gpz.open(sample.path)[0]["charge"])
    assert len(gpz.open("fewer.gpz")) == (FRAMES + 9) // 10
    assert gpz.open("out.gpz").elements == ["Cu"]
    assert 0 < np.abs(names["array"] - x).max() <= 1e-3
