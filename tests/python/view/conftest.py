# SPDX-License-Identifier: BSD-3-Clause
"""Files that the tests show, and requests to a server."""

import http.client
import json
import urllib.parse

import numpy as np
import pytest

import gpz
import gpz.view
from gpz.view.messages import unpack

PARTICLES, FRAMES = 500, 6
BOX = gpz.Box.from_bounds([-1, -2, -3], [11, 12, 13], boundary="pp pp ff")


def positions_of(k):
    random = np.random.default_rng(3)
    return random.random((PARTICLES, 3)) * [12, 14, 16] - [1, 2, 3] + 0.01 * k


def write(path, frames=FRAMES, append=False, starts=None, **changes):
    """A file with bonds and observables. starts: a list that gets the bytes at which frames begin, and their end."""
    starts = [] if starts is None else starts
    random = np.random.default_rng(4)
    ids = random.permutation(PARTICLES) + 1
    with gpz.Writer(path, units="real", elements=["C", "H"], bound=1e-3, key_interval=3, append=append) as writer:
        if not append:
            writer.write_tables({"bonds": {"type": [1, 1], "atom1": [1, 2], "atom2": [2, 3]}})
        for k in range(frames):
            values = {
                "positions": positions_of(k), "ids": ids, "types": ids % 2 + 1, "velocities": positions_of(k) / 10, "box": BOX,
                "timestep": 10 * k, "time": 0.5 * k, "observables": {"Temp": (300.0 + k, "K"), "PotEng": -k},
            }  # fmt: skip
            starts.append(writer.size)
            writer.write(**{**values, **changes})
        starts.append(writer.size)
    return path


@pytest.fixture
def sample(tmp_path):
    return write(tmp_path / "sample.gpz")


class Client:
    """Requests to a server, each on a connection of its own."""

    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        self.address, self.root = parts.netloc, parts.path

    def ask(self, name, method="GET", path=None):
        """(status, headers, body)"""
        connection = http.client.HTTPConnection(self.address, timeout=30)
        connection.request(method, self.root + name if path is None else path)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, answer.headers, body

    def message(self, name):
        status, _, body = self.ask(name)
        assert status == 200, body
        return unpack(body)

    def error(self, name, **options):
        """(status, text)"""
        status, _, body = self.ask(name, **options)
        return status, json.loads(body)["error"]


@pytest.fixture
def served():
    """serve(path, ...) -> Client; every server ends with the test."""
    servers = []

    def serve(source, **options):
        servers.append(gpz.view.serve(source, **options))
        return Client(servers[-1].url)

    yield serve
    for server in servers:
        server.close()
