# SPDX-License-Identifier: BSD-3-Clause
"""What messages show of URLs: no passwords, no signatures."""

import io

import pytest

import gpz
from gpz._errors import ColumnError
from gpz.programs.source import give_failure
from gpz.remote.names import foreign_text, shown_path, shown_text, shown_url


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://host/f.gpz", "https://host/f.gpz"),
        ("https://host:8080/f.gpz#part", "https://host:8080/f.gpz#part"),
        ("https://host/f.gpz?sig=secret", "https://host/f.gpz?..."),
        ("https://me:secret@host/f.gpz?sig=secret", "https://host/f.gpz?..."),
        ("https://me:sec@ret@host/f.gpz", "https://host/f.gpz"),
        ("https://me:sec/ret@host/f.gpz", "https://...@host/f.gpz"),
        ("https://me:12/secret@host/f.gpz", "https://...@host/f.gpz"),
        ("https://me:a@secret/b@host/f.gpz", "https://...@host/f.gpz"),
        ("https://me:sec?ret@host/f.gpz", "https://...@host/f.gpz"),
        ("https://me:sec#ret@host/f.gpz", "https://...@host/f.gpz"),
        ("https://host:8080/f.gpz?user=me@place", "https://host:8080/f.gpz?..."),
        ("https://[::1]/f.gpz", "https://[::1]/f.gpz"),
        ("s3://bucket/me@place/f.gpz", "s3://bucket/me@place/f.gpz"),
        ("simplecache::https://me:secret@host/f.gpz?sig=secret", "simplecache::https://host/f.gpz?..."),
        ("zip://f.gpz?sig=secret::https://me:secret@host/f.zip?sig=secret", "zip://f.gpz?...::https://host/f.zip?..."),
    ],
)
def test_urls(url, shown):
    assert shown_url(url) == shown
    assert shown_text(f"one {url} and '{url}'") == f"one {shown} and '{shown}'"
    assert foreign_text(ValueError(f"url='{url}'"), url) == f"url='{shown}'"


def test_texts_without_a_scheme():
    assert foreign_text(ValueError("to /f.gpz?a=1&sig=secret is wrong")) == "to /f.gpz?... is wrong"
    assert foreign_text(ValueError("what? nothing = 3")) == "what? nothing = 3"
    assert foreign_text(OSError()) == "OSError"
    assert shown_path("folder/a?b=1.gpz") == "folder/a?b=1.gpz"


def test_every_error_of_the_package():
    error = ColumnError("no column q, at s3://me:secret@host/f.gpz", "https://me:secret@host/f.gpz?sig=secret")
    assert "secret" not in str(error) and "https://host/f.gpz?..." in str(error)


@pytest.mark.parametrize("kind", [ValueError, OSError, gpz.ArgumentError])
def test_what_the_command_is_told(kind):
    answers = io.BytesIO()
    give_failure(answers, kind("no https://me:secret@host/f.gpz?sig=secret"))
    assert answers.getvalue().endswith(b"no https://host/f.gpz?...")


@pytest.mark.parametrize(
    "place",
    [
        "/file.gpz?sig=secret",
        "ftp://me:secret@host/f.gpz?sig=secret",
        "http://[bad/f.gpz?sig=secret",
        "//[bad/f.gpz?sig=secret",
    ],
    ids=["loop", "ftp", "no URL", "no scheme"],
)
def test_redirections_that_lead_nowhere(server, remote, place):
    server.fault = lambda request: (request.refuse(302, {"Location": place}), True)[1]
    require_no_secrets(server.url("/file.gpz?sig=secret"), remote)


@pytest.mark.parametrize(
    "url", ["http:///f.gpz?sig=secret", "http://me:sec/secret@[bad/f.gpz?sig=secret", "nonsense://me:secret@host/f.gpz"]
)
def test_urls_that_are_none(remote, url):
    require_no_secrets(url, remote)


def test_columns_that_are_missing(server, remote):
    server.files["/file.gpz?sig=secret"] = server.files["/file.gpz"]
    trajectory = gpz.open(server.url("/file.gpz?sig=secret"), remote=remote)
    with pytest.raises(gpz.ColumnError) as raised:
        trajectory.read(0, ["q"])
    assert "/file.gpz?...: no column q" in str(raised.value)


def require_no_secrets(url, remote):
    with pytest.raises(gpz.Error) as raised:
        gpz.open(url, remote=remote)
    assert "secret" not in str(raised.value)
    assert raised.value.__cause__ is None or "secret" not in str(raised.value.__cause__)
