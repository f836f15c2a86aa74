# SPDX-License-Identifier: BSD-3-Clause
"""Servers that fail: what passes is asked for again, the rest is one clear error."""

import builtins
import threading

import numpy as np
import pytest
from serving import FRAMES, KEY, Failing, refuse

import gpz
from gpz.remote import ChangedError, RemoteError
from gpz.remote.attempts import delay_before


def reset(request):
    """Closes the connection in the middle of an answer."""
    request.give(206, b"\x89GPZ", {"Content-Range": f"bytes {request.begin}-{request.end - 1}/{len(request.server.files[request.path])}"}, length=65536)
    request.close_connection = True


def hang_up(request):
    request.close_connection = True


def cut(request):
    """A shorter body than was asked for, which is all that the answer claims."""
    request.give(206, b"\x89GPZ", {"Content-Range": f"bytes {request.begin}-{request.end - 1}/2000000"})


@pytest.mark.parametrize("first", [0, 1, 2])
@pytest.mark.parametrize(
    "answer",
    [refuse(503), refuse(429, {"Retry-After": "0"}), refuse(500), reset, hang_up],
    ids=["503", "429", "500", "reset", "hang up"],
)
def test_what_passes_is_asked_for_again(server, remote, same, answer, first):
    server.fault = Failing(answer, times=3, first=first)
    trajectory = gpz.open(server.url(), remote=remote)
    same(trajectory, [KEY + 3, 0])
    assert server.fault.left == 0


def test_short_answers_are_asked_for_again(server, remote, same):
    server.fault = Failing(cut, times=2)
    same(gpz.open(server.url(), remote=remote), [2])
    assert server.fault.left == 0


@pytest.mark.parametrize(
    ("answer", "says"),
    [(refuse(503), "status 503"), (hang_up, "connection failed"), (cut, "4 bytes came instead of")],
    ids=["503", "hang up", "short"],
)
def test_attempts_end(server, answer, says):
    server.fault = Failing(answer, times=-1)
    with pytest.raises(RemoteError, match=says) as raised:
        gpz.open(server.url(), remote=gpz.remote.Options(attempts=3, delay=0.0))
    assert "3 times" in str(raised.value) and server.url() in str(raised.value)
    assert 3 <= len(server.requests) <= 8  # also for the end of the file; aiohttp asks again for itself where a connection was used before
    assert isinstance(raised.value, gpz.FileError) and isinstance(raised.value, OSError)


