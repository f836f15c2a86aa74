# SPDX-License-Identifier: BSD-3-Clause
"""gpz.pack: structures come back one by one, positions within the bound, everything else as it was given."""

import io
import pickle
import threading

import ase
import numpy as np
import pytest
from ase.calculators.singlepoint import SinglePointCalculator
from learning_structures import molecules, trajectory

import gpz
import gpz.pack

BOUND = 1e-3


def packed(structures, **options):
    file = io.BytesIO()
    gpz.pack.write(file, structures, **options)
    return file.getvalue()


def require_same(read, given, bound=BOUND):
    """Bit by bit, but for positions."""
    given = gpz.pack.Structure(**given) if isinstance(given, dict) else given
    assert np.abs(read.positions - given.positions).max() <= bound
    for name in ("numbers", "cell", "pbc", "forces", "velocities", "stress"):
        a, b = getattr(read, name), getattr(given, name)
        assert (a is None) == (b is None), name
        assert a is None or (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes()), name
    assert read.energy == given.energy
    for a, b in ((read.info, given.info), (read.arrays, given.arrays)):
        assert a.keys() == b.keys()
        for name, value in b.items():
            assert type(a[name]) is type(value)
            assert np.array_equal(a[name], value) and np.asarray(a[name]).dtype == np.asarray(value).dtype, name


@pytest.mark.parametrize("batch", [1, 20, 100, 4000])
def test_structures_come_back_in_any_order(batch):
    given = molecules(60)
    with gpz.pack.open(packed(given, bound=BOUND, batch=batch), cache=0) as pack:
        assert len(pack) == 60
        for k in np.random.default_rng(2).permutation(60):
            require_same(pack[k], given[k])
        require_same(pack[-1], given[59])
        for read, one in zip(pack, given, strict=True):
            require_same(read, one)
        assert [len(one) for one in pack[3:40:7]] == [len(one["numbers"]) for one in given[3:40:7]]


def test_batches_have_at_most_so_many_atoms_unless_a_structure_has_more():
    given = molecules(50)
    data = packed(given, batch=11)
    counts = gpz.open(data).counts
    assert counts.max() == 12 and sum(counts) == sum(len(one["numbers"]) for one in given)
    # No two neighbours would have fitted into one batch.
    starts = gpz.pack.open(data).starts
    first = [len(given[k]["numbers"]) for k in starts]
    assert all(counts[k] + first[k + 1] > 11 for k in range(len(counts) - 1))


def test_fields_cells_info_and_arrays():
    given = molecules(
        30,
        cell=lambda random, n: random.normal(0, 5, (3, 3)),
        pbc=lambda random, n: random.random(3) < 0.5,
        velocities=lambda random, n: random.normal(0, 1, (n, 3)).astype(np.float32),
        stress=lambda random, n: random.normal(0, 1, 6),
        info=lambda random, n: {
            "spin": int(random.integers(3)), "gap": random.random(), "source": f"set {n}", "dipole": random.normal(0, 1, 3),
            "k-points": random.integers(1, 9, 3),
        },
        arrays=lambda random, n: {
            "charge": random.normal(0, 1, n), "quadrupole": random.normal(0, 1, (n, 5)), "tag": random.integers(0, 3, n),
        },
    )  # fmt: skip
    pack = gpz.pack.open(packed(given, bound=BOUND, batch=50))
    assert pack.n_batches > 1
    for k in range(30):
        require_same(pack[k], given[k])


def test_values_that_some_structures_lack():
    given = molecules(12)
    del given[3]["forces"], given[7]["energy"]
    given[5]["info"] = {"a": 1}
    given[8]["cell"] = np.eye(3) * 4
    given[8]["pbc"] = True
    given[9]["positions"] = given[9]["positions"].astype(np.float32)
    pack = gpz.pack.open(packed(given, bound=BOUND))
    for k in range(12):
        require_same(pack[k], given[k])
    assert pack[3].forces is None and pack[7].energy is None and pack[9].positions.dtype == np.float32
    # A cell is no reason for a batch of its own.
    assert pack.starts.tolist() == [0, 3, 4, 5, 6, 7, 8, 9, 10]


