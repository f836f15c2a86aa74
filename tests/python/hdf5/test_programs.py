# SPDX-License-Identifier: BSD-3-Clause
"""H5MD: files that MDAnalysis and pyh5md write through the filter, and files laid out as GROMACS writes them."""

import warnings

import h5py
import MDAnalysis as mda
import numpy as np
import pytest
import pyh5md
from conftest import BOUND, FRAMES, PARTICLES, made, require_close, was_compressed

import gpz.hdf5


@pytest.fixture
def universe():
    """Positions in A, velocities in A/ps, a box."""
    universe = mda.Universe.empty(PARTICLES, trajectory=True, velocities=True)
    frames = made() * 10
    velocities = np.random.default_rng(2).normal(size=frames.shape).astype("f4")
    universe.load_new(frames, order="fac", velocities=velocities, dimensions=[50, 50, 50, 90, 90, 90], dt=2)
    return universe, frames, velocities


@pytest.mark.filterwarnings("ignore")
def test_mdanalysis(universe, tmp_path):
    """One option for positions, velocities and whatever else the writer stores."""
    universe, frames, velocities = universe
    path = tmp_path / "made.h5md"
    options = {"chunks": (1, PARTICLES, 3), "convert_units": False, **gpz.hdf5.options(0.01)}
    with mda.Writer(str(path), PARTICLES, positions=True, velocities=True, **options) as writer:
        for _ in universe.trajectory:
            writer.write(universe.atoms)
    with h5py.File(path) as file:
        group = file["particles/trajectory"]
        assert all(was_compressed(group["position/value"])) and all(was_compressed(group["velocity/value"]))
        assert group["position/value"].id.get_storage_size() < frames.nbytes / 2
    again = mda.Universe.empty(PARTICLES, trajectory=True)
    again.load_new(str(path), format="H5MD", convert_units=False)
    for k in (FRAMES - 1, 0, 3, 4):  # the reader closes the dataset after each frame
        step = again.trajectory[k]
        require_close(step.positions, frames[k], 0.01)
        require_close(step.velocities, velocities[k], 0.01)
        assert np.allclose(step.dimensions, [50, 50, 50, 90, 90, 90]) and step.time == 2 * k


@pytest.mark.parametrize("length", [1, 4])
def test_pyh5md(tmp_path, length):
    frames = made()
    with pyh5md.File(str(tmp_path / "made.h5"), "w", author="A") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        particles = file.particles_group("atoms")
        particles.create_box(dimension=3, boundary=["periodic"] * 3, store="fixed", data=np.full(3, 5.0))
        position = pyh5md.element(
            particles,
            "position",
            store="time",
            data=frames[0],
            time=True,
            chunks=(length, PARTICLES, 3),
            **gpz.hdf5.options(BOUND),
        )
        for k, frame in enumerate(frames):
            position.append(frame, k, 0.5 * k)
    with h5py.File(tmp_path / "made.h5") as file:
        value = file["particles/atoms/position/value"]
        require_close(value[...], frames)
        assert value.id.get_create_plist().get_filter(0)[0] == gpz.hdf5.FILTER and all(was_compressed(value))
        require_close(gpz.hdf5.read(value, slice(2, 9), threads=2), frames[2:9])


def test_layout_of_gromacs(tmp_path, run, read):
    """/particles/system/{position,velocity}/value with chunks of one frame, unlimited, and a box of 3 x 3 a frame, in nm."""
    frames = made()
    boxes = np.tile(np.diag([5, 5, 5]).astype("f4"), (FRAMES, 1, 1))
    source, path = tmp_path / "gromacs.h5md", tmp_path / "made.h5md"
    with h5py.File(source, "w") as file:
        for name, data, unit in (
            ("position", frames, "nm"),
            ("velocity", frames / 10, "nm ps-1"),
            ("box/edges", boxes, "nm"),
        ):
            group = file.create_group(f"particles/system/{name}")
            value = group.create_dataset(
                "value", (0, *data.shape[1:]), "f4", maxshape=(None, *data.shape[1:]), chunks=(1, *data.shape[1:])
            )
            value.attrs["unit"] = unit
            for k, frame in enumerate(data):
                value.resize(k + 1, axis=0)
                value[k] = frame
            group["step"] = np.arange(FRAMES) * 500
    low, high, effort = gpz.hdf5.options(BOUND)["compression_opts"]
    run("h5repack", "-f", f"/particles/system/position/value:UD=32800,1,3,{low},{high},{effort}", source, path)
    with h5py.File(path) as file:
        system = file["particles/system"]
        position = system["position/value"]
        assert (
            position.maxshape == (None, PARTICLES, 3)
            and position.attrs["unit"] == "nm"
            and all(was_compressed(position))
        )
        require_close(position[...], frames)
        require_close(gpz.hdf5.read(position, threads=2), frames)
        assert np.array_equal(system["box/edges/value"][...], boxes)
        assert np.array_equal(system["velocity/value"][...], frames / np.float32(10))
    with h5py.File(path, "a") as file:  # the simulation goes on
        position = file["particles/system/position/value"]
        position.resize(FRAMES + 1, axis=0)
        position[FRAMES] = frames[0]
    require_close(read(path, FRAMES, "particles/system/position/value"), frames[0])
