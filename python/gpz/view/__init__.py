# SPDX-License-Identifier: BSD-3-Clause
"""A look at a trajectory in the browser: `gpz view melt.gpz` in the shell, `trajectory.view()` in a notebook.

    import gpz.view

    server = gpz.view.serve("melt.gpz")          # a server on this machine, on a thread of its own
    server.url                                   # for a browser
    server.close()
    gpz.view.write_html("melt.gpz", "melt.html", frames=slice(0, 20))   # a page that needs no gpz
"""

from __future__ import annotations

import gpz
from gpz._trajectory import File, Source
from gpz.view.scene import LIMIT, Scene
from gpz.view.server import Server

__all__ = ["LIMIT", "Scene", "Server", "serve"]


def scene_of(source: gpz.Trajectory | Source, frames: slice | None, limit: int, threads: int | None) -> Scene:
    """Of a file, or of a trajectory, whose file is opened a second time: readers are not shared between threads."""
    if isinstance(source, gpz.Trajectory):
        file = File(source._file.source, source._file.options)
        return Scene(gpz.Trajectory(file, None if source._whole else source._indices), frames, limit)
    return Scene(gpz.open(source, threads=threads), frames, limit)


def serve(
    source: gpz.Trajectory | Source,
    *,
    frames: slice | None = None,
    limit: int = LIMIT,
    port: int = 0,
    threads: int | None = None,
) -> Server:
    """Starts a server for browsers on this machine, and returns it. It serves this file only, to whoever has its `url`.

    frames: which frames, None: all. limit: the most particles that are sent of a frame; of more a sample is.
    port: 0 takes a free one. threads: for decoding, as in gpz.open.
    """
    return Server(scene_of(source, frames, limit, threads), port).start()
