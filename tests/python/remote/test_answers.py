# SPDX-License-Identifier: BSD-3-Clause
"""What servers may not do: get credentials of others, send without end, ask for endless waits."""

import math

import pytest
from serving import KEY, Failing, Server, refuse

import gpz
from gpz.remote import RemoteError
from gpz.remote.attempts import delay_before


@pytest.fixture
def other(path):
    """Another server, so another origin, to which the first one leads."""
    with Server() as made:
        made.files["/file.gpz"] = path.read_bytes()
        made.tags["/file.gpz"] = '"one"'
        yield made


PRIVATE = {"Authorization": "Bearer secret", "Cookie": "session=secret", "X-Other": "for all"}


@pytest.mark.parametrize("of_session", [False, True], ids=["of requests", "of the session"])
def test_other_servers_get_no_credentials(server, other, same, of_session):
    """A presigned URL that comes with an Authorization of another server is refused as well."""
    seen = {server: [], other: []}

    def redirect(request):
        seen[server].append(request.headers)
        request.refuse(302, {"Location": other.url()})
        return True

    def look(request):
        seen[other].append(request.headers)
        if "Authorization" in request.headers:
            request.refuse(400)
            return True
        return False

    server.fault, other.fault = redirect, look
    storage = {"headers": PRIVATE}
    if of_session:
        storage = {"client_kwargs": storage}
    trajectory = gpz.open(server.url(), remote=gpz.remote.Options(storage=storage, delay=0.0))
    server.forget()
    same(trajectory, [KEY + 2, 3 * KEY])
    assert seen[server] and all(heads["Authorization"] == "Bearer secret" for heads in seen[server])
    assert len(seen[other]) >= 4 and all(heads["X-Other"] == "for all" for heads in seen[other])
    assert not any("Authorization" in heads or "Cookie" in heads for heads in seen[other])
    if not of_session:
        assert server.requests == []  # the redirection is followed once


@pytest.mark.filterwarnings("ignore:.*deprecated:DeprecationWarning")
def test_passwords_are_for_their_server_only(server, other, same):
    aiohttp = pytest.importorskip("aiohttp")
    seen = []
    server.fault = lambda request: (request.refuse(302, {"Location": other.url()}), True)[1]
    other.fault = lambda request: seen.append(request.headers.get("Authorization"))
    storage = {"auth": aiohttp.BasicAuth("me", "password")}
    same(gpz.open(server.url(), remote=gpz.remote.Options(storage=storage, delay=0.0)), [KEY + 2])
    assert len(seen) >= 3 and set(seen) == {None}


def test_the_same_server_gets_the_credentials_again(server, same):
    server.files["/second"] = server.files["/file.gpz"]
    seen = []

    def redirect(request):
        seen.append((request.path, request.headers.get("Authorization")))
        if request.path == "/file.gpz":
            request.refuse(302, {"Location": "/second"})
            return True
        return False

    server.fault = redirect
    trajectory = gpz.open(server.url(), remote=gpz.remote.Options(storage={"headers": PRIVATE}, delay=0.0))
    seen.clear()
    same(trajectory, [KEY + 2])
    assert seen and set(seen) == {("/second", "Bearer secret")}


def test_answers_are_not_read_beyond_what_was_asked_for(server, remote, same):
    """A body without an end, which only a limit stops."""
    given = []

    def endless(request):
        request.send_response(206)
        request.send_header(
            "Content-Range", f"bytes {request.begin}-{request.end - 1}/{len(server.files[request.path])}"
        )
        request.end_headers()
        request.close_connection = True
        given.append(request.begin)
        try:
            while True:
                request.wfile.write(bytes(1 << 16))
                request.wfile.flush()
        except OSError:
            pass

    trajectory = gpz.open(server.url(), remote=remote)
    server.fault = Failing(endless, times=2)
    same(trajectory, [KEY + 2])
    assert len(given) == 2
    server.fault = Failing(endless, times=-1)
    with pytest.raises(RemoteError, match="more bytes came instead of"):
        gpz.open(server.url(), remote=gpz.remote.Options(attempts=2, delay=0.0))[3 * KEY].positions  # noqa: B018


@pytest.mark.parametrize("wait", ["nan", "inf", "-inf", "-1", "1e999", "soon"])
def test_waits_that_are_none(server, remote, same, wait):
    server.fault = Failing(refuse(503, {"Retry-After": wait}), times=1)
    same(gpz.open(server.url(), remote=remote), [0])
    for value in (math.nan, math.inf):
        assert delay_before(1, remote, wait=value) == 0
