# SPDX-License-Identifier: BSD-3-Clause
"""OVITO: pipelines over .gpz files of LAMMPS have what the text dumps of the runs have."""

import struct
import zlib

import numpy as np
import pytest
from comparison import positions, require_positions, require_within, vectors
from ovito.io import import_file
from ovito.modifiers import CoordinationAnalysisModifier
from ovito.vis import TachyonRenderer, Viewport
from page import run_block
from runs import make

import gpz

VECTORS = {"Velocity": ("vx", "vy", "vz"), "Force": ("fx", "fy", "fz"), "Periodic Image": ("ix", "iy", "iz")}
SCALARS = {"id": "Particle Identifier", "mol": "Molecule Identifier", "mass": "Mass", "q": "Charge"}


def frames(pipeline):
    return [pipeline.compute(i) for i in range(pipeline.source.num_frames)]


def test_values(run):
    loaded = frames(import_file(str(run.gpz)))
    require_positions([data.particles.positions[...] for data in loaded], run)
    for data, frame in zip(loaded, run.frames):
        columns, particles = frame["columns"], data.particles
        assert data.attributes["Timestep"] == frame["timestep"]
        assert data.attributes["Time"] == pytest.approx(frame["time"], rel=1e-12)
        assert np.array_equal(particles.particle_types[...], columns["type"])
        require_within(data.cell[:, :3], frame["matrix"].T, 0)
        require_within(data.cell[:, 3], frame["origin"], 0)
        assert list(data.cell.pbc) == [pair == "pp" for pair in frame["boundary"].split()]
        assert data.cell.is2D == (run.name in ("two_dimensional", "no_z"))
        for column, name in SCALARS.items():
            assert (name in particles) == (column in columns)
            if column in columns:
                require_within(particles[name][...], columns[column], 0)
        for name, parts in VECTORS.items():
            assert (name in particles) == (parts[0] in columns)
            if parts[0] in columns:
                require_within(particles[name][...], vectors(frame, parts), run.bounds.get(parts[0], 0))


@pytest.mark.parametrize("run", ["fields", "triclinic", "no_z", "varying"], indirect=True)
def test_as_the_reader_of_text(run):
    """OVITO's reader of text dumps makes the same properties and types."""
    mine, theirs = import_file(str(run.gpz)), import_file(str(run.text))
    assert mine.source.num_frames == theirs.source.num_frames
    for i in (0, 7):
        got, expected = mine.compute(i), theirs.compute(i)
        assert got.attributes["Timestep"] == expected.attributes["Timestep"]
        assert np.allclose(got.cell[...], expected.cell[...], rtol=1e-12, atol=1e-12)
        # It computes one property itself.
        assert set(got.particles.keys()) == set(expected.particles.keys()) - {"Velocity Magnitude"}
        for name in got.particles.keys():
            assert got.particles[name].dtype == expected.particles[name].dtype, name
        types, others = got.particles.particle_types.types, expected.particles.particle_types.types
        assert [(each.id, each.name, each.mass, each.radius) for each in types] == [
            (each.id, each.name, each.mass, each.radius) for each in others
        ]


def test_other_columns(tmp_path):
    """Columns without a property of OVITO have their names; those that the next frame lacks are gone there."""
    file = str(tmp_path / "t.gpz")
    x, box = np.random.default_rng(4711).uniform(0, 5, (20, 3)), gpz.Box.from_vectors(np.eye(3) * 5)
    with gpz.Writer(file, units="metal", elements=["Cu"]) as writer:
        further = {"c_s[1]": x[:, 0], "v_a.b": x[:, 1], "i_n": np.arange(20), "id": np.arange(20)[::-1]}
        writer.write(positions=x, types=np.ones(20, int), box=box, velocities=x, **further)
        writer.write(positions=x[:10], types=np.ones(10, int), ids=np.arange(10), box=box)
    first, second = frames(import_file(file))
    for name, column in (("c_s[1]", "c_s[1]"), ("v_a_b", "v_a.b"), ("i_n", "i_n")):
        assert np.array_equal(first.particles[name][...], further[column][::-1]), name  # in the order of ids
    assert set(second.particles.keys()) == {"Position", "Particle Type", "Particle Identifier"}
    assert second.particles.count == 10
    assert [each.name for each in second.particles.particle_types.types] == ["Cu"]


