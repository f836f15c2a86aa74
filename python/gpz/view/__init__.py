# SPDX-License-Identifier: BSD-3-Clause
"""A look at a trajectory in the browser: `gpz view melt.gpz` in the shell, `trajectory.view()` in a notebook.

    import gpz.view

    server = gpz.view.serve("melt.gpz")          # a server on this machine, on a thread of its own
    server.url                                   # for a browser
    server.close()
    gpz.view.write_html("melt.gpz", "melt.html", frames=slice(0, 20))   # a page that needs no gpz
"""

from __future__ import annotations

import html
import os

import gpz
from gpz._arguments import checked_integer, shown
from gpz._files import require_output
from gpz._open_file import File, Source
from gpz.view import embedded
from gpz.view.scene import LIMIT, Scene
from gpz.view.server import Server

__all__ = ["LIMIT", "Scene", "Server", "View", "serve", "show", "write_html"]


def scene_of(source: gpz.Trajectory | Source, frames: slice | None, limit: int, threads: int | None) -> Scene:
    """The scene of a file, or of a trajectory, whose file is opened a second time: readers are not shared between threads."""
    limit = checked_integer("limit", limit, 1, 10**9, "a whole number from 1")
    if frames is not None and not isinstance(frames, slice):
        raise TypeError(f"frames: a slice, as slice(0, 100, 10), or None, not {shown(frames)}")
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


def write_html(
    source: gpz.Trajectory | Source,
    path: str | os.PathLike[str],
    *,
    frames: slice | None = None,
    limit: int = LIMIT,
    column: str | None = None,
    threads: int | None = None,
) -> int:
    """Writes one page with the frames in it, for browsers without gpz, and returns its size in bytes.

    Positions are rounded to 1/65535 of the range of each axis: six bytes for a particle, eight in the page. column: to colour by;
    four bytes more. gpz.ArgumentError for more than 64 MB: choose fewer frames, or a smaller limit; also if `path` is the file
    itself.
    """
    require_output(path, [source])
    return embedded.write(scene_of(source, frames, limit, threads), path, column)


class View:
    """A trajectory in a notebook: the last expression of a cell shows it.

    url: of the page, for a browser on this machine; None for a view that is embedded.
    """

    def __init__(self, server: Server | None, document: str, width: str, height: int):
        self._server = server
        self._document = document
        self._width = width
        self._height = height

    @property
    def url(self) -> str | None:
        """The URL of the page; None for an embedded view."""
        return self._server.url if self._server else None

    def close(self) -> None:
        """Ends the server, if there is one. It also ends with the program."""
        if self._server:
            self._server.close()
            self._server = None

    def _repr_html_(self) -> str:
        source = f'srcdoc="{html.escape(self._document)}"' if self._document else f'src="{self.url}"'
        return f'<iframe {source} style="width:{html.escape(self._width)};height:{self._height}px;border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<gpz.view.View {self.url or 'embedded'}>"


def show(
    trajectory: gpz.Trajectory,
    *,
    embed: bool = False,
    column: str | None = None,
    limit: int = LIMIT,
    width: str = "100%",
    height: int = 600,
) -> View:
    """Shows the frames in a notebook, if it is the last expression of a cell; its `url` is for browsers on this machine.

    A server in this process decodes what the page asks for, until the view's `close()`, or until the process ends.
    embed: without a server, with all frames in the page, 64 MB at most: for notebooks that run on another machine than the
        browser, and for notebooks that are stored with their outputs. column: to colour by, with embed.
    limit: the most particles that are shown of a frame; of more, a sample.
    width, height: of the view: as in CSS, and in pixels.
    """
    height = checked_integer("height", height, 50, 100_000, "pixels, a whole number from 50")
    if not isinstance(width, str):
        raise TypeError(f'width: a text as in CSS, such as "100%", not {shown(width)}')
    if not embed:
        if column is not None:
            raise gpz.ArgumentError("column: only with embed=True. The page of a server has all columns")
        return View(Server(scene_of(trajectory, None, limit, None)).start(), "", width, height)
    return View(None, embedded.page(scene_of(trajectory, None, limit, None), column), width, height)