def test_special_values_are_exact():
    given = molecules(3)
    given[0]["energy"], given[1]["energy"], given[2]["energy"] = np.nan, -np.inf, -0.0
    given[1]["forces"][0] = [np.nan, -0.0, 5e-324]
    pack = gpz.pack.open(packed(given))
    assert np.isnan(pack[0].energy) and pack[1].energy == -np.inf and np.signbit(pack[2].energy)
    assert pack[1].forces.tobytes() == given[1]["forces"].tobytes()


def test_bounds():
    given = molecules(40)
    pack = gpz.pack.open(packed(given, bound=0, bounds={"forces": 0.01}))
    assert pack.bounds == {"positions": None, "fx": 0.01, "fy": 0.01, "fz": 0.01}
    errors = [np.abs(read.forces - one["forces"]).max() for read, one in zip(pack, given)]
    assert 0 < max(errors) <= 0.01
    assert all(np.array_equal(read.positions, one["positions"]) for read, one in zip(pack, given))


def test_ase_and_back():
    random = np.random.default_rng(4)
    images = []
    for _ in range(10):
        atoms = ase.Atoms("CuAu3", random.normal(0, 2, (4, 3)), cell=random.normal(0, 4, (3, 3)), pbc=[True, True, False])
        atoms.set_velocities(random.normal(0, 0.1, (4, 3)))
        atoms.info = {"name": "alloy", "a": 3, "mask": [1, 2], "flag": True, "matrix": np.eye(2)}
        atoms.set_array("weight", random.random(4))
        results = {"energy": random.normal(), "forces": random.normal(0, 1, (4, 3)), "stress": random.normal(0, 1, 6)}
        atoms.calc = SinglePointCalculator(atoms, **results)
        images.append(atoms)
    pack = gpz.pack.open(packed(images, bound=BOUND))
    for read, atoms in zip(pack, images, strict=True):
        made = read.to_ase()
        assert made.get_chemical_symbols() == atoms.get_chemical_symbols()
        assert np.abs(made.positions - atoms.positions).max() <= BOUND
        assert np.array_equal(made.cell.array, atoms.cell.array) and made.pbc.tolist() == [True, True, False]
        assert made.get_potential_energy() == atoms.get_potential_energy()
        assert np.array_equal(made.get_forces(), atoms.get_forces()) and np.array_equal(made.get_stress(), atoms.get_stress())
        np.testing.assert_allclose(made.get_velocities(), atoms.get_velocities(), rtol=1e-14)
        assert made.info == {"name": "alloy", "a": 3} and np.array_equal(made.arrays["weight"], atoms.arrays["weight"])


def test_further_results_of_a_calculator():
    atoms = ase.Atoms("CO", [[0, 0, 0], [0, 0, 1.1]])
    results = {"energy": -1.5, "dipole": [0.1, 0.2, 0.3], "magmom": 2.0, "charges": [0.5, -0.5], "magmoms": [1.5, 0.5]}
    results |= {"energies": [-1.0, -0.5], "stresses": np.arange(12.0).reshape(2, 6)}
    atoms.calc = SinglePointCalculator(atoms, **results)
    (read,) = gpz.pack.open(packed([atoms], bound=0))
    assert read.info["dipole"].tolist() == [0.1, 0.2, 0.3] and read.arrays["charges"].tolist() == [0.5, -0.5]
    made = read.to_ase()
    for name, value in results.items():
        assert np.array_equal(made.calc.results[name], value), name
    assert gpz.pack.open(packed([made], bound=0))[0].to_ase().get_dipole_moment().tolist() == [0.1, 0.2, 0.3]
    atoms.set_array("charges", np.array([1.0, 2.0]))
    with pytest.raises(gpz.ArgumentError, match="structure 0: charges of the calculator differs"):
        packed([atoms])


