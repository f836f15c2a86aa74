# SPDX-License-Identifier: BSD-3-Clause
"""What is refused, and what fails."""

import fcntl
import os
import re
import resource
import shutil
import signal
import struct
import subprocess

from harness import case, read_dump
from systems import BASE, MELT, dumps


def some(t, cases):
    """All of them on one rank. All ranks read the same input, and after each error mpirun waits a second for ranks that
    have ended: on several ranks one case in four."""
    return list(cases.items())[:: 1 if t.ranks == 1 else 4]


@case(ranks=(1, 2))
def refused_keywords(t):
    keywords = {
        "sort id": "gpz decode --sort id",
        "header no": "header",
        "format float %g": "eb",
        "format line %g": "eb",
        "colname x foo": "colname",
        "buffer yes": "buffer",
        "at 3": "never overwritten",
        "types labels": "typelabel",
        "unwrap yes": "xu yu zu",
        "scale yes": "xs ys zs",
        "precision 100": "eb",
        "nonsense 1": "nonsense",
    }
    for keyword, advice in [*some(t, keywords), *([("balance yes", "balance")] if t.ranks > 1 else [])]:
        message = t.error(MELT + dumps(BASE, modify=keyword) + "run 20")
        assert advice in message and keyword.split()[0] in message, f"{keyword}: {message}"
        assert not t.path("t.gpz").exists(), f"{keyword}: a file was written"


@case(ranks=(1, 2))
def bad_input(t):
    keywords = {
        "eb -1": ["eb", "0 (exact) or larger", "-1"],
        "eb nan": ["nan"],
        "eb inf": ["inf"],
        "eb 1e999": ["1e999"],
        "eb 1e-999": ["1e-999"],
        "bound vx 1e-999": ["1e-999"],
        "eb fine": ["fine"],
        "eb rel -0.1": ["eb rel", "-0.1"],
        "eb rel 1": ["eb rel", "longest box edge", "below 1, not 1"],
        'eb ""': ["empty"],
        "bound vx -1": ["bound vx", "-1"],
        "bound vx thermal": ["vx", "no such column"],
        "bound v* hot": ["hot"],
        "effort default": ["fast, standard or dense, not default"],
        "eb rel": ["eb", "missing"],
        "bound vx 0.1": ["vx", "no such column"],
        "bound x 0.1": ["eb"],
        "bound id 1": ["id", "lossless"],
        "bound type lossy": ["lossy"],
        "async": ["async", "missing"],
        "async perhaps": ["perhaps"],
        "threads 0": ["auto or a number", "1 to 4096", "0"],
        "direct perhaps": ["perhaps"],
        "device": ["device", "missing"],
        "device tpu": ["auto, gpu or cpu", "tpu"],
    }
    for modify, words in some(t, keywords):
        message = t.error(MELT + dumps(BASE, modify=modify) + "run 20")
        assert all(word in message for word in words), f"{modify}: {message}"
        assert not t.path("t.gpz").exists(), f"{modify}: a file was written"
    wrong_columns = {
        BASE + " foo": ["foo"],
        BASE + " c_none": ["none"],
        BASE + " q": ["isn't allocated"],
        "id typelabel x y z": ["typelabel", "label for every atom type"],
    }
    for columns, words in some(t, wrong_columns):
        message = t.error(MELT + dumps(columns) + "run 20")
        assert all(word in message for word in words), f"{columns}: {message}"
    wrong_paths = {
        "nowhere/t.gpz": "No such file or directory",
        ".": "directory",
        "t.gpz.gz": "compressed already",
        "t.bin": "stands for a binary dump of style custom: choose a name like traj.gpz",
    }
    for path, reason in some(t, wrong_paths):
        message = t.error(MELT + f"dump gpz all gpz 20 {path} {BASE}\nrun 20")
        assert path in message and reason in message, message
    message = t.error(MELT + f"run 20\ndump gpz all gpz 20 t.gpz {BASE}\nrun 20 pre no")
    assert "run pre no" in message


@case()
def no_gpu(t):
    t.lmp_arguments = []  # KOKKOS would miss it, too
    hidden = {"env": {**os.environ, "CUDA_VISIBLE_DEVICES": ""}}
    message = t.error(MELT + dumps(BASE, modify="device gpu") + "run 20", **hidden)
    reasons = ("gpz was built without CUDA", "there is no GPU, or no driver for it")
    assert message in [f"Dump gpz gpz: dump_modify device: {reason}" for reason in reasons], message
    assert not t.path("t.gpz").exists()
    for device in ("auto", "cpu"):
        output = t.lammps(MELT + dumps(BASE, modify=f"device {device}") + "run 20\nrun 20", **hidden)
        assert len(re.findall(r"Dump gpz gpz: compressed on the CPU, \d+ threads? a rank\n", output)) == 1, output
        t.same(frames=3)


