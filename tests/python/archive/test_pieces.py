# SPDX-License-Identifier: BSD-3-Clause
"""How text dumps are cut, and that the pieces make one file as good as an uncut one."""

import os
import re
import struct
import subprocess

import numpy as np
import pytest
from conftest import CUT, binary_dump, dump, last, lines, outputs, xyz

import gpz
from gpz.archive import archive
from gpz.archive.compressed import blocks
from gpz.archive.files import digest_of
from gpz.archive.kinds import Kind
from gpz.archive.plan import plan
from gpz.archive.settings import Settings


def planned(path, kind="lammps", **changes):
    return plan(str(path), Kind(kind), Settings(**{**CUT, **changes}))


def starts_of(content):
    """The bytes at which frames begin: everything in front of TIMESTEP back to the last row of atoms."""
    lines, starts, place = content.splitlines(keepends=True), [], 0
    heads, waiting = (b"ITEM: UNITS", b"ITEM: TIME\n", b"ITEM: TIMESTEP"), True
    for line in lines:
        if waiting and line.startswith(heads):
            starts.append(place)
            waiting = False
        waiting = waiting or line.startswith(b"ITEM: ATOMS")
        place += len(line)
    return starts


@pytest.mark.parametrize("times", [False, True])
@pytest.mark.parametrize("units", [None, "metal"])
@pytest.mark.parametrize("block", [1, 7, 4096, 2**20])
def test_pieces_are_whole_key_intervals(tmp_path, monkeypatch, times, units, block):
    """However the blocks fall in which the file is read."""
    monkeypatch.setattr("gpz.archive.compressed.BLOCK", block)
    content = dump(atoms=20, frames=23, times=times, units=units)
    path = tmp_path / "melt.dump"
    path.write_bytes(content)
    starts = [*starts_of(content), len(content)]
    assert len(starts) == 24
    require_whole_key_intervals(planned(path, piece_size=3000, key=5), starts, units or "")


def require_whole_key_intervals(found, starts, units=""):
    """Of 5 frames, in pieces of 3000 bytes or more. starts: of all frames, and the end of the file."""
    pieces = found.pieces
    assert len(pieces) > 2
    assert [piece.offset for piece in pieces] == [starts[piece.first_frame] for piece in pieces]
    assert all(piece.first_frame % 5 == 0 and piece.length >= 3000 for piece in pieces[:-1])
    assert [piece.offset + piece.length for piece in pieces] == [
        starts[piece.first_frame + piece.frames] for piece in pieces
    ]
    assert sum(piece.length for piece in pieces) == starts[-1]
    assert found.second_frame == starts[1] and found.units == units


@pytest.mark.parametrize("block", [1, 7, 4096, 2**20])
class TestOtherKinds:
    @pytest.fixture(autouse=True)
    def block(self, monkeypatch, block):
        monkeypatch.setattr("gpz.archive.compressed.BLOCK", block)

    def test_binary_dumps(self, tmp_path):
        """The bytes at which frames begin are those of the magic word."""
        for units, times, chunks in (("", False, 1), ("real", True, 3)):
            content = binary_dump(frames=23, units=units, times=times, chunks=chunks)
            (tmp_path / "run.bin").write_bytes(content)
            starts = [found.start() - 8 for found in re.finditer(b"DUMPCUSTOM", content)]
            require_whole_key_intervals(
                planned(tmp_path / "run.bin", "lammps-binary", piece_size=3000), [*starts, len(content)], units
            )

    @pytest.mark.parametrize(
        ("kind", "content"),
        [
            ("xyz", xyz(frames=23)),  # its frames are counted from the beginning
            ("lammps-binary", binary_dump(frames=23)[:-9000] + bytes(8) + binary_dump(frames=3)),
            ("lammps-binary", binary_dump(frames=3).replace(struct.pack("<ii", 1, 2), struct.pack("<ii", 2, 2))),
            ("dcd", binary_dump(frames=23)),
        ],
        ids=["xyz", "zeros", "byte order", "another kind"],
    )
    def test_what_is_no_frame(self, tmp_path, kind, content):
        """The whole file is given to gpz, which says what is wrong."""
        (tmp_path / "run").write_bytes(content)
        found = planned(tmp_path / "run", kind, piece_size=3000)
        assert [(piece.offset, piece.length) for piece in found.pieces] == [(0, None)]
        assert found.digest == digest_of(tmp_path / "run")


