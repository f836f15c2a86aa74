# SPDX-License-Identifier: BSD-3-Clause
"""Each kind of input: it is recognised, archived, and compared."""

import bz2
import gzip
import importlib
import lzma
import os
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest
import zstandard
from conftest import as_gpz, binary_dump, dump, last, lines, outputs, xyz

import gpz
from gpz.archive import archive, programs
from gpz.archive.kinds import Kind, kind_of
from gpz.convert import convert
from gpz.convert.comparison import compare

CONVERTED = ("dcd", "xtc", "trr", "nc", "h5md")

CHECKED = zstandard.ZstdCompressor(write_checksum=True)
PACKED = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": CHECKED.compress}
COMPRESSIONS = {"gz": "gzip", "bz2": "bzip2", "xz": "xz", "zst": "zstd"}


def positions(path):
    with gpz.open(path) as file:
        return np.array([frame.positions for frame in file])


def test_what_editors_put_in_front(tmp_path):
    """A byte order mark and empty lines: such a dump is not cut into pieces, and no frame is lost."""
    (tmp_path / "in").mkdir()
    for name, start in (("plain", b""), ("marked", b"\xef\xbb\xbf"), ("empty", b"\r\n \n")):
        (tmp_path / "in" / f"{name}.dump").write_bytes(start + dump())
        assert kind_of(tmp_path / "in" / f"{name}.dump") == Kind("lammps")
    assert archive(tmp_path / "in", to=tmp_path / "out", key=2, piece_size=1).ok
    made = [positions(tmp_path / "out" / "in" / f"{name}.dump.gpz") for name in ("plain", "marked", "empty")]
    assert len(made[0]) == len(made[1]) == len(made[2]) and np.array_equal(made[0], made[1]) and np.array_equal(made[0], made[2])


@pytest.mark.parametrize("ending", PACKED)
def test_packed_text(tmp_path, ending):
    """The output of a packed dump has the bytes of that of the dump."""
    (tmp_path / "in").mkdir()
    plain, packed = tmp_path / "in" / "melt.dump", tmp_path / "in" / f"melt.dump.{ending}"
    plain.write_bytes(dump())
    packed.write_bytes(PACKED[ending](dump()))
    assert kind_of(packed) == Kind("lammps", COMPRESSIONS[ending])
    report = archive(tmp_path / "in", to=tmp_path / "out")
    assert report.ok and report.done == 2
    made = outputs(tmp_path / "out")
    assert made["in/melt.dump.gpz"] == made[f"in/melt.dump.{ending}.gpz"]
    assert last(tmp_path / "out", f"in/melt.dump.{ending}")["size"] == packed.stat().st_size


@pytest.mark.parametrize("ending", PACKED)
@pytest.mark.parametrize("lost", [1, 100])
def test_packed_text_that_is_cut(tmp_path, ending, lost):
    path = tmp_path / f"melt.dump.{ending}"
    path.write_bytes(PACKED[ending](dump())[:-lost])
    report = archive(path, to=tmp_path / "out")
    assert [name for name, _ in report.failed] == [str(path)]
    said = report.failed[0][1]
    assert (f"cut {COMPRESSIONS[ending]} data" in said and "--allow-truncated" in said) or "cut before its first bytes" in said
    assert outputs(tmp_path / "out") == {}


@pytest.mark.parametrize("ending", PACKED)
@pytest.mark.parametrize("lost", [1, 100])
def test_packed_text_that_may_be_cut(tmp_path, ending, lost):
    """Of a compression in blocks, all of the last block may be lost: the first stream is whole."""
    path = tmp_path / f"melt.dump.{ending}"
    path.write_bytes(PACKED[ending](dump(frames=3)) + PACKED[ending](dump(frames=2, units=None, start=30))[:-lost])
    report = archive(path, to=tmp_path / "out", allow_truncated=True, remove_inputs=True)
    assert report.done == 1 and report.removed == 0 and "ends within a frame" in report.kept[0][1] and path.exists()
    line = last(tmp_path / "out", path.name)
    assert line["cut"]
    with gpz.open(tmp_path / "out" / f"{path.name}.gpz") as file:
        assert list(file.timesteps) == [0, 10, 20, 30, 40][: line["frames"]] and len(file) == line["frames"] >= 3
        assert np.allclose(file[2].positions, positions(as_gpz(tmp_path / "whole.gpz", dump(frames=3)))[2], atol=1e-3)


