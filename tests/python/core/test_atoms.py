# SPDX-License-Identifier: BSD-3-Clause
"""Some of the atoms of a file: the same values as of whole frames, whose other rows are left out."""

import pickle

import numpy as np
import pytest
from conftest import FRAMES, KEY, PARTICLES

import gpz

STEPS = 1 << 8  # feature bit of files with sections of steps


def kept(sample, ids):
    """(N,) bool in the order of ids."""
    return np.isin(np.sort(sample.ids), list(ids))


def chosen(sample):
    """Ways to ask for atoms, and the mask of the atoms, in the order of ids."""
    random = np.random.default_rng(3)
    few = random.choice(sample.ids, 30, replace=False)
    types = sample.types[sample.by_id]
    return {
        "an array": (few, kept(sample, few)),
        "a list": ([int(few[0]), int(few[1]), int(few[0])], kept(sample, few[:2])),
        "a set": ({int(few[0]), int(few[5])}, kept(sample, few[[0, 5]])),
        "unsigned": (few.astype(np.uint16), kept(sample, few)),
        "none of them": ([1, 2, 3], kept(sample, [])),
        "no ids": ([], kept(sample, [])),
        "a range": (range(20, 500), kept(sample, range(20, 500))),
        "a range with steps": (range(500, 20, -4), kept(sample, range(500, 20, -4))),
        "a slice": (slice(100, 110), kept(sample, range(100, 110))),
        "an open slice": (slice(None, 300), kept(sample, range(300))),
        "all": (slice(None), np.ones(PARTICLES, bool)),
        "a mask": (types == 2, types == 2),
        "a function to a mask": (lambda frame: frame.types == 2, types == 2),
        "a function to ids": (lambda frame: frame.ids[:7], np.arange(PARTICLES) < 7),
        "a type": ({"types": 2}, types == 2),
        "types": ({"types": [np.int64(1), "3"]}, types != 2),
        "a range of types": ({"types": "2:"}, types > 1),
        "elements": ({"types": ["C", "O"]}, types != 2),
        "ids and types": ({"ids": few, "types": ["H"]}, kept(sample, few) & (types == 2)),
    }


@pytest.fixture(scope="module")
def whole(sample):
    """Of each frame all columns and positions, in the order of ids, and in stored order."""
    frames = {}
    for order in ("id", "stored"):
        with gpz.open(sample.path, order=order) as trajectory:
            frames[order] = [({name: frame[name] for name in frame}, frame.positions) for frame in trajectory]
    return frames


def test_same_values(sample, whole):
    for name, (atoms, mask) in chosen(sample).items():
        ids = np.sort(sample.ids)[mask]
        for threads in (1, 3):
            for order in ("id", "stored"):
                if order == "stored" and name == "a mask":
                    continue  # of another order
                with gpz.open(sample.path, atoms=atoms, order=order, threads=threads) as trajectory:
                    assert len(trajectory) == FRAMES
                    for k, frame in enumerate(trajectory):
                        columns, positions = whole[order][k]
                        rows = np.isin(columns["id"], ids)
                        if name != "a function to ids" or order == "id":
                            assert frame.positions.tobytes() == positions[rows].tobytes(), (name, k)
                            for column, values in columns.items():
                                assert frame[column].tobytes() == values[rows].tobytes(), (name, column)
                            assert frame.n_particles == mask.sum()
                        assert frame.column_info.keys() == columns.keys()


def test_any_order_of_frames(sample, whole):
    few = np.sort(sample.ids)[::50]
    mask = kept(sample, few)
    with gpz.open(sample.path, atoms=few, threads=1) as trajectory:
        for k in (FRAMES - 1, 0, KEY, KEY - 1, KEY + 1, 3, 3):
            assert trajectory.read_positions(k).tobytes() == whole["id"][k][1][mask].tobytes()
            assert trajectory[k].n_particles == len(few)  # before any value is decoded
            assert trajectory.read(k, ["vx"])["vx"].tobytes() == whole["id"][k][0]["vx"][mask].tobytes()
        assert trajectory.counts.tolist() == [len(few)] * FRAMES
        part = trajectory[2:9:3]
        assert part.counts.tolist() == [len(few)] * 3
        assert part[1].positions.tobytes() == whole["id"][5][1][mask].tobytes()