def test_blocks_of_a_range(tmp_path):
    (tmp_path / "file").write_bytes(bytes(range(200)))
    assert b"".join(blocks(str(tmp_path / "file"), None, 10, 20)) == bytes(range(10, 30))
    assert b"".join(blocks(str(tmp_path / "file"), None, 190)) == bytes(range(190, 200))


def test_binary_dumps_decode_as_the_uncut_file_does(tmp_path):
    """Also units that only the first frame names."""
    name = "run.bin"
    (tmp_path / name).write_bytes(binary_dump(frames=43, units="real", velocities=True))
    options = {"key": 5, "bounds": ["v*=0.01"]}
    assert archive(tmp_path / name, to=tmp_path / "cut", piece_size=6000, **options).ok
    assert archive(tmp_path / name, to=tmp_path / "whole", **options).ok
    assert last_started(tmp_path / "cut")["pieces"] > 3 and last_started(tmp_path / "whole")["pieces"] == 1
    with gpz.open(tmp_path / "cut" / f"{name}.gpz") as cut, gpz.open(tmp_path / "whole" / f"{name}.gpz") as whole:
        assert len(cut) == len(whole) == 43 and cut.metadata == whole.metadata
        for a, b in zip(cut, whole):
            assert a.timestep == b.timestep and a.bounds == b.bounds
            assert np.array_equal(a.positions, b.positions) and np.array_equal(a.ids, b.ids)
    columns = [last(tmp_path / folder, name)["columns"] for folder in ("cut", "whole")]
    assert columns[0] == columns[1]


@pytest.mark.parametrize("units", ["parsec", "real"])
def test_binary_dumps_in_units_that_gpz_does_not_know(tmp_path, units):
    """They cannot be given to pieces, so the dump is encoded as one."""
    path = tmp_path / "run.bin"
    path.write_bytes(binary_dump(frames=43, units=units))
    assert archive(path, to=tmp_path / "out", piece_size=6000, key=5, eb=0.001).ok
    with gpz.open(tmp_path / "out" / "run.bin.gpz") as file:
        assert len(file) == 43 and file.metadata["units"] == units


class TestOutput:
    @pytest.fixture
    def path(self, tmp_path):
        path = tmp_path / "melt.dump"
        path.write_bytes(dump(frames=30))
        return path

    def test_decodes_as_the_uncut_file_does(self, path, tmp_path):
        assert len(planned(path).pieces) == 3
        assert archive(path, to=tmp_path / "cut", **CUT).ok
        assert archive(path, to=tmp_path / "whole", key=CUT["key"]).ok
        with (
            gpz.open(tmp_path / "cut" / "melt.dump.gpz") as cut,
            gpz.open(tmp_path / "whole" / "melt.dump.gpz") as whole,
        ):
            assert len(cut) == len(whole) == 30
            assert cut.metadata == whole.metadata
            for a, b in zip(cut, whole):
                assert a.timestep == b.timestep and a.bounds == b.bounds and a.box == b.box
                for column in ("x", "y", "z", "vx", "type"):
                    assert np.array_equal(a[column], b[column])

    @pytest.mark.parametrize(
        "options", [{"bounds": ["v*=thermal"]}, {"rel": 1e-4}, {"rel": "1e-3", "bounds": ["vx=thermal", "vy=0.5"]}]
    )
    def test_bounds_of_the_first_frame_hold_in_all_pieces(self, path, tmp_path, options):
        """Velocities of later frames are 100 times as large."""
        content = bytearray()
        for k, frame in enumerate(path.read_bytes().split(b"ITEM: TIMESTEP\n")):
            rows = frame.splitlines(keepends=True)
            if k > 10:
                rows = [
                    row.replace(b"\n", b"e2\n") if len(row.split()) == 8 and row[:1].isdigit() else row for row in rows
                ]
            content += b"ITEM: TIMESTEP\n" * (k > 0) + b"".join(rows)
        path.write_bytes(content)
        assert archive(path, to=tmp_path / "cut", **CUT, **options).ok
        uncut = {**CUT, "piece_size": 10**9, **options}
        assert archive(path, to=tmp_path / "whole", **uncut).ok
        assert last(tmp_path / "cut", "melt.dump")["columns"] == last(tmp_path / "whole", "melt.dump")["columns"]
        with (
            gpz.open(tmp_path / "cut" / "melt.dump.gpz") as cut,
            gpz.open(tmp_path / "whole" / "melt.dump.gpz") as whole,
        ):
            assert [frame.bounds for frame in cut] == [frame.bounds for frame in whole]

    def test_units_of_the_first_frame_hold_in_all_pieces(self, tmp_path):
        """LAMMPS names them once. lj has a bound of its own, and a dump without units none of its kind."""
        path = tmp_path / "melt.dump"
        path.write_bytes(dump(frames=30, units="si"))
        assert archive(path, to=tmp_path / "out", eb=0.001, **CUT).ok
        with gpz.open(tmp_path / "out" / "melt.dump.gpz") as file:
            assert len(file) == 30 and file.units == "si"
        assert last_started(tmp_path / "out")["pieces"] > 1

    def test_a_dump_that_ends_within_a_frame(self, path, tmp_path):
        content = path.read_bytes()
        path.write_bytes(content[:-10])
        report = archive(path, to=tmp_path / "out", **CUT)
        assert "in the piece that begins at byte" in report.failed[0][1] and "truncated" in report.failed[0][1]
        report = archive(path, to=tmp_path / "out", allow_truncated=True, remove_inputs=True, **CUT)
        assert report.done == 1 and "ends within a frame" in report.kept[0][1]
        assert path.read_bytes() == content[:-10]
        with gpz.open(tmp_path / "out" / "melt.dump.gpz") as file:
            assert len(file) == 29

    def test_scaled_positions_with_a_relative_bound_are_not_cut(self, path, tmp_path):
        """Their bound depends on the box of each frame."""
        path.write_bytes(path.read_bytes().replace(b" x y z ", b" xs ys zs "))
        report = archive(path, to=tmp_path / "out", rel=1e-4, **CUT)
        assert report.ok, report.failed
        whole = subprocess.run(
            [os.environ["GPZ"], "encode", path, "-o", tmp_path / "one.gpz", "--rel", "0.0001", "--key", "5"],
            capture_output=True,
            check=True,
        )
        assert whole.returncode == 0
        assert outputs(tmp_path / "out") == {"melt.dump.gpz": (tmp_path / "one.gpz").read_bytes()}