def test_the_frames_are_readable_by_other_programs():
    """Types name the elements, and every particle is in the order of its structure."""
    given = molecules(20)
    frame = gpz.open(packed(given, bound=BOUND))
    symbols = [frame.elements[t - 1] for t in frame[0].types]
    assert symbols == [{1: "H", 6: "C", 7: "N", 8: "O", 79: "Au"}[z] for one in given for z in one["numbers"]]
    assert len(set(frame.elements)) == 118
    assert np.abs(frame[0].positions - np.concatenate([one["positions"] for one in given])).max() <= BOUND


def test_structures_are_copies():
    pack = gpz.pack.open(packed(molecules(5)))
    pack[2].positions[:] = 1e9
    pack[2].forces[:] = 1e9
    assert np.abs(pack[2].positions).max() < 1e3 and np.abs(pack[2].forces).max() < 1e3


def test_shuffled_has_every_structure_once_and_keeps_batches_together():
    pack = gpz.pack.open(packed(molecules(200), batch=40))
    order = pack.shuffled(5, batches=3)
    assert sorted(order) == list(range(200)) and order.tolist() != list(range(200))
    assert np.array_equal(order, pack.shuffled(5, batches=3)) and not np.array_equal(order, pack.shuffled(6, batches=3))
    batches = np.searchsorted(pack.starts, order, "right") - 1
    ends = np.append(pack.starts[1:], 200)
    sizes = ends - pack.starts
    at = 0
    while at < 200:  # groups of three batches, the last one may be smaller
        group = list(dict.fromkeys(batches[at:]))[:3]
        length = sizes[group].sum()
        assert set(batches[at : at + length]) == set(group)
        at += length


def test_the_cache_keeps_what_fits(monkeypatch):
    data = packed(molecules(100), batch=40)
    pack = gpz.pack.open(data)
    decoded = []
    original = pack._decoded
    monkeypatch.setattr(pack, "_decoded", lambda number: decoded.append(number) or original(number))
    for _ in range(2):
        for structure in pack:
            assert len(structure)
    assert decoded == list(range(pack.n_batches))
    pack._limit = 0
    decoded.clear()
    pack[0], pack[1], pack[99], pack[0]
    assert decoded == [pack.n_batches - 1, 0] or decoded == [0, pack.n_batches - 1, 0]
    assert len(pack._batches) == 1 and pack._cached == next(iter(pack._batches.values())).size


def test_threads_share_a_pack():
    given = molecules(100)
    pack = gpz.pack.open(packed(given, bound=BOUND, batch=30), cache=3000)
    failures = []

    def read(seed):
        try:
            for k in np.random.default_rng(seed).integers(0, 100, 150):
                require_same(pack[k], given[k])
        except BaseException as error:  # of a thread
            failures.append(error)

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_pickling(tmp_path):
    given = molecules(10)
    gpz.pack.write(tmp_path / "a.gpz", given, bound=BOUND)
    with gpz.pack.open(tmp_path / "a.gpz") as pack:
        other = pickle.loads(pickle.dumps(pack))
        require_same(pickle.loads(pickle.dumps(pack[4])), given[4])
    require_same(other[9], given[9])


def test_a_writer_that_stops_leaves_whole_batches(tmp_path):
    given = molecules(60)

    def interrupted():
        yield from given[:50]
        raise KeyError("stop")

    with pytest.raises(KeyError):
        gpz.pack.write(tmp_path / "a.gpz", interrupted(), bound=BOUND, batch=40)
    pack = gpz.pack.open(tmp_path / "a.gpz")
    assert len(pack) == 50
    data = (tmp_path / "a.gpz").read_bytes()
    sizes = gpz.open(data).sizes
    torn = gpz.pack.open(data[: len(data) - int(sizes[-1]) - 500])
    assert 0 < len(torn) < 50
    for read, one in zip(torn, given):
        require_same(read, one)


