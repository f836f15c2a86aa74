# SPDX-License-Identifier: BSD-3-Clause
"""Frames from a pipe in MDAnalysis."""

import os
import threading
import warnings

import MDAnalysis as mda
import numpy as np
import pytest
from runs import make

import gpz
from gpz.mdanalysis import FrameError, GPZReader, GPZStreamReader


@pytest.fixture
def pipe():
    """(data) -> a file object that another thread writes the data into."""
    threads = []

    def write(descriptor, data):
        with open(descriptor, "wb") as file, warnings.catch_warnings():
            try:
                file.write(data)
            except BrokenPipeError:  # the reader has seen enough
                pass

    def make_pipe(data):
        reader, writer = os.pipe()
        threads.append(threading.Thread(target=write, args=(writer, data)))
        threads[-1].start()
        files.append(os.fdopen(reader, "rb"))
        return files[-1]

    files = []
    yield make_pipe
    for file in files:
        file.close()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("name", ["melt_place", "fields", "scaled", "elements", "no_z"])
@pytest.mark.filterwarnings("ignore:.*(masses|element information)")
def test_a_pipe_gives_what_the_file_gives(name, pipe):
    run = make(name)
    keywords = {"additional_columns": True, "unwrap_images": name == "fields"}
    universe = mda.Universe(
        run.gpz, pipe(run.gpz.read_bytes()), format=GPZStreamReader, topology_format="GPZ", **keywords
    )
    assert universe.trajectory.units == GPZReader(run.gpz).units
    seen = 0
    for ts, other in zip(universe.trajectory, GPZReader(run.gpz, **keywords)):
        assert (ts.frame, ts.data["step"]) == (other.frame, other.data["step"])
        assert ts.time == pytest.approx(other.time)
        np.testing.assert_allclose(ts.positions, other.positions, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(ts.dimensions, other.dimensions)
        assert (ts.has_velocities, ts.has_forces) == (other.has_velocities, other.has_forces)
        if ts.has_velocities:
            np.testing.assert_allclose(ts.velocities, other.velocities, rtol=1e-6)
        for column in set(other.data) - {"dt", "time"}:
            np.testing.assert_array_equal(ts.data[column], other.data[column])
        seen += 1
    assert seen == len(run.frames)


def test_every_third_frame(pipe):
    reader = GPZStreamReader(pipe(make("melt").gpz.read_bytes()))
    assert [ts.data["step"] for ts in reader[::3]] == [0, 30, 60, 90]


def test_a_torn_stream_is_an_error_after_its_complete_frames(pipe):
    run = make("torn")
    reader = GPZStreamReader(pipe(run.gpz.read_bytes()))
    seen = []
    with pytest.raises(gpz.TruncatedError):
        for ts in reader:
            seen.append(ts.data["step"])
    assert seen == [frame["timestep"] for frame in run.frames]


def test_a_number_of_atoms_that_changes_is_refused(pipe):
    reader = GPZStreamReader(pipe(make("varying").gpz.read_bytes()))
    with pytest.raises(FrameError, match="frame 1 has other atoms than frame 0.*OVITO"):
        for _ in reader:
            pass


def test_an_empty_stream(pipe):
    with pytest.raises(gpz.TruncatedError):
        GPZStreamReader(pipe(b""))
