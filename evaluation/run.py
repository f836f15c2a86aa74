#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs one program of evaluation/evaluate.sh on one data set, in a process for each bound: each has a first call, and no bound stays without a line.

run.py --name PROGRAM --data NAME.f32 --bounds 1e-2,1e-3 --json OUT --limit SECONDS -- COMMAND...

The command gets --data, --components, --bounds with one bound and --json, and appends a JSON line. Without one it has crashed. Bounds that have
a line already are left out, so that an evaluation which was broken off goes on.
"""
import argparse
import json
import math
import os
import signal
import subprocess
import sys

from check import describe


def lines_of(path):
    if not os.path.exists(path):
        return []
    lines = []
    with open(path) as file:
        for text in file:
            try:
                lines.append(json.loads(text))
            except json.JSONDecodeError:
                pass  # of a process that was killed while it wrote
    return lines


def missing(bounds, path):
    done = [line["bound"] for line in lines_of(path)]
    return [bound for bound in bounds if not any(math.isclose(float(bound), value, rel_tol=1e-6) for value in done)]


def run(command, limit):
    """The error; None if there is none."""
    # A group of its own: what the program starts ends with it.
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", start_new_session=True)
    try:
        output, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return f"no result within {limit:g} s"
    if process.returncode == 0:
        return None
    last = ([line.strip() for line in output.splitlines() if line.strip()] or [""])[-1][:200]
    if process.returncode < 0:
        why = f"ended by {signal.Signals(-process.returncode).name}"
    else:
        why = f"ended with status {process.returncode}"
    return f"{why}: {last}" if last else why


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--name", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--bounds", required=True)
    parser.add_argument("--json", required=True)
    parser.add_argument("--limit", type=float, default=120, help="of the processing of one bound")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    description = describe(options.data)
    bounds = options.bounds.split(",")
    failed = False
    for bound in missing(bounds, options.json):
        arguments = ["--data", options.data, "--components", str(description["components"]), "--bounds", bound, "--json", options.json]
        failure = run([*options.command, *arguments], options.limit)
        without_line = bool(missing([bound], options.json))
        if failure or without_line:
            print(f"{options.name}, {options.data}, {bound}: {failure or 'gave no result'}", file=sys.stderr)
            failed = True
        if not without_line:
            continue
        known = lines_of(options.json)
        line = {
            # As the program calls itself, if it got as far as that.
            "program": known[-1]["program"] if known else options.name,
            "data": os.path.splitext(os.path.basename(options.data))[0],
            "bound": float(bound),
            "particles": description["particles"],
            "components": description["components"],
            "failure": failure or "gave no result",
        }
        with open(options.json, "a") as file:
            file.write(json.dumps(line) + "\n")
    sys.exit(failed)


if __name__ == "__main__":
    main()
