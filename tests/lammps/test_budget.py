# SPDX-License-Identifier: BSD-3-Clause
"""dump_modify budget, and what the summary says of columns without a bound."""

import re

from harness import case
from systems import BASE, MELT, dumps
from test_trajectory import IMAGES

BUDGET = re.compile(r"budget ([0-9.e-]+) %: effort (.*)\n")


def chosen(output):
    """{effort: frames} of the last run."""
    entries = BUDGET.findall(output)[-1][1]
    return {name: int(frames) for name, frames in re.findall(r"(fast|standard|dense) in (\d+) frame", entries)}


@case(ranks=(1, 2))
def budget_that_holds_everything(t):
    """The strongest effort is found, one key frame after the other; effort names the strongest one."""
    commands = dumps(IMAGES, every=10, modify="key 6 budget 0.9999 device cpu") + f"dump s all gpz 10 s.gpz {IMAGES}\n"
    output = t.lammps(MELT + commands + "dump_modify s key 6 budget 0.9999 effort standard device cpu\nrun 200")
    mine, limited = (BUDGET.findall(line)[0][1] for line in re.findall("  budget .*\n", output))
    assert "dense in" in mine and "dense in" not in limited, output
    assert t.since_key()[:8] == [0, 1, 2, 3, 4, 5, 0, 1], t.since_key()
    t.same(frames=21)
    t.same("s.gpz", frames=21)


@case(ranks=(1, 2))
def budget_that_holds_nothing(t):
    """The first effort is given up when it was measured, with a key frame; the next ones are the weakest."""
    output = t.lammps(MELT + dumps(BASE, every=5, modify="budget 1e-9 device cpu") + "run 100")
    assert chosen(output) == {"standard": 6, "fast": 15}, output
    assert [i for i, since in enumerate(t.since_key()) if since == 0] == [0, 6], t.since_key()
    t.same(frames=21)


@case()
def budget_refused(t):
    for word in ("0", "1", "-0.1"):
        message = t.error(MELT + dumps(BASE, modify=f"budget {word}") + "run 0")
        assert message.endswith(f"above 0 and below 1, not {word}"), message


@case(ranks=(1, 2))
def lossless_columns_are_named(t):
    """Those that take much of the file, with bounds that make it smaller; no line for what has them."""
    columns = BASE + " vx vy vz fx fy fz"
    output = t.lammps(MELT + dumps(columns) + "run 200")
    line = re.search(r"  lossless: vx vy vz fx fy fz, (\d+) % of the file; a thousandth of the thermal speed: dump_modify gpz "
                     r"bound v\* thermal; a thousandth of their root mean square: dump_modify gpz (bound .*)\n", output)
    assert line and int(line.group(1)) > 50, output
    bounds = dict(re.findall(r"bound (f.) (\S+)", line.group(2)))
    # One bound for all components. Forces in the crystal of the first frame are zero.
    assert list(bounds) == ["fx", "fy", "fz"] and len(set(bounds.values())) == 1, bounds
    assert 5e-3 <= float(bounds["fx"]) <= 0.1, bounds
    assert "lossless:" not in t.lammps(MELT + dumps(columns, modify=f"bound v* thermal {line.group(2)}") + "run 200")
    given = t.info()["columns"]
    assert given["fx"]["bound"] == float(bounds["fx"]) and given["vx"]["bound"] > 0
