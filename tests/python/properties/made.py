# SPDX-License-Identifier: BSD-3-Clause
"""Random trajectories: what a caller may give to a writer, and what has to come back."""

from __future__ import annotations

import dataclasses

import numpy as np
from hypothesis import strategies as st

import gpz

FORMS = (("x", "y", "z"), ("x", "y", "z"), ("x", "y", "z"), ("x", "y"), ("xu", "yu", "zu"), ("xs", "ys", "zs"), ())
IDS = ("none", "none", "permuted", "permuted", "sparse", "negative", "repeated")
EDGE = 10.0
SPECIAL = (0.0, -0.0, np.inf, -np.inf, 5e-324, -2.0**-1074, 1e-310, 2.0**-149, 1.0, 2.0**53, 1e30, 3.4e38, -1.7e308)
BOUNDS = (0, 1e-300, 1e-12, 1e-5, 5e-4, 1e-3, 1e-3, 0.01, 0.05, 0.25, 1, EDGE, 1e6)
FLOATS = ("f8", "f8", "f4", "f4", "f2", ">f8", ">f4")
INTEGERS = ("i8", "i4", "i2", "u1", "u4", ">i4", ">i8", "?")


@dataclasses.dataclass
class Given:
    """A frame: columns as they are given, by name; "id" is one of them where there are ids."""

    columns: dict[str, np.ndarray]
    positions: tuple[str, ...]  # names of columns
    box: gpz.Box | None
    timestep: int

    @property
    def count(self):
        return len(next(iter(self.columns.values()), ()))

    @property
    def original(self):
        """By name: the values in the types that files have; float16 as float32."""
        return {name: as_stored(array) for name, array in self.columns.items()}


def as_stored(array):
    if array.dtype.kind != "f":
        return array.astype(np.int64)
    with np.errstate(invalid="ignore"):
        return np.ascontiguousarray(array).astype(np.float32 if array.dtype.itemsize <= 4 else np.float64)


@dataclasses.dataclass
class Options:
    """How a file is written. append: the frame before which the file is closed and continued; 0: none."""

    bound: float | None
    bound_of_q: float | None
    order: str
    effort: str
    key_interval: int
    append: int

    def of_columns(self, columns):
        """Without bounds of columns that are not there."""
        return self if "q" in columns else dataclasses.replace(self, bound_of_q=None)


def tagged(frames):
    """With the number of each row, for orders that do not keep rows."""
    for frame in frames:
        frame.columns.setdefault("tag", np.arange(frame.count))
    return frames


