# SPDX-License-Identifier: BSD-3-Clause
"""Tables and observables of any values come back bit by bit, at the frames that they were written for."""

import io

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import gpz

# Also bytes that are no UTF-8, as names from files.
TEXTS = st.one_of(st.text(max_size=6), st.binary(max_size=6).map(lambda data: data.decode("utf-8", "surrogateescape")))
NAMES = TEXTS.filter(lambda name: name and 1 <= len(name.encode("utf-8", "surrogateescape")) <= 255)
UNITS = st.sampled_from(["", "grams/mole", "\udcff"])


@st.composite
def tables(draw):
    rows = draw(st.sampled_from([0, 1, 2, 5, 40, 300]))
    random = np.random.default_rng(draw(st.integers(0, 2**16)))
    columns = {}
    for name in draw(st.lists(NAMES, max_size=4, unique=True)):
        kind = draw(st.sampled_from(["any", "few", "ascending", "floats", "bits", "texts"]))
        if kind in ("any", "few", "ascending"):
            values = np.frombuffer(random.bytes(8 * rows), np.int64)
            values = values % 7 if kind == "few" else np.sort(values) if kind == "ascending" else values
        elif kind in ("floats", "bits"):
            values = np.frombuffer(random.bytes(8 * rows), np.float64) if kind == "bits" else random.normal(size=rows)
        else:
            known = np.array([*draw(st.lists(TEXTS, min_size=1, max_size=5)), None], object)[:-1]
            values = known[random.integers(0, len(known), rows)]
        columns[name] = values
    return gpz.Table(columns, {name: draw(UNITS) for name in columns})


def bits(values):
    return values.tolist() if values.dtype.kind == "O" else values.tobytes()


def contents(table):
    return [(name, table[name].dtype, bits(table[name]), table.units.get(name)) for name in table]


FRAMES = st.lists(
    st.tuples(
        st.dictionaries(NAMES.filter(lambda name: name != "observables"), tables(), max_size=3),
        st.dictionaries(NAMES, st.tuples(st.floats(), UNITS), max_size=4),
    ),
    min_size=1,
    max_size=4,
)


@given(FRAMES, st.booleans())
def test_tables_and_observables(frames, in_threads):
    memory = io.BytesIO()
    with gpz.Writer(memory, bound=0.1, threads=2 if in_threads else 1) as writer:
        for k, (given_tables, observables) in enumerate(frames):
            writer.write_tables(given_tables)
            writer.write(positions=np.full((3, 3), float(k)), observables=observables, timestep=k % 2)
    valid = {}
    with gpz.open(memory) as trajectory:
        every = trajectory.observables()
        for k, (given_tables, observables) in enumerate(frames):
            valid |= given_tables
            found = trajectory.tables(k)
            assert sorted(found) == sorted(valid)
            assert all(contents(found[name]) == contents(valid[name]) for name in found)
            read = trajectory[k].observables
            assert list(read) == list(observables)
            for name, (value, unit) in observables.items():
                assert np.float64(read[name]).tobytes() == np.float64(value).tobytes()
                assert read.units.get(name, "") == unit
        assert every["timestep"].tolist() == [k % 2 for k in range(len(frames))]