def test_a_byte_that_is_flipped_on_its_way(server, remote, same, local):
    """Frames that build on it are right when the next answer is."""
    whole = server.files["/file.gpz"]
    reader = local._file.require_open()
    damaged = bytearray(whole)
    damaged[int(reader.offsets()[KEY + 2] + reader.lengths()[KEY + 2] // 2)] ^= 1
    trajectory = gpz.open(server.url(), remote=remote)
    server.files["/file.gpz"] = bytes(damaged)
    with pytest.raises(gpz.CorruptError, match=f"it builds on frame {KEY + 2}, which is damaged"):
        trajectory[KEY + 5].positions  # noqa: B018
    server.files["/file.gpz"] = whole
    same(trajectory, [KEY + 6, KEY + 3, KEY + 2, KEY + 7])


def test_an_error_while_reading_is_that_of_the_server(server, remote):
    trajectory = gpz.open(server.url(), remote=remote)
    server.fault = Failing(refuse(503), times=-1)
    with pytest.raises(RemoteError, match="status 503"):
        trajectory[KEY + 3].positions  # noqa: B018
    server.fault = None
    assert np.isfinite(trajectory[KEY + 3].positions).all()


@pytest.mark.parametrize(
    ("status", "kind", "says"),
    [
        (404, FileNotFoundError, "there is no such file"),
        (410, FileNotFoundError, "there is no such file"),
        (401, PermissionError, "access was refused"),
        (403, PermissionError, "access was refused"),
        (400, RemoteError, "status 400"),
    ],
)
def test_what_does_not_pass_is_asked_for_once(server, remote, status, kind, says):
    server.fault = Failing(refuse(status), times=-1)
    with pytest.raises(kind, match=says) as raised:
        gpz.open(server.url(), remote=remote)
    assert isinstance(raised.value, gpz.Error) and server.url() in str(raised.value)
    assert len(server.requests) <= 2  # for the start and the end


def test_no_server(server, remote):
    url = server.url()
    server.__exit__()
    with pytest.raises(RemoteError, match="connection failed"):
        gpz.open(url, remote=remote)


def test_no_answer_in_time(server):
    released = threading.Event()

    def wait(_request):
        released.wait()
        return True

    server.fault = wait
    try:
        with pytest.raises(RemoteError, match="no answer in time, 2 times"):
            gpz.open(server.url(), remote=gpz.remote.Options(attempts=2, delay=0.0, timeout=0.05))
    finally:
        released.set()


@pytest.mark.parametrize("what", ["tag", "size", "shorter"])
def test_a_file_that_was_replaced(server, remote, path, what):
    trajectory = gpz.open(server.url(), remote=remote)
    data = path.read_bytes()
    if what == "tag":
        server.tags["/file.gpz"] = '"two"'
    elif what == "size":
        server.files["/file.gpz"] = data + bytes(8)
    else:
        server.files["/file.gpz"] = data[: 100 << 10]
    with pytest.raises(ChangedError, match="was replaced while it was open") as raised:
        trajectory[2 * KEY + 3].positions  # noqa: B018
    assert server.url() in str(raised.value)


def test_a_file_that_was_replaced_without_a_tag(server, remote, path):
    """Damage is damage, for all that is known."""
    server.tags.clear()
    trajectory = gpz.open(server.url(), remote=remote)
    server.files["/file.gpz"] = path.read_bytes()[:65536] + bytes(path.stat().st_size - 65536)
    with pytest.raises(gpz.CorruptError):
        trajectory[2 * KEY + 3].positions  # noqa: B018
    server.files["/file.gpz"] = path.read_bytes()
    assert len(trajectory[2 * KEY + 3].positions)  # what was kept of the damage was dropped


def test_servers_without_ranges(server, remote, same, path):
    server.has_ranges = False
    trajectory = gpz.open(server.url(), remote=remote)
    same(trajectory)
    # The request for the end of the file is given up.
    assert [request[0] for request in server.requests] in (["GET"], ["GET", "GET"])
    with pytest.raises(RemoteError, match="sends whole files only, and this one has") as raised:
        gpz.open(server.url(), remote=gpz.remote.Options(largest_download=1 << 20))
    assert "largest_download" in str(raised.value)


def test_whole_files_that_are_cut(server, remote):
    server.has_ranges = False
    server.fault = Failing(lambda request: (request.give(200, bytes(10), length=20), hang_up(request)), times=2)
    assert len(gpz.open(server.url(), remote=remote)) == FRAMES


def test_redirections_are_followed_once(server, remote, same):
    server.files["/first"] = server.files["/second"] = server.files["/file.gpz"]
    expired = set()

    def redirect(request):
        if request.path == "/file.gpz":
            request.refuse(302, {"Location": "/second" if expired else "/first"})
            return True
        if request.path in expired:
            request.refuse(403)
            return True
        return False

    server.fault = redirect
    trajectory = gpz.open(server.url(), remote=remote)
    assert len(server.requests) <= 4
    same(trajectory, [KEY + 2])
    expired.add("/first")
    server.forget()
    same(trajectory, [3 * KEY + 2])
    assert len(server.requests) <= 4  # one that was refused, and its redirection


def test_other_bytes_than_those_of_a_file(server, remote):
    server.files["/page"] = b"<html>" * 1000
    with pytest.raises(gpz.NotGpzError) as raised:
        gpz.open(server.url("/page"), remote=remote)
    assert server.url("/page") in str(raised.value)
    server.files["/empty"] = b""
    with pytest.raises(gpz.TruncatedError):
        gpz.open(server.url("/empty"), remote=remote)


def test_messages_have_no_secrets(server, remote):
    url = server.url("/none?signature=secret").replace("//", "//me:password@")
    with pytest.raises(FileNotFoundError) as raised:
        gpz.open(url, remote=remote)
    assert "secret" not in str(raised.value) and "password" not in str(raised.value)
    assert "/none?..." in str(raised.value)


def test_several_threads(server, remote, local):
    trajectory = gpz.open(server.url(), remote=remote)
    failures = []

    def read(first):
        try:
            for index in range(first, FRAMES, 3):
                np.testing.assert_array_equal(trajectory[index].positions, local[index].positions)
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=read, args=(first,)) for first in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_delays_grow_and_are_bounded():
    options = gpz.remote.Options(delay=0.25)
    for attempt, usual in ((1, 0.25), (2, 0.5), (4, 2.0), (20, 10.0)):
        delays = {delay_before(attempt, options) for _ in range(20)}
        assert len(delays) > 1 and all(0.5 * usual <= delay <= 1.5 * usual for delay in delays)
    assert delay_before(3, options, wait=7) == 7
    assert delay_before(3, options, wait=1e9) == 60


def test_missing_packages(monkeypatch):
    imported = builtins.__import__

    def without_fsspec(name, *arguments, **keywords):
        if name.startswith("fsspec"):
            raise ImportError(name)
        return imported(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", without_fsspec)
    with pytest.raises(ImportError, match=r'fsspec is missing: pip install "gpz-md\[remote\]"') as raised:
        gpz.open("https://127.0.0.1/file.gpz")
    assert isinstance(raised.value, gpz.Error)


def test_urls_that_nothing_reads():
    with pytest.raises(gpz.ArgumentError, match="no such URL can be read"):
        gpz.open("nonsense://host/file.gpz")
