# SPDX-License-Identifier: BSD-3-Clause
"""Files that survive a loss of power, and digests of files."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import xxhash

from gpz.archive.stopping import check

BLOCK = 2**20  # bytes
PART = ".part"


@dataclass(frozen=True)
class Identity:
    """Size in bytes and time of the last change in ns, by which a file that was read is recognised."""

    size: int
    mtime_ns: int


def identity_of(path: str) -> Identity:
    """Raises OSError."""
    status = os.stat(path)
    return Identity(status.st_size, status.st_mtime_ns)


class Digest:
    """XXH3 of 64 bits, as gpz notes it in the history of a file and as `xxhsum -H3` prints it.

    It guards against accidents, not against deceit. SHA-256 takes more than twice the time, and much more on processors
    without instructions for it.
    """

    def __init__(self) -> None:
        self._state = xxhash.xxh3_64()

    def update(self, block: bytes) -> None:
        """Takes the next bytes."""
        self._state.update(block)

    @property
    def text(self) -> str:
        """The digest of all bytes so far."""
        return f"xxh3:{self._state.hexdigest()}"


def digest_of(path: str) -> str:
    """The digest of a file. Raises OSError."""
    digest = Digest()
    with open(path, "rb") as file:
        while block := file.read(BLOCK):
            check()
            digest.update(block)
    return digest.text


def sync(path: str) -> None:
    """Returns when the bytes of a file, or the names in a folder, are on disk (fsync)."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def whole(path: str) -> Iterator[str]:
    """Another name, to write to: `path` has all bytes and is on disk when the block ends, or is as before if it fails.

    The name is new each time. A process that outlives its killed parent may still write to an earlier one.
    """
    part = f"{path}.{secrets.token_hex(6)}{PART}"
    try:
        yield part
        sync(part)
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(part)
        raise
    sync(os.path.dirname(path))


def make_folders(path: str) -> None:
    """Makes a folder and those above it, and waits until each is on disk."""
    if os.path.isdir(path):
        return
    above = os.path.dirname(path)
    make_folders(above)
    with suppress(FileExistsError):
        os.mkdir(path)
    sync(above)


def remove_parts(folder: str) -> None:
    """Removes what an interrupted run has not finished."""
    for name in os.listdir(folder):
        if PART in name:
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, name))