def test_no_pack(tmp_path):
    trajectory(tmp_path / "a.gpz")
    with pytest.raises(gpz.ArgumentError, match="no pack.*structures"):
        gpz.pack.open(tmp_path / "a.gpz")
    with gpz.Writer(tmp_path / "b.gpz"):
        pass
    with pytest.raises(gpz.ArgumentError, match="no frame"):
        gpz.pack.open(tmp_path / "b.gpz")
    with pytest.raises(FileNotFoundError):
        gpz.pack.open(tmp_path / "c.gpz")


@pytest.mark.parametrize(
    "atoms",
    [[2, 2], [5], [3, 3], [-1, 6], [5, 0], [0, 5], [2.5, 2.5], [2**62, 2**62 + 5], ["2", "3"]],
    ids=str,
)
def test_tables_that_do_not_fit_are_corrupt(atoms):
    """Two structures of five atoms together."""
    file = io.BytesIO()
    with gpz.Writer(file, elements=["H"]) as writer:
        for start in (0, 2):
            writer.write_tables({"structures": {"atoms": atoms if not start else [2, 3]}})
            writer.write(positions=np.zeros((5, 3)), types=np.ones(5, int), timestep=start)
    pack = gpz.pack.open(file.getvalue())
    assert len(pack) == 4 and len(pack[3]) == 3
    with pytest.raises(gpz.CorruptError, match="batch 0.*does not fit"):
        pack[0]


@pytest.mark.parametrize(
    "columns",
    [{"energy": [1, 2]}, {"energy": ["a", "b"]}, {"pbc": [1.0, 0.0]}, {"cell[1]": [1.0, 2.0]}, {"stress": [1.0, 2.0]}, {"cell": ["a", "b"]}],
    ids=str,
)  # fmt: skip
def test_columns_of_other_kinds_are_corrupt(columns):
    file = io.BytesIO()
    with gpz.Writer(file, elements=["H"]) as writer:
        writer.write_tables({"structures": {"atoms": [2, 3], **columns}})
        writer.write(positions=np.zeros((5, 3)), types=np.ones(5, int))
    with pytest.raises(gpz.CorruptError, match="batch 0.*does not fit"):
        gpz.pack.open(file.getvalue())[1]


def test_damage_is_an_error_or_has_no_effect():
    given = molecules(20)
    data = packed(given, bound=BOUND, batch=60)
    random = np.random.default_rng(7)
    read = errors = 0
    for _ in range(150):
        broken = bytearray(data)
        broken[random.integers(len(data))] ^= 1 << int(random.integers(8))
        try:
            pack = gpz.pack.open(bytes(broken))
        except gpz.Error:
            errors += 1
            continue
        for k in range(len(pack)):
            try:
                require_same(pack[k], given[k])
                read += 1
            except gpz.Error:
                errors += 1
    assert read and errors


@pytest.mark.parametrize("timesteps", [[1, 3], [0, 0], [0, -2]], ids=str)
def test_batches_that_do_not_follow_each_other_are_corrupt(timesteps):
    file = io.BytesIO()
    with gpz.Writer(file, elements=["H"]) as writer:
        for timestep in timesteps:
            writer.write_tables({"structures": {"atoms": [2, 3]}})
            writer.write(positions=np.zeros((5, 3)), types=np.ones(5, int), timestep=timestep)
    with pytest.raises(gpz.CorruptError, match="do not follow"):
        gpz.pack.open(file.getvalue())


def test_a_type_without_element_is_corrupt():
    file = io.BytesIO()
    with gpz.Writer(file) as writer:
        writer.write_tables({"structures": {"atoms": [2, 3]}})
        writer.write(positions=np.zeros((5, 3)), types=np.full(5, 7))
    with pytest.raises(gpz.CorruptError, match="none of the elements"):
        gpz.pack.open(file.getvalue())[0]
