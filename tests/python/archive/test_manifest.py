# SPDX-License-Identifier: BSD-3-Clause
"""The manifest: what it says, and what it bears."""

import json
import os

import pytest
from conftest import CUT, dump, last, lines, outputs, states

import gpz
from gpz.archive import archive
from gpz.archive.archiving import locked
from gpz.archive.errors import TaskFailed
from gpz.archive.files import digest_of
from gpz.archive.inputs import WORK
from gpz.archive.manifest import Manifest, read


def test_what_it_says(runs, tmp_path):
    out = tmp_path / "out"
    assert archive(runs, to=out, units="metal", **CUT).ok
    done = {line["input"]: line for line in lines(out) if line["state"] == "done"}
    assert set(done) == {"runs/melt.dump", "runs/a/melt.dump", "runs/a/crystal.xyz"}
    for name, line in done.items():
        path = runs.parent / name
        assert line["path"] == str(path)
        assert line["size"] == path.stat().st_size and line["mtime_ns"] == path.stat().st_mtime_ns
        assert line["digest"] == digest_of(path)
        assert line["output"] == f"{name}.gpz"
        assert line["output_size"] == (out / line["output"]).stat().st_size
        assert line["output_digest"] == digest_of(out / line["output"])
        assert line["gpz"] == gpz.__version__
        assert line["settings"] == {"units": "metal", **CUT}
        for column in line["columns"]:
            assert 0 <= column["largest_difference"] <= column["bound"] or column["largest_difference"] == 0
        assert states(out, name) == ["started", "encoded", "done"]
    assert done["runs/a/melt.dump"]["frames"] == 30


@pytest.mark.parametrize("kept", [0, 1, 40, -2, -1])
def test_half_a_line(runs, tmp_path, kept):
    """A killed run leaves a part of its last line. The next run begins a line of its own."""
    out = tmp_path / "out"
    archive(runs, to=out, jobs=1, **CUT)
    expected = outputs(out)
    path = out / "manifest.jsonl"
    content = path.read_bytes()
    whole, half = content.splitlines(keepends=True)[:-1], content.splitlines(keepends=True)[-1]
    before = b"".join(whole) + half[:kept]
    path.write_bytes(before)
    report = archive(runs, to=out, **CUT)
    assert report.ok and (report.done, report.before) in ([(1, 2)] if kept != -1 else [(1, 2), (0, 3)])
    assert path.read_bytes().startswith(before)
    assert outputs(out) == expected
    assert archive(runs, to=out, **CUT).before == 3


def test_lines_that_are_none_are_left_out(tmp_path):
    path = tmp_path / "manifest.jsonl"
    path.write_bytes(
        b'{"state": "done", "path": "/a"}\nhalf\n[]\n{"state": 3, "path": "/b"}\n\xff\xfe\n{"state": "failed", "path": "/c"}'
    )
    assert [line["path"] for line in read(path)] == ["/a", "/c"]


@pytest.mark.parametrize("change", [
    {"settings": None}, {"size": "1"}, {"digest": 3}, {"output": None}, {"cut": "no"}, {"joined": 1},
])  # fmt: skip
def test_a_line_without_what_a_run_needs(tmp_path, change):
    """Counts as none: the input is archived again."""
    path = tmp_path / "melt.dump"
    path.write_bytes(dump())
    assert archive(path, to=tmp_path / "out").ok
    manifest = tmp_path / "out" / "manifest.jsonl"
    done = {**last(tmp_path / "out", "melt.dump"), **change}
    manifest.write_text(json.dumps({name: value for name, value in done.items() if value is not None}) + "\n")
    report = archive(path, to=tmp_path / "out", remove_inputs=True)
    assert (report.done, report.removed) == (1, 1), report.failed


def test_what_a_run_knows_of_earlier_ones(tmp_path):
    """Also after a later try has failed: the output of the first one is there still."""
    manifest = Manifest(str(tmp_path))
    assert (manifest.state("/a"), manifest.done("/a"), manifest.owner("a.gpz")) == ("", {}, None)
    fields = {
        "size": 1, "mtime_ns": 2, "digest": "d", "output": "a.gpz", "output_size": 3, "output_digest": "o", "settings": {}, "cut": False
    }  # fmt: skip
    manifest.add("done", "/a", **fields, columns=[])
    manifest.add("removed", "/a")
    manifest.add("failed", "/a", reason="why")
    for known in (manifest, Manifest(str(tmp_path))):
        assert known.state("/a") == "failed"
        assert known.done("/a") == {"state": "done", **fields}
        assert known.owner("a.gpz") == "/a" and known.output_digest("a.gpz") == "o" and known.is_removed("/a")
    manifest.close()
    assert [line["state"] for line in lines(tmp_path)] == ["done", "removed", "failed"]


