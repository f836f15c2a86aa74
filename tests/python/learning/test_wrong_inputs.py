# SPDX-License-Identifier: BSD-3-Clause
"""Wrong inputs are refused with argument, value and what to do: the table is tests/python/wrong_inputs_of_modules.py."""

import pathlib
import sys

import pytest

import gpz.pack  # noqa: F401

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from wrong_inputs import check  # noqa: E402
from wrong_inputs_of_modules import LEARNING  # noqa: E402


@pytest.mark.parametrize("row", LEARNING, ids=lambda row: f"{row.entry}, {row.name}")
def test_refused(row, tmp_path):
    check(row, tmp_path)
