#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the golden files and digests.json. Version 1 of the format does not change: run this to add a file, with --only, and
never to bring files into agreement with a changed program.

  GPZ_GOLDEN_CODEC=build/bin/golden_codec python3 make.py --only NAME [NAME ...]

Files of LAMMPS (lammps-*) are made by in.golden, which says how.
"""

import argparse
import hashlib
import json
import pathlib
import sys
import tempfile

import by_hand
import data
import decoders

from gpz_reference.conformance import names_of_file

DIGESTS = decoders.FILES / "digests.json"
TORN = "torn", "type-labels", 700  # a file, the one that it is the beginning of, bytes that it lacks


def encoded_each(source, ways, command="encode"):
    """For each number of threads and instruction set, the bytes of a golden file, and the instruction set that the library used."""
    with tempfile.TemporaryDirectory() as folder:
        described, path = (pathlib.Path(folder) / name for name in ("source.json", "file.gpz"))
        described.write_text(json.dumps(source.as_json()))
        for way in ways:
            result = decoders.codec(command, described, path, *way)
            assert result.returncode == 0, result.stderr.decode()
            yield path.read_bytes(), result.stdout.decode().strip()


def encoded(source, threads=1, instruction_set=None, command="encode"):
    """One of them."""
    (made,) = encoded_each(source, [(threads, *([instruction_set] if instruction_set else []))], command)
    return made


def all_files():
    """By name: what makes the bytes."""
    files = {name: lambda source=source: encoded(source)[0] for name, source in data.sources().items()}
    files |= {name: lambda content=content: content for name, content in by_hand.files().items()}
    name, whole, missing = TORN
    files[name] = lambda: (decoders.FILES / f"{whole}.gpz").read_bytes()[:-missing]
    return files


def digest(path):
    found = decoders.pinned(*decoders.by_library(path))
    assert found == decoders.pinned(*decoders.by_reference(path)), f"{path}: the decoders disagree"
    return {**facts_of_bytes(path), **found}


def facts_of_bytes(path):
    """What digests.json has besides what decoders find."""
    content = path.read_bytes()
    return {"sha256": hashlib.sha256(content).hexdigest(), "features": names_of_file(content)}


def read_digests():
    return json.loads(DIGESTS.read_text()) if DIGESTS.exists() else {}


def write_digests(digests):
    """One line a frame."""
    lines = []
    for name, described in sorted(digests.items()):
        frames = ",\n   ".join(json.dumps(frame) for frame in described["frames"])
        facts = ", ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in described.items() if key != "frames")
        lines.append(f' {json.dumps(name)}: {{{facts},\n  "frames": [\n   {frames}]}}')
    DIGESTS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def names_to_make(description):
    """Of the arguments."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="NAME", required=True, help="files to make, without their ending")
    return parser.parse_args().only


def main():
    names = names_to_make(__doc__)
    digests, files = read_digests(), all_files()
    for name in names:
        path = decoders.FILES / f"{name}.gpz"
        if name in files:
            path.write_bytes(files[name]())
        elif not path.exists():
            sys.exit(f"{name}: neither described nor there")
        digests[name] = digest(path)
    write_digests(digests)


if __name__ == "__main__":
    main()
