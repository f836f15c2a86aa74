# SPDX-License-Identifier: BSD-3-Clause
"""Sources of a file: a path, a descriptor, a file object, or bytes in memory."""

from __future__ import annotations

import io
import operator
import os
import stat
import tempfile
from collections.abc import Iterable
from typing import Any

from gpz import _core
from gpz._arguments import shown
from gpz._errors import ArgumentError
from gpz.remote.names import is_url
from gpz.remote.options import Options
from gpz.remote.reading import RemoteFile, local_path

Path = str | bytes | os.PathLike
MAGIC = b"\x89GPZ"
# Bytes of a file object that are read at once when it is opened.
SMALL_FILE = 8 << 20
MOST_DESCRIPTORS = 2**31 - 1


def is_path(file: Any) -> bool:
    return isinstance(file, (str, bytes, os.PathLike))


def checked_path(path: Path) -> bytes:
    """The path as bytes, as the operating system takes it."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise ArgumentError(f"path: {os.fsdecode(name)!r} has a null character, which no path has")
    return name


def checked_descriptor(number: Any, wanted: str) -> int:
    """TypeError for what is no number: `wanted` says what is taken."""
    try:
        if isinstance(number, bool):
            raise TypeError
        descriptor = operator.index(number)
    except TypeError:
        raise TypeError(f"{wanted}, not {shown(number)}") from None
    if not 0 <= descriptor <= MOST_DESCRIPTORS:
        raise ArgumentError(f"{wanted}, and a descriptor is not {descriptor}")
    return descriptor


def require_output(output: Path, inputs: Iterable[Any]) -> None:
    """Each function and program calls this for every file that it writes or replaces without a gpz.Writer, before it opens the
    file. ArgumentError if the output is one of the inputs, whatever their names, or if a writer of .gpz files has it open.

    inputs: paths, file objects, descriptors or trajectories. What is no file on this machine, and None, is none of them.
    """
    name = checked_path(output)
    written = _status_of(name)
    if written is None or not stat.S_ISREG(written.st_mode):
        return
    for given in inputs:
        read = _status_of(given)
        if read is not None and os.path.samestat(written, read):
            shown_as = "an input as well as the output"
            if is_path(given) and checked_path(given) != name:
                shown_as = f"the same file as the input {os.fsdecode(given)}"
            raise ArgumentError(f"is {shown_as}: write another file", os.fsdecode(name))
    _core.WriteLock(name).release()


def _status_of(file: Any) -> os.stat_result | None:
    """None for what is no file on this machine."""
    if hasattr(file, "_file"):  # a gpz.Trajectory
        file = getattr(file, "path", None)
    try:
        if is_url(file):
            file = local_path(file)
        elif not is_path(file) and not isinstance(file, int):
            file = descriptor_of(file)
        return None if file is None or isinstance(file, bool) else os.stat(file)
    except (OSError, ValueError):
        return None


def name_of(file: Any) -> str:
    """The name of a file in messages."""
    name = getattr(file, "name", None)
    return name if isinstance(name, str) else type(file).__name__ if is_file_object(file) else "stream"


def is_file_object(file: Any) -> bool:
    return any(hasattr(file, name) for name in ("fileno", "read", "write"))


def descriptor_of(file: Any) -> int | None:
    """The descriptor that has the bytes of this file object. None for objects that have none (BytesIO), or whose bytes
    are others than those of their descriptor: gzip.open compresses."""
    inner = file.file if isinstance(file, tempfile._TemporaryFileWrapper) else file
    if not isinstance(inner, io.IOBase) and hasattr(inner, "write"):
        return None  # whatever it does with the bytes
    if isinstance(inner, io.TextIOWrapper):
        inner = inner.buffer
    if isinstance(inner, (io.BufferedReader, io.BufferedWriter, io.BufferedRandom)):
        inner = inner.raw
    if isinstance(inner, io.IOBase) and type(inner).__name__ not in ("FileIO", "SocketIO", "_WindowsConsoleIO"):
        return None
    try:
        return operator.index(file.fileno())
    except (AttributeError, OSError, TypeError, ValueError):
        if getattr(file, "closed", False):
            raise ValueError(f"{name_of(file)}: the file object is closed") from None
        return None


def go_to_place(file: Any, descriptor: int) -> None:
    """Sets the descriptor of a file to where its file object stands, which may have read ahead."""
    inner = file.buffer if isinstance(file, io.TextIOWrapper) else file
    if isinstance(inner, io.IOBase) and inner.seekable():
        os.lseek(descriptor, inner.tell(), os.SEEK_SET)


def writing(file: Any) -> Any:
    """The function that takes bytes."""
    if isinstance(file, io.TextIOWrapper):
        file = file.buffer
    if not callable(getattr(file, "write", None)):
        raise TypeError(f"path: a binary file object has a function write(), which {shown(file)} has not")
    return file.write


def require_mode(file: Any, allowed: str) -> None:
    """ArgumentError for a file object that cannot be read ("readable") or written ("writable"), or has texts."""
    name = name_of(file)
    if isinstance(file, io.TextIOBase) and not isinstance(file, io.TextIOWrapper):
        raise ArgumentError(f"a file object of texts, {type(file).__name__}: io.BytesIO has bytes", name)
    check = getattr(file, allowed, None)
    if check is not None and not check():
        mode = "rb" if allowed == "readable" else "wb"
        raise ArgumentError(f'the file object is not {allowed}: open(..., "{mode}")', name)


def source_of(
    file: Any,
    wanted: str = "path: a path, a URL, the bytes of a file, or a binary file object",
    remote: Options | None = None,
) -> str | bytes | bytearray | memoryview | RemoteFile:
    """A path, the bytes of a whole file, or a remote file, of what gpz.open takes. `wanted`: in messages."""
    if is_url(file):
        return local_path(file) or RemoteFile(file, remote)
    if isinstance(file, (str, os.PathLike)):
        return os.fsdecode(checked_path(file))
    if isinstance(file, bytes):
        if len(file) < 4096 and not file.startswith(MAGIC) and b"\0" not in file and os.path.exists(file):
            raise ArgumentError(f"path: bytes are those of a file, not its name {file!r}: os.fsdecode(path)")
        return file
    if isinstance(file, bytearray):
        return file
    if isinstance(file, io.BytesIO):
        return file.getvalue()
    if _is_of_fsspec(file):
        return _of_fsspec(file, remote)
    if hasattr(file, "read") and is_file_object(file):
        require_mode(file, "readable")
        return _path_of(file) or (RemoteFile(file, remote) if _is_read_in_parts(file) else _all_bytes(file))
    if isinstance(file, int) and not isinstance(file, bool):
        raise TypeError(
            f"{wanted}, not the descriptor {file}: gpz.stream reads it, and os.fdopen makes a file object of it"
        )
    try:
        view = memoryview(file)
    except TypeError:
        raise TypeError(f"{wanted}, not {shown(file)}") from None
    if view.itemsize != 1 or not view.c_contiguous:
        raise ArgumentError(f"{wanted}, not a view of {view.format!r} with the strides {view.strides}: bytes(view)")
    return view.cast("B")


def _path_of(file: Any) -> str | None:
    """The path of an open file, so that it is read where it is; None if it has none any more."""
    descriptor, name = descriptor_of(file), getattr(file, "name", None)
    if descriptor is None or not isinstance(name, (str, bytes)):
        return None
    try:
        if os.path.samestat(os.fstat(descriptor), os.stat(name)) and os.path.isfile(name):
            if hasattr(file, "flush"):
                file.flush()
            return os.fsdecode(os.path.abspath(name))
    except OSError:
        pass
    return None


def _is_of_fsspec(file: Any) -> bool:
    """Whether it is an fsspec.OpenFile, or a file that one opened: their file systems read ranges."""
    return hasattr(file, "path") and hasattr(getattr(file, "fs", None), "cat_file")


def _of_fsspec(file: Any, remote: Options | None) -> str | bytes | RemoteFile:
    if "r" not in getattr(file, "mode", "rb"):
        raise ArgumentError('the file object is not readable: open(..., "rb")', file.path)
    if getattr(file, "compression", None) is not None:
        if hasattr(file, "read"):
            return _all_bytes(file)
        with file as opened:
            return _all_bytes(opened)
    protocols = (file.fs.protocol,) if isinstance(file.fs.protocol, str) else file.fs.protocol
    return file.path if "local" in protocols else RemoteFile(file, remote)


def _is_read_in_parts(file: Any) -> bool:
    """Whether any part of a file object can be read by itself, and is worth it. Files that are decompressed are read from the
    start each time."""
    in_order = {"GzipFile", "BZ2File", "LZMAFile", "ZstdFile", "ZipExtFile"}
    if isinstance(file, io.TextIOWrapper) or in_order & {kind.__name__ for kind in type(file).__mro__}:
        return False
    try:
        before = file.tell()
        size = file.seek(0, os.SEEK_END)
        file.seek(before)
    except (AttributeError, OSError, TypeError, ValueError):
        return False
    return isinstance(size, int) and size > SMALL_FILE


def _all_bytes(file: Any) -> bytes:
    """Reads a file object from start to end, and puts it back to its position."""
    if isinstance(file, io.TextIOWrapper):
        file = file.buffer
    try:
        before = file.tell()
        file.seek(0)
    except (AttributeError, OSError):  # io.UnsupportedOperation is an OSError
        raise ArgumentError(
            "the file object cannot be read from any place: gpz.stream reads pipes", name_of(file)
        ) from None
    try:
        data = file.read()
    finally:
        file.seek(before)
    if not isinstance(data, (bytes, bytearray)):
        raise TypeError(f"{name_of(file)}: read() gives {type(data).__name__}, not bytes")
    return bytes(data)
