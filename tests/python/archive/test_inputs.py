# SPDX-License-Identifier: BSD-3-Clause
"""Which files are inputs: no outputs, no unfinished files, and each file once."""

import os

import pytest
from conftest import dump, outputs

import gpz
from gpz.archive import archive
from gpz.archive.kinds import kind_of


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "melt.dump").write_bytes(dump())
    return folder


def test_an_archive_that_is_reached_by_a_link(folder, tmp_path):
    """Its outputs would be archived again by each run, and removed."""
    (folder / "archive").mkdir()
    os.symlink(folder / "archive", tmp_path / "link")
    os.symlink(folder, tmp_path / "inputs")
    for start in (folder, folder, tmp_path / "inputs"):
        report = archive(start, to=tmp_path / "link", replace=True)
        assert not report.failed and report.done + report.before == 1
    assert sorted(outputs(folder / "archive")) == ["in/melt.dump.gpz", "inputs/melt.dump.gpz"]
    for start in (folder / "archive", folder / "archive" / "in", tmp_path / "link" / "in" / "melt.dump.gpz"):
        with pytest.raises(gpz.ArgumentError, match="is in the folder of the archive"):
            archive(start, to=tmp_path / "link", remove_inputs=True)
    assert len(outputs(folder / "archive")) == 2


def test_the_folder_for_unfinished_files(folder, tmp_path):
    """Outputs below it would be removed with what is not finished."""
    work = tmp_path / ".gpz-archive"
    folder.rename(work)
    with pytest.raises(gpz.ArgumentError, match="folders .gpz-archive have unfinished outputs"):
        archive(work, to=tmp_path / "out", remove_inputs=True)
    assert (work / "melt.dump").exists() and not (tmp_path / "out").exists()
    # That of another archive in a folder of inputs.
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "run.dump").write_bytes(dump())
    work.rename(tmp_path / "in" / ".gpz-archive")
    report = archive(tmp_path / "in", to=tmp_path / "out")
    assert report.ok and list(outputs(tmp_path / "out")) == ["in/run.dump.gpz"]


def test_what_is_removed_of_unfinished_files(folder, tmp_path):
    """Folders that a run has made, and no others."""
    work = tmp_path / "out" / ".gpz-archive"
    for name in ("0123456789abcdef" * 2, "runs"):
        (work / name).mkdir(parents=True)
    assert archive(folder, to=tmp_path / "out").ok
    assert sorted(os.listdir(work)) == ["lock", "runs"]


def test_a_file_with_two_names(folder, tmp_path):
    """Two inputs that are one file would be encoded twice, and removed while the other one is read."""
    os.symlink(folder, tmp_path / "link")
    report = archive([folder, tmp_path / "link" / "melt.dump"], to=tmp_path / "out")
    assert report.done == 1 and list(outputs(tmp_path / "out")) == ["in/melt.dump.gpz"]
    assert report.failed == [
        (
            str(tmp_path / "link" / "melt.dump"),
            f"it is the file {folder / 'melt.dump'}, which is archived under that name",
        )
    ]


def test_a_pipe_that_is_named(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    report = archive(tmp_path / "pipe", to=tmp_path / "out")
    assert report.failed == [(str(tmp_path / "pipe"), "no regular file")]


def test_a_number_of_atoms_with_many_digits(tmp_path):
    (tmp_path / "file").write_bytes(b"1" * 5000 + b"\ntext\nC 1 2 3\n")
    assert kind_of(tmp_path / "file") is None


def test_an_error_that_nobody_foresees(folder, tmp_path, monkeypatch):
    """Of one file: the others are archived."""
    (folder / "odd.dump").write_bytes(b"odd")

    def kind(path):
        if path.endswith("odd.dump"):
            raise RuntimeError("odd")
        return kind_of(path)

    monkeypatch.setattr("gpz.archive.inputs.kind_of", kind)
    report = archive(folder, to=tmp_path / "out")
    assert report.done == 1 and report.failed == [(str(folder / "odd.dump"), "internal error: odd")]
