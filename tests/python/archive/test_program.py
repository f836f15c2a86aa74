# SPDX-License-Identifier: BSD-3-Clause
"""gpz archive in the shell: reports, exit codes, signals, and disks without space."""

import contextlib
import errno
import fcntl
import os
import select
import signal
import stat
import struct
import subprocess
import termios
from pathlib import Path

import pytest
from conftest import CUT, PROGRAM, as_gpz, dump, here, lines, outputs, report_of, shell, states

import gpz
from gpz import _core
from gpz.archive import archive
from gpz.archive.errors import DiskFull
from gpz.archive.manifest import Manifest

OPTIONS = ["--key", CUT["key"], "--piece-size", CUT["piece_size"]]


def fake_gpz(folder, text):
    """A program gpz that is found first; returns the environment in which it is. REAL is the usual one."""
    folder.mkdir()
    program = folder / "gpz"
    program.write_text(f"#!/bin/sh\nREAL={os.environ['GPZ']}\n{text}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


class TestReport:
    def test_for_people(self, runs, tmp_path):
        ended = here(runs, "--to", tmp_path / "out", *OPTIONS)
        assert ended.returncode == 0 and ended.stderr == ""
        first, second, *others = ended.stdout.splitlines()
        assert first == "3 files archived, 0 failed, 1 skipped"
        assert "ratio" in second and "saved" in second
        assert others == [f"skipped: {runs / 'a' / 'notes.txt'}: no trajectory that gpz reads"]

    def test_for_programs(self, runs, tmp_path):
        (runs / "broken.dump").write_bytes(dump()[:-9])
        out = tmp_path / "out"
        ended = here(runs, "--to", out, *OPTIONS, "--json")
        report = report_of(ended)
        assert ended.returncode == 1 and not report["ok"]
        assert report["done"] == 3 and report["bytes_after"] == sum(map(len, outputs(out).values()))
        assert report["bytes_before"] == sum(
            (runs / name).stat().st_size for name in ("melt.dump", "a/melt.dump", "a/crystal.xyz")
        )
        assert report["ratio"] == pytest.approx(report["bytes_before"] / report["bytes_after"], abs=1e-3)
        assert [failed["path"] for failed in report["failed"]] == [str(runs / "broken.dump")]
        assert "truncated" in report["failed"][0]["reason"]
        assert states(out, "runs/broken.dump") == ["started", "failed"]

    def test_odd_names(self, tmp_path):
        """Names with line breaks, and those that are no UTF-8."""
        folder = os.fsencode(tmp_path) + b"/runs"
        os.mkdir(folder)
        for name in (b"melt\nfailed.dump", b"melt\xff.dump", b"text\xff", b"te\nxt"):
            with open(folder + b"/" + name, "wb") as file:
                file.write(dump() if name.startswith(b"melt") else b"text")
        ended = here(tmp_path / "runs", "--to", tmp_path / "out")
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout.splitlines()[2:] == [
            f"skipped: {tmp_path}/runs/te\\x0axt: no trajectory that gpz reads",
            f"skipped: {tmp_path}/runs/text\\xff: no trajectory that gpz reads",
        ]
        assert len(outputs(tmp_path / "out")) == 2

    def test_an_input_that_cannot_be_read(self, runs, tmp_path):
        if os.geteuid() == 0:
            os.mkfifo(runs / "pipe")  # root reads everything; no regular file is skipped
            assert report_of(here(runs, "--to", tmp_path / "out", "--json"))["skipped"][0]["reason"] in (
                "no regular file",
                "no trajectory that gpz reads",
            )
            return
        (runs / "melt.dump").chmod(0)
        report = report_of(here(runs, "--to", tmp_path / "out", "--json"))
        assert report["done"] == 2 and "Permission denied" in report["failed"][0]["reason"]


def test_progress_on_a_terminal(runs, tmp_path):
    """Rate, time that is left, and bytes saved; nothing of it in a file."""
    mine, its = os.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 120, 0, 0))
    with subprocess.Popen(
        [*map(str, [*PROGRAM, runs, "--to", tmp_path / "out", *OPTIONS])], stdout=subprocess.DEVNULL, stderr=its
    ) as running:
        os.close(its)
        shown = b""
        with contextlib.suppress(OSError):  # the end of a terminal
            while part := os.read(mine, 4096):
                shown += part
    os.close(mine)
    assert running.returncode == 0
    last = shown.decode().strip().split("\r")[-1]
    assert "gpz archive: 100%" in last and "B/s" in last and " saved, 0 failed" in last


