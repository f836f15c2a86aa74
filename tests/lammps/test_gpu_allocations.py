# SPDX-License-Identifier: BSD-3-Clause
"""Device or pinned memory that runs out while dump gpz compresses on a GPU: with every number of allocations that still
succeed, LAMMPS ends with an error and keeps the frames that were complete."""

import os
import re
import subprocess

from harness import Skip, case, compare, read_dump
from systems import BASE, MELT
from test_gpu import LOOSE, lammps

COLUMNS = BASE + " vx vy vz"
GROWING = f"""{MELT}
dump gpz all gpz 5 t.gpz {COLUMNS}
dump_modify gpz device gpu
dump custom all custom 5 t.dump {COLUMNS}
dump_modify custom sort id format float %.17g
run 10
replicate 2 2 1
run 10
"""


def after(t, allowed):
    """Runs LAMMPS with that many allocations; all, if None. Returns its result, and how many there were."""
    log = t.path("allocations")
    environment = {**os.environ, "GPZ_TEST_ALLOCATIONS_LOG": str(log)}
    if allowed is not None:
        environment["GPZ_TEST_ALLOCATIONS"] = str(allowed)
    for name in ("t.gpz", "t.dump", "allocations"):
        t.path(name).unlink(missing_ok=True)
    done = t.run(GROWING, env=environment)
    return done, sum(map(int, log.read_text().split())) if log.exists() else None


@case()
def gpu_every_failed_allocation(t):
    if not t.options.plugin_allocations:
        raise Skip("dump gpz was built without CUDA")
    t.options.plugin = t.options.plugin_allocations
    lammps(t, GROWING)
    done, needed = after(t, None)
    assert done.returncode == 0 and needed > 10, f"{needed} allocations\n{done.stdout}"
    frames = len(t.decode("t.gpz", reference=False))
    kept = set()
    for allowed in range(needed):
        at = f"{allowed} of {needed} allocations"
        done, _ = after(t, allowed)
        assert done.returncode > 0, f"{at}: exit code {done.returncode}\n{done.stdout}"
        assert re.search(r"^ERROR.*memory", done.stdout, re.MULTILINE), f"{at}\n{done.stdout}"
        if not t.path("t.gpz").exists():
            kept.add(0)
            continue
        check = subprocess.run([t.options.gpz, "verify", "t.gpz"], cwd=t.directory, capture_output=True, text=True)
        assert "damage" not in check.stderr, f"{at}\n{check.stderr}"
        decoded = t.decode("t.gpz", reference=False, fails=check.returncode != 0)
        original = read_dump(t.path("t.dump"))
        compare(decoded, original[: len(decoded)], {**LOOSE, "x": 0.0006, "y": 0.0006, "z": 0.0006})
        kept.add(len(decoded))
    assert 0 in kept and max(kept) >= 2 and max(kept) < frames, f"frames kept: {kept}"
    print(f"{needed} allocations failed, frames kept: {sorted(kept)}")
