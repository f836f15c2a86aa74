# SPDX-License-Identifier: BSD-3-Clause
"""NAME.f32 and NAME.json: one data set of the evaluation (evaluation/results.md)."""
import json
import os

import numpy


def stem(path):
    """NAME, with its folder. Ends the program if `path` is another kind of name; programs that work for long ask first."""
    name, extension = os.path.splitext(path)
    if extension != ".f32":
        raise SystemExit(f"{path}: the name has to end in .f32")
    return name


def write(path, axes, *, description, source, order):
    """`axes`: one array of coordinates for each axis, all of one length. Rounded to f32 and written one axis after the other."""
    name = stem(path)
    particles = {len(axis) for axis in axes}
    if len(particles) != 1:
        raise ValueError(f"axes of different lengths: {sorted(particles)}")
    with open(path, "wb") as file:
        for axis in axes:
            numpy.ascontiguousarray(axis, dtype="<f4").tofile(file)
    about = {"name": os.path.basename(name), "particles": particles.pop(), "components": len(axes),
             "description": description, "source": source, "order": order}
    with open(name + ".json", "w", encoding="utf-8") as file:
        json.dump(about, file, indent=2)
        file.write("\n")
