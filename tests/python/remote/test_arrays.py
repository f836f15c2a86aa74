# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of dask and xarray over remote files."""

import pickle

import fsspec
import numpy as np
import pytest
from serving import FRAMES, KEY, PARTICLES

import gpz
from gpz import _files
from gpz.remote import ChangedError

pytest.importorskip("dask.array")
pytest.importorskip("xarray")


@pytest.fixture
def expected(local):
    return np.stack([frame.positions for frame in local[: 2 * KEY]])


@pytest.mark.parametrize("scheduler", ["synchronous", "threads", "processes"])
def test_arrays_of_a_url(server, remote, expected, scheduler):
    trajectory = gpz.open(server.url(), remote=remote)
    array = trajectory[: 2 * KEY].dask_array("positions", chunk_bytes=1)
    assert array.numblocks[0] == 2
    assert np.array_equal(array.compute(scheduler=scheduler, num_workers=2), expected)


def test_datasets_of_a_url(server, remote, expected):
    made = gpz.open(server.url(), remote=remote).xarray()
    assert made.sizes == {"frame": FRAMES, "atom": PARTICLES, "space": 3}
    assert np.array_equal(made["positions"][: 2 * KEY].values, expected)


def test_arrays_of_files_of_fsspec(path, expected):
    with fsspec.open("memory://arrays/file.gpz", "wb") as file:
        file.write(path.read_bytes())
    try:
        for source in ("memory://arrays/file.gpz", fsspec.open("memory://arrays/file.gpz")):
            array = gpz.open(source)[: 2 * KEY].dask_array()
            assert np.array_equal(array.compute(scheduler="threads"), expected)
            assert gpz.open(source)[: 2 * KEY].dask_array().name == array.name
    finally:
        fsspec.filesystem("memory").store.clear()


def test_arrays_of_file_objects(path, expected, monkeypatch):
    monkeypatch.setattr(_files, "SMALL_FILE", 1 << 16)

    class File:
        def __init__(self):
            self.inner = path.open("rb")
            for name in ("read", "seek", "tell"):
                setattr(self, name, getattr(self.inner, name))

    one, other = File(), File()
    try:
        arrays = [gpz.open(file)[: 2 * KEY].dask_array() for file in (one, other)]
        assert np.array_equal(arrays[0].compute(scheduler="threads"), expected)
        assert arrays[0].name != arrays[1].name
    finally:
        one.inner.close()
        other.inner.close()


def test_names_have_the_version(server, remote):
    def name():
        return gpz.open(server.url(), remote=remote).dask_array().name

    first = name()
    assert name() == first
    server.tags["/file.gpz"] = '"two"'
    assert name() != first
    server.files["/file.gpz?other=1"] = server.files["/file.gpz"]
    server.tags["/file.gpz?other=1"] = '"one"'
    assert gpz.open(server.url("/file.gpz?other=1"), remote=remote).dask_array().name != first


def test_tasks_elsewhere_refuse_another_version(server, remote):
    """They open the URL again, which is a pickle here."""
    array = gpz.open(server.url(), remote=remote).dask_array(chunk_bytes=1)
    data = pickle.dumps(array)
    assert len(data) < 20_000
    server.tags["/file.gpz"] = '"two"'
    again = pickle.loads(data)
    with pytest.raises(ChangedError, match="was replaced while it was open"):
        again[3 * KEY].compute(scheduler="threads")