@pytest.mark.parametrize("ending", ["bz2", "gz"])
def test_packed_text_of_which_nothing_is_left(tmp_path, ending):
    path = tmp_path / f"melt.dump.{ending}"
    path.write_bytes(PACKED[ending](dump())[:15])
    report = archive(path, to=tmp_path / "out", allow_truncated=True)
    assert "cut before its first bytes" in report.failed[0][1] and outputs(tmp_path / "out") == {}


@pytest.mark.parametrize("ending", PACKED)
def test_two_packed_streams_in_one_file(tmp_path, ending):
    """As several gzip runs that append make it."""
    path = tmp_path / f"melt.dump.{ending}"
    path.write_bytes(PACKED[ending](dump(frames=3)) + PACKED[ending](dump(frames=2, units=None, start=1000)))
    assert archive(path, to=tmp_path / "out").ok
    with gpz.open(tmp_path / "out" / f"{path.name}.gpz") as file:
        assert list(file.timesteps) == [0, 10, 20, 1000, 1010]


@pytest.mark.parametrize("ending", PACKED)
@pytest.mark.parametrize("damage", ["its first bytes", "its middle", "text behind it"])
def test_a_second_packed_stream_that_is_damaged(tmp_path, ending, damage):
    """The first stream alone is a whole dump. It must not be taken for all of the file."""
    second = bytearray(PACKED[ending](dump(frames=2, units=None, start=1000)))
    if damage == "its first bytes":
        second[:3] = b"\1\2\3"
    elif damage == "its middle":
        second[len(second) // 2] ^= 0xFF
    else:
        second += b"no stream"
    path = tmp_path / f"melt.dump.{ending}"
    path.write_bytes(PACKED[ending](dump(frames=3)) + second)
    report = archive(path, to=tmp_path / "out", remove_inputs=True)
    assert "damaged" in report.failed[0][1] and path.exists()
    assert outputs(tmp_path / "out") == {}


@pytest.mark.parametrize("zeros", [4, 2**20 + 4, 3])
def test_padding_of_xz(tmp_path, zeros):
    """The format allows multiples of 4 zeros between streams and at the end."""
    path = tmp_path / "melt.dump.xz"
    first, second = (lzma.compress(part) for part in (dump(frames=3), dump(frames=2, units=None, start=1000)))
    path.write_bytes(first + bytes(zeros) + second + bytes(4))
    report = archive(path, to=tmp_path / "out")
    assert report.ok == (zeros % 4 == 0), report.failed
    if report.ok:
        with gpz.open(tmp_path / "out" / "melt.dump.xz.gpz") as file:
            assert list(file.timesteps) == [0, 10, 20, 1000, 1010]
    else:
        assert "damaged or cut xz data: 3 zeros" in report.failed[0][1]


@pytest.mark.parametrize("name, content, kind", [
    ("any", binary_dump(), "lammps-binary"),
    ("any.txt", xyz(), "xyz"),
    ("without_time", dump(units=None), "lammps"),
    ("with_time", dump(units=None, times=True), "lammps"),
])  # fmt: skip
def test_kinds_by_content(tmp_path, name, content, kind):
    path = tmp_path / name
    path.write_bytes(content)
    assert kind_of(path) == Kind(kind)
    report = archive(path, to=tmp_path / "out")
    assert report.ok and report.done == 1, report.failed
    columns = {column["name"]: column for column in last(tmp_path / "out", name)["columns"]}
    assert 0 <= columns["x"]["largest_difference"] <= columns["x"]["bound"] == 0.0005


@pytest.mark.parametrize(
    "content", [b"", b"text\n", b"10\n20\n30\n", b"3\n\n1 2\n", b"\x7fELF", b"ITEM: SOMETHING ELSE\n", b"\x1f\x8b"]
)
def test_no_trajectory(tmp_path, content):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "file").write_bytes(content)
    report = archive(tmp_path / "in", to=tmp_path / "out")
    if content.startswith(b"\x1f\x8b"):
        assert report.failed and not report.skipped
    else:
        assert report.ok and report.skipped == [(str(tmp_path / "in" / "file"), "no trajectory that gpz reads")]


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """A trajectory in each format of gpz convert, beside the .gpz file that it was made of."""
    folder = tmp_path_factory.mktemp("converted")
    made = as_gpz(folder / "made.gpz", dump(frames=4))
    for ending in CONVERTED:
        convert(made, folder / f"run.{ending}")
    return folder


