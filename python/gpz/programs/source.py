# SPDX-License-Identifier: BSD-3-Clause
"""The program gpz-source, which gives bytes of a remote file to `gpz`, so that gpz needs no network library.

    gpz-source URL

Numbers are little-endian. Standard input has requests: u32 count, then for each range u64 position and u64 bytes. Standard
output has an answer to each, and one before the first request. An answer begins with u32 kind.

    0   the file is open: u64 bytes of the file; u32 length; its name, in UTF-8
    1   a failure: u32 status (gpz::Status); u32 errno or 0; u32 length; the cause, in UTF-8. Requests may follow
    2   the bytes of all ranges of the request, one after the other

The program ends with its standard input. tools/decompress/helper_source.cpp is the other side.
"""

from __future__ import annotations

import argparse
import os
import struct
import sys
from typing import BinaryIO

import gpz
from gpz._errors import status_of
from gpz.programs.exit_codes import exit_code
from gpz.remote.names import foreign_text, shown_text
from gpz.remote.options import Options
from gpz.remote.reading import file_of

OPENED, FAILURE, BYTES = range(3)
MOST_RANGES = 1 << 20


def main(arguments: list[str] | None = None) -> int:
    """Runs gpz-source; returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="gpz-source", description="Gives bytes of a remote file to gpz, over standard input and output."
    )
    parser.add_argument("url", help="of a .gpz file: https://..., s3://..., or any other that fsspec knows")
    url = parser.parse_args(arguments).url
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    # Packages that print would be taken for answers.
    sys.stdout = sys.stderr
    try:
        return serve(url, requests, answers)
    except (BrokenPipeError, KeyboardInterrupt):
        # gpz has ended, or is about to say so itself. What is still buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), answers.fileno())
        return 0


def serve(url: str, requests: BinaryIO, answers: BinaryIO) -> int:
    """Answers requests until there are no more. Returns the exit code."""
    try:
        file = file_of(url, Options())
    except (gpz.Error, OSError, ValueError) as error:
        give_failure(answers, error)
        return exit_code(error)
    name = file.name.encode("utf-8", "surrogateescape")
    answers.write(struct.pack("<IQI", OPENED, file.size, len(name)) + name)
    answers.flush()
    while (head := requests.read(4)) != b"":
        (count,) = struct.unpack("<I", head)
        if count > MOST_RANGES:
            raise ValueError(f"a request of {count} ranges")
        numbers = struct.unpack(f"<{2 * count}Q", requests.read(16 * count))
        ranges = [(begin, begin + size) for begin, size in zip(numbers[::2], numbers[1::2])]
        try:
            parts = file.read_ranges(ranges)
        except (gpz.Error, OSError, ValueError) as error:
            give_failure(answers, error)
            continue
        answers.write(struct.pack("<I", BYTES))
        answers.writelines(parts)
        answers.flush()
    return 0


def give_failure(answers: BinaryIO, error: Exception) -> None:
    """The answer that a request failed."""
    said = shown_text(error.cause) if isinstance(error, gpz.Error) else foreign_text(error)
    cause = said.encode("utf-8", "surrogateescape")
    number = getattr(error, "errno", None) or 0
    answers.write(struct.pack("<IIII", FAILURE, status_of(error), number, len(cause)) + cause)
    answers.flush()


if __name__ == "__main__":
    sys.exit(main())
