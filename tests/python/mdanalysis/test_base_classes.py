# SPDX-License-Identifier: BSD-3-Clause
"""MDAnalysis's own tests of readers, writers and topology parsers, for .gpz files.

The classes are in the package MDAnalysisTests.
"""

from typing import ClassVar

import MDAnalysis as mda
import numpy as np
import pytest
from MDAnalysisTests.coordinates.base import BaseReference, BaseWriterTest, MultiframeReaderTest
from MDAnalysisTests.topology.base import ParserBase

import gpz
from gpz.mdanalysis import GPZParser, GPZReader, GPZWriter


class Reference(BaseReference):
    """Five atoms in five frames, whose coordinates double from frame to frame. The file has metal units: A and ps."""

    def __init__(self, folder, velocities_and_forces=False):
        super().__init__()
        self.trajectory = self.topology = str(folder / "reference.gpz")
        self.reader, self.writer, self.ext = GPZReader, GPZWriter, "gpz"
        self.prec = 3
        self.changing_dimensions = True
        self._more = velocities_and_forces
        for frame in (self.first_frame, self.second_frame, self.last_frame, self.jump_to_frame):
            self.complete(frame)
        self.write()

    def complete(self, ts):
        if self._more:
            ts.velocities = ts.positions / 10
            ts.forces = ts.positions / 100
        return ts

    def iter_ts(self, i):
        return self.complete(super().iter_ts(i))

    def write(self):
        force = 96.4853365  # kJ/(mol A) of one eV/A
        with gpz.Writer(self.trajectory, units="metal", elements=["C", "O"], bound=1e-4) as writer:
            for i in range(self.n_frames):
                ts = self.iter_ts(i)
                dimensions = self.dimensions_second_frame if i == 1 else self.dimensions
                vectors = {"velocities": ts.velocities, "forces": ts.forces / force} if self._more else {}
                writer.write(
                    positions=ts.positions,
                    ids=np.arange(1, 6),
                    types=np.array([1, 2, 1, 2, 1]),
                    mol=np.array([1, 1, 1, 2, 2]),
                    box=gpz.Box.from_vectors(mda.lib.mdamath.triclinic_vectors(dimensions, dtype=np.float64)),
                    timestep=100 * i,
                    time=float(i),
                    **vectors,
                )


@pytest.fixture(scope="module", params=["positions", "velocities and forces"])
def ref(request, tmp_path_factory):
    return Reference(tmp_path_factory.mktemp("reference"), request.param != "positions")


class TestReader(MultiframeReaderTest):
    pass


class TestWriter(BaseWriterTest):
    pass


class ParserTest(ParserBase):
    parser = GPZParser
    expected_n_atoms = 5
    expected_n_segments = 1

    @pytest.fixture
    def filename(self, tmp_path):
        return self.write(tmp_path / "topology.gpz")

    def write(self, path, columns, **metadata):
        with gpz.Writer(path, **metadata) as writer:
            writer.write(positions=np.arange(15.0).reshape(5, 3), ids=[3, 1, 2, 9, 4], box=[20, 20, 20], **columns)
        return str(path)


class TestParserOfLittle(ParserTest):
    expected_attrs: ClassVar = ["types", "masses"]
    guessed_attrs: ClassVar = ["masses"]
    expected_n_residues = 1

    def write(self, path):
        return super().write(path, {})

    def test_values(self, top):
        np.testing.assert_array_equal(top.ids.values, [1, 2, 3, 4, 9])
        np.testing.assert_array_equal(top.types.values, ["1"] * 5)
        np.testing.assert_array_equal(top.masses.values, np.ones(5))


class TestParserOfElements(ParserTest):
    expected_attrs: ClassVar = ["names", "types", "elements", "masses"]
    guessed_attrs: ClassVar = ["masses"]
    expected_n_residues = 1

    def write(self, path):
        return super().write(path, {"types": [2, 1, 1, 3, 2]}, elements=["O", "h", "Qq"], units="real")

    def test_values(self, filename):
        with pytest.warns(UserWarning, match="Qq: no such elements"), self.parser(filename) as parser:
            top = parser.parse()
        np.testing.assert_array_equal(top.types.values, ["1", "1", "2", "2", "3"])
        np.testing.assert_array_equal(top.elements.values, ["O", "O", "H", "H", ""])
        np.testing.assert_array_equal(top.names.values, top.elements.values)
        np.testing.assert_array_equal(top.masses.values, [15.999, 15.999, 1.008, 1.008, 1])


class TestParserOfEverything(ParserTest):
    expected_attrs: ClassVar = ["names", "types", "elements", "masses", "charges"]
    expected_n_residues = 2

    def write(self, path):
        columns = {
            "types": [2, 1, 1, 1, 2],
            "mol": [7, 5, 5, 5, 7],
            "mass": np.array([2e-23, 1e-23, 1e-23, 1e-23, 2e-23]),
            "q": np.array([-2.0, 1.0, 1.0, 1.0, -2.0]) * 4.8032e-10,
        }
        return super().write(path, columns, elements=["C", "O"], type_labels=["CA", "OW"], units="cgs", bound=1e-11)

    def test_values(self, top):
        np.testing.assert_array_equal(top.names.values, ["CA", "CA", "OW", "OW", "CA"])
        np.testing.assert_array_equal(top.resids.values, [5, 7])
        np.testing.assert_array_equal(top.tt.atoms2residues(np.arange(5)), [0, 0, 1, 1, 0])
        # In u and in e: 1e-23 g, and 4.8032e-10 statC.
        np.testing.assert_allclose(top.masses.values, np.array([1, 1, 2, 2, 1]) * 6.02214, rtol=1e-5)
        np.testing.assert_allclose(top.charges.values, [1, 1, -2, -2, 1], rtol=1e-4)
