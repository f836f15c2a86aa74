# SPDX-License-Identifier: BSD-3-Clause
"""Numbers of pages, the adviser, and the program that draws them."""

import json
import subprocess
import sys

import numpy as np
import pytest

import gpz
import gpz.plot
from gpz.programs.plot import main

BOUND = 1e-3
BOX = gpz.Box.from_bounds([0, 0, 0], [12, 12, 12])
CELLS = 6
ATOMS = 4 * CELLS**3


def crystal(frames, amplitude=0.05):
    """Positions of an fcc crystal in BOX whose atoms tremble: (frames, N, 3)."""
    random = np.random.default_rng(2)
    corners = np.array([[0, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]])
    cells = np.stack(np.meshgrid(*[np.arange(CELLS)] * 3), axis=-1).reshape(-1, 1, 3)
    sites = ((cells + corners) * 12 / CELLS).reshape(-1, 3)
    return np.array([sites + random.normal(scale=amplitude, size=sites.shape) for _ in range(frames)])


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A trajectory with a bound, and the same as text of LAMMPS."""
    folder = tmp_path_factory.mktemp("plot")
    velocities = np.random.default_rng(9).normal(size=(ATOMS, 3))
    ids = np.arange(1, ATOMS + 1)
    with (
        gpz.Writer(
            folder / "run.gpz", units="metal", bound=BOUND, bounds={"velocities": 1e-2}, key_interval=4
        ) as writer,
        open(folder / "run.lammpstrj", "w") as text,
    ):
        for k, positions in enumerate(crystal(10)):
            writer.write(
                positions=positions, velocities=velocities, ids=ids, types=np.ones(ATOMS, int), box=BOX,
                timestep=20 * k,                 time=0.1 * k,
            )  # fmt: skip
            text.write(f"ITEM: TIMESTEP\n{20 * k}\nITEM: NUMBER OF ATOMS\n{ATOMS}\nITEM: BOX BOUNDS pp pp pp\n")
            text.write("0 12\n" * 3 + "ITEM: ATOMS id type x y z vx vy vz\n")
            for i, x, v in zip(ids, positions, velocities):
                text.write(f"{i} 1 " + " ".join(f"{value:.17g}" for value in (*x, *v)) + "\n")
    return folder


def test_sizes_add_up_to_those_of_the_frames(files):
    with gpz.open(files / "run.gpz") as trajectory:
        sizes = gpz.plot.sizes(trajectory)
        assert list(sizes.fields) == ["x y z", "id", "type", "vx", "vy", "vz", "heads"]
        assert sum(sizes.fields.values()) == pytest.approx(8 * trajectory.sizes.sum() / (10 * ATOMS))
        assert list(np.flatnonzero(sizes.key_frames)) == [0, 4, 8]
        # Noise is as wide as it was written: an index takes the bits of its range, or some more.
        assert sizes.fields["x y z"] > 3 * np.log2(0.05 / BOUND)


def test_errors_are_those_of_the_values(files):
    with gpz.open(files / "run.gpz") as trajectory:
        with gpz.plot.sources.opened(files / "run.lammpstrj") as original:
            found = {column.name: column for column in gpz.plot.errors(trajectory, original)}
        assert list(found) == ["x", "y", "z", "vx", "vy", "vz"]
        exact = crystal(10)
        largest = max(np.abs(frame.positions[:, 1] - exact[k][:, 1]).max() for k, frame in enumerate(trajectory))
    assert found["y"].largest == pytest.approx(largest, rel=1e-12)
    assert 0.9 * BOUND < found["y"].largest <= BOUND
    assert found["vx"].bound == 1e-2
    inside = (found["y"].edges[:-1] > -1.001) & (found["y"].edges[1:] < 1.001)
    assert found["y"].counts[inside].sum() == found["y"].counts.sum() == 10 * ATOMS


def test_errors_of_another_run_are_refused(files, tmp_path):
    with gpz.Writer(tmp_path / "other.gpz") as writer:
        writer.write(positions=np.zeros((3, 3)), ids=[1, 2, 3], box=BOX, timestep=20)
        writer.write(positions=np.zeros((3, 3)), ids=[1, 2, 3], box=BOX, timestep=21)
    with gpz.open(files / "run.gpz") as trajectory, gpz.open(tmp_path / "other.gpz") as other:
        with pytest.raises(gpz.ArgumentError, match="different particles"):
            gpz.plot.errors(trajectory, other)
        with pytest.raises(gpz.ArgumentError, match="none of the timesteps"):
            gpz.plot.errors(trajectory, other[1:])


def test_the_adviser_finds_the_width_of_the_peaks():
    """Where the grid, twice the bound, is as coarse as the peaks are wide, g(r) is another. Far below it is not."""
    advice = gpz.plot.advise(crystal(3), box=BOX, bounds=[1e-5, 1e-4, 1e-3, 0.05], bins=100)
    changes = {trial.bound: trial.change for trial in advice.trials}
    assert changes[1e-5] < 1 < changes[0.05]
    assert advice.bound in (1e-4, 1e-3)
    ratios = [trial.ratio for trial in advice.trials]
    assert ratios == sorted(ratios)
    # Rounding of both ends adds its variance, of a uniform error, to the displacement.
    exact = crystal(3)
    moved = ((exact[2] - exact[0]) ** 2).sum(axis=1).mean()
    rounding = 2 * 3 * 0.05**2 / 3
    assert advice.trials[-1].msd_change == pytest.approx(rounding / moved, rel=0.2)


def test_the_adviser_leaves_out_what_the_file_cannot_tell(files):
    advice = gpz.plot.advise(files / "run.gpz", bounds=[1e-4, 1e-3, 1e-2], frames=2)
    assert [trial.bound for trial in advice.trials] == [1e-2]
    assert advice.source_bound == BOUND
    with pytest.raises(gpz.ArgumentError, match="not tighter"):
        gpz.plot.advise(files / "run.gpz", bounds=[1e-4])


def run(capsys, *options):
    """(exit code, standard output, standard error) of the program, in this process: starting one takes a second."""
    try:
        code = main([str(option) for option in options])
    except SystemExit as end:
        code = end.code
    return code, *capsys.readouterr()


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_the_program_draws(files, tmp_path, capsys, ending):
    out = tmp_path / f"page.{ending}"
    code, said, complaints = run(capsys, files / "run.gpz", "--against", files / "run.lammpstrj", "-o", out, "--json")
    assert (code, complaints.strip()) == (0, str(out))
    begins = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending]
    assert out.read_bytes().startswith(begins)
    page = json.loads(said)
    assert page["units"] == "metal" and len(page["radial"]["g"]) == 200
    if ending == "svg":
        text = out.read_text()
        for label in ("bits per particle", "r (Å)", "time (ps)", "(decoded − original) / bound"):
            assert label in text, label


def test_the_program_advises(files, tmp_path):
    out = tmp_path / "advice.svg"
    command = [sys.executable, "-m", "gpz.programs.plot", "--advise", files / "run.lammpstrj", "--units", "metal"]
    command += ["--sample", "2", "-o", out, "--bounds", "1e-5,0.1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "unchanged within this noise up to a bound of 1e-05 Å" in done.stdout
    assert "bound of positions (Å)" in out.read_text()


def test_the_program_says_what_is_wrong(files, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for options, code, message in (
        ([tmp_path / "none.gpz"], 3, "none.gpz"),
        ([files / "run.gpz", "--panels", "errors"], 2, "--against"),
        ([files / "run.gpz", "--panels", "taste"], 2, "--panels"),
        ([files / "run.gpz", "--frames", "a:b"], 2, "--frames"),
        ([files / "run.gpz", "--frames", "90:"], 2, "none of its 10 frames"),
    ):
        ended, said, complaints = run(capsys, *options)
        assert (ended, said) == (code, "") and message in complaints, options
    assert list(tmp_path.iterdir()) == []


def test_observables_against_time(tmp_path):
    values = {"Temp": [300.0, 301.5, 299.25], "PotEng": [-1.0, -2.0, float("nan")]}
    with gpz.Writer(tmp_path / "t.gpz", units="real") as writer:
        for k in range(3):
            observables = {name: column[k] for name, column in values.items()}
            writer.write(positions=np.zeros((2, 3)), ids=[1, 2], timestep=10 * k, time=2.0 * k, observables=observables)
    found = gpz.plot.thermo(gpz.open(tmp_path / "t.gpz"))
    assert found.timesteps.tolist() == [0, 10, 20] and found.times.tolist() == [0, 2, 4]
    np.testing.assert_equal({name: column.tolist() for name, column in found.values.items()}, values)
    figure = gpz.plot.overview(tmp_path / "t.gpz", panels=["thermo"])
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["Temp, mean 300.25", "PotEng, mean -1.5"]
    assert [axes.get_xlabel() for axes in figure.axes] == ["time (fs)"] * 2
    assert list(gpz.plot.measure(tmp_path / "t.gpz", panels=["thermo"], names=["Temp"]).thermo.values) == ["Temp"]
    with pytest.raises(gpz.ArgumentError, match="no observable 'Press': there are Temp PotEng"):
        gpz.plot.measure(tmp_path / "t.gpz", panels=["thermo"], names=["Press"])
    assert main([str(tmp_path / "t.gpz"), "--thermo", "Temp", "-o", str(tmp_path / "t.svg")]) == 0
    assert main([str(tmp_path / "t.gpz"), "--thermo", "Press"]) == 2


def test_what_cannot_be_drawn_is_said(tmp_path):
    with gpz.Writer(tmp_path / "plain.gpz", order="place") as writer:
        writer.write(positions=np.random.default_rng(1).random((50, 3)))
    numbers = gpz.plot.measure(tmp_path / "plain.gpz")
    assert numbers.sizes is not None and numbers.radial is None
    assert "no box" in numbers.missing["gr"] and "need ids" in numbers.missing["msd"]
    assert len(gpz.plot.picture_of(numbers).axes) == 2


def test_an_input_is_no_output(files, tmp_path, capsys):
    (tmp_path / "link").symlink_to(files / "run.gpz")
    before = (files / "run.gpz").read_bytes(), (files / "run.lammpstrj").read_bytes()
    given = [str(files / "run.gpz"), "--against", str(files / "run.lammpstrj")]
    for output in (files / "run.gpz", files / "run.lammpstrj", tmp_path / "link"):
        assert main([*given, "-o", str(output)]) == 2
        assert f"gpz plot: {output}: is " in capsys.readouterr().err
    assert before == ((files / "run.gpz").read_bytes(), (files / "run.lammpstrj").read_bytes())