@case(ranks=(1, 2))
def two_dumps_of_one_file(t):
    """The second is refused before it touches the file; the first one's frames stay."""
    second = f"dump second all gpz 20 %s {BASE}\n"
    for first_name, second_name, opened in [
        ("t.gpz", "./t.gpz", "./t.gpz"),
        ("t.*.gpz", "t.*.gpz", "t.0.gpz"),
        ("t.%.gpz", "t.%.gpz", "t.0.gpz"),
        ("t.%.gpz", f"t.{t.ranks - 1}.gpz", f"t.{t.ranks - 1}.gpz"),
        ("t.0.gpz", "t.*.gpz", "t.0.gpz"),
    ]:
        script = MELT + dumps(BASE, gpz=first_name)
        message = t.error(script + second % second_name + "run 20")
        assert message == f"Dump second gpz: {opened}: is being written by dump gpz", message
    t.path("link.gpz").symlink_to("t.gpz")
    for name in ("t.gpz", "link.gpz"):
        message = t.error(MELT + dumps(BASE) + f"run 40\nwrite_dump all gpz {name} {BASE}\nrun 20")
        assert message == f"Dump WRITE_DUMP gpz: {name}: is being written by dump gpz", message
        assert [f.step for f in t.decode("t.gpz")] == [0, 20, 40]
    # not at the same time
    t.lammps(MELT + dumps(BASE) + "run 20\nundump gpz\n" + second % "t.gpz" + "run 20")
    assert [f.step for f in t.decode("t.gpz")] == [20, 40]


def full_disk(directory):
    """A folder with 96 KiB of room: a file system of its own if that is allowed, otherwise a limit on file sizes."""
    directory.mkdir()
    mounted = (
        os.geteuid() == 0
        and shutil.which("mount")
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=96k", "tmpfs", str(directory)], stderr=subprocess.DEVNULL
        ).returncode
    )
    if mounted:
        return {}, lambda: subprocess.run(["umount", str(directory)], check=True)

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (96 * 1024, 96 * 1024))

    return {"preexec_fn": limit}, lambda: None


@case(ranks=(1, 2, 4))
def disk_full(t):
    """A clear error, and only whole frames in the file. Written in the background or not, there are equally many, except
    for those that were on their way."""
    count = {}
    for mode in ("no", "yes", "compress"):
        options, release = full_disk(t.path(f"small.{mode}"))
        path = f"small.{mode}/t.gpz"
        try:
            modify = f"eb 1e-9 async {mode}"
            message = t.error(MELT + dumps(BASE, gpz=path, modify=modify, every=1) + "run 100", **options)
            assert path in message and ("No space left" in message or "File too large" in message), message
            shutil.copy(t.path(path), t.path("t.gpz"))
        finally:
            release()
        frames = t.decode("t.gpz")
        assert [f.step for f in frames] == list(range(len(frames)))
        count[mode] = len(frames)
        original = {f.step: f for f in read_dump(t.path("t.dump"))}
        for frame in frames:
            assert all(
                abs(float(a["x"]) - float(original[frame.step].atoms[i]["x"])) <= 1e-9 for i, a in frame.atoms.items()
            )
    on_way = 0 if t.ranks == 1 else 3
    assert 5 < count["no"] < 100 and all(count["no"] - on_way <= count[mode] <= count["no"] for mode in ("yes", "compress")), count


@case(ranks=(1, 2))
def disk_full_at_the_end(t):
    """No frame follows that would notice the error."""
    large = MELT.replace("0 5 0 5 0 5", "0 20 0 20 0 20")
    run = "dump gpz all gpz 20 {path} {columns}\ndump_modify gpz eb 1e-9 order place\nrun 0"
    command = "write_dump all gpz {path} {columns} modify eb 1e-9 order place"
    for n, commands in enumerate([run, command]):
        options, release = full_disk(t.path(f"small{n}"))
        path = f"small{n}/t.gpz"
        try:
            message = t.error(large + commands.format(path=path, columns=BASE), **options)
            assert path in message and ("No space left" in message or "File too large" in message), message
            assert t.info(path)["frames"] == 0
        finally:
            release()


@case(ranks=(1, 2))
def one_writer_of_a_file(t):
    """What another program is writing is refused before a byte of it changes, and what the dump is writing is refused by others. The
    ranks write one file, or one each."""
    for name, opened in (("t.gpz", "t.gpz"), ("t.%.gpz", "t.0.gpz")):
        script = MELT + dumps(BASE, gpz=name)
        probe = f"shell {t.options.gpz} select {opened} -o copy.gpz\nshell {t.options.gpz} cat copy.gpz -o {opened}\nrun 20"
        said = t.lammps(script + "run 20\n" + probe)
        assert f"{opened}: is being written by another program" in said, said
        assert [f.step for f in t.decode(opened)] == [0, 20, 40]
        before = t.path(opened).read_bytes()
        with open(t.path(opened), "r+b") as writer:
            fcntl.fcntl(writer, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 1 << 62, 1, 0))
            for modify in ("", "append yes"):
                message = t.error(MELT + dumps(BASE, gpz=name, modify=modify) + "run 20")
                assert f"Dump gpz gpz: {opened}: is being written by another program" in message, message
        assert t.path(opened).read_bytes() == before
