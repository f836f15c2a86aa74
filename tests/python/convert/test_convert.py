# SPDX-License-Identifier: BSD-3-Clause
"""Each format, there and back; what a conversion says and what it leaves behind."""

import os
import signal
import subprocess
import sys
import warnings

import MDAnalysis as mda
import numpy as np
import pytest
from conftest import ATOMS, BOUND, BOX, FRAMES, VELOCITY_BOUND
from MDAnalysis.lib import mdamath

import gpz
from gpz.convert import convert

FLOAT32 = 2.0**-23 * 50  # of numbers below 50, with a second rounding for nm
XTC_STEP = {"real": 0.01, "lj": 0.001}  # in Angstrom, and in sigma
WITH_VELOCITIES = ("nc", "trr", "h5md")
ENDINGS = ("dcd", "nc", "xtc", "trr", "h5md")


def rounding(ending, units):
    return FLOAT32 + (XTC_STEP[units] / 2 if ending == "xtc" else 0)


def read(path):
    """Positions of each frame and the last frame's box, as MDAnalysis reads them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reader = mda.coordinates.core.reader(str(path))
        frames = [(ts.positions.copy(), ts.time) for ts in reader]
        return frames, reader.ts.dimensions.copy(), reader.ts.velocities.copy() if reader.ts.has_velocities else None


@pytest.mark.parametrize("units", ["real", "lj"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_there_is_what_the_file_has(made, tmp_path, ending, units):
    out = tmp_path / f"out.{ending}"
    convert(made[units].path, out)
    frames, dimensions, velocities = read(out)
    # Numbers of lj units are stored as they are: MDAnalysis takes those of XTC and TRR for nm.
    length = 10 if units == "lj" and ending in ("xtc", "trr") else 1
    time_unit = 0.001 if units == "real" else 1
    assert len(frames) == FRAMES
    for k, (positions, at) in enumerate(frames):
        assert np.abs(positions / length - made[units].positions[k]).max() <= BOUND + rounding(ending, units)
        assert at == pytest.approx(made[units].times[k] * time_unit, rel=1e-5, abs=1e-9)
    expected = mdamath.triclinic_box(*BOX.matrix)
    np.testing.assert_allclose(dimensions / [length, length, length, 1, 1, 1], expected, rtol=1e-5)
    if ending in WITH_VELOCITIES:
        unit = 1000 if units == "real" else length
        error = np.abs(velocities / unit - made[units].velocities).max()
        assert error <= VELOCITY_BOUND + FLOAT32
    else:
        assert velocities is None


@pytest.mark.parametrize("units", ["real", "lj"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_and_back(made, tmp_path, ending, units):
    convert(made[units].path, tmp_path / f"out.{ending}")
    bounds = {"velocities": 1e-3} if ending in WITH_VELOCITIES else {}
    convert(tmp_path / f"out.{ending}", tmp_path / "back.gpz", units=units, bound=2e-3, bounds=bounds)
    with gpz.open(tmp_path / "back.gpz") as back:
        assert (len(back), back.units) == (FRAMES, units)
        assert back.times == pytest.approx(made[units].times, rel=1e-5, abs=1e-6)
        for k, frame in enumerate(back):
            assert frame.bounds["x"] == 2e-3
            assert np.array_equal(frame.ids, np.arange(1, ATOMS + 1))
            error = np.abs(frame.positions - made[units].positions[k]).max()
            assert error <= BOUND + 2e-3 + rounding(ending, units)
            np.testing.assert_allclose(frame.box.matrix, BOX.matrix, atol=2e-5)
            if ending in WITH_VELOCITIES:
                error = np.abs(frame.velocities - made[units].velocities).max()
                assert error <= VELOCITY_BOUND + 1e-3 + FLOAT32


def test_precision_is_that_of_the_file(made, tmp_path):
    convert(made["lj"].path, tmp_path / "out.xtc", precision=5)
    frames, _, _ = read(tmp_path / "out.xtc")
    assert np.abs(frames[-1][0] / 10 - made["lj"].positions[-1]).max() <= BOUND + 0.5e-5 + FLOAT32


def test_what_gets_lost_is_said(made, tmp_path):
    notes = "\n".join(convert(made["real"].path, tmp_path / "out.xtc"))
    for word in ("0.001 nm", "no ids", "vx vy vz", "begins at -4 1 2.5"):
        assert word in notes
    notes = "\n".join(convert(made["lj"].path, tmp_path / "out.trr"))
    assert "vx" not in notes and "lj units" in notes
    with gpz.Writer(tmp_path / "unnamed.gpz") as writer:
        writer.write(positions=np.zeros((2, 3)))
    notes = "\n".join(convert(tmp_path / "unnamed.gpz", tmp_path / "out.dcd"))
    assert "names no units (--units)" in notes and "lj units" not in notes


def test_frames(made, tmp_path):
    convert(made["real"].path, tmp_path / "out.dcd", frames=slice(1, None, 2))
    frames, _, _ = read(tmp_path / "out.dcd")
    assert len(frames) == 2
    assert np.abs(frames[1][0] - made["real"].positions[3]).max() <= BOUND + FLOAT32
    with pytest.raises(gpz.ArgumentError, match="none of the 5 frames"):
        convert(made["real"].path, tmp_path / "none.dcd", frames=slice(7, 9))


def test_types_and_elements_come_from_a_topology(made, tmp_path):
    pdb = tmp_path / "atoms.pdb"
    symbols = ["O", "H", "H"] * (ATOMS // 3)
    line = "ATOM  {:5d}  {:<3s} WAT A{:4d}    {:8.3f}{:8.3f}{:8.3f}  1.00  0.00          {:>2s}\n"
    pdb.write_text("".join(line.format(i + 1, s, i // 3 + 1, 0, 0, 0, s) for i, s in enumerate(symbols)) + "END\n")
    convert(made["real"].path, tmp_path / "out.dcd")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        convert(tmp_path / "out.dcd", tmp_path / "back.gpz", topology=pdb)
    with gpz.open(tmp_path / "back.gpz") as back:
        assert [back.elements[t - 1] for t in back[0].types] == symbols


def test_varying_numbers_of_atoms_are_refused(tmp_path):
    path = tmp_path / "varying.gpz"
    with gpz.Writer(path) as writer:
        for count in (4, 5):
            writer.write(positions=np.zeros((count, 3)), ids=np.arange(1, count + 1), box=[5, 5, 5])
    with pytest.raises(gpz.UnsupportedError, match="fixed number of atoms"):
        convert(path, tmp_path / "out.dcd")
    assert os.listdir(tmp_path) == ["varying.gpz"]


def test_other_atoms_are_refused(tmp_path):
    path = tmp_path / "other.gpz"
    with gpz.Writer(path) as writer:
        for ids in ([1, 2, 3], [1, 2, 4]):
            writer.write(positions=np.zeros((3, 3)), ids=ids, box=[5, 5, 5])
    with pytest.raises(gpz.UnsupportedError, match="other atoms"):
        convert(path, tmp_path / "out.xtc")
    assert os.listdir(tmp_path) == ["other.gpz"]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("a.gpz", "b.gpz"), "only one"),
        (("a.xtc", "b.dcd"), "only one"),
        (("a.gpz", "b.pdb"), "no format"),
        (("a.foo", "b.gpz"), "ends with .foo"),
        (("a", "b.gpz"), "ends with nothing"),
        (("a.lammpstrj", "b.gpz"), "gpz encode"),
        (("a.xyz", "b.gpz"), "gpz encode"),
    ],
)
def test_names_say_what_is_converted(tmp_path, names, message):
    with pytest.raises(gpz.ArgumentError, match=message):
        convert(tmp_path / names[0], tmp_path / names[1])


# MDAnalysis's reader of DCD closes what it could not open, when it is collected.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_damaged_file_leaves_what_was_there(made, tmp_path):
    data = bytearray(made["real"].path.read_bytes())
    with gpz.open(made["real"].path) as file:
        data[-40 - int(file.sizes[-1]) // 2] ^= 0xFF
    (tmp_path / "damaged.gpz").write_bytes(data)
    (tmp_path / "out.nc").write_text("before")
    with pytest.raises(gpz.Error):
        convert(tmp_path / "damaged.gpz", tmp_path / "out.nc")
    assert (tmp_path / "out.nc").read_text() == "before"
    assert sorted(os.listdir(tmp_path)) == ["damaged.gpz", "out.nc"]
    (tmp_path / "noise.dcd").write_bytes(bytes(range(200)))
    with pytest.raises(gpz.Error, match="noise.dcd"):
        convert(tmp_path / "noise.dcd", tmp_path / "noise.gpz")
    assert not (tmp_path / "noise.gpz").exists()


def test_the_input_folder_stays_as_it_is(made, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    convert(made["real"].path, tmp_path / "in" / "a.xtc")
    convert(tmp_path / "in" / "a.xtc", tmp_path / "out" / "a.gpz")
    assert os.listdir(tmp_path / "in") == ["a.xtc"]
    assert os.listdir(tmp_path / "out") == ["a.gpz"]


KILLED = """
import os, signal, sys
from gpz.convert.target_files import MdaTarget
from gpz.programs import convert as command
fill = MdaTarget.fill
def then_die(self, ts, frame):
    fill(self, ts, frame)
    if frame.index == 2:
        os.kill(os.getpid(), signal.{signal})
