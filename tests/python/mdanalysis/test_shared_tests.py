# SPDX-License-Identifier: BSD-3-Clause
"""Tests of MDAnalysis that it runs over all formats (copies of readers, pickling, processes, writers), for .gpz files.

pytest finds the imported functions here, and gives them the readers of this file.
"""

import MDAnalysis as mda
import numpy as np
import pytest
from MDAnalysisTests.coordinates import test_writer_api
from MDAnalysisTests.coordinates.test_copying import (  # noqa: F401
    original_and_copy,
    original_and_copy_extra_args,
    test_positions_share_memory,
    test_reader_copied_extra_attributes,
    test_reader_filename,
    test_reader_independent_iteration,
    test_reader_initial_frame_maintained,
    test_reader_initial_next,
    test_reader_n_atoms,
    test_timestep_copied,
)
from MDAnalysisTests.parallelism.test_multiprocessing import (  # noqa: F401
    test_multiprocess_COG,
    test_readers_pickle,
)

import gpz
from gpz.mdanalysis import GPZReader, GPZWriter


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    name = tmp_path_factory.mktemp("shared") / "few.gpz"
    random = np.random.default_rng(4711)
    positions = random.uniform(0, 20, (50, 3))
    with gpz.Writer(name, units="real", bound=1e-3) as writer:
        for frame in range(6):
            positions += random.normal(0, 0.1, positions.shape)
            columns = {"positions": positions, "ids": np.arange(1, 51), "types": np.ones(50, int)}
            writer.write(**columns, box=[20, 20, 20], timestep=10 * frame, time=5.0 * frame)
    return str(name)


@pytest.fixture
def ref_reader(path):
    with GPZReader(path) as reader:
        yield reader


@pytest.fixture
def ref_reader_extra_args(path):
    with GPZReader(path, convert_units=False, dt=2, time_offset=10, foo="bar") as reader:
        yield reader


@pytest.fixture
def u(path):
    return mda.Universe(path)


@pytest.mark.parametrize("test", ["test_ts_error", "test_write_with_atomgroup", "test_write_with_universe"])
def test_of_all_writers(test, tmpdir):
    assert GPZWriter in mda._MULTIFRAME_WRITERS.values()
    getattr(test_writer_api, test)(GPZWriter, tmpdir)
