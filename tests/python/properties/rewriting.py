# SPDX-License-Identifier: BSD-3-Clause
"""How a file becomes another one in Python: what is handed to Writer.write, what is expected then, and what may be refused."""

from __future__ import annotations

import copy

import numpy as np
from hypothesis import strategies as st
from made import options

import gpz

FLOATING = ("x", "y", "z", "xu", "yu", "zu", "xs", "ys", "zs", "vx", "vy", "vz", "q")
# frame: write(frame). touched: after its arrays were asked for. arrays: write(x=frame["x"], ..., origin=frame). read: as
# Trajectory.read returns them. half: every other particle. The others change the values, the last one with a rounding.
WAYS = ("frame", "frame", "touched", "arrays", "read", "half", "negated", "doubled", "moved")
CHANGING = ("negated", "doubled", "moved")
LEAST = 2.0**-140  # of float32, and less, which a rounding to it may be
HEADROOM = 2.0**-20  # of values: what bounds may need beside the errors of large ones


class Step:
    """How a file is read and written."""

    def __init__(self, draw):
        self.way = draw(st.sampled_from(WAYS))
        self.dtype = draw(st.sampled_from([None, None, np.float32, np.float64]))
        self.order = draw(st.sampled_from([None, None, "stored"]))
        self.source = draw(st.sampled_from(["open", "open", "stream", "bytes"]))
        self.every = draw(st.sampled_from([1, 1, 1, 2]))  # frame
        self.options = draw(options())
        if self.order == "stored" and self.way == "half":
            self.way = "arrays"  # rows are not those of Expected.rows
        if self.way == "read":
            self.order = None

    def __repr__(self):
        return str(vars(self))


@st.composite
def chains(draw):
    return [Step(draw) for _ in range(draw(st.integers(1, 4)))]


def frames_of(path, step):
    how = {"dtype": step.dtype, "order": step.order}
    if step.source == "stream":
        with open(path, "rb") as file:
            return list(gpz.stream(file, **how))[:: step.every]
    return gpz.open(path.read_bytes() if step.source == "bytes" else path, **how)[:: step.every]


def handed_on(path, frame, wanted, step):
    """The arguments of Writer.write, and what is expected of the new file."""
    wanted = copy.deepcopy(wanted)
    if step.order == "stored" and "id" in wanted.original:
        ids = wanted.original["id"]
        wanted.ordered = wanted.ordered and len(np.unique(ids)) == len(ids)
    wanted.quiet = wanted.quiet or step.source == "stream" or step.dtype is not None or step.way in CHANGING
    wanted.note_order(step.options.order)
    if step.way in ("frame", "touched"):
        if step.way == "touched":
            frame.load()
        return {"frame": frame}, wanted
    if step.way == "read":
        with gpz.open(path, dtype=step.dtype) as trajectory:
            columns = trajectory.read(frame.index)
    else:
        columns = {name: frame[name] for name in frame}
    origin = frame
    if step.way == "half":
        columns = half(columns, wanted)
    elif step.way in CHANGING:
        origin = {"negated": negate, "doubled": double, "moved": move}[step.way](columns, wanted, frame) or frame
        wanted.changed = True
    return {"box": frame.box, "timestep": frame.timestep, "origin": origin, **columns}, wanted


def half(columns, wanted):
    wanted.tags = np.sort(wanted.rows_of(columns, "half")[::2])
    # Ids that the library gave stand for rows, which are others from now on.
    return {name: array[::2] for name, array in columns.items() if name != "id" or "id" in wanted.original}


def negate(columns, wanted, _frame):
    for name in columns.keys() & set(FLOATING):
        columns[name] = -columns[name]
        wanted.original[name] = -wanted.original[name]


def double(columns, wanted, frame):
    """The new origins: errors are twice as large, and read into fewer bits, there is a rounding."""
    infos = frame.column_info
    origins = {}
    with np.errstate(over="ignore"):
        for name in [name for name in columns if name in FLOATING]:
            columns[name] = 2 * columns[name]
            wanted.original[name] = 2 * wanted.original[name]
            wanted.slack[name] = 2 * wanted.slack.get(name, 0)
            info, narrowed = infos[name], infos[name].dtype.itemsize > columns[name].itemsize
            rounding = top_of(columns[name]) * 2.0**-23 + LEAST if narrowed else 0.0
            origins[name] = gpz.Origin(2 * (info.bound or 0), 2 * info.step, 2 * info.largest_error, rounding, info.dtype)
    return origins


def move(columns, wanted, _frame):
    """Neither is the sum what it should be: both round."""
    for name in columns.keys() & set(FLOATING):
        slack = wanted.slack.get(name, 0)
        for values in (columns, wanted.original):
            values[name] = values[name] + values[name].dtype.type(0.1)
            slack += float(np.finfo(values[name].dtype).eps) * (top_of(columns[name]) + top_of(wanted.original[name]) + 1)
        wanted.slack[name] = slack


def top_of(array):
    return float(np.abs(array[np.isfinite(array)]).max(initial=0))


def is_right_to_refuse(error, frame, step, wanted, others, appended):
    """Whether a frame may be refused. others: all frames of the file that is read. appended: whether the new file is continued."""
    text = str(error)
    rounded = step.dtype is not None or step.way in ("doubled", "moved")
    if rounded and "numbers above 3.4e38 become infinite" in text:
        return True
    if "Give ids in all frames" in text:  # the numbers of rows, which some frames have in the order of memory
        return appended or step.options.order == "place"
    if appended:  # to frames whose bounds have another rounding, or another change, in them
        differ = rounded or len({str(other.bounds) for other in others}) > 1
        if differ and ("cannot append" in text or "cannot be kept" in text):
            return True
    if "of the original" not in text or "cannot be kept" not in text:
        return False
    # Exact values beside the grid are taken for changed ones, unless the frame was not touched.
    beside = wanted.changed and step.way != "frame"
    return beside or is_small(frame, step)


def is_small(frame, step):
    """Whether a bound leaves little room beside the error that the values have."""
    asked, infos = step.options, frame.column_info
    factor = 2 if step.way == "doubled" else 1
    rounded = step.dtype is not None or step.way in ("doubled", "moved")

    def little(name, bound, scale=1.0):
        room = HEADROOM * top_of(frame[name]) + LEAST if rounded else 0
        return bound / scale < factor * (infos[name].bound or 0) * (1 + 1e-12) + room

    positions = frame.position_columns or ()
    scale = frame._head.largest_edge_sum if positions and positions[0].startswith("xs") else 1.0
    small = asked.bound is not None and any(little(name, asked.bound, scale) for name in positions)
    return small or (asked.bound_of_q is not None and "q" in infos and little("q", asked.bound_of_q))
