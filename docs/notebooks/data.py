# SPDX-License-Identifier: BSD-3-Clause
"""The trajectories of the notebooks: scripts of examples/, run by LAMMPS into the folder data/ the first time."""

import os
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
OPTIONS = {
    "in.copper": ["-var", "size", "12", "-var", "custom", "yes"],
}


def lammps(script: str) -> Path:
    """The .gpz file of an example. LAMMPS is `lmp`, or what LAMMPS_BINARY names; it needs dump gpz: LAMMPS_PLUGIN_PATH is the
    folder of gpzplugin.so."""
    folder = HERE / "data" / script.removeprefix("in.")
    finished = folder / "finished"
    if not finished.exists():
        folder.mkdir(parents=True, exist_ok=True)
        program = os.environ.get("LAMMPS_BINARY", "lmp")
        command = [program, "-in", HERE.parents[1] / "examples" / script, *OPTIONS.get(script, [])]
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{script}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        finished.touch()
    return next(folder.glob("*.gpz"))
