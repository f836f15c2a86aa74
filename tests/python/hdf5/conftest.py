# SPDX-License-Identifier: BSD-3-Clause
"""Frames of particles, files of HDF5, and the programs of hdf5-tools."""

import os
import subprocess

import h5py
import numpy as np
import pytest

import gpz.hdf5

BOUND = 1e-3
FRAMES, PARTICLES = 10, 400


def made(dtype="f4", frames=FRAMES, particles=PARTICLES):
    """Particles that diffuse in a box of 5."""
    random = np.random.default_rng(7)
    walk = np.cumsum(random.normal(scale=0.01, size=(frames, particles, 3)), axis=0)
    return (walk + random.uniform(0, 5, (particles, 3))).astype(dtype)


def require_close(values, wanted, bound=BOUND):
    assert values.shape == wanted.shape and values.dtype == wanted.dtype
    errors = np.abs(values.astype(np.longdouble) - wanted.astype(np.longdouble))
    assert errors.max(initial=0) <= bound


def was_compressed(dataset):
    """Of each chunk that was written: whether gpz compressed it."""
    count = dataset.id.get_num_chunks()
    return [dataset.id.get_chunk_info(k).filter_mask & 1 == 0 for k in range(count)]


@pytest.fixture
def frames():
    return made()


@pytest.fixture
def write(tmp_path):
    """write(data, ...): the path of a file with this dataset "x", whose chunks have one frame each unless it says otherwise."""

    def call(data, bound=BOUND, effort="standard", name="made.h5", **arguments):
        arguments = {"chunks": (1, *data.shape[1:]), **gpz.hdf5.options(bound, effort), **arguments}
        with h5py.File(tmp_path / name, "w") as file:
            file.create_dataset("x", data=data, **arguments)
        return tmp_path / name

    return call


@pytest.fixture
def read():
    def call(path, where=..., name="x"):
        with h5py.File(path) as file:
            return file[name][where]

    return call


@pytest.fixture
def run():
    """run(program, ...): what it printed. Programs of hdf5-tools have an HDF5 library of their own, and find the plugin by
    HDF5_PLUGIN_PATH."""

    def call(*command, plugin=True, status=0):
        environment = {name: value for name, value in os.environ.items() if name != "HDF5_PLUGIN_PATH"}
        if plugin:
            environment["HDF5_PLUGIN_PATH"] = gpz.hdf5.plugin_path()
        done = subprocess.run(
            [str(word) for word in command], capture_output=True, text=True, env=environment, check=False
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    return call
