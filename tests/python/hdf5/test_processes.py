# SPDX-License-Identifier: BSD-3-Clause
"""Threads, processes, environment variables, and programs without the plugin."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import h5py
import numpy as np
import pytest
from conftest import FRAMES, PARTICLES, require_close

import gpz.hdf5

READ = "import sys, h5py; file = h5py.File(sys.argv[1]); print(file['x'][4, 5].tobytes().hex())"


@pytest.fixture
def python():
    """python(program, argument): status, and what it printed."""

    def call(program, *arguments, **variables):
        environment = {name: value for name, value in os.environ.items() if name != "HDF5_PLUGIN_PATH"} | variables
        command = [sys.executable, "-B", "-c", program, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        return done.returncode, done.stdout + done.stderr

    return call


def test_programs_that_do_not_know_gpz(write, read, frames, python):
    path = write(frames)
    assert python(READ, path, HDF5_PLUGIN_PATH=gpz.hdf5.plugin_path()) == (0, read(path)[4, 5].tobytes().hex() + "\n")


def test_programs_without_the_plugin(write, frames, tmp_path, python):
    path = write(frames)
    status, printed = python(READ, path)
    assert status == 1 and "OSError: Can't synchronously read data (can't open directory" in printed  # of plugins
    status, printed = python(
        "import sys, h5py; print(h5py.File(sys.argv[1])['x'].id.get_create_plist().get_filter(0))", path
    )
    assert status == 0 and "32800" in printed and "gpz: particles within an error bound" in printed
    program = "import sys, h5py; h5py.File(sys.argv[1], 'w').create_dataset('x', (9, 9, 3), 'f4', compression=32800)"
    status, printed = python(program, tmp_path / "other.h5")
    assert status == 1 and "Unknown compression filter number: 32800" in printed


def test_a_package_without_the_plugin(tmp_path, python):
    """GPZ_HDF5=OFF: what is missing is said where the filter is asked for."""
    program = """
import pathlib, sys
import gpz.hdf5._reading
import h5py
module = sys.modules["gpz.hdf5"]
h5py.h5z.filter_avail = lambda number: False
try:
    module.options(0.001)
except gpz.Error as error:
    print(type(error).__name__, error)
"""
    status, printed = python(program)
    assert status == 0 and printed.startswith("UnsupportedError") and "libh5gpz.so" in printed


def test_threads(write, frames):
    path = write(frames, chunks=(2, PARTICLES, 3))
    with h5py.File(path) as file:
        wanted = file["x"][...]

        def one(k):
            values = (
                file["x"][k % FRAMES]
                if k % 3
                else gpz.hdf5.read(file["x"], slice(k % FRAMES, k % FRAMES + 1), threads=2)[0]
            )
            return np.array_equal(values, wanted[k % FRAMES])

        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(one, range(200)))


def test_forks(write, frames, monkeypatch):
    """Children of a process that has read, as workers of data loaders are, also where both decompress on several threads."""
    monkeypatch.setenv("GPZ_HDF5_THREADS", "2")
    path = write(frames, chunks=(5, PARTICLES, 3))
    with h5py.File(path) as file:
        wanted = file["x"][...]
    children = []
    for _ in range(4):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                with h5py.File(path) as file:
                    same = np.array_equal(file["x"][...], wanted) and np.array_equal(
                        gpz.hdf5.read(file["x"], threads=2), wanted
                    )
                status = 0 if same else 2
            finally:
                os._exit(status)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * 4
    with h5py.File(path) as file:
        assert np.array_equal(file["x"][...], wanted)


@pytest.mark.parametrize("threads", ["0", "1", "2", "4096"])
def test_thread_numbers(write, frames, monkeypatch, threads, read):
    one = write(frames, name="one.h5", chunks=(5, PARTICLES, 3)).read_bytes()
    monkeypatch.setenv("GPZ_HDF5_THREADS", threads)
    path = write(frames, name="several.h5", chunks=(5, PARTICLES, 3))
    assert path.read_bytes() == one
    require_close(read(path), frames)


@pytest.mark.parametrize("threads", ["", "-1", "4097", "two", "1.5", "1 ", "99999999999999999999"])
def test_wrong_thread_numbers(write, read, frames, monkeypatch, threads):
    """A dataset is not created: HDF5 would store chunks as they are, without a word."""
    path = write(frames)
    integers = write((frames * 100).astype("i4"), name="n.h5")
    monkeypatch.setenv("GPZ_HDF5_THREADS", threads)
    with pytest.raises(ValueError, match=f'0 for all cores, not "{threads}"'):
        write(frames, name="other.h5")
    with pytest.raises(OSError, match=f'0 for all cores, not "{threads}"'):
        read(path, 7)
    assert read(integers).any()


def test_several_hdf5_libraries_in_a_process(write, read, frames, python):
    """netCDF4 brings a library of its own. The plugin is loaded by both, and answers to the one that called it."""
    program = """
import sys
import netCDF4
import h5py
import gpz.hdf5
for _ in range(2):
    print(netCDF4.Dataset(sys.argv[1])["x"][4, 5].tobytes().hex())
    with h5py.File(sys.argv[1]) as file:
        print(file["x"][4, 5].tobytes().hex())
with h5py.File(sys.argv[2], "w") as file:
    file.create_dataset("x", (9, 9, 3), "f4", chunks=(1, 9, 3), **gpz.hdf5.options(0.001))
    print(file["x"].id.get_create_plist().get_filter(0)[2][4:])
"""
    path = write(frames)
    status, printed = python(program, path, path.with_name("new.h5"), HDF5_PLUGIN_PATH=gpz.hdf5.plugin_path())
    assert status == 0, printed
    assert printed.splitlines() == [read(path)[4, 5].tobytes().hex()] * 4 + ["(4, 3, 9, 1)"]
