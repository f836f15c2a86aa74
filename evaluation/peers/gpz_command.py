# SPDX-License-Identifier: BSD-3-Clause
"""gpz by its command, from a text dump of LAMMPS: whole files, with what the dump has (ids, types, boxes), default options but the effort."""
import os

from . import Result, largest_error, run, text_dump


def measure(program, dump, positions, bound, scratch, effort):
    """`positions`: those of the dump."""
    path = os.path.join(scratch, "traj.gpz")
    _, encode, _ = run(program, "encode", dump, "--eb", f"{bound:.12g}", "--effort", effort, "--key", "100", "-o", path)
    text = os.path.join(scratch, "decoded.lammpstrj")
    _, decode, _ = run(program, "decode", path, "--exact", "--format", "lammps", "--sort", "id", "--columns", "id,type,x,y,z", "-o", text)
    error = largest_error(text_dump.read(text)[0], positions, bound)
    return Result(os.path.getsize(path), error, encode, decode, f"effort {effort}")
