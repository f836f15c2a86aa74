# SPDX-License-Identifier: BSD-3-Clause
"""--join: the files of a run and its restarts become one."""

import os

import pytest
from conftest import CUT, dump, last, outputs

import gpz
from gpz.archive import archive


@pytest.fixture
def run(tmp_path):
    """Steps 0 to 110, 80 to 190, and from 200 on. The second one was started from step 80."""
    folder = tmp_path / "runs" / "melt"
    folder.mkdir(parents=True)
    for name, start in (("run1.dump", 0), ("run2.dump", 80), ("run10.dump", 200)):
        (folder / name).write_bytes(dump(seed=start, start=start))
    return folder


def timesteps(path):
    with gpz.open(path) as file:
        return list(file.timesteps)


@pytest.mark.parametrize("keep", ["last", "first", "all"])
def test_is_one_file(run, tmp_path, keep):
    report = archive(run.parent, to=tmp_path / "out", join=keep, **CUT)
    assert report.ok and report.done == 3, report.failed
    assert list(outputs(tmp_path / "out")) == ["runs/melt.gpz"]
    ends = {
        "last": [*range(0, 80, 10), *range(80, 200, 10)],
        "first": [*range(0, 200, 10)],
        "all": [*range(0, 120, 10), *range(80, 200, 10)],
    }
    assert timesteps(tmp_path / "out" / "runs" / "melt.gpz") == ends[keep] + [*range(200, 320, 10)]
    line = last(tmp_path / "out", "runs/melt/run2.dump")
    assert line["state"] == "done" and line["output"] == "runs/melt.gpz" and line["joined"] == str(run)
    assert os.listdir(tmp_path / "out" / ".gpz-archive") == ["lock"]


def test_which_frames_stay(run, tmp_path):
    for keep, source in (("last", "run2.dump"), ("first", "run1.dump")):
        archive(run, to=tmp_path / keep, join=keep)
        archive(run / source, to=tmp_path / keep / "single")
        with (
            gpz.open(tmp_path / keep / "melt.gpz") as joined,
            gpz.open(tmp_path / keep / "single" / f"{source}.gpz") as single,
        ):
            a, b = (file[list(file.timesteps).index(100)] for file in (joined, single))
            assert (a.positions == b.positions).all()


def test_the_same_command_again(run, tmp_path):
    out = tmp_path / "out"
    archive(run, to=out, join="last", **CUT)
    before = outputs(out)
    report = archive(run, to=out, join="last", **CUT)
    assert (report.done, report.before) == (0, 3) and outputs(out) == before
    (run / "run11.dump").write_bytes(dump(seed=9, start=320))
    report = archive(run, to=out, join="last", **CUT)
    assert report.ok and report.done == 4
    assert timesteps(out / "melt.gpz")[-1] == 430
    os.unlink(run / "run1.dump")
    report = archive(run, to=out, join="last", **CUT)
    assert "has the frames of" in report.failed[0][1] and timesteps(out / "melt.gpz")[0] == 0


def test_another_choice_of_frames(run, tmp_path):
    assert archive(run, to=tmp_path / "out", join="last").done == 3
    assert archive(run, to=tmp_path / "out", join="all").done == 3
    assert timesteps(tmp_path / "out" / "melt.gpz").count(100) == 2
    assert archive(run, to=tmp_path / "out", join="all").before == 3


def test_two_folders_with_one_output(run, tmp_path):
    """Found before the work begins."""
    other = tmp_path / "other" / "melt"
    other.mkdir(parents=True)
    (other / "run4.dump").write_bytes(dump())
    with pytest.raises(gpz.ArgumentError, match="would both become melt.gpz"):
        archive([run, other], to=tmp_path / "out", join="last")
    assert not (tmp_path / "out").exists()


def test_permissions(run, tmp_path):
    """Of all inputs: nobody may read the output who may not read one of them."""
    (run / "run2.dump").chmod(0o600)
    assert archive(run, to=tmp_path / "out", join="last").ok
    assert (tmp_path / "out" / "melt.gpz").stat().st_mode & 0o777 == 0o600


def test_one_of_them_is_broken(run, tmp_path):
    (run / "run2.dump").write_bytes(dump()[:-5])
    report = archive(run, to=tmp_path / "out", join="last", **CUT)
    assert [path for path, _ in report.failed] == [str(run)] and "truncated" in report.failed[0][1]
    assert outputs(tmp_path / "out") == {}


def test_arguments(run, tmp_path):
    with pytest.raises(gpz.ArgumentError, match="joined inputs are not removed"):
        archive(run, to=tmp_path / "out", join="last", remove_inputs=True)
    with pytest.raises(gpz.ArgumentError, match="last, first or all"):
        archive(run, to=tmp_path / "out", join="some")
