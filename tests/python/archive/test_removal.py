# SPDX-License-Identifier: BSD-3-Clause
"""Inputs are removed only if they were asked to be, were compared, and are what was read."""

import gzip
import os
import shutil
from pathlib import Path

import pytest
from conftest import CUT, as_gpz, dump, last, outputs, states, xyz

import gpz
from gpz.archive import archive, tasks
from gpz.archive.errors import TaskFailed
from gpz.archive.removal import hidden_name


def test_after_the_comparison(runs, tmp_path):
    out = tmp_path / "out"
    report = archive(runs, to=out, remove_inputs=True, **CUT)
    assert not report.failed and report.removed == 2
    assert sorted(path.name for path in runs.rglob("*") if path.is_file()) == ["crystal.xyz", "notes.txt"]
    assert report.kept == [(str(runs / "a" / "crystal.xyz"), "xyz files may hold more than the output does")]
    assert states(out, "runs/melt.dump") == ["started", "encoded", "done", "removed"]
    assert len(outputs(out)) == 3
    # The same command once more has nothing to do.
    assert archive([runs / "melt.dump"], to=out, remove_inputs=True, **CUT).before == 1


def test_not_unless_asked_for(runs, tmp_path):
    report = archive(runs, to=tmp_path / "out", **CUT)
    assert report.removed == 0 and (runs / "melt.dump").exists()
    # By a later run, which compares the digests of input and output.
    report = archive(runs, to=tmp_path / "out", remove_inputs=True, **CUT)
    assert (report.removed, report.before, report.done) == (2, 3, 0)
    assert len(outputs(tmp_path / "out")) == 3


def rewritten(path, content):
    """As a file that has its size and time."""
    status = os.stat(path)
    path.write_bytes(content)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


class TestChanges:
    @pytest.fixture
    def path(self, tmp_path):
        path = tmp_path / "melt.dump"
        path.write_bytes(dump())
        return path

    def test_of_the_input_between_runs(self, path, tmp_path):
        archive(path, to=tmp_path / "out")
        rewritten(path, path.read_bytes().replace(b"0.5", b"0.7"))
        report = archive(path, to=tmp_path / "out", remove_inputs=True)
        assert report.kept == [(str(path), "it changed since it was read")] and not report.ok
        assert path.exists() and last(tmp_path / "out", "melt.dump")["state"] == "done"

    def test_of_the_output_between_runs(self, path, tmp_path):
        archive(path, to=tmp_path / "out")
        output = tmp_path / "out" / "melt.dump.gpz"
        content = bytearray(output.read_bytes())
        content[-1] ^= 1
        output.write_bytes(content)
        report = archive(path, to=tmp_path / "out", remove_inputs=True)
        assert "changed since it was compared" in report.kept[0][1] and path.exists()

    @pytest.mark.parametrize("step", ["encode_piece", "join", "compare"])
    def test_of_the_input_meanwhile(self, path, tmp_path, monkeypatch, step):
        """It grows, as one of a run that still writes does."""
        usual = getattr(tasks, step)

        def grown(*arguments):
            made = usual(*arguments)
            with open(path, "ab") as file:
                file.write(dump(frames=1, units=None, start=5000))
            return made

        monkeypatch.setattr(tasks, step, grown)
        report = archive(path, to=tmp_path / "out", remove_inputs=True)
        assert len(report.failed) == 1 and path.exists()
        assert outputs(tmp_path / "out") == {}

    @pytest.mark.parametrize("when", ["before the comparison", "before the removal"])
    def test_of_values_meanwhile(self, path, tmp_path, monkeypatch, when):
        """Size and time stay."""
        usual = getattr(tasks, "compare" if when == "before the comparison" else "removable")

        def changed(*arguments):
            rewritten(path, path.read_bytes().replace(b"0.5", b"0.7"))
            return usual(*arguments)

        monkeypatch.setattr(tasks, usual.__name__, changed)
        report = archive(path, to=tmp_path / "out", remove_inputs=True)
        assert path.exists() and not report.ok
        if when == "before the comparison":
            assert "comparison with the input: the output: column" in report.failed[0][1]
            assert "more than the bound" in report.failed[0][1]
            assert outputs(tmp_path / "out") == {}
        else:
            assert report.kept == [(str(path), "it changed since it was read")]

    def test_of_the_output_before_the_comparison(self, path, tmp_path, monkeypatch):
        """It holds other values than those of the input, and its checksums hold."""
        other = tmp_path / "other"
        archive(path, to=other, eb=0.01)
        with (
            gpz.open(other / "melt.dump.gpz") as file,
            gpz.Writer(tmp_path / "wrong.gpz", units="metal", bound=0.0005) as writer,
        ):
            for frame in file:
                writer.write(
                    positions=frame.positions,
                    ids=frame.ids,
                    types=frame["type"],
                    box=frame.box,
                    timestep=frame.timestep,
                )
        usual = tasks.join

        def joined(place, pieces):
            made, digest = usual(place, pieces)
            shutil.copy(tmp_path / "wrong.gpz", made.path)
            return made, digest

        monkeypatch.setattr(tasks, "join", joined)
        report = archive(path, to=tmp_path / "out", remove_inputs=True)
        assert "comparison with the input" in report.failed[0][1] and path.exists()
        assert outputs(tmp_path / "out") == {}


