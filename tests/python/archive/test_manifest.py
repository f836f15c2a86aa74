# SPDX-License-Identifier: BSD-3-Clause
"""The manifest: what it says, and what it bears."""

import json
import os

import pytest
from conftest import CUT, dump, lines, outputs, states

import gpz
from gpz.archive import archive
from gpz.archive.files import digest_of
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
    path.write_bytes(b'{"state": "done", "path": "/a"}\nhalf\n[]\n{"state": 3, "path": "/b"}\n\xff\xfe\n{"state": "failed", "path": "/c"}')
    assert [line["path"] for line in read(path)] == ["/a", "/c"]


def test_nothing_of_a_failed_try_is_taken_for_done(tmp_path):
    manifest = Manifest(str(tmp_path))
    manifest.add("done", "/a", size=1, output="a.gpz")
    manifest.add("removed", "/a")
    assert manifest.last("/a") == {"state": "removed", "size": 1, "output": "a.gpz"}
    manifest.add("failed", "/a", reason="why")
    assert manifest.last("/a") == {"state": "failed"}
    manifest.close()
    assert Manifest(str(tmp_path)).last("/a") == {"state": "failed"}
    assert [json.loads(line)["state"] for line in open(tmp_path / "manifest.jsonl")] == ["done", "removed", "failed"]


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

    def test_another_input(self, done):
        done.write_bytes(dump(seed=5))
        assert self.again(done) == (1, 0)

    def test_other_settings(self, done):
        assert self.again(done, eb=0.01) == (1, 0)
        assert self.again(done, eb=0.01) == (0, 1)

    def test_no_output(self, done):
        os.unlink(done.parent / "out" / "melt.dump.gpz")
        assert self.again(done) == (1, 0)

    def test_after_a_failure(self, done):
        content = done.read_bytes()
        done.write_bytes(b"ITEM: TIMESTEP\nnonsense\n")
        assert archive(done, to=done.parent / "out").failed
        done.write_bytes(content)
        assert self.again(done) == (1, 0)
