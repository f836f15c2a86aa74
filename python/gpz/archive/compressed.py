# SPDX-License-Identifier: BSD-3-Clause
"""The bytes of a file, block by block, and those within gzip, zstd, bzip2 and xz. A file that is cut raises
EOFError."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from gpz.archive.errors import TaskFailed
from gpz.archive.stopping import check

BLOCK = 2**20  # bytes
# A block of 4 bytes in zstd may become 128 KiB, so this takes at most 128 MiB at once.
ZSTD_BLOCK = 2**12

MAGICS = {"gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd", "bzip2": b"BZh", "xz": b"\xfd7zXZ\0"}
# Each unpacks one stream. The readers of these modules take what is no stream after the first one as the end of the
# file, so a file whose second stream is damaged would lose its rest without an error.
STREAMS: dict[str, Callable[[], Any]] = {
    "bzip2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ),
}
XZ_PADDING = 4  # bytes: zeros between streams and after the last one are a multiple of it
DAMAGED = (zlib.error, lzma.LZMAError, gzip.BadGzipFile)


def compression_of(start: bytes) -> str | None:
    """The kind of compression, by the first bytes of a file; None if it is not compressed."""
    return next((name for name, magic in MAGICS.items() if start.startswith(magic)), None)


def blocks(
    path: str,
    compression: str | None,
    offset: int = 0,
    length: int | None = None,
    on_cut: Callable[[str], None] | None = None,
) -> Iterator[bytes]:
    """The bytes of a file; of a file that is not compressed, `length` bytes from byte `offset` on. Raises TaskFailed
    for a damaged or cut archive, and for a file that became shorter; Interrupted.

    on_cut: called with the cause for a compressed file that is cut, instead of TaskFailed: the bytes before the cut come first.
    """
    try:
        with open(path, "rb") as file:
            for block in _unpacked(file, compression, offset, length):
                check()
                yield block
    except EOFError as error:
        if on_cut is None:
            raise TaskFailed(f"cut {compression} data: {error}. --allow-truncated archives the whole frames before the cut") from None
        on_cut(f"truncated {compression} data: {error}")
    except DAMAGED as error:
        raise TaskFailed(f"damaged {compression} data: {error}") from None


def _unpacked(file: BinaryIO, compression: str | None, offset: int, length: int | None) -> Iterator[bytes]:
    if compression is None:
        file.seek(offset)
        yield from _plain(file, length)
    elif compression == "zstd":
        yield from _zstd(file)
    elif compression == "gzip":
        with gzip.open(file) as unpacked:
            while block := unpacked.read1(BLOCK):  # read() loses what is before a cut
                yield block
    else:
        yield from _streams(file, compression)


def _plain(file: BinaryIO, length: int | None) -> Iterator[bytes]:
    left = length
    while left is None or left > 0:
        block = file.read(BLOCK if left is None else min(BLOCK, left))
        if not block:
            if left is None:
                return
            raise TaskFailed("the file became shorter while it was read")
        if left is not None:
            left -= len(block)
        yield block


def _streams(file: BinaryIO, compression: str) -> Iterator[bytes]:
    """One stream after another, to the end of the file."""
    rest = file.read(BLOCK)
    magic = MAGICS[compression]
    while rest:
        if not magic.startswith(rest[: len(magic)]):
            raise TaskFailed(f"damaged {compression} data: what follows a stream is none")
        stream = STREAMS[compression]()
        while not stream.eof:
            if stream.needs_input and not rest:
                rest = file.read(BLOCK)
                if not rest:
                    raise EOFError(f"it ends within a stream of {compression}")
            try:
                block = stream.decompress(rest, BLOCK)
            except (OSError, lzma.LZMAError) as error:
                raise TaskFailed(f"damaged {compression} data: {error}") from None
            rest = b""
            if block:
                yield block
        rest = stream.unused_data or file.read(BLOCK)
        if compression == "xz":
            rest = _behind_padding(file, rest)


def _behind_padding(file: BinaryIO, rest: bytes) -> bytes:
    """The bytes after the padding of a stream of xz; empty at the end of the file."""
    zeros = 0
    while rest:
        stream = rest.lstrip(b"\0")
        zeros += len(rest) - len(stream)
        if stream:
            break
        rest = file.read(BLOCK)
    if zeros % XZ_PADDING:
        raise TaskFailed(f"damaged or cut xz data: {zeros} zeros after a stream, which is no multiple of {XZ_PADDING}")
    return rest.lstrip(b"\0")


def _zstd(file: BinaryIO) -> Iterator[bytes]:
    """The stream reader of the library does not notice a frame that is cut."""
    try:
        import zstandard
    except ImportError:
        raise TaskFailed('zstandard is missing: pip install "gpz-md[archive]"') from None
    library = zstandard.ZstdDecompressor(max_window_size=2**31)
    frame = None
    rest = b""
    try:
        while part := rest or file.read(ZSTD_BLOCK):
            if frame is None:
                frame = library.decompressobj()
            block = frame.decompress(part)
            rest = frame.unused_data if frame.eof else b""
            if frame.eof:
                frame = None
            if block:
                yield block
    except zstandard.ZstdError as error:
        raise TaskFailed(f"damaged zstd data: {error}") from None
    if frame is not None:
        raise EOFError("it ends within a frame of zstd")


def head(path: str, compression: str | None, size: int) -> bytes:
    """The first bytes, unpacked; fewer where the file has fewer, or is cut. TaskFailed for one that is cut before all of them."""
    found = b""
    cuts: list[str] = []
    for block in blocks(path, compression, on_cut=cuts.append):
        found += block
        if len(found) >= size:
            break
    if cuts and not found:
        raise TaskFailed(f"it is cut before its first bytes can be unpacked: {cuts[0]}")
    return found[:size]