class TestHiddenNames:
    """An input is removed under a hidden name."""

    @pytest.fixture
    def path(self, tmp_path):
        (tmp_path / "in").mkdir()
        path = tmp_path / "in" / "melt.dump"
        path.write_bytes(dump())
        return path

    def test_another_file_gets_the_name_after_the_check(self, path, tmp_path, monkeypatch):
        usual = tasks.removable

        def swapped(*arguments):
            why = usual(*arguments)
            path.rename(tmp_path / "moved")
            path.write_bytes(b"precious")
            return why

        monkeypatch.setattr(tasks, "removable", swapped)
        report = archive(path, to=tmp_path / "out", remove_inputs=True)
        assert report.kept == [(str(path), "it changed since it was read")]
        assert path.read_bytes() == b"precious" and os.listdir(path.parent) == ["melt.dump"]

    def test_another_file_gets_the_name_meanwhile(self, path, tmp_path, monkeypatch):
        """Neither of the two is lost."""
        usual = os.rename

        def renamed(old, new):
            usual(old, new)
            if old == str(path):
                path.write_bytes(b"new")
                with open(new, "ab") as file:
                    file.write(b"more")

        monkeypatch.setattr(os, "rename", renamed)
        report = archive(path, to=tmp_path / "out", remove_inputs=True)
        hidden = Path(hidden_name(str(path)))
        assert report.kept == [(str(path), f"it changed since it was read, and is now {hidden}")]
        assert path.read_bytes() == b"new" and hidden.read_bytes() == dump() + b"more"
        monkeypatch.setattr(os, "rename", usual)
        report = archive(path.parent, to=tmp_path / "out", remove_inputs=True)
        assert [failed for failed, _ in report.failed] == [str(hidden)]
        assert hidden.read_bytes() == dump() + b"more"

    @pytest.mark.parametrize("named", ["the file", "its folder"])
    @pytest.mark.parametrize("linked", [False, True])
    def test_a_run_was_killed_meanwhile(self, path, tmp_path, named, linked):
        """linked: it was killed when it gave the file its name again."""
        hidden = hidden_name(str(path))
        os.rename(path, hidden)
        if linked:
            os.link(hidden, path)
        report = archive(path if named == "the file" else path.parent, to=tmp_path / "out")
        assert report.ok and report.done == 1, report.failed
        assert os.listdir(path.parent) == ["melt.dump"] and path.read_bytes() == dump()


@pytest.mark.parametrize("name", ["run.xyz", "run.xyz.gz"])
def test_kinds_that_may_hold_more_stay(tmp_path, name):
    """Words in the comments of XYZ have no place in the output."""
    content = xyz() if name == "run.xyz" else gzip.compress(xyz())
    (tmp_path / name).write_bytes(content)
    report = archive(tmp_path / name, to=tmp_path / "out", remove_inputs=True)
    assert report.done == 1 and report.kept == [(str(tmp_path / name), "xyz files may hold more than the output does")]
    assert (tmp_path / name).read_bytes() == content