class Forked:
    """A program of this package in a copy of this process, which has imported what takes seconds to import."""

    def __init__(self, arguments, output, errors):
        self.stdin = open(os.devnull, "wb")
        self.number = os.fork()
        if self.number > 0:
            return
        code = 1
        try:
            for number, name in ((output, "stdout"), (errors, "stderr")):
                setattr(sys, name, open(number, "w", buffering=1, closefd=False))
            code = importlib.import_module(arguments[2]).main(arguments[3:])
            sys.stdout.flush()
        finally:
            os._exit(code)

    def kill(self):
        os.kill(self.number, signal.SIGKILL)

    def wait(self):
        return os.waitstatus_to_exitcode(os.waitpid(self.number, 0)[1])


@pytest.fixture
def forked(monkeypatch, sources):  # noqa: ARG001  it imports what programs need
    """Programs of this package are not started anew."""
    usual = programs._start

    def start(arguments, output, errors):
        is_python = list(arguments[:2]) == [sys.executable, "-m"]
        return Forked([str(argument) for argument in arguments], output, errors) if is_python else usual(arguments, output, errors)

    monkeypatch.setattr(programs, "_start", start)


class TestConverted:
    def test_is_archived_and_compared(self, tmp_path, sources, forked):
        endings = ("xtc", "nc", "h5md")  # the others below
        report = archive([sources / f"run.{ending}" for ending in endings], to=tmp_path, eb=0.01)
        assert report.ok and report.done == len(endings), report.failed
        for ending in endings:
            error = np.abs(positions(tmp_path / f"run.{ending}.gpz") - positions(sources / "made.gpz")).max()
            assert error <= 0.01 + 0.005 + 1e-5  # the rounding of XTC
            columns = {column["name"]: column for column in last(tmp_path, f"run.{ending}")["columns"]}
            assert columns["x"]["bound"] == 0.01 and columns["x"]["largest_difference"] <= 0.01
            assert ("vx" in columns) == (ending in ("trr", "nc", "h5md"))

    @pytest.mark.parametrize("ending", CONVERTED)
    def test_the_comparison(self, tmp_path, sources, ending):
        """With the file that it gave, with files of other values, and with one that has fewer frames."""
        source = sources / f"run.{ending}"
        convert(source, tmp_path / "own.gpz")
        found = compare(source, tmp_path / "own.gpz")
        assert found.frames == 4 and not found.cut and all(column.above_bound == 0 for column in found.columns)
        with (
            gpz.open(tmp_path / "own.gpz") as file,
            gpz.Writer(tmp_path / "other.gpz", units="metal", bound=0.0005) as writer,
        ):
            for number, frame in enumerate(file):
                moved = frame.positions.copy()
                moved[7, 1] += 0.002 * (number == 2)
                velocities = {} if frame.velocities is None else {"velocities": frame.velocities}
                writer.write(positions=moved, ids=frame.ids, box=frame.box, timestep=frame.timestep, **velocities)
        columns = compare(source, tmp_path / "other.gpz").columns
        assert {column.name: column.above_bound for column in columns if column.above_bound} == {"y": 1}
        assert max(column.largest_difference for column in columns) == pytest.approx(0.002, abs=0.0006)
        shorter = as_gpz(tmp_path / "shorter.gpz", dump(frames=3))
        with pytest.raises(gpz.ArgumentError, match="has 3 frames"):
            compare(source, shorter)

    def test_an_error_beyond_the_bound_ends_the_program(self, sources, tmp_path):
        """As gpz verify ends."""
        other = as_gpz(tmp_path / "other.gpz", dump(frames=4, seed=9))
        command = [sys.executable, "-m", "gpz.convert.comparison", sources / "run.trr", other]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ended.returncode == 7 and "differ by more than the bound" in ended.stderr
        assert len(ended.stderr.splitlines()) == 1

    def test_bounds_of_quantities_that_it_does_not_have(self, sources, forked, tmp_path):
        report = archive([sources / "run.dcd", sources / "run.trr"], to=tmp_path, bounds=["v*=0.5", "f*=1e-3", "q=1"])
        assert report.ok, report.failed
        bounds = {column["name"]: column["bound"] for column in last(tmp_path, "run.trr")["columns"]}
        assert bounds["vx"] == 0.5

    def test_an_input_that_is_cut_stays(self, sources, tmp_path):
        """Nothing else in the output says that frames are missing."""
        path = tmp_path / "run.dcd"
        content = (sources / "run.dcd").read_bytes()[:-50]
        path.write_bytes(content)
        report = archive(path, to=tmp_path / "out", allow_truncated=True, remove_inputs=True)
        assert report.done == 1 and report.removed == 0, report.failed
        assert last(tmp_path / "out", "run.dcd")["cut"] is True
        assert "ends within a frame" in report.kept[0][1] and path.read_bytes() == content

    def test_inputs_stay(self, sources, forked, tmp_path):
        """Those of H5MD may have datasets, and those of TRR values, that gpz does not store."""
        names = [shutil.copy(sources / f"run.{ending}", tmp_path) for ending in ("h5md", "trr")]
        report = archive(names, to=tmp_path / "out", remove_inputs=True)
        assert report.done == 2 and report.removed == 0 and all(map(os.path.exists, names))
        assert sorted(reason for _, reason in report.kept) == [
            "h5md files may hold more than the output does",
            "trr files may hold more than the output does",
        ]

    @pytest.mark.parametrize("ending", ["dcd", "xtc"])
    def test_a_relative_bound(self, sources, forked, tmp_path, ending):
        report = archive(sources / f"run.{ending}", to=tmp_path, rel=1e-3)
        assert report.ok and report.done == 1, report.failed
        with gpz.open(tmp_path / f"run.{ending}.gpz") as file:
            assert file[0].position_bound == pytest.approx(1e-3 * file[0].box.lengths.max(), rel=1e-6)
        assert last(tmp_path, f"run.{ending}")["columns"][0]["bound"] == pytest.approx(0.001 * 10, rel=1e-5)

    def test_a_key_interval_that_is_chosen(self, sources, forked, tmp_path):
        names = [sources / "run.dcd", sources / "run.h5md"]
        for key in ("auto", 100):
            report = archive(names, to=tmp_path / str(key), key=key)
            assert report.ok and report.done == 2, report.failed
        assert outputs(tmp_path / "auto") == outputs(tmp_path / "100")

    def test_a_key_interval_that_frames_without_a_past_give(self, forked, tmp_path):
        random = np.random.default_rng(1)
        with gpz.Writer(tmp_path / "made.gpz") as writer:
            for _ in range(9):
                writer.write(positions=random.random((500, 3)) * 10, box=[10, 10, 10])
        convert(tmp_path / "made.gpz", tmp_path / "run.dcd")
        report = archive(tmp_path / "run.dcd", to=tmp_path / "out", key="auto", eb="1e-3")
        assert report.ok, report.failed
        with gpz.open(tmp_path / "out" / "run.dcd.gpz") as file:
            assert np.flatnonzero(file.key_frames).tolist()[:2] == [0, 6]


