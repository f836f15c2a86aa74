# SPDX-License-Identifier: BSD-3-Clause
"""Decodes a .gpz file: prints a digest of the exact bits of every column, so that other decoders can be compared with this one,
or writes the columns."""

import argparse
import json
import sys

from .codec import BadFile
from .reader import describe, read_file


def write_columns(file, path):
    """The form `columns` of gpz_reference.conformance."""
    with open(path, "wb") as stream:
        for frame in file.frames:
            for column in frame.columns:
                stream.write(column.data)


def print_digests(frames):
    for i, frame in enumerate(frames):
        print(f"frame {i} timestep {frame['timestep']} particles {frame['particles']}")
        for column in frame["columns"]:
            print(f"  {column['name']} {column['type']} {column['digest']}")


def main():
    parser = argparse.ArgumentParser(prog="gpz-reference", description=__doc__)
    parser.add_argument("file")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print the digests as JSON")
    output.add_argument("-o", "--output", metavar="OUT", help="write the values of all columns: the form `columns` of the conformance suite")
    arguments = parser.parse_args()
    try:
        file = read_file(arguments.file)
        if arguments.output:
            write_columns(file, arguments.output)
    except (BadFile, OSError) as error:
        print(f"{arguments.file}: {error}", file=sys.stderr)
        return 1
    if arguments.json:
        json.dump({"metadata": file.metadata, "frames": describe(file), "torn": file.torn, "damage": file.damage}, sys.stdout)
        print()
    elif not arguments.output:
        print_digests(describe(file))
    if file.torn is not None:
        file.damage.append(f"byte {file.torn}: the file ends inside a record")
    if file.damage:
        print(f"{arguments.file}: {file.damage[0]}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
