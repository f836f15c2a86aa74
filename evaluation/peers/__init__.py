# SPDX-License-Identifier: BSD-3-Clause
"""Other compressors on positions of particles: one module each, all with `measure`.

measure(tool, positions, bound, scratch) gets positions as float64 of shape (frames, particles, 3) and an absolute bound, in the unit of the
positions, and returns a `Result`: of several modes the smallest that keeps the bound. `tool` is the program, `scratch` an empty folder.
It raises `Failed` where the peer gives no result. What is compressed is positions alone: no ids, no types, no boxes. Those that measure
single frames also take two components, and leave the decoded positions in the result.
"""
import os
import resource
import subprocess
import time
from dataclasses import dataclass, field

import numpy as np

# A bound counts as kept up to this factor; more (`fp32_slack`) where a peer keeps it before it rounds its output to FP32.
SLACK = 1.001


class Failed(Exception):
    """A peer crashed, refused its input, or gave something else than the positions."""


@dataclass
class Result:
    size: int  # bytes
    error: float  # largest error, in units of the bound, of the decoded values against those that the peer was given
    encode: float  # seconds of processor time
    decode: float
    mode: str = ""
    slack: float = SLACK  # up to here the bound counts as kept
    notes: dict = field(default_factory=dict)
    decoded: np.ndarray = None  # of a single frame: (particles, components), in the order given


def smallest(results):
    """The smallest of those that keep the bound; if none does, the one that breaks it least."""
    results = list(results)
    if not results:
        raise Failed("no mode gave a result")
    kept = [result for result in results if result.error <= result.slack]
    return min(kept, key=lambda result: result.size) if kept else min(results, key=lambda result: result.error)


def smallest_mode(modes):
    """The smallest result of modes, which are functions by name; notes those that fail."""
    results, failures = [], {}
    for name, measured in modes.items():
        try:
            results.append(measured())
        except Failed as failure:
            failures[name] = str(failure)
    if not results:
        raise Failed(str(failures))
    result = smallest(results)
    if failures:
        result.notes["failures"] = failures
    return result


def joined(parts, mode):
    """The result of arrays that are compressed one by one."""
    return Result(
        sum(part.size for part in parts),
        max(part.error for part in parts),
        sum(part.encode for part in parts),
        sum(part.decode for part in parts),
        mode,
    )


def run(*command):
    """Runs a program; returns (its output, seconds of processor time, seconds on the clock)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    clock = time.monotonic()
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", check=False)
    clock = time.monotonic() - clock
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        why = f"signal {-done.returncode}" if done.returncode < 0 else f"status {done.returncode}"
        last = done.stdout.strip().split("\n")[-1]
        raise Failed(f"{os.path.basename(str(command[0]))} ended with {why}" + (f": {last}" if last else ""))
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, clock


def timed(function, *arguments):
    """Calls a function. Returns (its result, seconds of processor time, including that of programs which it runs)."""

    def processor():
        programs = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time() + programs.ru_utime + programs.ru_stime

    start = processor()
    value = function(*arguments)
    return value, processor() - start


def largest_error(decoded, given, bound):
    if decoded.shape != given.shape:
        raise Failed(f"decoded values have the shape {decoded.shape}, not {given.shape}")
    # A value that is not a number makes the error one.
    error = float(np.max(np.abs(decoded.astype(np.float64) - given))) / bound
    return error if np.isfinite(error) else float("inf")


def fp32_slack(values, bound):
    """One rounding inside, one of the output."""
    return SLACK + float(np.spacing(np.max(np.abs(values)).astype(np.float32))) / bound


def read_values(path, dtype, shape):
    values = np.fromfile(path, dtype)
    if values.size != np.prod(shape):
        raise Failed(f"{values.size} decoded values instead of {np.prod(shape)}")
    return values.reshape(shape)
