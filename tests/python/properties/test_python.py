# SPDX-License-Identifier: BSD-3-Clause
"""gpz.Writer, gpz.open and gpz.stream: what comes back of random trajectories, and of files that are written again."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from expected import Expected
from hypothesis import given
from made import Options, options, tagged, trajectories
from rewriting import chains, frames_of, handed_on, is_right_to_refuse

import gpz

pytestmark = pytest.mark.filterwarnings("ignore")  # of large bounds and equal ids
names = itertools.count()


def new_path(folder):
    """A few names: old files are replaced, also by longer and shorter ones."""
    return folder / f"{next(names) % 8}.gpz"


def has_ids(path):
    with gpz.open(path) as trajectory:
        return "id" in trajectory[-1]


def write(path, calls, chosen: Options):
    """Calls each of the functions with a writer. The file is closed and continued where the options say so: the second
    argument is then whether it had ids, and None before."""
    how = {"order": chosen.order, "effort": chosen.effort, "key_interval": chosen.key_interval}
    bounds = {} if chosen.bound_of_q is None else {"q": chosen.bound_of_q}
    writer = gpz.Writer(path, bound=chosen.bound, bounds=bounds, **how)
    had_ids = None
    try:
        for k, call in enumerate(calls):
            if k and k == chosen.append:
                writer.close()
                had_ids = has_ids(path)
                writer = gpz.Writer(path, append=True, **how)
            call(writer, had_ids)
    finally:
        writer.close()


def write_given(path, frames, chosen):
    def call(frame):
        def run(writer, had_ids):
            columns = dict(frame.columns)
            if had_ids and "id" not in columns:
                columns["id"] = np.arange(1, frame.count + 1)  # as the message says
            writer.write(**columns, box=frame.box, timestep=frame.timestep)

        return run

    write(path, [call(frame) for frame in frames], chosen)


def check(path, expected, asked: Options):
    with gpz.open(path) as trajectory:
        for frame, wanted in zip(trajectory, expected, strict=True):
            check_frame(frame, wanted, asked)
    with open(path, "rb") as pipe:
        for frame, wanted in zip(gpz.stream(pipe), expected, strict=True):
            check_frame(frame, dataclasses.replace(wanted, quiet=True), asked)


def check_frame(frame, wanted, asked):
    infos = frame.column_info
    values = {name: frame[name] for name in frame}
    errors = {name: info.largest_error for name, info in infos.items()}
    wanted.check(values, frame.bounds, errors, f"frame {frame.index}")
    assert frame.timestep == wanted.timestep
    assert (frame.box is None) == (wanted.box is None)
    if wanted.box is not None:
        assert np.array_equal(frame.box.matrix, wanted.box.matrix)
    if asked.bound is not None:
        assert (frame.position_bound or 0) <= asked.bound * (1 + 1e-15)
    if asked.bound_of_q is not None and "q" in infos:
        assert (infos["q"].bound or 0) <= asked.bound_of_q


@given(trajectories(), options())
def test_written_once(folder, frames, chosen):
    chosen = chosen.of_columns(frames[0].columns)
    if chosen.order == "place":
        tagged(frames)
    path = new_path(folder)
    write_given(path, frames, chosen)
    check(path, [Expected.of(frame, chosen.order) for frame in frames], chosen)


@given(trajectories(), options(), chains())
def test_written_again(folder, frames, chosen, steps):
    if "place" in {chosen.order, *(step.options.order for step in steps)}:
        tagged(frames)
    path = new_path(folder)
    write_given(path, frames, chosen.of_columns(frames[0].columns))
    expected = [Expected.of(frame, chosen.order) for frame in frames]
    for step in steps:
        step.options = step.options.of_columns(frames[0].columns)
        to = new_path(folder)
        expected, is_whole = rewrite(path, to, expected, step)
        check(to, expected, step.options)
        if not is_whole:
            break
        path = to


def rewrite(path, to, expected, step):
    """What is expected of the frames that the new file has, and whether these are all."""
    before = list(gpz.open(path))
    after, calls = [], []

    def call(frame, wanted):
        arguments, result = handed_on(path, frame, wanted, step)

        def run(writer, had_ids):
            if had_ids and "id" not in (frame if "frame" in arguments else arguments):
                count = len(next((arguments[name] for name in frame if name in arguments), frame.load()[frame.columns[0]]))
                arguments["id"] = np.arange(1, count + 1)
            size, count = writer.size, writer.n_frames
            try:
                writer.write(**arguments)
            except gpz.ArgumentError as error:
                assert is_right_to_refuse(error, frame, step, result, before, had_ids is not None), error
                assert (writer.size, writer.n_frames) == (size, count)
                raise
            after.append(result)

        return run

    for frame, wanted in zip(frames_of(path, step), expected[:: step.every], strict=True):
        calls.append(call(frame, wanted))
    try:
        write(to, calls, step.options)
    except gpz.ArgumentError:
        return after, False
    return after, True