def test_molecules(tmp_path):
    """Two blocks of molecules in files of effort standard, of which one is decoded."""
    count, frames = 6200, 5
    random = np.random.default_rng(1)
    # Pairs of particles, 3 apart from each other.
    firsts = 3.0 * np.stack(np.unravel_index(np.arange(count), (19, 19, 19)), axis=1)
    ways = random.normal(size=(count, 3))
    path = tmp_path / "pairs.gpz"
    with gpz.Writer(path, bound=0.001, key_interval=4) as writer:
        for _ in range(frames):
            ways += 0.1 * random.normal(size=ways.shape)
            ways /= np.linalg.norm(ways, axis=1)[:, None]
            firsts += random.normal(scale=0.1, size=firsts.shape)
            thirds = firsts + 0.7 * np.roll(ways, 1, axis=1)
            positions = np.stack([firsts, firsts + ways, thirds], axis=1).reshape(-1, 3)
            writer.write(positions=positions, ids=np.arange(1, 3 * count + 1), box=np.diag([57.0] * 3))
    with gpz.open(path) as trajectory:
        assert trajectory.metadata["features"] & STEPS
        whole = [frame.positions for frame in trajectory]
    for ids in (range(5, 60), [3, 9000, 3 * count], []):
        rows = np.array(ids, int) - 1
        for threads in (1, 2):
            with gpz.open(path, atoms=ids, threads=threads) as trajectory:
                for k in (0, 1, 2, 3, 4, 2):
                    assert trajectory.read_positions(k).tobytes() == whole[k][rows].tobytes(), (k, len(rows))


def test_region_is_of_each_frame(sample, whole):
    region = ((None, 4.0), None, (2, 8.5))
    sizes = set()
    with gpz.open(sample.path, atoms={"region": region, "types": [1, 2]}) as trajectory:
        for k, frame in enumerate(trajectory):
            columns, positions = whole["id"][k]
            inside = (positions[:, 0] <= 4) & (positions[:, 2] >= 2) & (positions[:, 2] <= 8.5) & (columns["type"] < 3)
            assert frame.ids.tolist() == columns["id"][inside].tolist()
            assert frame.positions.tobytes() == positions[inside].tobytes()
            sizes.add(frame.n_particles)
        assert trajectory.counts.tolist() == [len(frame.ids) for frame in trajectory]
    assert len(sizes) > 1


def test_own_arrays(sample, whole):
    few = np.sort(sample.ids)[10:20]
    mask = kept(sample, few)
    with gpz.open(sample.path, atoms=few) as trajectory:
        out = np.full((10, 6), np.nan, np.float32)[:, ::2]
        assert trajectory.read_positions(4, out) is out
        assert np.array_equal(out, whole["id"][4][1][mask].astype(np.float32))
        q = np.empty(10, np.float64)
        assert trajectory.read(4, ["id"], out={"charge": q})["id"].tolist() == few.tolist()
        assert np.array_equal(q, whole["id"][4][0]["charge"][mask])
        with pytest.raises(gpz.LimitError, match="room for 9 particles, there are 10"):
            trajectory.read_positions(4, np.empty((9, 3)))
        for wrong in (11, PARTICLES):
            with pytest.raises(gpz.ArgumentError, match=f"array has {wrong} rows, and the frame has 10"):
                trajectory.read_positions(4, np.empty((wrong, 3)))
            with pytest.raises(gpz.ArgumentError, match=f"array has {wrong} rows, and the frame has 10"):
                trajectory.read(4, out={"charge": np.empty(wrong)})


def test_pickled(sample, whole):
    mask = sample.types[sample.by_id] == 2
    with gpz.open(sample.path, atoms=lambda frame: frame.types == 2) as trajectory:
        again = pickle.loads(pickle.dumps(trajectory[3:5]))
        assert again[0].positions.tobytes() == whole["id"][3][1][mask].tobytes()
        frame = pickle.loads(pickle.dumps(trajectory[7]))
        assert frame.n_particles == mask.sum()
        assert frame.positions.tobytes() == whole["id"][7][1][mask].tobytes()
        assert "some of the particles" in repr(trajectory[0])


