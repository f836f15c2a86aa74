# SPDX-License-Identifier: BSD-3-Clause
"""gpz archive is killed, with all its programs, at each step in turn. bench/python/archive_kills.py does so at random moments."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import CUT, binary_dump, dump, here, lines, outputs
from long_form import LONG

from gpz.archive.files import digest_of

EVERY = 9 if LONG else 25  # of the steps
OPTIONS = ["--key", CUT["key"], "--piece-size", CUT["piece_size"], "--jobs", 1, "--bound", "v*=thermal"]


def killed(number, *arguments):
    """The exit code, and what was printed. Programs that were started die as well: they are in the same process group."""
    command = [sys.executable, Path(__file__).with_name("killed_run.py"), number, *arguments]
    ended = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, start_new_session=True)
    return ended.returncode, ended.stdout


@pytest.fixture
def inputs(tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / "melt.dump").write_bytes(dump(frames=20))
    (folder / "crystal.bin").write_bytes(binary_dump())
    return folder


@pytest.fixture
def whole(inputs, tmp_path):
    """The archive of a run that nobody killed."""
    assert here(inputs, "--to", tmp_path / "whole", *OPTIONS).returncode == 0
    made = outputs(tmp_path / "whole")
    assert len(made) == 2
    return made


def require_nothing_lost(inputs, out, whole):
    """An input is there, or its output is there, and was compared."""
    for name in whole:
        path = inputs.parent / name.removesuffix(".gpz")
        if path.exists():
            continue
        done = [line for line in lines(out) if line["path"] == str(path) and line["state"] == "done"]
        assert done and done[-1]["output_digest"] == digest_of(out / name)
    # What has a name of an output is whole.
    assert all(content == whole[name] for name, content in outputs(out).items())


def test_killed_at_each_step(inputs, whole, tmp_path):
    number, kept = 0, tmp_path / "kept"
    shutil.copytree(inputs, kept)
    while True:
        out = tmp_path / f"out{number}"
        code, printed = killed(number, inputs, "--to", out, *OPTIONS, "--remove-inputs")
        if code == 0:
            assert int(printed.splitlines()[-1]) <= number
            break
        assert code == -signal.SIGKILL
        require_nothing_lost(inputs, out, whole)
        again = here(inputs, "--to", out, *OPTIONS, "--remove-inputs", "--json")
        assert again.returncode == 0, again.stderr + again.stdout
        assert outputs(out) == whole
        assert os.listdir(inputs) == []
        assert os.listdir(out / ".gpz-archive") == ["lock"]
        shutil.copytree(kept, inputs, dirs_exist_ok=True)
        number += EVERY
    assert number > 40
