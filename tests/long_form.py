# SPDX-License-Identifier: BSD-3-Clause
"""The long form of tests, which scripts/long.sh runs with GPZ_LONG=1. Otherwise they try an even sample of their cases."""

import os

LONG = os.environ.get("GPZ_LONG") == "1"


def sample(cases, every, first=0):
    """All cases in the long form, otherwise one of each `every`."""
    cases = list(cases)
    return cases if LONG else cases[first % every :: every]


def in_turn(cases, number):
    """All cases in the long form, otherwise one: which, depends on this number."""
    cases = list(cases)
    return cases if LONG else [cases[number % len(cases)]]