class TestDoneBefore:
    """What an earlier run has done stays as it is, unless the input, the output or the settings have changed."""

    @pytest.fixture
    def done(self, tmp_path):
        path = tmp_path / "melt.dump"
        path.write_bytes(dump())
        assert archive(path, to=tmp_path / "out").done == 1
        return path

    def again(self, path, **options):
        report = archive(path, to=path.parent / "out", **options)
        assert report.ok
        return report.done, report.before

    def test_nothing_has_changed(self, done):
        assert self.again(done) == (0, 1)

    def test_the_time_of_the_input(self, done):
        os.utime(done, ns=(1, 1))
        assert self.again(done) == (1, 0)
        assert self.again(done) == (0, 1)

    def test_other_settings(self, done):
        assert self.again(done, eb=0.01) == (1, 0)
        assert self.again(done, eb=0.01) == (0, 1)

    def test_no_output(self, done):
        os.unlink(done.parent / "out" / "melt.dump.gpz")
        assert self.again(done) == (1, 0)

    def test_after_a_failure(self, done):
        content = done.read_bytes()
        done.write_bytes(b"ITEM: TIMESTEP\nnonsense\n")
        assert archive(done, to=done.parent / "out", replace=True).failed
        done.write_bytes(content)
        assert self.again(done) == (1, 0)


