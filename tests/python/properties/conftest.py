# SPDX-License-Identifier: BSD-3-Clause
"""How many examples hypothesis tries: "ci", few and the same ones in every run; "long", as many as GPZ_PROPERTY_EXAMPLES says
of each property, and others in every run (scripts/properties.sh)."""

import os

import hypothesis
import pytest

COMMON = {
    "deadline": None,
    "database": None,
    "print_blob": True,
    "suppress_health_check": list(hypothesis.HealthCheck),
}
hypothesis.settings.register_profile("ci", max_examples=160, derandomize=True, **COMMON)
EXAMPLES = int(os.environ.get("GPZ_PROPERTY_EXAMPLES", "0"))
hypothesis.settings.register_profile("long", max_examples=max(EXAMPLES, 1), **COMMON)
hypothesis.settings.load_profile("long" if EXAMPLES else "ci")


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("properties")