def test_a_link_that_is_named_stays(tmp_path):
    (tmp_path / "melt.dump").write_bytes(dump())
    os.symlink("melt.dump", tmp_path / "link.dump")
    report = archive(tmp_path / "link.dump", to=tmp_path / "out", remove_inputs=True)
    assert report.kept == [(str(tmp_path / "link.dump"), "it is a symbolic link")]
    assert (tmp_path / "melt.dump").exists() and (tmp_path / "link.dump").is_symlink()


def test_a_folder_that_cannot_be_written(runs, tmp_path):
    """The input cannot be removed, and the archive goes on."""
    if os.geteuid() == 0:
        pytest.skip("root writes into every folder")
    os.chmod(runs / "a", 0o500)
    try:
        report = archive(runs, to=tmp_path / "out", remove_inputs=True, **CUT)
        assert len(report.kept) == 2 and report.removed == 1  # XYZ stays in any folder
    finally:
        os.chmod(runs / "a", 0o700)


class TestOutputs:
    """The output must be a file of its own, which has the frames of this input alone."""

    @pytest.fixture
    def path(self, tmp_path):
        path = tmp_path / "run.gpz"
        as_gpz(path, dump())
        assert archive(path, to=tmp_path / "out").ok
        return path

    @pytest.mark.parametrize("link", [os.symlink, os.link], ids=["symbolic", "hard"])
    def test_that_is_the_input(self, path, tmp_path, link):
        """A copied .gpz file has the bytes of its input, so digests do not show it."""
        output = tmp_path / "out" / "run.gpz.gpz"
        output.unlink()
        link(path, output)
        report = archive(path, to=tmp_path / "out", remove_inputs=True)
        assert report.removed == 0 and path.exists()
        says = "is no regular file" if link is os.symlink else "is the same file"
        assert report.kept == [(str(path), f"{output} {says}")]

    def test_that_are_gone_with_their_inputs(self, path, tmp_path):
        assert archive(path, to=tmp_path / "out", remove_inputs=True).removed == 1
        assert archive(path, to=tmp_path / "out", remove_inputs=True).before == 1
        (tmp_path / "out" / "run.gpz.gpz").unlink()
        report = archive(path, to=tmp_path / "out", remove_inputs=True)
        assert report.before == 0
        assert report.failed == [(str(path), "it is gone, and its output run.gpz.gpz is gone or has changed")]

    def test_that_is_joined(self, tmp_path):
        """A folder `melt` with one file, and a file `melt` elsewhere, have outputs of one name."""
        (tmp_path / "melt").mkdir()
        path = tmp_path / "melt" / "melt"
        for name, seed in (("melt", 1), ("other", 2)):
            (tmp_path / "melt" / name).write_bytes(dump(seed=seed))
        assert archive(tmp_path / "melt", to=tmp_path / "out", join="last").ok
        assert list(outputs(tmp_path / "out")) == ["melt.gpz"]
        report = archive(path, to=tmp_path / "out", remove_inputs=True)
        assert report.removed == 0 and report.before == 0 and path.exists()
        assert "was made of" in report.failed[0][1]


def test_a_comparison_counts_for_the_bytes_that_were_compared(tmp_path, monkeypatch):
    """A run ends after its comparison. Then the file that was compared is lost or becomes another one."""
    path = tmp_path / "melt.dump"
    path.write_bytes(dump())

    def ended(*_):
        raise TaskFailed("ended")

    with monkeypatch.context() as changed:
        changed.setattr("gpz.archive.folder.Archive.publish", ended)
        assert archive(path, to=tmp_path / "out").failed == [(str(path), "ended")]
    (work,) = (entry for entry in (tmp_path / "out" / ".gpz-archive").iterdir() if entry.is_dir())
    assert list(work.glob("compared-*"))
    as_gpz(work / "joined.gpz", dump(seed=7))
    report = archive(path, to=tmp_path / "out", remove_inputs=True)
    assert "comparison with the input" in report.failed[0][1] and path.exists()
    assert outputs(tmp_path / "out") == {}
