# SPDX-License-Identifier: BSD-3-Clause
"""What a program that loads molfile plugins sees of a file, as host.cpp prints it. Environment: MOLFILE_HOST_17 and
MOLFILE_HOST_18, the hosts; MOLFILE_PLUGIN_17 and MOLFILE_PLUGIN_18, the plugins. With "gromacs" instead of a number: the plugin for
GROMACS, called as GROMACS does."""

import os
import struct
import subprocess
from dataclasses import dataclass, field


@dataclass
class Seen:
    """All that the host got. Atoms are (name, type, residue, mass, charge, radius, atomic number)."""

    exit_code: int
    messages: list = field(default_factory=list)
    facts: dict = field(default_factory=dict)
    options: int = 0
    atoms: list = field(default_factory=list)
    residues: list = field(default_factory=list)  # of atoms: name/segment/chain
    bonds: list = field(default_factory=list)  # pairs of atoms, from 1
    frames: dict = field(default_factory=dict)  # index -> (time, cell, positions, velocities), floats


def read(path, abi=18, every=1, console=False):
    environment = {**os.environ, "MOLFILE_CONSOLE": "1"} if console else os.environ
    host, plugin = (os.environ[f"MOLFILE_{what}_{abi}"] for what in ("HOST", "PLUGIN"))
    done = subprocess.run(
        [host, plugin, str(path), str(every)], stdout=subprocess.PIPE, text=True, timeout=60, env=environment
    )
    seen = Seen(done.returncode)
    lines = iter(done.stdout.splitlines())
    for line in lines:
        word, *rest = line.split()
        if word in ("gpzplugin)", "console"):
            seen.messages.append(line)
        elif word == "structure":
            seen.options = int(rest[0], 0)
        elif word == "atom":
            seen.atoms.append((rest[0], rest[1], int(rest[2]), *map(float, rest[3:6]), int(rest[6])))
            seen.residues.append(rest[7])
        elif word == "bond":
            seen.bonds.append((int(rest[0]), int(rest[1])))
        elif word == "frame":
            rows = [next(lines).split() for _ in range(3 * len(seen.atoms))]
            positions, velocities = ([float(row[i]) for row in rows] for i in (0, 1))
            seen.frames[int(rest[0])] = float(rest[1]), [float(w) for w in rest[2:]], positions, velocities
        elif word in ("atoms", "frames"):
            words = line.split()
            seen.facts.update({k: int(v) for k, v in zip(words[::2], words[1::2])})
        elif word == "plugin":
            seen.facts["plugin"] = rest
    return seen


def float32(value):
    return struct.unpack("f", struct.pack("f", value))[0]