def test_in_memory_and_after_refresh(sample, tmp_path):
    data = sample.path.read_bytes()
    few = sample.ids[:5]
    with gpz.open(data, atoms=few) as trajectory:
        assert len(trajectory[0].ids) == 5
    growing = tmp_path / "g.gpz"
    growing.write_bytes(data[: sample.starts[4]])
    with gpz.open(growing, atoms=few) as trajectory:
        growing.write_bytes(data)
        assert trajectory.refresh() == FRAMES - 4
        assert sorted(few) == trajectory[-1].ids.tolist()


def test_atoms_that_come_and_go(tmp_path):
    """Of a rank's file: in each frame other atoms, which leave and enter between key frames."""
    random = np.random.default_rng(5)
    start = random.random((3000, 3)) * 10
    for effort in ("fast", "standard", "dense"):
        path = tmp_path / f"{effort}.gpz"
        with gpz.Writer(path, units="metal", bound=1e-3, key_interval=6, effort=effort) as writer:
            present = np.ones(3000, bool)
            for k in range(14):
                present[random.integers(0, 3000, 40)] ^= True
                ids = np.flatnonzero(present) + 1
                writer.write(positions=start[present] + 0.01 * k, ids=ids, box=[20, 20, 20], timestep=k)
        few = np.sort(random.choice(3000, 1500, replace=False)) + 1
        sizes = set()
        with gpz.open(path) as trajectory, gpz.open(path, atoms=few) as part:
            for whole, frame in zip(trajectory, part):
                mask = np.isin(whole.ids, few)
                assert frame.ids.tolist() == whole.ids[mask].tolist()
                assert frame.positions.tobytes() == whole.positions[mask].tobytes()
                sizes.add(frame.n_particles)
        assert len(sizes) > 3


def test_tables(tmp_path):
    with gpz.Writer(tmp_path / "t.gpz", units="real") as writer:
        writer.write_tables({
            "atoms": {"id": [1, 2, 3, 4], "mass": [1.0, 2.0, 3.0, 4.0]},
            "types": {"type": [1], "mass": [5.0]},
            "bonds": {"type": [1, 1, 2], "atom1": [1, 2, 3], "atom2": [2, 3, 4]},
        })
        writer.write(positions=np.eye(4, 3), ids=[1, 2, 3, 4], types=[1, 1, 1, 1], timestep=0)
    with gpz.open(tmp_path / "t.gpz", atoms=[1, 2, 4]) as trajectory:
        tables = trajectory.tables()
        assert tables["atoms"]["mass"].tolist() == [1, 2, 4]
        assert tables["bonds"]["atom2"].tolist() == [2]
        assert tables["types"].n_rows == 1
    with gpz.open(tmp_path / "t.gpz", atoms={"types": 1}) as trajectory:  # no ids are named: as gpz select
        assert trajectory.tables()["bonds"].n_rows == 3


def test_observables_are_of_all_atoms(tmp_path):
    """Atoms says how many these are, in frames of some atoms and in files that are made of them."""
    x = np.arange(12.0).reshape(4, 3)
    with gpz.Writer(tmp_path / "a.gpz") as writer:
        for k, observables in enumerate(({"PotEng": (-3.0, "eV")}, {"PotEng": -4.0, "Atoms": 7}, {})):
            writer.write(positions=x, ids=[1, 2, 3, 4], timestep=k, observables=observables)
    expected = [{"PotEng": -3.0, "Atoms": 4}, {"PotEng": -4.0, "Atoms": 7}, {}]
    with gpz.open(tmp_path / "a.gpz") as whole, gpz.open(tmp_path / "a.gpz", atoms=[2, 3]) as some:
        assert "Atoms" not in whole[0].observables
        assert [frame.observables for frame in some] == expected and some[0].observables.units == {"PotEng": "eV"}
        assert pickle.loads(pickle.dumps(some[0])).observables == expected[0]
        with gpz.Writer(tmp_path / "b.gpz") as writer:
            for frame in some:
                writer.write(frame)
    with gpz.open(tmp_path / "b.gpz") as again:
        assert [frame.observables for frame in again] == expected and again.counts.tolist() == [2, 2, 2]


