# SPDX-License-Identifier: BSD-3-Clause
"""The command: gpz encode of text dumps and of .gpz files, select, cat and verify."""

from __future__ import annotations

import copy
import itertools
import os
import struct
import subprocess

import numpy as np
from expected import Expected
from hypothesis import given, settings
from hypothesis import strategies as st
from made import BOUNDS, EDGE, Options, options, trajectories

import gpz

GPZ = os.environ["GPZ"]
SHARE = 5  # a process takes as long as so many files
names = itertools.count()


def run(*arguments, code=0):
    result = subprocess.run([GPZ, *map(str, arguments)], capture_output=True, check=False)
    said = result.stderr.decode()
    assert result.returncode in (code if isinstance(code, tuple) else (code,)), (arguments, result.returncode, said)
    assert all(line.startswith("gpz: ") for line in said.splitlines()), said
    return result.returncode, said


def bounds_of(frame, timestep):
    """The head of a frame of a text dump up to its columns."""
    lines = [f"ITEM: TIMESTEP\n{timestep}\nITEM: NUMBER OF ATOMS\n{frame.count}\n"]
    if frame.box is not None:
        matrix = frame.box.matrix
        xy, xz, yz = matrix[1, 0], matrix[2, 0], matrix[2, 1]
        if xy or xz or yz:
            sides = [
                (min(0, xy, xz, xy + xz), matrix[0, 0] + max(0, xy, xz, xy + xz), xy),
                (min(0, yz), matrix[1, 1] + max(0, yz), xz),
                (0, matrix[2, 2], yz),
            ]
            lines.append("ITEM: BOX BOUNDS xy xz yz pp pp pp\n")
        else:
            sides = [(0, matrix[d, d]) for d in range(3)]
            lines.append("ITEM: BOX BOUNDS pp pp pp\n")
        lines += [" ".join(repr(float(number)) for number in side) + "\n" for side in sides]
    return "".join(lines)


def text(array):
    return [repr(int(v)) for v in array] if array.dtype.kind != "f" else [repr(float(v)) for v in array]


def as_text(frame):
    words = [text(array) for array in frame.columns.values()]
    rows = "".join(" ".join(row) + "\n" for row in zip(*words))
    return f"{bounds_of(frame, frame.timestep)}ITEM: ATOMS {' '.join(frame.columns)}\n{rows}"


def as_binary(frame):
    """A frame of a binary dump, which has doubles only."""
    magic = b"DUMPCUSTOM"
    out = struct.pack("<q", -len(magic)) + magic + struct.pack("<ii", 1, 2)
    out += struct.pack("<qqi", frame.timestep, frame.count, 0) + struct.pack("<6i", *[0] * 6)
    out += struct.pack("<6d", *[0, EDGE] * 3) + struct.pack("<i", len(frame.columns)) + struct.pack("<i", 0) + b"\0"
    columns = " ".join(frame.columns).encode()
    out += struct.pack("<i", len(columns)) + columns + struct.pack("<i", 1)
    values = np.stack([np.asarray(array, np.float64) for array in frame.columns.values()], axis=1).ravel()
    return out + struct.pack("<i", len(values)) + values.astype("<f8").tobytes()


INTEGERS = ("id", "mol")  # of the columns here, those that readers of dumps take for integers


def doubles(frames, binary):
    """As dumps have them: every float is a double, and so are integers of other columns. Binary dumps have doubles only."""
    for frame in frames:
        frame.columns.setdefault("tag", np.arange(frame.count))
        if "n" in frame.columns:
            frame.columns["mol"] = frame.columns.pop("n")
        for name, array in frame.columns.items():
            if array.dtype.kind == "f":
                with np.errstate(invalid="ignore"):
                    made = np.abs(np.asarray(array).astype(np.float64))
                made = np.copysign(made, np.signbit(np.asarray(array)) * -2 + 1)
                made[np.isnan(made)] = np.nan  # text has one NaN
                frame.columns[name] = made
            else:
                made = np.asarray(array).astype(np.int64)
                frame.columns[name] = made % 2**50 if binary and name == "mol" else made
            if name not in INTEGERS:
                frame.columns[name] = frame.columns[name].astype(np.float64)
    return frames


