# SPDX-License-Identifier: BSD-3-Clause
"""Decodes a .gpz file: prints a digest of the exact bits of every column, so that other decoders can be compared with this one,
or writes the columns. Tables and observables are printed as well; a table stands in front of the first frame for which it is valid."""

import argparse
import json
import sys

from .codec import BadFile
from .digests import describe, describe_last_tables, lines
from .reader import read_file


def write_columns(file, path):
    """The form `columns` of gpz_reference.conformance."""
    with open(path, "wb") as stream:
        for frame in file.frames:
            for column in frame.columns:
                stream.write(column.data)


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
        described = {"metadata": file.metadata, "frames": describe(file), "torn": file.torn, "damage": file.damage}
        if last_tables := describe_last_tables(file):
            described["tables"] = last_tables
        json.dump(described, sys.stdout)
        print()
    elif not arguments.output:
        for line in lines(file):
            print(line)
    if file.torn is not None:
        file.damage.append(f"byte {file.torn}: the file ends inside a record")
    if file.damage:
        print(f"{arguments.file}: {file.damage[0]}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
