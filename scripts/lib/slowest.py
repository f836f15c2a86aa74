#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the slowest tests and compile steps of a build folder, and fails if something takes longer than it may.

    slowest.py BUILD_FOLDER [--print]      reads .ninja_log, tests.xml and calibration, which scripts/test.sh leaves there;
                                           --print: without a comparison

What a test, a compile step and a label may take stands in the table of HACKING.md ("What a test may cost"), in seconds of the
machine with which its column "recorded" was measured. Times are wall time of each step, while others ran beside it. They are divided
by how much longer the work of calibrate.py took in the same run than on that machine, so that a slow or busy machine does not fail.
"""

import collections
import json
import re
import statistics
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

HACKING = Path(__file__).resolve().parents[2] / "HACKING.md"
MOST = 10
# Seconds of the work of calibrate.py in the run of the column "recorded".
CALIBRATION = 0.080
Budget = collections.namedtuple("Budget", "one together recorded")


def budgets(text):
    """By label: seconds of one test, of all together, and of all together when they were recorded. "compile" is a label, too."""
    rows = re.findall(r"^\| `(\w+)` \| ([\d.,]+) s \| ([\d.,]+) s \| ([\d.,]+) s \|$", text, re.MULTILINE)
    return {label: Budget(*(float(number.replace(",", "")) for number in numbers)) for label, *numbers in rows}


def compile_steps(build):
    """Seconds by output, of the last time that it was built."""
    steps = {}
    log = build / ".ninja_log"
    for line in log.read_text().splitlines() if log.exists() else []:
        fields = line.split("\t")
        if len(fields) == 5 and not fields[3].endswith("cmake.verify_globs"):
            steps[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000
    return steps


def tests(build):
    report = build / "tests.xml"
    if not report.exists():
        return {}
    cases = ET.parse(report).getroot().iter("testcase")
    return {case.get("name"): float(case.get("time")) for case in cases if case.get("status") != "notrun"}


def labels(build):
    """The labels of each test, by its name."""
    done = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True)
    found = {}
    for test in json.loads(done.stdout)["tests"]:
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        found[test["name"]] = properties.get("LABELS", ["other"])
    return found


def slowness(build):
    """How many times as long as in the recorded run the same work takes; 1 where it takes less."""
    file = build / "calibration"
    seconds = [float(line) for line in file.read_text().split()] if file.exists() else []
    return max(1.0, statistics.median(seconds) / CALIBRATION) if seconds else None


def print_slowest(what, seconds):
    total = sum(seconds.values())
    if not total:
        return
    print(f"== The slowest of {len(seconds)} {what}, of {total:.0f} s together")
    for name, time in sorted(seconds.items(), key=lambda item: -item[1])[:MOST]:
        print(f"{time:8.1f} s {100 * time / total:5.1f} %  {name}")


def over_budget(groups, allowed):
    """Lines about what takes longer than it may. `groups`: by label, seconds by name."""
    problems = []
    for label, seconds in groups.items():
        if label not in allowed:
            problems.append(f"{label}: has no row in HACKING.md")
            continue
        for name, time in seconds.items():
            if time > allowed[label].one:
                problems.append(f"{name}: {time:.1f} s, above the {allowed[label].one:g} s of one {label}")
        together = sum(seconds.values())
        if together > allowed[label].together:
            problems.append(f"{label}: {together:.0f} s together, above {allowed[label].together:g} s")
    return problems


def main():
    build = Path(sys.argv[1])
    allowed = budgets(HACKING.read_text())
    steps, seconds = compile_steps(build), tests(build)
    print_slowest("compile steps", steps)
    print_slowest("tests", seconds)
    slow = None if sys.argv[2:] == ["--print"] else slowness(build)
    if slow is None:
        print("== Not compared with what HACKING.md allows")
        return 0
    groups = collections.defaultdict(dict)
    if steps:
        groups["compile"] = {name: time / slow for name, time in steps.items()}
    labels_of = labels(build) if seconds else {}
    for name, time in seconds.items():
        label = next((label for label in labels_of.get(name, ["other"]) if label in allowed), "other")
        groups[label][name] = time / slow
    print(f"== By label, in seconds of the recorded machine ({slow:.2f} times as fast as this one was)")
    for label, times in sorted(groups.items(), key=lambda item: -sum(item[1].values())):
        recorded = f", recorded {allowed[label].recorded:.0f} s" if label in allowed else ""
        print(f"{sum(times.values()):8.0f} s {len(times):5d}  {label}{recorded}")
    problems = over_budget(groups, allowed)
    for problem in problems:
        print(f"over budget: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
