# SPDX-License-Identifier: BSD-3-Clause
"""Tests a decoder of .gpz files with the golden files: files with every kind of chunk, every coding and every optional part of
version 1 of the format, and the digests of what they decode to.

    python -m gpz_reference.conformance --decoder "my-decoder {input} {output}"
    python -m gpz_reference.conformance --form lammps \\
      --decoder "gpz decode {input} -o {output} --format lammps --sort none --exact"

The command is run once for each file, without a shell. It has to write to {output}, in one of two forms:

columns  For each frame of the file, for each column in the order of the field table: the values in stored order, little-endian, as
         int64, float32 or float64; nothing between them, before them or after them.
lammps   A LAMMPS text dump with the columns in the order of the file's columns, the particles in stored order, and so many digits that
         each number is exact. A NaN stands for every NaN. Files with particles that have no columns are left out.

It has to exit with status 0, except for files that end inside a frame: of these it has to write the frames before.
"""

import argparse
import dataclasses
import hashlib
import json
import math
import pathlib
import shlex
import struct
import subprocess
import sys
import tempfile

from .codec import FLOAT32, FLOAT64, INTEGER
from .features import names_of
from .reader import FRAME, read_bytes, read_file_header, read_frame_head, walk

GOLDEN = pathlib.Path(__file__).parent / "golden"
SHOWN_AS_ELEMENT, SHOWN_AS_TYPE_LABEL = 2, 4


class Deviation(Exception):
    """What the decoder did wrong."""


def digest(data):
    """As in digests.json: the first 128 bits of SHA-256."""
    return hashlib.sha256(data).hexdigest()[:32]


def names_of_file(content):
    """The features that a decoder has to know for this file."""
    return names_of(read_file_header(content)[1])


@dataclasses.dataclass
class GoldenFile:
    name: str
    content: bytes
    expected: dict  # entry of digests.json

    @property
    def metadata(self):
        return read_file_header(self.content)[0]

    def heads(self):
        """Of all frames; nothing is decoded."""
        start = read_file_header(self.content)[2]
        return [read_frame_head(record) for record in walk(self.content, start, []) if record.type == FRAME]


def golden_files(folder=GOLDEN):
    digests = json.loads((folder / "digests.json").read_text())
    return [GoldenFile(name, (folder / f"{name}.gpz").read_bytes(), entry) for name, entry in sorted(digests.items())]


def columns_of_bytes(file, data):
    """The form `columns`: for each frame, the bytes of every column by name."""
    frames, start = [], 0
    for head in file.heads():
        frames.append({})
        for field in head.fields:
            for name in field.names:
                end = start + head.particles * field.value_size
                frames[-1][name] = data[start:end]
                start = end
    if start != len(data):
        raise Deviation(f"the output has {len(data)} bytes and not {start}")
    return frames


def number_from(word, field, names):
    """The value of a word of a text dump, as bytes."""
    if field.type == INTEGER:
        return struct.pack("<q", names.index(word) + 1 if word in names else int(word))
    return struct.pack(f"<{field.value_code}", float(word))


def names_of_types(field, metadata):
    if field.flags & SHOWN_AS_ELEMENT:
        return metadata.get("elements", [])
    return metadata.get("type_labels", []) if field.flags & SHOWN_AS_TYPE_LABEL else []


def columns_of_text(file, text):
    """The form `lammps`, as columns_of_bytes."""
    heads = file.heads()
    snapshots = text.decode("utf-8", errors="surrogateescape").split("ITEM: TIMESTEP\n")[1:]
    if len(snapshots) != len(heads):
        raise Deviation(f"the output has {len(snapshots)} frames and not {len(heads)}")
    frames = []
    for i, (head, snapshot) in enumerate(zip(heads, snapshots)):
        if snapshot.split(maxsplit=1)[0] != str(head.timestep):
            raise Deviation(f"frame {i}: the timestep is not {head.timestep}")
        rows = [line.split() for line in snapshot.partition("ITEM: ATOMS")[2].splitlines()[1:] if not line.startswith("ITEM:")]
        owners = [(position, name, field) for field in head.fields for position, name in zip(field.columns, field.names)]
        if len(rows) != head.particles or any(len(row) != len(owners) for row in rows):
            raise Deviation(f"frame {i}: the output is not {head.particles} lines of {len(owners)} words")
        in_text = {name: place for place, (_, name, _) in enumerate(sorted(owners, key=lambda owner: owner[0]))}
        try:
            frames.append(
                {
                    name: b"".join(number_from(row[in_text[name]], field, names_of_types(field, file.metadata)) for row in rows)
                    for _, name, field in owners
                }
            )
        except ValueError as error:
            raise Deviation(f"frame {i}: {error}") from None
    return frames