class TestReplacing:
    """An output may be all that is left of what it was made of."""

    @pytest.fixture
    def removed(self, tmp_path):
        """The output of an input that was removed, and another input of that name."""
        path = tmp_path / "melt.dump"
        path.write_bytes(dump())
        assert archive(path, to=tmp_path / "out", remove_inputs=True).removed == 1
        path.write_bytes(dump(seed=5))
        return path

    @pytest.mark.parametrize("options", [{}, {"eb": 0.01}])
    def test_only_if_asked_for(self, removed, tmp_path, options):
        before = outputs(tmp_path / "out")
        for _ in range(2):
            report = archive(removed, to=tmp_path / "out", remove_inputs=True, **options)
            assert "it is not the file that was archived as melt.dump.gpz" in report.failed[0][1]
            assert outputs(tmp_path / "out") == before and removed.exists()
        # The output is all that is left.
        report = archive(removed, to=tmp_path / "out", replace=True, **options)
        assert "melt.dump.gpz is all that is left of the file" in report.failed[0][1]
        assert outputs(tmp_path / "out") == before
        os.rename(tmp_path / "out" / "melt.dump.gpz", tmp_path / "earlier.gpz")
        assert archive(removed, to=tmp_path / "out", **options).done == 1

    def test_of_an_input_that_has_changed(self, tmp_path):
        path = tmp_path / "melt.dump"
        path.write_bytes(dump())
        assert archive(path, to=tmp_path / "out").ok
        before = outputs(tmp_path / "out")
        path.write_bytes(dump(seed=5))
        assert archive(path, to=tmp_path / "out").failed and outputs(tmp_path / "out") == before
        assert archive(path, to=tmp_path / "out", replace=True).done == 1
        assert outputs(tmp_path / "out") != before

    def test_of_an_output_that_became_another_file(self, tmp_path):
        """Somebody gave another file the name of the output."""
        path, output = tmp_path / "melt.dump", tmp_path / "out" / "melt.dump.gpz"
        path.write_bytes(dump())
        assert archive(path, to=tmp_path / "out").ok
        output.write_bytes(b"precious")
        report = archive(path, to=tmp_path / "out", eb=0.01)
        assert "is not the output of this archive" in report.failed[0][1]
        assert output.read_bytes() == b"precious"
        assert archive(path, to=tmp_path / "out", eb=0.01, replace=True).done == 1

    def test_by_an_input_of_another_folder(self, tmp_path):
        for name, seed in (("a", 1), ("b", 2)):
            (tmp_path / name / "runs").mkdir(parents=True)
            (tmp_path / name / "runs" / "melt.dump").write_bytes(dump(seed=seed))
        assert archive(tmp_path / "a" / "runs", to=tmp_path / "out").ok
        before = outputs(tmp_path / "out")
        report = archive(tmp_path / "b" / "runs", to=tmp_path / "out")
        assert f"was made of {tmp_path / 'a' / 'runs' / 'melt.dump'}" in report.failed[0][1]
        assert outputs(tmp_path / "out") == before
        # While the other input is there, its output may be replaced.
        os.rename(tmp_path / "a", tmp_path / "elsewhere")
        report = archive(tmp_path / "b" / "runs", to=tmp_path / "out", replace=True)
        assert "is all that is left of" in report.failed[0][1] and outputs(tmp_path / "out") == before
        os.rename(tmp_path / "elsewhere", tmp_path / "a")
        assert archive(tmp_path / "b" / "runs", to=tmp_path / "out", replace=True).done == 1

    def test_of_a_file_that_is_no_output(self, tmp_path):
        (tmp_path / "melt.dump").write_bytes(dump())
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "melt.dump.gpz").write_bytes(b"precious")
        report = archive(tmp_path / "melt.dump", to=tmp_path / "out", remove_inputs=True)
        assert "is no output of this archive" in report.failed[0][1]
        assert (tmp_path / "out" / "melt.dump.gpz").read_bytes() == b"precious"


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b'{"size": 1, "pieces": 3}', b"\xff"])
def test_a_plan_that_cannot_be_read(tmp_path, monkeypatch, content):
    """It is made again."""
    path = tmp_path / "melt.dump"
    path.write_bytes(dump())

    def ended(*_):
        raise TaskFailed("ended")

    with monkeypatch.context() as changed:
        changed.setattr("gpz.archive.tasks.encode_piece", ended)
        assert archive(path, to=tmp_path / "out").failed
    (made,) = (tmp_path / "out" / ".gpz-archive").rglob("plan.json")
    made.write_bytes(content)
    assert archive(path, to=tmp_path / "out").done == 1


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o755])
def test_permissions(tmp_path, mode):
    """Nobody may read an output who may not read its input."""
    path = tmp_path / "melt.dump"
    path.write_bytes(dump())
    path.chmod(mode)
    assert archive(path, to=tmp_path / "out").ok
    assert (tmp_path / "out" / "melt.dump.gpz").stat().st_mode & 0o777 == mode & 0o666


@pytest.mark.parametrize("prints", ["1.0.0", "1.0.1"])
def test_pieces_belong_to_a_version_of_the_program(tmp_path, monkeypatch, prints):
    """Not of this package alone."""
    path = tmp_path / "melt.dump"
    path.write_bytes(dump())

    def ended(*_):
        raise TaskFailed("ended")

    for version in ("1.0.0", prints):
        program = tmp_path / "gpz"
        program.write_text(
            f'#!/bin/sh\ncase "$1" in --version) echo gpz {version};; *) exec {os.environ["GPZ"]} "$@";; esac\n'
        )
        program.chmod(0o755)
        with monkeypatch.context() as changed:
            changed.setattr("gpz.archive.folder.Archive.publish", ended)
            assert archive(path, to=tmp_path / "out", program=str(program)).failed == [(str(path), "ended")]
    folders = [entry for entry in (tmp_path / "out" / ".gpz-archive").iterdir() if entry.is_dir()]
    assert len(folders) == (1 if prints == "1.0.0" else 2)


def test_a_copy_of_the_lock(tmp_path):
    """A process that is being started has copies of all descriptors for a moment. They do not keep the folder locked."""
    folder = tmp_path / "out"
    (folder / WORK).mkdir(parents=True)
    copies = []
    with locked(str(folder)):
        for name in os.listdir("/proc/self/fd"):
            path = f"/proc/self/fd/{name}"
            if os.path.lexists(path) and os.path.realpath(path) == str(folder / WORK / "lock"):
                copies.append(os.dup(int(name)))
        with pytest.raises(gpz.ArgumentError, match="another gpz archive"), locked(str(folder)):
            pass
    assert copies
    with locked(str(folder)):
        pass
    for copy in copies:
        os.close(copy)
