# SPDX-License-Identifier: BSD-3-Clause
"""gpz view in the shell."""

import os
import re
import signal
import subprocess
import sys
import urllib.parse
from pathlib import Path

import pytest
from conftest import Client

import gpz
from gpz.programs import view

PROGRAM = [sys.executable, "-m", "gpz.programs.view"]


class Running:
    """The program, with the environment of a user at the machine or elsewhere."""

    def __init__(self, *arguments, **environment):
        kept = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION")}
        self.process = subprocess.Popen(
            [*PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**kept, **environment}
        )
        self.url = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def end(self, how):
        self.process.send_signal(how)
        _, errors = self.process.communicate(timeout=30)
        return self.process.returncode, errors


@pytest.fixture
def browser(tmp_path):
    """A program that webbrowser takes for a browser, and that writes down what it is to open."""
    path = tmp_path / "browser"
    path.write_text(f'#!/bin/sh\necho "$1" >> {tmp_path}/opened\n')
    path.chmod(0o755)
    return path


class TestServing:
    @pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
    def test_prints_the_address_and_ends(self, sample, how):
        with Running(sample, "--no-browser") as running:
            assert Client(running.url).message("index")[0]["name"] == "sample.gpz"
            code, errors = running.end(how)
        port = re.search(r":(\d+)/", running.url)[1]
        assert code == 0
        assert f"ssh -L {port}:127.0.0.1:{port} " in errors
        assert "Ctrl-C ends the server." in errors

    def test_opens_the_browser(self, sample, tmp_path, browser):
        """With a file that leads to the page: other users see the arguments of programs, and cannot read the file."""
        with Running(sample, DISPLAY=":1", BROWSER=f"{browser} %s") as running:
            token = Client(running.url).root.strip("/")
            opened = (tmp_path / "opened").read_text().strip()
            start = Path(urllib.parse.unquote(urllib.parse.urlsplit(opened).path))
            assert opened.startswith("file:///") and token not in opened
            assert start.parent.stat().st_mode & 0o777 == 0o700
            assert f'content="0; url={running.url}"' in start.read_text()
            code, errors = running.end(signal.SIGINT)
            assert code == 0 and "ssh" not in errors
        assert not start.parent.exists()

    def test_over_ssh_it_does_not(self, sample, tmp_path, browser):
        with Running(sample, DISPLAY=":1", BROWSER=f"{browser} %s", SSH_CONNECTION="1 2 3 4") as running:
            code, errors = running.end(signal.SIGINT)
        assert code == 0 and "ssh -L" in errors
        assert not (tmp_path / "opened").exists()

    def test_frames_and_atoms(self, sample):
        with Running(sample, "--no-browser", "--frames", "::5", "--atoms", "100") as running:
            head, arrays = Client(running.url).message("index")
        assert arrays["timesteps"].tolist() == [0, 50] and head["limit"] == 100


class TestPage:
    def test_is_written(self, sample, tmp_path, capsys):
        path = tmp_path / "page.html"
        assert view.main(["--html", str(path), "--frames", ":3", "--column", "vx", str(sample)]) == 0
        assert re.fullmatch(rf"{path}: 0\.\d+ MB\n", capsys.readouterr().out)
        assert path.read_text().startswith("<!DOCTYPE html>")

    def test_a_column_that_there_is_not(self, sample, tmp_path, capsys):
        path = tmp_path / "page.html"
        assert view.main(["--html", str(path), "--column", "nosuch", str(sample)]) == 2
        assert capsys.readouterr().err == f"gpz view: {sample}: --column: no column nosuch: there are x y z id type vx vy vz\n"
        assert not path.exists()

    def test_is_refused(self, sample, tmp_path, capsys, monkeypatch):
        monkeypatch.setattr(gpz.view.embedded.write, "__defaults__", (None, 1000))
        assert view.main(["--html", str(tmp_path / "page.html"), str(sample)]) == 2
        assert "gpz view: " in capsys.readouterr().err


class TestErrors:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ([], "the following arguments are required: FILE"),
            (["x", "--frames", "a"], "--frames: A:B or A:B:STEP with whole numbers, or one number, not 'a'"),
            (["x", "--atoms", "0"], "--atoms: a whole number from 1, not '0'"),
            (["x", "--port", "70000"], "--port: a whole number from 0 to 65535, not '70000'"),
            (["x", "--threads", "-1"], "--threads: a whole number from 0 to 4096, not '-1'"),
            (["x", "--column", "vx"], "--column: only with --html"),
            (["x", "--html", "y", "--port", "80"], "--port: not with --html"),
            (["x", "--html", "y", "--no-browser"], "--no-browser: not with --html"),
            (["x", "y"], "unrecognized arguments: y"),
        ],
    )
    def test_usage(self, arguments, message, capsys):
        with pytest.raises(SystemExit) as ended:
            view.main(arguments)
        assert ended.value.code == 2
        assert capsys.readouterr().err == f"gpz view: {message} (gpz view --help)\n"

    def test_files(self, tmp_path, capsys):
        assert view.main([str(tmp_path / "none.gpz")]) == 3
        (tmp_path / "text").write_text("no frames" * 20)
        assert view.main([str(tmp_path / "text")]) == 4
        errors = capsys.readouterr().err.splitlines()
        assert len(errors) == 2 and all(line.startswith(f"gpz view: {tmp_path}") for line in errors)

    def test_a_port_that_is_taken(self, sample, capsys):
        server = gpz.view.serve(sample)
        assert view.main([str(sample), "--no-browser", "--port", str(server.port)]) == 3
        assert capsys.readouterr().err == f"gpz view: port {server.port}: Address already in use\n"
        server.close()


def test_displays():
    assert view.has_display({"DISPLAY": ":0"}) or view.has_display({"WAYLAND_DISPLAY": "wayland-0"})
    assert not view.has_display({"DISPLAY": ":10", "SSH_CONNECTION": "1 2 3 4"})
