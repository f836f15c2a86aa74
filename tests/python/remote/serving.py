# SPDX-License-Identifier: BSD-3-Clause
"""A web server on this machine whose faults the test chooses. It counts requests and bytes."""

import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FRAMES, PARTICLES, KEY = 40, 16000, 8  # of the file that conftest.py makes


class Server(ThreadingHTTPServer):
    """Serves `files`, by path.

    fault: called with a request before it is answered; returns True if it has answered.
    latency: seconds before each answer.
    """

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = {}
        self.tags = {}
        self.has_ranges = True
        self.latency = 0.0
        self.fault = None
        self.lock = threading.Lock()
        self.forget()

    def forget(self):
        """Counts anew."""
        self.requests = []  # (method, begin, end); None for the whole file
        self.sent = 0  # bytes of bodies

    def url(self, path="/file.gpz"):
        return f"http://127.0.0.1:{self.server_port}{path}"

    def handle_error(self, request, client_address):
        """Clients that went away are no news."""

    def __enter__(self):
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_exception):
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 1 << 16

    def do_HEAD(self):
        self.answer(with_body=False)

    def do_GET(self):
        self.answer(with_body=True)

    def answer(self, with_body):
        server = self.server
        place = re.fullmatch(r"bytes=(\d*)-(\d+)", self.headers.get("Range", ""))
        begin, end = (int(place[1]), int(place[2]) + 1) if place and place[1] else (None, None)
        if place and not place[1]:
            end = len(server.files.get(self.path) or b"")
            begin = max(0, end - int(place[2]))
        self.begin, self.end = begin, end
        with server.lock:
            server.requests.append((self.command, begin, end))
        if server.latency:
            time.sleep(server.latency)
        if server.fault is not None and server.fault(self):
            return
        data = server.files.get(self.path)
        if data is None:
            self.refuse(404)
        elif begin is None or not server.has_ranges or not data:
            self.give(200, data, with_body=with_body)
        elif begin >= len(data):
            self.refuse(416, {"Content-Range": f"bytes */{len(data)}"})
        else:
            part = data[begin:end]
            self.give(206, part, {"Content-Range": f"bytes {begin}-{begin + len(part) - 1}/{len(data)}"}, with_body)

    def give(self, status, data, heads=None, with_body=True, length=None):
        """length: that the answer claims; None: that of `data`."""
        self.send_response(status)
        self.send_header("Content-Length", str(len(data) if length is None else length))
        tag = self.server.tags.get(self.path)
        if tag is not None:
            self.send_header("ETag", tag)
        for key, value in (heads or {}).items():
            self.send_header(key, value)
        self.end_headers()
        if with_body:
            # Before the client has the bytes, and may ask how many there were.
            with self.server.lock:
                self.server.sent += len(data)
            self.wfile.write(data)

    def refuse(self, status, heads=None):
        self.give(status, b"", heads)

    def log_message(self, *_arguments):
        """Nothing on standard error."""


class Failing:
    """Answers the first `times` requests from number `first` on in another way."""

    def __init__(self, answer, times, first=0):
        self.answer = answer
        self.left = times
        self.first = first
        self.lock = threading.Lock()

    def __call__(self, request):
        with self.lock:
            if self.first > 0 or self.left == 0:
                self.first -= 1
                return False
            self.left -= 1
        self.answer(request)
        return True


def refuse(status, heads=None):
    return lambda request: request.refuse(status, heads)