def last_started(folder):
    return [line for line in lines(folder) if line["state"] == "started"][-1]


def test_names_of_types_that_differ_between_pieces(tmp_path):
    """Names of elements stand in the rows. Pieces that begin with others could not be joined: the dump is encoded as one."""
    frames = dump(frames=30, velocities=False).replace(b"id type", b"id element").split(b"ITEM: TIMESTEP\n")
    elements = [(b"Cu", b"Zn"), (b"Zn", b"Cu")]
    content = [frames[0]]
    for k, frame in enumerate(frames[1:]):
        rows = []
        for row in frame.splitlines(keepends=True):
            words = row.split(b" ")
            if len(words) == 5 and words[1] in (b"1", b"2"):
                words[1] = elements[k >= 12][int(words[1]) - 1]
            rows.append(b" ".join(words))
        content.append(b"".join(rows))
    path = tmp_path / "alloy.dump"
    path.write_bytes(b"ITEM: TIMESTEP\n".join(content))
    report = archive(path, to=tmp_path / "out", **CUT)
    assert report.ok, report.failed
    encode = [os.environ["GPZ"], "encode", path, "-o", tmp_path / "one.gpz", "--key", "5"]
    subprocess.run(encode, capture_output=True, check=True)
    assert outputs(tmp_path / "out") == {"alloy.dump.gpz": (tmp_path / "one.gpz").read_bytes()}
    assert last_started(tmp_path / "out")["pieces"] > 1


def test_a_key_interval_that_is_chosen(tmp_path):
    """By gpz encode, from the first frames: the input is not cut, and the output is that of gpz encode."""
    path = tmp_path / "melt.dump"
    path.write_bytes(dump(atoms=4000, frames=60))
    assert len(planned(path, key="auto").pieces) == 1 < len(planned(path, key=5).pieces)
    archive([path], to=tmp_path / "out", key="auto", eb="0.0001", piece_size=1000, progress=False)
    expected = tmp_path / "expected.gpz"
    command = [os.environ.get("GPZ", "gpz"), "encode", path, "-o", expected, "--key", "auto", "--eb", "0.0001"]
    subprocess.run(command, check=True, capture_output=True)
    with gpz.open(tmp_path / "out" / "melt.dump.gpz") as found, gpz.open(expected) as encoded:
        assert list(found.key_frames) == list(encoded.key_frames)
        assert sum(found.key_frames) < 60


def test_a_key_interval_is_a_number_or_auto():
    for wrong, error in ((0, gpz.ArgumentError), (-3, gpz.ArgumentError), (65536, gpz.ArgumentError), ("often", TypeError), (2.5, TypeError)):
        with pytest.raises(error, match="key: a number of frames from 1 to 65535"):
            Settings(key=wrong)
