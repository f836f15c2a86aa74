#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the ten slowest tests and compile steps of a build folder, and what tests of each label take.

    slowest.py BUILD_FOLDER      reads .ninja_log and tests.xml, which scripts/test.sh lets ctest write

Times are wall time of each step; steps run side by side, so that shares are of their sum.
"""

import collections
import subprocess
import sys
import json
import xml.etree.ElementTree as ET
from pathlib import Path

MOST = 10


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
    done = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True)
    found = {}
    for test in json.loads(done.stdout)["tests"]:
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        found[test["name"]] = properties.get("LABELS", ["without a label"])
    return found


def print_slowest(what, seconds):
    total = sum(seconds.values())
    if not total:
        return
    print(f"== The slowest of {len(seconds)} {what}, of {total:.0f} s together")
    for name, time in sorted(seconds.items(), key=lambda item: -item[1])[:MOST]:
        print(f"{time:8.1f} s {100 * time / total:5.1f} %  {name}")


def print_labels(seconds, labels_of):
    sums, counts = collections.Counter(), collections.Counter()
    for name, time in seconds.items():
        for label in labels_of.get(name, []):
            sums[label] += time
            counts[label] += 1
    print("== Tests by label")
    for label, time in sums.most_common():
        print(f"{time:8.1f} s {counts[label]:5d} tests  {label}")


def main():
    build = Path(sys.argv[1])
    print_slowest("compile steps", compile_steps(build))
    seconds = tests(build)
    print_slowest("tests", seconds)
    if seconds:
        print_labels(seconds, labels(build))


if __name__ == "__main__":
    main()
