# SPDX-License-Identifier: BSD-3-Clause
"""The command with URLs: gpz starts gpz-source, which reads for it."""

import json
import os
import signal
import subprocess
import sys
import threading

import pytest
from long_form import sample
from serving import FRAMES, KEY

GPZ = os.environ.get("GPZ", "gpz")
MOST_OF_INFO = 1_000_000  # bytes


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    """A folder with gpz-source, as pip would have made it."""
    folder = tmp_path_factory.mktemp("programs")
    program = folder / "gpz-source"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -B -m gpz.programs.source "$@"\n')
    program.chmod(0o755)
    return folder


@pytest.fixture
def gpz_command(programs):
    def run(*arguments, path=programs, others=os.environ["PATH"]):
        environment = {**os.environ, "PATH": f"{path}{os.pathsep}{others}"}
        return subprocess.run([GPZ, *map(str, arguments)], check=False, env=environment, capture_output=True, text=True, timeout=60)

    return run


@pytest.fixture
def local_command():
    return lambda *arguments: subprocess.run([GPZ, *map(str, arguments)], check=False, capture_output=True, text=True, timeout=60)


def without_names(text):
    """Lines after the first, which has the name of the file."""
    return text.partition("\n")[2]


def test_info_reads_less_than_a_megabyte(gpz_command, server, path):
    result = gpz_command("info", server.url())
    assert result.returncode == 0 and result.stderr == ""
    assert f"frames      {FRAMES}, timestep 0 to" in result.stdout and "read        3 frames" in result.stdout
    assert server.sent < MOST_OF_INFO < path.stat().st_size
    assert len(server.requests) <= 6


def test_info_as_json(gpz_command, local_command, server, path):
    elsewhere = json.loads(gpz_command("info", "--json", server.url()).stdout)
    here = json.loads(local_command("info", "--json", path).stdout)
    assert elsewhere.pop("frames_read") == 3 and elsewhere.pop("file") == server.url()
    here.pop("file")
    for key in ("key_frames", "independent_difference_frames"):
        assert elsewhere.pop(key) is None
        here.pop(key)
    assert elsewhere["other_records"].pop("count") is None and here["other_records"].pop("count") == 0
    for one, other in zip(elsewhere.pop("columns"), here.pop("columns")):
        assert one.pop("bytes") == pytest.approx(other.pop("bytes"), rel=0.3, abs=5000)  # of a few frames
        assert one.pop("largest_error") <= other.pop("largest_error")
        assert one == other
    assert elsewhere == here


def test_verify_reads_every_byte_once(gpz_command, local_command, server, path, tmp_path):
    result = gpz_command("verify", server.url())
    assert result.returncode == 0
    assert result.stdout == local_command("verify", path).stdout.replace(str(path), server.url())
    assert server.sent <= path.stat().st_size + (64 << 10)
    server.files["/file.gpz"] = damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (tmp_path / "damaged.gpz").write_bytes(damaged)
    here = local_command("verify", tmp_path / "damaged.gpz")
    result = gpz_command("verify", server.url())
    assert result.returncode == here.returncode == 4
    assert result.stdout == here.stdout.replace(str(tmp_path / "damaged.gpz"), server.url())


@pytest.mark.parametrize("command", sample(["decode", "select", "encode", "cat"], 2))
def test_outputs_are_those_of_local_files(gpz_command, local_command, server, path, tmp_path, command):
    name = "out.dump" if command == "decode" else "out.gpz"
    outputs = []
    for run, given in ((local_command, path), (gpz_command, server.url())):
        result = run(command, given, "-o", tmp_path / name)
        assert result.returncode == 0, result.stderr
        outputs.append((tmp_path / name).read_bytes())
    assert outputs[0] == outputs[1]


def test_a_part_costs_a_part(gpz_command, server, local, tmp_path):
    frames = f"0:{KEY}"
    assert gpz_command("select", server.url(), "--frames", frames, "-o", tmp_path / "out.gpz").returncode == 0
    opening = (64 << 10) + (256 << 10) + (16 << 10)
    # Three times as many frames are read ahead when the last one is asked for.
    assert server.sent <= opening + int(local.sizes[: 4 * KEY].sum())


@pytest.mark.parametrize("command", ["repair", "annotate"])
def test_commands_that_need_a_file_of_this_machine(gpz_command, server, tmp_path, command):
    more = ["-o", tmp_path / "out.gpz"] if command == "repair" else ["--log", tmp_path / "log"]
    result = gpz_command(command, server.url(), *more)
    assert result.returncode == 2 and f"{command} needs a file of this machine: copy it first" in result.stderr
    assert server.requests == []


