# SPDX-License-Identifier: BSD-3-Clause
"""gpz.Writer, gpz.open, gpz.stream: what comes back of random trajectories, and of files that are written again."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import warnings

import numpy as np
from expected import Expected
from hypothesis import event, given, settings
from hypothesis import strategies as st
from made import Options, bounds, options, trajectories

import gpz

names = itertools.count()
LEAST = 2.0**-140  # of float32, and less, which its rounding is
HEADROOM = 2.0**-20  # of values, that a bound may leave beside the errors without being refused


def new_path(folder):
    """A few names: old files are replaced, also by longer and shorter ones."""
    return folder / f"{next(names) % 8}.gpz"


def tagged(frames):
    """With the number of each row, for orders that do not keep rows."""
    for frame in frames:
        frame.columns.setdefault("tag", np.arange(frame.count))
    return frames


def write(path, writes, chosen: Options, **described):
    """Calls each of the functions with a writer; the file is closed and continued where the options say so."""
    how = {"order": chosen.order, "effort": chosen.effort, "key_interval": chosen.key_interval}
    bounds_of = {} if chosen.bound_of_q is None else {"bounds": {"q": chosen.bound_of_q}}
    writer = gpz.Writer(path, bound=chosen.bound, **bounds_of, **how, **described)
    try:
        for k, call in enumerate(writes):
            if k and k == chosen.append:
                writer.close()
                writer = gpz.Writer(path, append=True, **how)
            call(writer)
    finally:
        writer.close()


def write_given(path, frames, chosen):
    def call(frame):
        def run(writer):
            has_ids = chosen.append and writer.n_frames >= chosen.append and "id" not in frame.columns and has_ids_of(path)
            ids = {"id": np.arange(1, frame.count + 1)} if has_ids else {}
            writer.write(**frame.columns, **ids, box=frame.box, timestep=frame.timestep)

        return run

    write(path, [call(frame) for frame in frames], chosen)


def has_ids_of(path):
    """Whether a file that is continued has ids: those of rows without ids are the numbers of the rows."""
    with gpz.open(path) as trajectory:
        return "id" in trajectory[-1]


def check(path, expected, asked: Options | None = None):
    for source in (gpz.open(path), open(path, "rb")):
        with source:
            frames = source if isinstance(source, gpz.Trajectory) else gpz.stream(source)
            for k, (frame, wanted) in enumerate(zip(frames, expected, strict=True)):
                if frames is not source:
                    wanted = dataclasses.replace(wanted, quiet=True)
                check_frame(frame, wanted, f"frame {k}", asked)


def check_frame(frame, wanted, what, asked):
    infos = frame.column_info
    values = {name: frame[name] for name in frame}
    recorded = {name: info.bound for name, info in infos.items()}
    wanted.check(values, recorded, {name: info.largest_error for name, info in infos.items()}, what)
    assert frame.timestep == wanted.timestep
    assert (frame.box is None) == (wanted.box is None)
    if wanted.box is not None:
        assert np.array_equal(frame.box.matrix, wanted.box.matrix)
    if asked is not None and asked.bound is not None:
        assert (frame.position_bound or 0) <= asked.bound * (1 + 1e-15)
    if asked is not None and asked.bound_of_q is not None and "q" in recorded:
        assert (recorded["q"] or 0) <= asked.bound_of_q


def without_q(frames, chosen):
    if not all("q" in frame.columns for frame in frames):
        chosen.bound_of_q = None
    return chosen


@given(trajectories(), options())
def test_written_once(folder, frames, chosen):
    chosen = without_q(frames, chosen)
    if chosen.order == "place":
        frames = tagged(frames)
    path = new_path(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        write_given(path, frames, chosen)
    check(path, [Expected.of(frame, chosen.order) for frame in frames], chosen)


# --- Files that are written again ---


class Step:
    """How a file becomes another one. ways: of handing a frame over."""

    def __init__(self, draw):
        self.way = draw(st.sampled_from(["frame", "frame", "touched", "arrays", "read", "half", "negated", "doubled", "moved"]))
        self.dtype = draw(st.sampled_from([None, None, np.float32, np.float64]))
        self.order = draw(st.sampled_from([None, None, "stored"]))
        self.source = draw(st.sampled_from(["open", "open", "stream", "bytes"]))
        self.every = draw(st.sampled_from([1, 1, 1, 2]))
        self.options = Options(
            draw(st.one_of(st.none(), bounds())),
            draw(st.one_of(st.none(), bounds())),
            draw(st.sampled_from(["auto", "auto", "id", "memory", "place"])),
            draw(st.sampled_from(["fast", "standard", "dense"])),
            draw(st.sampled_from([1, 2, 100])),
            draw(st.sampled_from([0, 0, 0, 1])),
        )

    def __repr__(self):
        return str(vars(self))


@st.composite
def chains(draw):
    return [Step(draw) for _ in range(draw(st.integers(1, 4)))]


CASTING = ("negated", "doubled", "moved")
FLOATING = ("x", "y", "z", "xu", "yu", "zu", "xs", "ys", "zs", "vx", "vy", "vz", "q")


def change(step, frame, wanted):
    """What is handed to Writer.write, and what is expected then."""
    wanted = copy.deepcopy(wanted)
    if step.way == "frame":
        return {"frame": frame}, wanted
    if step.way == "touched":
        frame.load()
        for name in frame:
            frame[name][:0] = 0
        return {"frame": frame}, wanted
    columns = {name: frame[name] for name in frame}
    given = {"box": frame.box, "timestep": frame.timestep, "origin": frame}
    floats = [name for name in columns if name in FLOATING]
    if step.way == "half":
        rows = wanted.rows_of(columns, "half")[::2]
        columns = {name: array[::2] for name, array in columns.items()}
        wanted.tags = np.sort(rows)
        if "id" in columns and "id" not in wanted.original:  # the library gave ids, which are those of the particles from now on
            del columns["id"]
    elif step.way == "negated":
        columns |= {name: -columns[name] for name in floats}
        wanted.original |= {name: -wanted.original[name] for name in floats}
    elif step.way == "doubled":
        with np.errstate(over="ignore"):
            columns |= {name: 2 * columns[name] for name in floats}
            wanted.original |= {name: 2 * wanted.original[name] for name in floats}
        infos = frame.column_info
        rounding = {name: rounding_of(infos[name], columns[name]) for name in floats}
        given["origin"] = {
            name: gpz.Origin(
                2 * (infos[name].bound or 0), 2 * infos[name].step, 2 * infos[name].largest_error, rounding[name], infos[name].dtype
            )
            for name in floats
        }
        wanted.slack = {name: 2 * slack for name, slack in wanted.slack.items()}
    elif step.way == "moved":
        for name in floats:
            moved = columns[name] + columns[name].dtype.type(0.1)
            top = max(np.abs(array[np.isfinite(array)]).max(initial=0) for array in (moved, wanted.original[name]))
            wanted.original[name] = wanted.original[name] + wanted.original[name].dtype.type(0.1)
            spaces = [np.finfo(array.dtype).eps for array in (moved, wanted.original[name])]
            wanted.slack[name] = wanted.slack.get(name, 0) + float(top + 1) * sum(map(float, spaces))
            columns[name] = moved
    return given | columns, wanted


def rounding_of(info, array):
    return float(np.abs(array[np.isfinite(array)]).max(initial=0)) * 2.0**-23 if info.dtype.itemsize > array.itemsize else 0.0


def reading(path, step):
    options = {"dtype": step.dtype, "order": step.order}
    if step.source == "stream":
        with open(path, "rb") as file:
            frames = list(gpz.stream(file, **options))
        return frames[:: step.every]
    return gpz.open(path.read_bytes() if step.source == "bytes" else path, **options)[:: step.every]


def must_be_refused(frame, asked):
    """Whether a bound is smaller than the error that the values have."""
    infos = frame.column_info
    q = infos["q"].bound or 0 if "q" in infos else 0
    small_q = asked.bound_of_q is not None and asked.bound_of_q < q
    small = asked.bound is not None and asked.bound < (frame.position_bound or 0) * (1 - 1e-12)
    return frame.n_particles > 0 and (small or small_q)


def may_be_refused(frame, step):
    """Whether the room between bound and error is small."""
    if step.way == "doubled" or step.dtype is not None:
        factor = 2
    elif step.way in ("frame", "touched", "arrays", "read", "negated", "half"):
        factor = 1
    else:
        factor = 1
    infos = frame.column_info

    def tight(name, bound):
        info = infos[name]
        values = frame[name]
        top = np.abs(values[np.isfinite(values)]).max(initial=0)
        return bound < factor * (info.bound or 0) + top * HEADROOM + LEAST or step.way == "moved"

    asked = step.options
    found = [name for name in frame.position_columns or () if asked.bound is not None and tight(name, asked.bound / 20)]
    return bool(found) or ("q" in infos and asked.bound_of_q is not None and tight("q", asked.bound_of_q))


@given(trajectories(), options(), chains())
def test_written_again(folder, frames, chosen, steps):
    chosen = without_q(frames, chosen)
    if any(order == "place" for order in (chosen.order, *(step.options.order for step in steps))):
        frames = tagged(frames)
    path = new_path(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        write_given(path, frames, chosen)
        expected = [Expected.of(frame, chosen.order) for frame in frames]
        for step in steps:
            result = rewrite(folder, path, expected, step)
            if result is None:
                break
            path, expected = result


def rewrite(folder, path, expected, step):
    before = list(gpz.open(path))
    if not any("q" in frame for frame in before[:1]):
        step.options.bound_of_q = None
    after, writes = [], []
    for frame, wanted in zip(reading(path, step), expected[:: step.every], strict=True):
        if step.order == "stored" and "id" in wanted.original:
            ids = wanted.original["id"]
            wanted.ordered = wanted.ordered and len(np.unique(ids)) == len(ids)
        if step.order == "stored" and step.way == "half":
            step.way = "arrays"  # rows are not in the order of Expected.rows
        if step.way == "read":
            with gpz.open(path, dtype=step.dtype) as t:
                columns = t.read(frame.index)
            handed = {"box": frame.box, "timestep": frame.timestep, "origin": frame, **columns}
            wanted = copy.deepcopy(wanted)
        else:
            handed, wanted = change(step, frame, wanted)
        wanted.note_order(step.options.order)
        wanted.quiet = wanted.quiet or step.source == "stream" or step.dtype is not None or step.way in CASTING
        after.append(wanted)
        wanted.changed = wanted.changed or step.way in CASTING
        writes.append((handed, frame, wanted))
    to = new_path(folder)
    refused = False

    def call(handed, frame, wanted):
        def run(writer):
            nonlocal refused
            size, count = writer.size, writer.n_frames
            appended = 0 < step.options.append <= count
            has_ids = "id" in frame if "frame" in handed else "id" in handed
            if appended and not has_ids and has_ids_of(to):
                counts = [len(value) for name, value in handed.items() if name in frame] or [frame.n_particles]
                handed["id"] = np.arange(1, counts[0] + 1)
            try:
                writer.write(**handed)
            except gpz.ArgumentError as error:
                rounded = step.dtype is not None or step.way in ("doubled", "moved")
                text = str(error)
                if appended and "Give ids in all frames" in text:
                    pass  # the numbers of rows, which frames in the order of memory have or not
                elif rounded and "numbers above 3.4e38 become infinite" in text:
                    pass
                elif appended and "cannot append" in text and (rounded or len({str(f.bounds) for f in before}) > 1):
                    pass  # with the rounding of values that were exact in the frames before
                else:
                    assert "of the original" in text and "cannot be kept" in text, error
                    small = must_be_refused(frame, step.options)
                    changed = wanted.changed and step.way != "frame"  # exact values beside the grid
                    other = appended and (rounded or len({str(f.bounds) for f in before}) > 1)  # bounds of the frames before
                    assert small or changed or other or may_be_refused(frame, step), error
                assert (writer.size, writer.n_frames) == (size, count)
                refused = True
                raise

        return run

    try:
        write(to, [call(*pair) for pair in writes], step.options)
    except gpz.ArgumentError:
        assert refused
        kept = len(gpz.open(to))
        check(to, after[:kept], step.options)
        event("refused")
        return None
    event(f"way {step.way}")
    check(to, after, step.options)
    return to, after
