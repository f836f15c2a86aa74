# SPDX-License-Identifier: BSD-3-Clause
"""The server of one trajectory, for browsers on the same machine."""

from __future__ import annotations

import contextlib
import json
import re
import secrets
import socket
import threading
import types
import urllib.parse
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import gpz
from gpz._errors import Error
from gpz.view import pages
from gpz.view.scene import Region, Scene

LOOPBACK = "127.0.0.1"
BINARY = "application/octet-stream"
NOTHING: Mapping[str, str] = types.MappingProxyType({})


class Server:
    """Serves a scene at `url`, until `close`. The last part of the URL is a secret: nobody else on the machine can guess it.

    port: 0 takes a free one. Raises gpz.FileError if the port is in use.
    """

    def __init__(self, scene: Scene, port: int = 0):
        self.scene = scene
        self.token = secrets.token_urlsafe(24)
        try:
            self._server = _HttpServer((LOOPBACK, port), _Handler)
        except OSError as error:
            raise gpz.FileError(f"port {port}: {error.strerror}", errno=error.errno) from None
        self._server.gpz = self
        self._thread: threading.Thread | None = None

    @property
    def port(self) -> int:
        """On which it listens."""
        return self._server.server_address[1]

    @property
    def url(self) -> str:
        """The URL of the page."""
        return f"http://{LOOPBACK}:{self.port}/{self.token}/"

    def start(self) -> Server:
        """Serves on a thread of its own, which does not keep the program from ending. Returns the server."""
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True, name="gpz view")
        self._thread.start()
        return self

    def close(self) -> None:
        """Ends, and frees the port."""
        if self._thread is not None:
            self._server.shutdown()
            self._thread.join()
        self._server.close_connections()
        self._server.server_close()


class _HttpServer(ThreadingHTTPServer):
    daemon_threads = True
    gpz: Server

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        self.connections: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Remembers the connection, which a browser keeps open between requests."""
        self.connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Forgets it."""
        self.connections.discard(request)
        super().shutdown_request(request)

    def close_connections(self) -> None:
        """Ends those that are open: their threads would serve on."""
        for connection in list(self.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: a browser that goes away is no error, and others are answered."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 120  # seconds without a request, then the connection ends
    server: _HttpServer

    def version_string(self) -> str:
        return f"gpz/{gpz.__version__}"

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing: each frame is a request."""

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        token, _, name = path.removeprefix("/").partition("/")
        if not secrets.compare_digest(token.encode(), self.server.gpz.token.encode()):
            self._refuse(HTTPStatus.FORBIDDEN, "the token of the URL is not that of this server")
            return
        try:
            content, kind = self._content(name, urllib.parse.parse_qs(query))
        except (LookupError, ValueError, Error, MemoryError, OSError) as error:
            self._refuse_for(error)
            return
        self._send(HTTPStatus.OK, content, kind)

    do_HEAD = do_GET

    def _content(self, name: str, query: dict[str, list[str]]) -> tuple[bytes, str]:
        scene = self.server.gpz.scene
        if name == "":
            return pages.live_page(scene.name).encode(), "text/html; charset=utf-8"
        if name == "index":
            return scene.index(), BINARY
        number = re.fullmatch(r"(frame|bonds)/([0-9]{1,15})", name)
        if number is None:
            raise _NoSuchPath(f"no {name}")
        if number[1] == "bonds":
            return scene.bonds(int(number[2])), BINARY
        column, region, known = (query.get(key, [None])[0] for key in ("column", "region", "known"))
        return scene.frame(int(number[2]), column, region_of(region), known), BINARY

    def _refuse_for(self, error: BaseException) -> None:
        if isinstance(error, gpz.Error):  # of which some are ValueErrors or OSErrors as well
            self._refuse(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
        elif isinstance(error, LookupError):
            self._refuse(HTTPStatus.NOT_FOUND, str(error.args[0] if error.args else error))
        elif isinstance(error, ValueError):
            self._refuse(HTTPStatus.BAD_REQUEST, str(error))
        else:
            self._refuse(HTTPStatus.UNPROCESSABLE_ENTITY, str(error) or type(error).__name__)

    def _refuse(self, status: HTTPStatus, cause: str) -> None:
        self._send(status, json.dumps({"error": cause}).encode(), "application/json")

    def _send(self, status: HTTPStatus, content: bytes, kind: str, more: Mapping[str, str] = NOTHING) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        for name, value in more.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


class _NoSuchPath(LookupError):
    pass


def region_of(text: str | None) -> Region | None:
    """From "0,1,0,1,0.4,0.6": low and high of x, y and z. ValueError for other texts."""
    if text is None:
        return None
    numbers = [float(number) for number in text.split(",")]
    if len(numbers) != 6 or not all(-1e300 < number < 1e300 for number in numbers):
        raise ValueError(f"region: six numbers, not {text!r}")
    return tuple(zip(numbers[::2], numbers[1::2]))