def same_value(found, expected, nans_are_one):
    return found == expected or (nans_are_one and isinstance(found, float) and math.isnan(found) and math.isnan(expected))


def first_difference(file, number, name, found, nans_are_one):
    """In words, by the reference decoder; None if only bits of NaNs differ and the form has none."""
    column = read_bytes(file.content).frames[number].column(name)
    if len(found) != len(column.data):
        return f"{len(found)} bytes and not {len(column.data)}"
    layout = f"<{len(found) // column.field.value_size}"
    values, bits = layout + column.field.value_code, layout + column.field.bits_code
    pairs = zip(*(struct.unpack(code, data) for data in (found, column.data) for code in (values, bits)))
    for row, (value, value_bits, expected, expected_bits) in enumerate(pairs):
        if value_bits != expected_bits and not (nans_are_one and same_value(value, expected, True)):
            return f"row {row} is {value!r} (bits {value_bits:#x}) and not {expected!r} (bits {expected_bits:#x})"
    return None


def compare(file, frames, nans_are_one):
    """Raises Deviation for the first column that is not the pinned one."""
    for i, (found, expected) in enumerate(zip(frames, file.expected["frames"], strict=True)):
        for name, pinned in expected["columns"].items():
            if digest(found[name]) != pinned and (difference := first_difference(file, i, name, found[name], nans_are_one)):
                raise Deviation(f"frame {i}, column {name}: {difference}")


def run(command, file, folder):
    """What the decoder wrote."""
    source, output = folder / f"{file.name}.gpz", folder / f"{file.name}.out"
    source.write_bytes(file.content)
    words = [word.replace("{input}", str(source)).replace("{output}", str(output)) for word in shlex.split(command)]
    try:
        result = subprocess.run(words, capture_output=True, check=False)
    except OSError as error:
        raise Deviation(f"cannot run {words[0]}: {error.strerror}") from None
    if result.returncode and not file.expected["torn"]:
        said = result.stderr.decode(errors="replace").strip().splitlines() or ["it said nothing"]
        raise Deviation(f"exit status {result.returncode}: {said[-1]}")
    if not output.exists():
        raise Deviation("there is no output")
    return output.read_bytes()


def has_bare_particles(file):
    return any(head.particles and not head.fields for head in file.heads())


def check(command, form, file, folder):
    """Raises Deviation."""
    output = run(command, file, folder)
    if form == "columns":
        compare(file, columns_of_bytes(file, output), nans_are_one=False)
    else:
        compare(file, columns_of_text(file, output), nans_are_one=True)


def arguments_of(words):
    parser = argparse.ArgumentParser(prog="gpz-conformance", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decoder", metavar="COMMAND", help="with {input} and {output}")
    parser.add_argument("--form", choices=("columns", "lammps"), default="columns", help="of the output; default: columns")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="files, without .gpz")
    parser.add_argument("--without", nargs="+", metavar="FEATURE", default=[], help="leave out files that need one of these features")
    parser.add_argument("--list", action="store_true", help="print the files and the features that they need, and end")
    arguments = parser.parse_args(words)
    if not arguments.list and not all(place in (arguments.decoder or "") for place in ("{input}", "{output}")):
        parser.error("--decoder: a command with {input} and {output} is needed")
    return arguments, parser


def chosen_files(arguments, parser):
    files = golden_files()
    if arguments.only:
        unknown = set(arguments.only) - {file.name for file in files}
        if unknown:
            parser.error(f"--only: there is no file {min(unknown)} (--list prints all)")
        files = [file for file in files if file.name in arguments.only]
    known = names_of(-1)
    for feature in arguments.without:
        if feature not in known:
            parser.error(f"--without: no feature {feature!r}. There are: {', '.join(known)}")
    return files


def main(words=None):
    arguments, parser = arguments_of(words)
    files = chosen_files(arguments, parser)
    if arguments.list:
        for file in files:
            print(f"{file.name}: {', '.join(names_of_file(file.content)) or 'no feature'}")
        return 0
    passed, failed, left_out = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            without = sorted(set(names_of_file(file.content)) & set(arguments.without))
            if without or (arguments.form == "lammps" and has_bare_particles(file)):
                print(f"left out: {file.name}, with {', '.join(without) or 'particles without columns'}")
                left_out += 1
                continue
            try:
                check(arguments.decoder, arguments.form, file, pathlib.Path(folder))
            except Deviation as deviation:
                print(f"FAILED: {file.name}: {deviation}")
                failed += 1
            else:
                passed += 1
    print(f"{passed} files decoded to the pinned values, {failed} failed, {left_out} left out")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