def test_a_file_for_each_frame(tmp_path):
    """As LAMMPS writes them for names with *."""
    for timestep in (0, 50, 100):
        with gpz.Writer(tmp_path / f"t.{timestep}.gpz", units="lj") as writer:
            writer.write(positions=np.full((2, 3), timestep / 100), ids=[1, 2], box=[5, 5, 5], timestep=timestep)
    loaded = frames(import_file(str(tmp_path / "t.*.gpz")))
    assert [data.attributes["Timestep"] for data in loaded] == [0, 50, 100]
    require_within([data.particles.positions[0, 0] for data in loaded], [0, 0.5, 1], 0.001)


def test_file_without_frames(tmp_path):
    with gpz.Writer(tmp_path / "t.gpz", units="lj"):
        pass
    with pytest.raises(ValueError, match="no complete frame"):
        import_file(str(tmp_path / "t.gpz"))


def test_frames_in_any_order():
    run = make("melt")
    pipeline = import_file(str(run.gpz))
    for i in (7, 2, 10, 0, 5):
        require_within(pipeline.compute(i).particles.positions[...], positions(run.frames[i]), run.case.bound)


def test_analysis():
    """A modifier gives what the text gives."""
    run = make("elements")
    results = []
    for file in (run.gpz, run.text):
        pipeline = import_file(str(file))
        pipeline.modifiers.append(CoordinationAnalysisModifier(cutoff=10.0, number_of_bins=50))
        results.append(pipeline.compute(10).tables["coordination-rdf"].xy())
    assert np.array_equal(results[0][:, 0], results[1][:, 0])
    require_within(results[0][:, 1], results[1][:, 1], 0.05 * results[1][:, 1].max())
    assert results[1][:, 1].max() > 2


def test_rendered_picture(tmp_path):
    pipeline = import_file(str(make("fields").gpz))
    pipeline.add_to_scene()
    picture = tmp_path / "t.png"
    view = Viewport(type=Viewport.Type.Perspective, camera_dir=(2, 1, -1))
    view.zoom_all(size=(160, 120))
    view.render_image(
        filename=str(picture), size=(160, 120), frame=5, renderer=TachyonRenderer(ambient_occlusion=False)
    )
    pipeline.remove_from_scene()
    width, height, colours = colours_of(picture)
    assert (width, height) == (160, 120)
    assert colours > 100, "a picture of one colour has no particles"


def colours_of(picture):
    """Width, height and the number of different byte triples of a PNG file, row filters included."""
    data, at, packed = picture.read_bytes(), 8, b""
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        if kind == b"IHDR":
            width, height, _, colour_type = struct.unpack_from(">IIBB", data, at + 8)
        elif kind == b"IDAT":
            packed += data[at + 8 : at + 8 + length]
        at += 12 + length
    channels = {2: 3, 6: 4}[colour_type]
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * channels)[:, 1:]
    return width, height, len(np.unique(rows.reshape(-1, channels), axis=0))


def test_torn():
    run = make("torn")
    with pytest.warns(UserWarning, match="ends inside a frame.*10 complete frames"):
        loaded = frames(import_file(str(run.gpz)))
    require_positions([data.particles.positions[...] for data in loaded], run)


def test_files_of_ranks(joined):
    """OVITO looks for files itself, and knows no %. The file of one rank has its particles."""
    run = make("percent")
    with pytest.raises(Exception, match=r"run\.%\.gpz"):
        import_file(str(run.gpz))
    require_positions([data.particles.positions[...] for data in frames(import_file(str(joined)))], run)
    counts = [[data.particles.count for data in frames(import_file(str(part)))] for part in run.parts]
    assert list(np.sum(counts, axis=0)) == [len(frame["columns"]["id"]) for frame in run.frames]