MdaTarget.fill = then_die
sys.exit(command.main(sys.argv[1:]))
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_an_interrupted_program_leaves_nothing(made, tmp_path, name):
    program = [sys.executable, "-c", KILLED.format(signal=name), made["real"].path, tmp_path / "out.h5md"]
    done = subprocess.run(program, capture_output=True, text=True)
    assert done.returncode == 128 + getattr(signal, name), done.stderr
    assert os.listdir(tmp_path) == []


def test_the_program(made, tmp_path):
    out = tmp_path / "out.dcd"
    command = [sys.executable, "-m", "gpz.programs.convert"]
    done = subprocess.run([*command, made["real"].path, out, "--frames", "::2"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
    assert all(line.startswith("note: ") for line in done.stderr.splitlines()) and "no ids" in done.stderr
    assert len(read(out)[0]) == 3
    done = subprocess.run([*command, out, tmp_path / "b.gpz", "--bound", "x=1"], capture_output=True, text=True)
    assert done.returncode == 2 and "velocities=V" in done.stderr
    done = subprocess.run([*command, tmp_path / "no.dcd", tmp_path / "b.gpz"], capture_output=True, text=True)
    assert done.returncode == 3 and "no.dcd" in done.stderr and "Traceback" not in done.stderr


def test_lossless_columns_are_named_with_their_usual_bounds(made, tmp_path):
    convert(made["real"].path, tmp_path / "out.trr")
    notes = "\n".join(convert(tmp_path / "out.trr", tmp_path / "a.gpz", units="real", key_interval=2, order="id"))
    assert "lossless" not in notes  # there is little to win in so few bytes
    assert gpz.open(tmp_path / "a.gpz").key_frames.tolist() == [True, False, True, False, True]
    # A root mean square of 0.7 in the second frame, and less in the others: a thousandth of it, rounded down, is 0.0005.
    random = np.random.default_rng(12)
    universe = mda.Universe.empty(2000, trajectory=True, velocities=True, forces=True)
    universe.dimensions = [40, 40, 40, 90, 90, 90]
    with mda.Writer(str(tmp_path / "large.trr"), 2000) as writer:
        for size in (0, 0.7, 0.3, 50):  # of which the last is not looked at
            universe.atoms.positions = random.uniform(0, 40, (2000, 3))
            universe.atoms.velocities = random.normal(size=(2000, 3))
            universe.atoms.forces = random.choice((-size, size), (2000, 3)) * random.uniform(1, 1.0001, (2000, 3))
            writer.write(universe)
    notes = "\n".join(convert(tmp_path / "large.trr", tmp_path / "a.gpz", units="metal"))
    assert "lossless: vx vy vz fx fy fz" in notes and "a thousandth of the thermal speed: --bound velocities=thermal;" in notes
    of_forces = float(notes.partition("--bound forces=")[2])
    kilojoules_per_mole = 96.485  # of eV
    assert of_forces == pytest.approx(0.7e-3 / kilojoules_per_mole, rel=0.5) and f"{of_forces:e}"[0] in "125"
    bounds = {"velocities": 1e-3, "forces": of_forces}
    notes = "\n".join(convert(tmp_path / "large.trr", tmp_path / "b.gpz", units="metal", bounds=bounds, effort="fast"))
    assert "lossless" not in notes


@pytest.mark.parametrize("how", ["python", "velocities=thermal", "v*=thermal"])
def test_the_thermal_bound_of_velocities(tmp_path, how):
    """Of the slower type, which the topology tells, in the units of the new file."""
    random = np.random.default_rng(11)
    speeds = np.where(np.arange(300) % 3 == 0, 0.5, 2.0)  # Angstrom/ps
    universe = mda.Universe.empty(300, trajectory=True, velocities=True)
    universe.add_TopologyAttr("names", np.where(speeds < 1, "OW", "HW"))
    universe.dimensions = [20, 20, 20, 90, 90, 90]
    universe.atoms.positions = random.uniform(0, 20, (300, 3))
    universe.atoms.velocities = random.normal(size=(300, 3)) * speeds[:, None]
    universe.atoms.write(tmp_path / "run.gro")
    universe.atoms.write(tmp_path / "run.trr")
    if how == "python":
        source, target, topology = (tmp_path / name for name in ("run.trr", "run.gpz", "run.gro"))
        notes = convert(source, target, units="real", bounds={"velocities": "thermal"}, topology=topology)
    else:
        command = [sys.executable, "-m", "gpz.programs.convert", "run.trr", "run.gpz", "--units", "real"]
        command += ["--bound", how, "--topology", "run.gro"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        notes = done.stderr.splitlines()
    with gpz.open(tmp_path / "run.gpz") as file:
        bound = file[0].bounds["vx"]
        velocities = file[0].velocities * 1000  # of Angstrom/fs
    speed = np.sqrt(universe.atoms.velocities[speeds < 1].var(axis=0, ddof=1).mean()) / 1000
    assert 0.00090 * speed < bound <= 0.001 * speed
    assert np.abs(velocities - universe.atoms.velocities).max() <= 1.01e3 * bound
    assert sum(f"velocities: bound {bound:g}, a thousandth of the thermal speed" in note for note in notes) == 1