class TestUsage:
    @pytest.mark.parametrize("arguments, says", [
        ([], "the following arguments are required: IN, --to"),
        (["in"], "the following arguments are required: --to"),
        (["in", "--to", "out", "--jobs", "0"], "--jobs: a whole number from 1, not '0'"),
        (["in", "--to", "out", "--max-memory", "much"], "--max-memory: bytes, or a number with K, M, G or T, not 'much'"),
        (["in", "--to", "out", "--effort", "most"], "--effort: invalid choice: 'most'"),
        (["in", "--to", "out", "--eb", "1", "--lossless"], "give one of eb, rel and lossless"),
    ])  # fmt: skip
    def test_is_one_line(self, arguments, says):
        ended = here(*arguments)
        assert ended.returncode == 2 and ended.stdout == ""
        assert len(ended.stderr.splitlines()) == 1 and says in ended.stderr, ended.stderr

    def test_no_such_input(self, tmp_path):
        ended = here(tmp_path / "none", "--to", tmp_path / "out")
        assert ended.returncode == 1 and f"failed: {tmp_path / 'none'}: no such file or folder" in ended.stdout

    def test_a_bound_that_gpz_refuses(self, runs, tmp_path):
        report = report_of(here(runs, "--to", tmp_path / "out", "--eb", "x", "--json"))
        assert len(report["failed"]) == 3 and all("--eb x" in failed["reason"] for failed in report["failed"])

    def test_another_run_in_the_folder(self, runs, tmp_path):
        (tmp_path / "out" / ".gpz-archive").mkdir(parents=True)
        path = tmp_path / "out" / ".gpz-archive" / "lock"
        path.touch()
        lock = _core.WriteLock(os.fsencode(path))
        ended = shell(runs, "--to", tmp_path / "out")
        lock.release()
        assert ended.returncode == 2 and "another gpz archive writes into this folder" in ended.stderr


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"bounds": "v*=thermal"}, "bounds: a list of texts, as \\['v"),
        ({"jobs": 0}, "jobs: a whole number from 1, not 0"),
        ({"eb": 1, "rel": 1}, "give one of eb, rel and lossless"),
        ({"effort": "most"}, 'effort is "fast", "standard" or "dense", not .most'),
        ({"order": "any"}, 'order is "auto", "id"'),
        ({"key": 0}, 'key: a number of frames from 1 to 65535, or "auto", not 0'),
        ({"piece_size": 0}, "piece_size: a number of bytes from 1"),
        ({"client": object(), "scheduler": "tcp://x"}, "a client or the address"),
    ],
)
def test_arguments_that_are_refused(tmp_path, options, says):
    """Before anything is read or made."""
    with pytest.raises(gpz.ArgumentError, match=says):
        archive(tmp_path / "none", to=tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_what_is_done(runs, tmp_path, number):
    """The program gpz stops at the second piece until it is killed; it says so through a pipe."""
    expected = tmp_path / "expected"
    assert here(runs, "--to", expected, *OPTIONS).returncode == 0
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    environment = fake_gpz(
        tmp_path / "fake", f'case "$*" in encode*piece-000001*) echo > {pipe}; exec sleep 600;; esac\nexec $REAL "$@"'
    )
    out = tmp_path / "out"
    command = [*PROGRAM, runs / "a", "--to", out, *OPTIONS, "--jobs", 1]
    told = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    running = subprocess.Popen([*map(str, command)], stderr=subprocess.PIPE, text=True, env=environment)
    try:
        reached, _, _ = select.select([told], [], [], 60)
        running.send_signal(number)
        _, errors = running.communicate(timeout=60)
    finally:
        os.close(told)
        running.kill()
        running.wait()
    assert reached, errors
    assert running.returncode == 128 + number
    assert errors == "gpz archive: interrupted; the same command goes on where it was\n"
    assert [line["state"] for line in lines(out) if line["path"].endswith("melt.dump")] == ["started"]
    made = list(Path(out, ".gpz-archive").rglob("piece-000000.gpz"))
    assert len(made) == 1
    written = made[0].stat().st_ino
    # The next run takes the piece that was whole: a gpz that refuses to make it again shows it.
    environment = fake_gpz(tmp_path / "other", 'case "$*" in encode*piece-000000*) exit 9;; esac\nexec $REAL "$@"')
    assert made[0].stat().st_ino == written
    report = report_of(shell(runs / "a", "--to", out, *OPTIONS, "--json", env=environment))
    assert [os.path.basename(failed["path"]) for failed in report["failed"]] in ([], ["crystal.xyz"])
    assert outputs(out)["a/melt.dump.gpz"] == outputs(expected)["runs/a/melt.dump.gpz"]


class TestDiskFull:
    """One message, and the run ends: all other inputs would fail for the same reason."""

    def test_a_program_says_so(self, runs, tmp_path):
        full = os.strerror(errno.ENOSPC)
        environment = fake_gpz(
            tmp_path / "fake", f'case "$1" in cat) echo "gpz: out: {full}" >&2; exit 3;; esac\nexec $REAL "$@"'
        )
        out = tmp_path / "out"
        ended = shell(runs, "--to", out, *OPTIONS, "--jobs", 1, env=environment)
        assert ended.returncode == 3 and len(ended.stderr.splitlines()) == 1
        assert full in ended.stderr and "goes on when there is space" in ended.stderr
        assert not [line for line in lines(out) if line["state"] == "failed"]
        assert here(runs, "--to", out, *OPTIONS).returncode == 0
        assert len(outputs(out)) == 3

    @pytest.mark.parametrize("state", ["started", "encoded", "done"])
    def test_the_manifest_cannot_be_written(self, runs, tmp_path, monkeypatch, state):
        usual = Manifest.add

        def add(self, what, path, **fields):
            if what == state:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            usual(self, what, path, **fields)

        with monkeypatch.context() as changed:
            changed.setattr(Manifest, "add", add)
            with pytest.raises(DiskFull, match=os.strerror(errno.ENOSPC)):
                archive(runs, to=tmp_path / "out", remove_inputs=True, **CUT)
        assert (runs / "melt.dump").exists() and (runs / "a" / "melt.dump").exists()
        assert archive(runs, to=tmp_path / "out", **CUT).ok


def test_a_program_that_is_killed(runs, tmp_path):
    """As by the system, for want of memory. That input fails."""
    environment = fake_gpz(tmp_path / "fake", 'case "$*" in encode*) kill -9 $$;; esac\nexec $REAL "$@"')
    as_gpz(runs / "copied.gpz", dump())
    report = report_of(shell(runs, "--to", tmp_path / "out", "--json", env=environment))
    assert report["done"] == 1 and len(report["failed"]) == 3
    assert all("ended by signal 9" in failed["reason"] for failed in report["failed"])


def test_memory_is_shared_among_jobs(runs, tmp_path):
    environment = fake_gpz(tmp_path / "fake", f'echo "$@" >> {tmp_path}/calls\nexec $REAL "$@"')
    assert shell(runs, "--to", tmp_path / "out", "--jobs", 4, "--max-memory", "2G", env=environment).returncode == 0
    calls = [call for call in (tmp_path / "calls").read_text().splitlines() if call != "--version"]
    assert calls and all("--max-memory 536870912" in call and "--threads 1" in call for call in calls)


def test_gpz_starts_it(tmp_path):
    """As it starts the other programs of the package."""
    program = tmp_path / "gpz-archive"
    program.write_text('#!/bin/sh\necho "$@"\n')
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    ended = subprocess.run(
        [os.environ["GPZ"], "archive", "in", "--to", "out"],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert ended.stdout == "in --to out\n"
    listed = subprocess.run([os.environ["GPZ"], "--help"], capture_output=True, text=True, check=True)
    assert "archive" in listed.stdout
