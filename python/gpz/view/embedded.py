# SPDX-License-Identifier: BSD-3-Clause
"""One page with its frames in it, which needs neither gpz nor a server."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator

import numpy as np

import gpz
from gpz.view import pages
from gpz.view.messages import pack, unpack
from gpz.view.scene import Scene

LARGEST = 64_000_000  # bytes of a page: browsers open more, slowly
LEVELS = 65535  # of positions along each axis
IN_BASE64 = 4 / 3
OF_POSITIONS, OF_COLUMN, OF_IDENTITY = 6, 4, 5  # bytes of a particle
OF_FRAME = 1000  # bytes besides


def write(scene: Scene, path: str | os.PathLike[str], column: str | None = None, largest: int = LARGEST) -> int:
    """Writes the page, which appears under its name when it is complete, and returns its size in bytes.

    column: to colour by. largest: bytes. gpz.ArgumentError for a page that would be larger; FileError if it cannot be
    written.
    """
    text = page(scene, column, largest).encode()
    path = os.fspath(path)
    try:
        with tempfile.NamedTemporaryFile(dir=os.path.dirname(path) or ".", prefix=".gpz-view-", delete=False) as file:
            try:
                file.write(text)
                os.chmod(file.name, 0o666 & ~_umask())
                os.replace(file.name, path)
            except BaseException:
                os.unlink(file.name)
                raise
    except OSError as error:
        raise gpz.FileError(error.strerror or str(error), path, errno=error.errno) from None
    return len(text)


def page(scene: Scene, column: str | None = None, largest: int = LARGEST) -> str:
    """The text of the page that `write` writes."""
    _require_size(scene, column, largest)
    return pages.embedded_page(scene.name, dict(messages(scene, column)))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _require_size(scene: Scene, column: str | None, largest: int) -> None:
    counts = scene.trajectory.counts
    if not len(counts):
        raise gpz.ArgumentError("there is no frame to show", scene.trajectory.path)
    if column is not None and not any(column in frame for frame in scene.trajectory):
        names = dict.fromkeys(name for frame in scene.trajectory for name in frame)
        raise gpz.ColumnError(f"no column {column}: there are {' '.join(names)}", scene.trajectory.path)
    particle_bytes = OF_POSITIONS + (OF_COLUMN if column else 0)

    def page_bytes(every: int = 1, limit: int = scene.limit) -> int:
        """The size of a page with every Nth frame and at most `limit` particles of each."""
        return _page_bytes(counts[::every], limit, particle_bytes)

    size = page_bytes()
    if size > largest:
        # The smallest step between frames with which the page is not too large.
        step = next((n for n in range(2, len(counts) + 1) if page_bytes(every=n) <= largest), None)
        fewer = "Take fewer frames" if step is None else f"Take one frame of {step} (::{step})"
        empty, whole = page_bytes(limit=0), page_bytes(limit=counts.max())
        most = int(counts.max() * (largest - empty) / (whole - empty))
        less = f", or at most {most} of the particles" if most > 0 else ""
        raise gpz.ArgumentError(
            f"a page with these {len(counts)} frames has {size / 1e6:.0f} MB, and the most are {largest / 1e6:.0f} MB. {fewer}{less}",
            scene.trajectory.path,
        )


def _page_bytes(counts: np.ndarray, limit: int, particle_bytes: int) -> int:
    """The approximate size of a page. counts: particles of each frame, of which at most `limit` are in the page."""
    sent = np.minimum(counts, limit)
    return int(IN_BASE64 * (particle_bytes * sent.sum() + OF_FRAME * len(counts) + OF_IDENTITY * sent.max()))


def messages(scene: Scene, column: str | None) -> Iterator[tuple[str, bytes]]:
    """The messages that the server would send, by their names; for frames without ids and types, which are in messages of their
    own. A frame that cannot be read has its error instead."""
    yield "index", scene.index()
    known: set[str] = set()
    for index in range(len(scene.trajectory)):
        try:
            head, arrays = unpack(scene.frame(index, column))
        except gpz.Error as error:
            yield f"frame/{index}", pack({"error": str(error)}, {})
            continue
        identity = {name: arrays.pop(name) for name in ("ids", "types") if name in arrays}
        if head["identity"] not in known:
            known.add(head["identity"])
            yield f"identity/{head['identity']}", pack({}, identity)
        head["columns"] = [column] if column else []
        yield f"frame/{index}", pack(head, _rounded(head, arrays))
    for index in scene.trajectory.table_frames:
        try:
            yield f"bonds/{index}", scene.bonds(int(index))
        except gpz.Error as error:
            yield f"bonds/{index}", pack({"error": str(error)}, {})


def _rounded(head: dict, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays with positions as multiples of a step from 0 to LEVELS, if all are finite. Changes origin and bound in the head."""
    positions = arrays["positions"].reshape(-1, 3).astype(np.float64)
    if not len(positions) or not np.isfinite(positions).all():
        return arrays
    low = positions.min(axis=0)
    step = np.maximum((positions.max(axis=0) - low) / LEVELS, 1e-300)
    head["step"] = step.tolist()
    head["low"] = low.tolist()
    head["bound"] = (head["bound"] or 0.0) + float(step.max()) / 2
    rest = {name: values for name, values in arrays.items() if name != "positions"}
    return {"packed": np.round((positions - low) / step).astype(np.uint16), **rest}