def scaled_kind(kind, random, count, width):
    """Values of one kind, around boxes of EDGE. width: bytes of a float."""
    if kind == "uniform":
        return random.uniform(0, EDGE, count)
    if kind == "normal":
        return random.normal(0, 3, count)
    if kind == "grid":
        return random.integers(-1000, 1000, count) * 0.01
    if kind == "edges":  # between two values of grids with usual bounds
        return (2 * random.integers(-5000, 5000, count) + 1) * random.choice([1e-3, 5e-4, 0.01, 0.25])
    if kind == "constant":
        return np.full(count, random.choice([0.0, 1.0, -0.1, EDGE]))
    if kind == "lattice":
        return (np.arange(count) % 7) * 1.5 + random.normal(0, 0.05, count)
    if kind == "huge":
        top = 127 if width == 4 else 1023
        return np.ldexp(random.uniform(-1, 1, count), random.integers(top // 2, top, count))
    if kind == "large":
        return random.uniform(-1, 1, count) * 10.0 ** random.integers(2, 16)
    if kind == "denormal":
        return random.integers(-100, 100, count) * (2.0**-149 if width == 4 else 5e-324)
    made = random.uniform(-EDGE, EDGE, count)
    made[random.random(count) < 0.2] = random.choice(SPECIAL)
    return made


KINDS = ("uniform", "uniform", "normal", "grid", "edges", "constant", "lattice", "huge", "large", "denormal", "mixed")


def with_specials(array, random):
    """Some NaN with a payload, infinities and -0 among the floats."""
    if not len(array) or array.dtype.itemsize < 4:
        return array
    made = array.astype(array.dtype.newbyteorder("="))
    places = random.integers(0, len(made), max(1, len(made) // 20))
    payload = random.integers(1, 2**22, len(places), np.uint64)
    if made.dtype.itemsize == 4:
        made.view(np.uint32)[places] = 0x7F800000 + payload.astype(np.uint32)  # quiet ones and signalling ones
    else:
        made.view(np.uint64)[places] = np.uint64(0xFFF0000000000000) + payload
    made[places[0]] = random.choice([np.inf, -np.inf, -0.0])
    return made.astype(array.dtype)


def laid_out(array, layout):
    """Equal values in another layout of memory."""
    if layout == "reversed":
        return np.ascontiguousarray(array[::-1])[::-1]
    if layout == "strided":
        room = np.zeros(3 * len(array) + 1, array.dtype)
        room[1::3][: len(array)] = array
        return room[1::3][: len(array)]
    if layout == "packed":  # not aligned
        room = np.zeros(len(array), np.dtype([("pad", "u1"), ("value", array.dtype)]))
        room["value"] = array
        return room["value"]
    if layout == "readonly":
        array = array.copy()
        array.flags.writeable = False
    return array


LAYOUTS = ("plain", "plain", "reversed", "strided", "packed", "readonly")


@st.composite
def trajectories(draw, types=FLOATS, forms=FORMS, least_frames=1):
    """A list of Given."""
    random = np.random.default_rng(draw(st.integers(0, 2**16), label="seed"))
    pool = draw(st.one_of(st.integers(0, 6), st.integers(7, 80), st.sampled_from([31, 32, 33, 200, 400, 700])), label="pool")
    frames = draw(st.integers(least_frames, 4), label="frames")
    form = draw(st.sampled_from(forms), label="form")
    ids_kind = draw(st.sampled_from(IDS), label="ids")
    kind = draw(st.sampled_from(KINDS), label="kind")
    dtype = np.dtype(draw(st.sampled_from(types), label="type"))
    moves = draw(st.sampled_from([0.0, 0.01, 0.3, None]), label="moves")
    changes = draw(st.booleans(), label="counts change")
    special = draw(st.sampled_from([False, False, True]), label="special values")
    box_kind = draw(st.sampled_from(["none", "orthogonal", "triclinic"]), label="box")
    if form and form[0] == "xs" and box_kind == "none":
        box_kind = "orthogonal"
    q_type = draw(st.sampled_from([None, *types]), label="type of q")
    q_kind = draw(st.sampled_from([*KINDS, "explicit"]), label="kind of q")
    explicit = draw(st.lists(st.floats(width=32), min_size=1, max_size=6), label="q") if q_kind == "explicit" else [0.0]
    n_type = draw(st.sampled_from([None, *INTEGERS]), label="type of n")
    layout = draw(st.sampled_from(LAYOUTS), label="layout")
    vectors = draw(st.booleans(), label="velocities")
    tagged = draw(st.booleans(), label="tagged") or not (form or q_type or n_type)
    if ids_kind == "repeated":
        ids = random.integers(-3, 3 + pool // 2, pool)
    elif ids_kind == "sparse":
        ids = np.unique(random.integers(1, 2**40, 2 * pool))[:pool] if pool else np.zeros(0, int)
    else:
        ids = np.arange(1, pool + 1) - (pool // 2 + 5 if ids_kind == "negative" else 0)
    ids = random.permutation(ids)
    base = {name: scaled_kind(kind, random, pool, dtype.itemsize) for name in form}
    steps = {name: random.normal(0, moves or 0, pool) for name in form}
    made = []
    for k in range(frames):
        rows = random.permutation(pool) if ids_kind not in ("none",) and random.random() < 0.7 else np.arange(pool)
        if changes and random.random() < 0.6:
            rows = rows[: random.integers(0, pool + 1)]
        columns = {}
        with np.errstate(over="ignore", invalid="ignore"):
            for name in form:
                fresh = scaled_kind(kind, random, pool, dtype.itemsize) if moves is None else base[name] + k * steps[name]
                scale = 1 / EDGE if form[0] == "xs" else 1
                columns[name] = (fresh[rows] * scale).astype(dtype)
            if vectors and form and kind != "huge":
                for name in ("vx", "vy", "vz"):
                    columns[name] = random.normal(0, 1, len(rows)).astype(dtype)
            if q_type:
                fresh = scaled_kind(q_kind, random, len(rows), np.dtype(q_type).itemsize)
                columns["q"] = (np.resize(explicit, len(rows)) if q_kind == "explicit" else fresh).astype(q_type)
        if special:
            columns = {name: with_specials(array, random) for name, array in columns.items()}
        if n_type:
            wide = np.dtype(n_type).itemsize
            numbers = random.integers(-(2 ** (8 * wide - 1)), 2 ** (8 * wide - 1), len(rows))
            columns["n"] = (numbers > 0 if n_type == "?" else numbers).astype(n_type)
        if tagged or ids_kind == "repeated":
            columns["tag"] = np.arange(len(rows))
        if ids_kind != "none":
            columns["id"] = ids[rows].astype(random.choice(["i8", "i4"]) if ids_kind != "sparse" else "i8")
        made.append(
            Given(
                {name: laid_out(array, layout) for name, array in columns.items()},
                form,
                box_of(box_kind, k if changes else 0, len(form) or 3),
                int(random.choice([k, 100 * k, 2**62 + k, -k])),
            )
        )
    return made


def box_of(kind, k, dimension):
    if kind == "none":
        return None
    edges = np.diag([EDGE + k, EDGE, EDGE / 2])
    if kind == "triclinic":
        edges[1, 0] = 1.5
        if dimension == 3:
            edges[2, :2] = -2, 0.5
    return gpz.Box.from_vectors(edges, dimension=dimension)


def bounds():
    return st.one_of(st.none(), st.sampled_from(BOUNDS), st.floats(1e-6, 5))


@st.composite
def options(draw):
    return Options(
        draw(bounds(), label="bound"),
        draw(bounds(), label="bound of q"),
        draw(st.sampled_from(["auto", "auto", "id", "memory", "place"]), label="order"),
        draw(st.sampled_from(["fast", "standard", "dense"]), label="effort"),
        draw(st.sampled_from([1, 2, 3, 100]), label="key interval"),
        draw(st.sampled_from([0, 0, 1, 2]), label="append"),
    )