def test_refused(sample, tmp_path):
    def refuse(error, words, atoms, path=sample.path):
        with pytest.raises(error, match=words):
            gpz.open(path, atoms=atoms)

    for atoms in (7, "1:5", b"1", 1.5, [1.5], object(), {"ids": None}, {"ids": "C"}, lambda frame: None):
        refuse((TypeError, gpz.ArgumentError), "atoms", atoms)
    refuse(gpz.ArgumentError, "shape", np.ones(PARTICLES + 1, bool))
    refuse(gpz.ArgumentError, "two ends", slice(None, 10, 2))
    refuse(gpz.ArgumentError, "64 bits", np.array([2**63], np.uint64))
    refuse(gpz.ArgumentError, "a dict with ids, types, region", {})
    refuse(gpz.ArgumentError, "a dict with ids, types, region", {"id": [1]})
    refuse(gpz.ArgumentError, "'N' is no number, range A:B, element or label", {"types": ["N"]})
    refuse(TypeError, "types are", {"types": [1.5]})
    refuse(TypeError, "types are", {"types": b"C"})
    for region in ((1, 2, 3), ((1, 2),), ((1, 2, 3), None), ((2, 1), None, None), ((float("nan"), 1), None)):
        refuse(gpz.ArgumentError, "region", {"region": region})
    refuse(TypeError, "region", {"region": "1:2,:"})

    gpz.Writer(tmp_path / "empty.gpz").close()
    refuse(gpz.ArgumentError, "no complete frame", [True], tmp_path / "empty.gpz")
    with gpz.Writer(tmp_path / "bare.gpz", order="place") as writer:
        writer.write(velocities=np.eye(3), timestep=0)
    refuse(gpz.ArgumentError, "no ids", [True, False, True], tmp_path / "bare.gpz")
    for atoms, words in (
        ([1], "ids: the file has no ids"),
        ({"types": 1}, "types: no column type"),
        ({"region": ((0, 1), None)}, "region: no positions"),
    ):
        with gpz.open(tmp_path / "bare.gpz", atoms=atoms) as trajectory, pytest.raises(gpz.NotFoundError, match=words):
            trajectory.read(0, ["vx"])


def test_every_golden_file(golden):
    """Random subsets of ids, and random places of the first frame, in random order of frames."""
    random = np.random.default_rng(11)
    compared = 0
    for path in sorted(golden.glob("*.gpz")):
        with gpz.open(path, order="stored", threads=1) as trajectory:
            whole = [trajectory.read(k) for k in range(len(trajectory))]
        ids = np.unique(np.concatenate([columns.get("id", []) for columns in whole])) if whole else []
        for share in (0.02, 0.3, 1.0) if len(ids) else ():
            few = random.choice(ids, max(1, int(share * len(ids))), replace=False).astype(np.int64)
            for order in ("stored", "id"):
                with gpz.open(path, atoms=few, order=order, threads=1) as part:
                    frames = list(range(len(whole)))
                    for k in (*frames, *random.permutation(frames)):
                        if "id" not in whole[k]:
                            continue
                        rows = np.flatnonzero(np.isin(whole[k]["id"], few))
                        if order == "id":
                            rows = rows[np.argsort(whole[k]["id"][rows], kind="stable")]
                        for column, values in part.read(int(k)).items():
                            assert values.tobytes() == whole[k][column][rows].tobytes(), (path.name, order, k, column)
                            compared += len(rows)
    assert compared > 100_000


def test_limits_of_memory(sample, whole):
    """An error or the right values, never part of them."""
    few = np.sort(sample.ids)[100:140]
    expected = whole["id"][KEY + 2][1][kept(sample, few)].tobytes()
    results = set()
    for limit in range(1000, 700_000, 9001):
        try:
            with gpz.open(sample.path, atoms=few, max_memory=limit, threads=1) as trajectory:
                results.add(trajectory[KEY + 2].positions.tobytes() == expected)
        except gpz.LimitError:
            results.add("refused")
    assert results == {True, "refused"}
