#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks every #include against gpz/rooms.txt.

    scripts/lib/layers.py [--graph]

Prints each one against the law, with file and line, and fails if there are any. --graph prints how many includes go from room to room.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'\s*#\s*include\s*["<]([^">]+)[">]')


def read_law():
    """{room: rooms that it sees}; a room of gpz is named without `gpz/`."""
    law = {}
    for line in (ROOT / "gpz/rooms.txt").read_text().splitlines():
        room, colon, seen = line.partition(":")
        if colon and not line.startswith("#"):
            law[room] = seen.split()
    return law


def room_of(path, law):
    """The room of a file, by the longest name that fits; None: it has none."""
    name = path.relative_to(ROOT).as_posix()
    name = name.removeprefix("gpz/")
    return max((room for room in law if name.startswith(room + "/")), key=len, default=None)


def target_of(name, source, headers):
    """The file that is meant, or None if it is not one of the repository."""
    if name.startswith("gpz/"):
        return next((path for path in (ROOT / "gpz/include" / name, ROOT / "gpz/include" / f"{name}.in", ROOT / name) if path.exists()), None)
    if (source.parent / name).exists():
        return (source.parent / name).resolve()
    found = [path for path in headers if path.as_posix().endswith(f"/{name}")]
    return found[0] if len(found) == 1 else None


def main():
    law = read_law()
    folders = sorted({room.split("/")[0] for room in law if (ROOT / room).is_dir()} | {"gpz"})
    files = [path for folder in folders for path in sorted((ROOT / folder).rglob("*")) if re.search(r"\.([ch]pp|[ch]|cuh?|h\.in)$", path.name)]
    homeless = [path for path in files if room_of(path, law) is None]
    for path in homeless:
        print(f"{path.relative_to(ROOT)}: in no room of gpz/rooms.txt")
    edges = collections.Counter()
    against = 0
    for path in files:
        room = room_of(path, law)
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            target = target_of(match[1], path, files) if match else None
            if target is None or room is None:
                if match and match[1].startswith("gpz/") and target is None:
                    against += 1
                    print(f"{path.relative_to(ROOT)}:{number}: there is no {match[1]}")
                continue
            other = room_of(target, law)
            if other == room:
                continue
            edges[room, other] += 1
            if law[room] != ["*"] and other not in law[room]:
                against += 1
                print(f"{path.relative_to(ROOT)}:{number}: {room} may not include {other}: {match[1]}")
    if "--graph" in sys.argv[1:]:
        for (room, other), count in sorted(edges.items()):
            print(f"{room:16} -> {other:16} {count:4}")
    return 1 if against or homeless else 0


if __name__ == "__main__":
    sys.exit(main())