@pytest.mark.parametrize(
    ("status", "code", "says"),
    sample([(404, 3, "there is no such file"), (403, 3, "access was refused"), (400, 3, "status 400")], 3),
)
def test_errors_are_one_line(gpz_command, server, status, code, says):
    server.fault = lambda request: (request.refuse(status), True)[1]
    result = gpz_command("info", server.url())
    assert result.returncode == code and result.stdout == ""
    assert result.stderr.count("\n") == 1 and says in result.stderr and server.url() in result.stderr


def test_what_passes_is_asked_for_again(gpz_command, server):
    left = iter(range(3))

    def busy(request):
        if next(left, None) is None:
            return False
        request.refuse(503, {"Retry-After": "0"})
        return True

    server.fault = busy
    assert gpz_command("info", server.url()).returncode == 0


def test_other_files(gpz_command, server):
    server.files["/page"] = b"<html>" * 1000
    result = gpz_command("info", server.url("/page"))
    assert result.returncode == 4 and "/page" in result.stderr and result.stderr.count("\n") == 1


def test_only_gpz_files(gpz_command, server, tmp_path):
    result = gpz_command("encode", server.url(), "--format", "lammps", "--eb", "1e-3", "-o", tmp_path / "out.gpz")
    assert result.returncode == 2 and "only .gpz files are read by URL" in result.stderr


def test_without_the_package(gpz_command, server, tmp_path):
    result = gpz_command("info", server.url(), path=tmp_path, others="")
    assert result.returncode == 2 and result.stderr.count("\n") == 1
    assert 'pip install ".[remote]"' in result.stderr


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("exit 3", "gpz-source has ended"),
        ("printf '\\11\\0\\0\\0'; cat >/dev/null", "sent another answer than was expected"),
        ("printf '\\0\\0\\0\\0\\0\\0\\20\\0\\0\\0\\0\\0\\377\\377\\377\\377'; cat >/dev/null", "sent another answer than was expected"),
        ("printf '\\0\\0\\0\\0\\0\\0\\20\\0\\0\\0\\0\\0\\0\\0\\0\\0'; printf '\\2\\0\\0\\0abc'", "gpz-source has ended"),
    ],
)  # fmt: skip
def test_a_helper_that_fails(gpz_command, tmp_path, script, says):
    program = tmp_path / "gpz-source"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    result = gpz_command("info", "https://host/file.gpz", path=tmp_path)
    assert result.returncode == 3 and says in result.stderr and result.stderr.count("\n") == 1


def test_a_helper_that_is_killed(gpz_command, server, programs, tmp_path):
    """In the middle of a request."""
    program = tmp_path / "gpz-source"
    program.write_text(f'#!/bin/sh\necho $$ >"{tmp_path}/number"\nexec "{programs}/gpz-source" "$@"\n')
    program.chmod(0o755)
    count = iter(range(1000))

    def kill(_request):
        if next(count) < 2:
            return False
        os.kill(int((tmp_path / "number").read_text()), signal.SIGKILL)
        return True

    server.fault = kill
    result = gpz_command("verify", server.url(), path=tmp_path)
    assert result.returncode == 3 and "gpz-source has ended" in result.stderr and result.stderr.count("\n") == 1


def test_the_helper_ends_with_the_command(server, programs, tmp_path):
    """Also where the command is killed while a request is under way."""
    program = tmp_path / "gpz-source"
    program.write_text(f'#!/bin/sh\n"{programs}/gpz-source" "$@"\necho >"{tmp_path}/ended"\n')
    program.chmod(0o755)
    asked, answered = threading.Event(), threading.Event()
    count = iter(range(1000))

    def wait(_request):
        if next(count) == 2:
            asked.set()
            answered.wait()
        return False

    server.fault = wait
    os.mkfifo(tmp_path / "ended")
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    running = subprocess.Popen(
        [GPZ, "verify", server.url()], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    assert asked.wait(60)
    running.kill()
    running.wait()
    answered.set()
    with open(tmp_path / "ended") as ended:
        assert ended.read() == "\n"


@pytest.mark.parametrize("has_source", [True, False])
@pytest.mark.parametrize("command", sample([("info",), ("verify",), ("repair", "-o", "out.gpz"), ("select", "-o", "out.gpz")], 2))
def test_messages_have_no_secrets_before_anything_is_read(gpz_command, tmp_path, command, has_source):
    url = "http://user:SECRET@127.0.0.1:1/f.gpz?signature=SECRET"
    programs = {} if has_source else {"path": tmp_path, "others": str(tmp_path)}
    result = gpz_command(*command, url, **programs)
    assert result.returncode != 0 and "SECRET" not in result.stdout + result.stderr
    assert "127.0.0.1:1/f.gpz" in result.stderr
