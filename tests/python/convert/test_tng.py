# SPDX-License-Identifier: BSD-3-Clause
"""TNG files, of which the values are read once more with pytng alone."""

import numpy as np
import pytest
import pytng
from MDAnalysisTests.datafiles import TNG_traj, TNG_traj_uneven_blocks, TNG_traj_vels_forces

import gpz
from gpz.convert import convert

BLOCKS = {"positions": "TNG_TRAJ_POSITIONS", "velocities": "TNG_TRAJ_VELOCITIES", "forces": "TNG_TRAJ_FORCES"}
# Of units real: kcal/(mol Angstrom), Angstrom/fs.
FACTORS = {"positions": 10, "velocities": 0.01, "forces": 0.1 / 4.184}


def blocks(path, frame, names):
    """Values, step and ps of a frame that the file has."""
    with pytng.TNGFileIterator(str(path), "r") as file:
        step = frame * file.block_strides[BLOCKS["positions"]]
        file.read_step(step)
        values = {}
        for name in names:
            values[name] = file.make_ndarray_for_block_from_name(BLOCKS[name])
            file.current_integrator_step.get_blockid(file.block_ids[BLOCKS[name]], values[name])
        return values, step, file.current_integrator_step.get_time() * 1e12


@pytest.mark.parametrize(("path", "frames", "names"), [(TNG_traj, 101, ["positions"]), (TNG_traj_vels_forces, 51, list(BLOCKS))])
def test_values(tmp_path, path, frames, names):
    convert(path, tmp_path / "a.gpz", units="real", frames=slice(None, None, 10))
    with gpz.open(tmp_path / "a.gpz") as file:
        assert len(file) == (frames + 9) // 10
        for number in (0, 3, len(file) - 1):
            expected, step, picoseconds = blocks(path, 10 * number, names)
            frame = file[number]
            assert frame.timestep == step
            assert frame.time == pytest.approx(1000 * picoseconds, abs=1e-3)
            for name, values in expected.items():
                largest = np.abs(values).max() * FACTORS[name]
                error = np.abs(getattr(frame, name) - values * FACTORS[name]).max()
                assert error <= 2e-7 * largest + (1e-5 if name == "positions" else 0), name


def test_the_grid_of_positions_is_found(tmp_path):
    convert(TNG_traj, tmp_path / "a.gpz", frames=slice(3))
    with gpz.open(tmp_path / "a.gpz") as file:
        assert file[1].column_info["x"].step == 0.01


def test_what_mdanalysis_cannot_read_is_refused(tmp_path):
    with pytest.raises(gpz.CorruptError, match="Strides of TNG"):
        convert(TNG_traj_uneven_blocks, tmp_path / "a.gpz")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_a_file_that_is_cut(tmp_path, part):
    """It becomes no .gpz file of fewer frames without a word."""
    with open(TNG_traj, "rb") as file:
        data = file.read()
    (tmp_path / "cut.tng").write_bytes(data[: int(part * len(data))])
    with pytest.raises(gpz.CorruptError, match="cut.tng"):
        convert(tmp_path / "cut.tng", tmp_path / "a.gpz")
    assert not (tmp_path / "a.gpz").exists()
