# SPDX-License-Identifier: BSD-3-Clause
"""The program gpz-view, which `gpz view` starts."""

from __future__ import annotations

import argparse
import contextlib
import getpass
import html
import os
import signal
import socket
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Iterator
from pathlib import Path

import gpz
from gpz.programs.exit_codes import USAGE, exit_code
from gpz.programs.options import add_threads, frames, number_from, port
from gpz.programs.parser import Parser
from gpz.view.scene import LIMIT


def parser() -> argparse.ArgumentParser:
    """The options of gpz view."""
    made = Parser(
        prog="gpz view",
        description="Shows a .gpz file in the browser. A server on this machine decodes the frames; it is reached from this "
        "machine only, and ends with Ctrl-C. With --html: writes a page that needs neither gpz nor a server.",
    )
    made.add_argument("file", metavar="FILE", help="a .gpz file; it may still be written")
    made.add_argument("--frames", metavar="A:B:STEP", type=frames, help="a slice as in Python, or one number (all)")
    made.add_argument(
        "--atoms",
        type=number_from(1),
        default=LIMIT,
        metavar="N",
        help=f"the most that are shown; of more, a sample ({LIMIT})",
    )
    made.add_argument("--html", metavar="OUT", help="write one page with the frames in it")
    made.add_argument("--column", metavar="NAME", help="with --html: a column to colour by, such as vx")
    made.add_argument("--port", type=port, default=0, metavar="N", help="of the server; 0: a free one (0)")
    made.add_argument("--no-browser", action="store_true", help="print the address only")
    add_threads(made)
    return made


def has_display(environment: dict[str, str] | os._Environ[str] = os.environ) -> bool:
    """Whether a browser that this program opens is in front of the user."""
    if "SSH_CONNECTION" in environment or "SSH_TTY" in environment:
        return False
    return sys.platform in ("darwin", "win32") or bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def directions(port: int) -> list[str]:
    """How a user at another machine sees the page."""
    return [
        "On another machine, type this there and leave it open, then open the address below there:",
        f"  ssh -L {port}:127.0.0.1:{port} {getpass.getuser()}@{socket.gethostname()}",
    ]


def main(arguments: list[str] | None = None) -> int:
    """Runs gpz view; returns its exit code."""
    options_parser = parser()
    options = options_parser.parse_args(arguments)
    for option in ("port", "no_browser") if options.html else ("column",):
        if getattr(options, option):
            options_parser.error(f"--{option.replace('_', '-')}: {'not with' if options.html else 'only with'} --html")
    try:
        if options.html:
            return write_page(options)
        return serve(options)
    except KeyboardInterrupt:
        return 0
    except gpz.ColumnError as error:
        print(f"gpz view: {error.path}: --column: {error.cause}", file=sys.stderr)
        return USAGE
    except (gpz.Error, OSError, MemoryError) as error:
        print(f"gpz view: {error}", file=sys.stderr)
        return exit_code(error)


def write_page(options: argparse.Namespace) -> int:
    """Writes the page without a server."""
    from gpz.view import write_html

    size = write_html(
        options.file,
        options.html,
        frames=options.frames,
        limit=options.atoms,
        column=options.column,
        threads=options.threads,
    )
    print(f"{options.html}: {size / 1e6:.3g} MB")
    return 0


@contextlib.contextmanager
def start_page(url: str) -> Iterator[str]:
    """The address of a file that leads to the URL, while it is needed. Browsers get it as an argument. Other users of the
    machine can see arguments, and they cannot read the file."""
    with tempfile.TemporaryDirectory(prefix="gpz-view-") as folder:  # for its owner only
        path = Path(folder, "start.html")
        path.write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={html.escape(url)}">\n')
        yield path.as_uri()


def serve(options: argparse.Namespace) -> int:
    """Serves until the user ends it."""
    from gpz.view import Server, scene_of

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    server = Server(scene_of(options.file, options.frames, options.atoms, options.threads), options.port).start()
    try:
        with start_page(server.url) as start:
            if options.no_browser or not has_display() or not webbrowser.open(start):
                print(*directions(server.port), sep="\n", file=sys.stderr)
            print("Ctrl-C ends the server.", file=sys.stderr, flush=True)
            print(server.url, flush=True)
            threading.Event().wait()
    finally:
        server.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
