# SPDX-License-Identifier: BSD-3-Clause
import os
import subprocess

import pytest
from runs import NAMES, make

WHOLE = [name for name in NAMES if name not in ("percent", "torn")]


@pytest.fixture
def run(request):
    """The run that a test names: @pytest.mark.parametrize("run", ["melt", ...], indirect=True)."""
    return make(request.param)


@pytest.fixture(scope="session")
def joined(tmp_path_factory):
    """The files of the ranks in "percent" as one."""
    path = tmp_path_factory.mktemp("joined") / "run.all.gpz"
    subprocess.run([os.environ["GPZ"], "merge", make("percent").gpz, "-o", path], check=True)
    return path


def pytest_generate_tests(metafunc):
    """Without a mark, a test of `run` takes every run with one whole file."""
    marks = [mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")]
    if "run" in metafunc.fixturenames and "run" not in marks:
        metafunc.parametrize("run", WHOLE, indirect=True)