class TestGpz:
    def test_is_copied(self, tmp_path):
        path = as_gpz(tmp_path / "a.gpz", dump())
        assert archive(path, to=tmp_path / "out").ok
        assert outputs(tmp_path / "out") == {"a.gpz.gpz": path.read_bytes()}

    def test_is_encoded_again_if_options_ask_for_it(self, tmp_path):
        path = as_gpz(tmp_path / "a.gpz", dump(), "--effort", "fast")
        assert archive(path, to=tmp_path / "out", effort="dense").ok
        made = tmp_path / "out" / "a.gpz.gpz"
        assert made.read_bytes() != path.read_bytes()
        assert np.array_equal(positions(made), positions(path))

    def test_keeps_its_units(self, tmp_path):
        """Those of the command are for dumps."""
        path = as_gpz(tmp_path / "a.gpz", dump(units="real"))
        assert archive(path, to=tmp_path / "out", units="metal", dt=2, effort="dense").ok
        with gpz.open(tmp_path / "out" / "a.gpz.gpz") as file:
            assert file.units == "real" and file.metadata["timestep_size"] == 0

    def test_packed(self, tmp_path):
        path = tmp_path / "a.gpz.gz"
        path.write_bytes(gzip.compress(as_gpz(tmp_path / "a.gpz", dump()).read_bytes()))
        report = archive(path, to=tmp_path / "out")
        assert report.failed == [(str(path), "gpz packed by gzip: unpack it first")]

    def test_damaged(self, tmp_path):
        path = as_gpz(tmp_path / "a.gpz", dump())
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
        report = archive(path, to=tmp_path / "out")
        assert len(report.failed) == 1 and outputs(tmp_path / "out") == {}