def encode_options(chosen: Options, columns):
    made = ["--order", chosen.order, "--effort", chosen.effort, "--key", chosen.key_interval]
    if chosen.bound is not None:
        made += ["--eb", repr(float(chosen.bound))]
    if chosen.bound_of_q is not None and "q" in columns:
        made += ["--bound", f"q={float(chosen.bound_of_q)!r}"]
    return made


def check(path, expected):
    with gpz.open(path) as trajectory:
        for k, (frame, wanted) in enumerate(zip(trajectory, expected, strict=True)):
            infos = frame.column_info
            wanted = copy.copy(wanted)
            wanted.quiet = True
            wanted.check(
                {name: frame[name] for name in frame},
                {name: info.bound for name, info in infos.items()},
                {name: info.largest_error for name, info in infos.items()},
                f"{path} frame {k}",
            )
            assert frame.timestep == wanted.timestep


FORMS = (("x", "y", "z"), ("x", "y", "z"), ("xu", "yu", "zu"), ("xs", "ys", "zs"))


@st.composite
def inputs(draw):
    binary = draw(st.booleans())
    frames = doubles(draw(trajectories(types=("f8", "f8", "f4"), forms=FORMS)), binary)
    for k, frame in enumerate(frames):
        frame.timestep = k
    return frames, binary


class Step:
    def __init__(self, draw):
        self.way = draw(st.sampled_from(["encode", "encode", "select", "columns", "cat", "split"]))
        self.bound = draw(st.one_of(st.none(), st.none(), st.sampled_from(BOUNDS), st.floats(1e-6, 5)))
        self.options = draw(options())

    def __repr__(self):
        return str(vars(self))


@st.composite
def chains(draw):
    return [Step(draw) for _ in range(draw(st.integers(0, 2)))]


@settings(max_examples=max(1, settings().max_examples // SHARE))
@given(inputs(), options(), chains())
def test_encoded_again(folder, given_input, chosen, steps):
    frames, binary = given_input
    source = folder / "in.dump"
    content = [as_binary(frame) if binary else as_text(frame).encode() for frame in frames]
    source.write_bytes(b"".join(content))
    path = folder / f"e{next(names) % 8}.gpz"
    columns = frames[0].columns
    run("encode", source, "-o", path, *encode_options(chosen, columns))
    expected = [Expected.of(frame, chosen.order) for frame in frames]
    check(path, expected)
    run("verify", path)
    for step in steps:
        to = folder / f"e{next(names) % 8}.gpz"
        before = list(gpz.open(path))
        how = encode_options(step.options, columns)
        if step.way == "encode":
            code, said = run("encode", path, "-o", to, *how, code=(0, 2))
            if code == 2:
                assert "cannot be kept" in said or "--lossless" in said, said
                assert any(is_smaller(frame, step.options) for frame in before), said
                return
            expected = ordered(expected, step.options.order)
        elif step.way == "select":
            run("select", path, "-o", to, "--frames", "::2")
            expected = expected[::2]
        elif step.way == "columns" and len({frame.columns for frame in before}) > 1:
            continue  # ids in some frames, in the order of memory
        elif step.way == "columns":
            run("select", path, "-o", to, "--columns", ",".join(name for name in before[0].columns if name != "mol"))
            expected = [copy.deepcopy(wanted) for wanted in expected]
            for wanted in expected:
                wanted.original.pop("mol", None)
        elif step.way == "cat":
            run("cat", path, path, "-o", to, "--keep", "all")
            expected = expected + expected
        else:
            first, second = folder / "first.gpz", folder / "second.gpz"
            run("select", path, "-o", first, "--frames", ":1")
            run("select", path, "-o", second, "--frames", "1:")
            run("cat", first, second, "-o", to, "--mixed", "--keep", "all")
        check(to, expected)
        path = to


def ordered(expected, order):
    made = [copy.copy(wanted) for wanted in expected]
    for wanted in made:
        wanted.note_order(order)
    return made


def is_smaller(frame, asked):
    infos = frame.column_info
    q = asked.bound_of_q is not None and "q" in infos and asked.bound_of_q < 2 * (infos["q"].bound or 0)
    return q or (asked.bound is not None and asked.bound < 2 * (frame.position_bound or 0))