def test_damaged_file(tmp_path):
    file = tmp_path / "t.gpz"
    data = bytearray(make("melt").gpz.read_bytes())
    data[len(data) // 2] ^= 0xFF
    file.write_bytes(data)
    pipeline = import_file(str(file))
    with pytest.raises(gpz.CorruptError, match="byte .*checksum"):
        frames(pipeline)


def test_without_ids(tmp_path):
    with gpz.Writer(tmp_path / "t.gpz", units="metal") as writer:
        for _ in range(2):
            writer.write(positions=np.eye(3), box=[5, 5, 5])
    with pytest.warns(UserWarning, match="no ids"):
        data = import_file(str(tmp_path / "t.gpz")).compute(1)
    assert set(data.particles.keys()) == {"Position"} and data.particles.count == 3


def test_page(tmp_path, monkeypatch, capsys):
    run_block("ovito", tmp_path, monkeypatch)
    assert capsys.readouterr().out.startswith("100 648 ")


def with_tables(path):
    """Two molecules in a periodic box, one of them across its border; the second frame has no bonds."""
    x = np.array([[0.5, 1, 1], [9.5, 1, 1], [5, 5, 5], [5.8, 5, 5], [2, 9.6, 2]])
    ids = np.array([10, 2, 4, 3, 7])
    tables = {
        "atoms": {"id": [2, 10, 3, 4, 99], "q": [0.5, -0.5, 0.25, -0.25, 1], "mol": [1, 1, 2, 2, 3]},
        "types": {"type": [1, 2], "mass": [16.0, 1.0], "label": ["O", "H"]},
        "bonds": {"type": ["single", "double", "single"], "atom1": [2, 3, 2], "atom2": [10, 4, 99]},
    }
    with gpz.Writer(path, units="real") as writer:
        writer.write_tables(tables)
        for k in range(3):
            if k == 1:
                writer.write_tables({"bonds": {"atom1": [], "atom2": []}})
            observables = {"Temp": 300.0 + k, "PotEng": -1.0} if k != 1 else {"Temp": 301.0}
            columns = {"q": np.arange(5.0)} if k == 2 else {}
            writer.write(
                positions=x, ids=ids, types=[1, 2, 2, 1, 1], box=[10, 10, 10], timestep=k, observables=observables, **columns
            )
    return x[np.argsort(ids)]


def test_tables_and_observables(tmp_path):
    x = with_tables(tmp_path / "a.gpz")
    pipeline = import_file(str(tmp_path / "a.gpz"))
    data = pipeline.compute(0)
    particles, bonds = data.particles, data.particles.bonds
    assert particles["Particle Identifier"][...].tolist() == [2, 3, 4, 7, 10]
    assert particles["Charge"][...].tolist() == [0.5, 0.25, -0.25, 0, -0.5]
    assert particles["Mass"][...].tolist() == [1, 16, 1, 16, 16]
    assert particles["Molecule Identifier"][...].tolist() == [1, 2, 2, 0, 1]
    assert [each.name for each in particles.particle_types.types] == ["O", "H"]
    assert bonds.topology[...].tolist() == [[0, 4], [1, 2]]
    names = {each.id: each.name for each in bonds.bond_types.types}
    assert [names[number] for number in bonds.bond_types[...]] == ["single", "double"]
    # Neighbours across the border are near each other.
    first, second = bonds.topology[...].T
    lengths = np.linalg.norm(x[second] - x[first] + bonds.pbc_vectors[...] @ data.cell[:, :3].T, axis=1)
    assert np.allclose(lengths, [1.0, 0.8], atol=0.01)
    assert data.attributes["Temp"] == 300 and data.attributes["PotEng"] == -1 and data.attributes["Timestep"] == 0
    data = pipeline.compute(1)
    assert data.particles.bonds is None or data.particles.bonds.count == 0
    assert data.attributes["Temp"] == 301 and "PotEng" not in data.attributes
    assert pipeline.compute(2).particles["Charge"][...].tolist() == np.arange(5.0)[[1, 3, 2, 4, 0]].tolist()
    assert pipeline.compute(0).particles.bonds.count == 2


def test_a_file_without_tables(tmp_path):
    with gpz.Writer(tmp_path / "a.gpz") as writer:
        writer.write(positions=np.eye(3), types=[1, 2, 1], box=[5, 5, 5])
    data = import_file(str(tmp_path / "a.gpz")).compute(0)
    assert data.particles.bonds is None and set(data.particles.keys()) == {
        "Position",
        "Particle Type",
        "Particle Identifier",
    }