def test_bounds_of_columns_that_an_input_does_not_have(tmp_path):
    """A folder has dumps with and without velocities; a bound of a wrong kind is an error still."""
    for name, velocities in (("with.dump", True), ("without.dump", False)):
        (tmp_path / name).write_bytes(dump(velocities=velocities))
    report = archive(
        [tmp_path / "with.dump", tmp_path / "without.dump"], to=tmp_path / "out", bounds=["v*=thermal", "c_pe=0.1"]
    )
    assert report.ok, report.failed
    bounds = {column["name"]: column["bound"] for column in last(tmp_path / "out", "with.dump")["columns"]}
    assert bounds["vx"] > 0
    notes = {line["input"]: line["notes"] for line in lines(tmp_path / "out") if line["state"] == "encoded"}
    assert "no such column: --bound c_pe=0.1" in notes["with.dump"]
    assert notes["without.dump"][:2] == ["no such column: --bound v*=thermal", "no such column: --bound c_pe=0.1"]
    report = archive(tmp_path / "with.dump", to=tmp_path / "out", bounds=["id=0.1"])
    assert "--bound: column id holds integers" in report.failed[0][1]


def test_names_do_not_collide(tmp_path):
    """A dump, its .gpz file and its .gz file beside each other."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "melt").write_bytes(dump())
    (folder / "melt.gz").write_bytes(gzip.compress(dump()))
    as_gpz(folder / "melt.gpz", dump())
    assert archive(folder, to=tmp_path / "out").done == 3
    assert list(outputs(tmp_path / "out")) == ["in/melt.gpz", "in/melt.gpz.gpz", "in/melt.gz.gpz"]
    other = tmp_path / "other" / "in"
    other.mkdir(parents=True)
    (other / "melt").write_bytes(dump(seed=3))
    with pytest.raises(gpz.ArgumentError, match="would both become in/melt.gpz"):
        archive([folder, other], to=tmp_path / "out")


def test_links_are_skipped_and_the_archive_is_no_input(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "melt.dump").write_bytes(dump())
    os.symlink("melt.dump", folder / "link.dump")
    for _ in range(2):
        report = archive(folder, to=folder / "archive")
        assert report.ok and report.skipped == [(str(folder / "link.dump"), "a symbolic link")]
        assert list(outputs(folder / "archive")) == ["in/melt.dump.gpz"]
