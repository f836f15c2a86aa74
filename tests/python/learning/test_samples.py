# SPDX-License-Identifier: BSD-3-Clause
"""The part of gpz.torch that needs no torch: frames and structures as dicts of arrays, in several processes."""

import multiprocessing
import pickle

import numpy as np
import pytest
from learning_structures import molecules, trajectory

import gpz
import gpz.pack
from gpz._samples import Samples


@pytest.fixture
def files(tmp_path):
    """Paths of a trajectory, a pack and a trajectory, and what is in them."""
    first = trajectory(tmp_path / "a.gpz", frames=5)
    second = molecules(40)
    third = trajectory(tmp_path / "c.gpz", frames=3, atoms=4, key_interval=1)
    gpz.pack.write(tmp_path / "b.gpz", second, bound=1e-3, batch=50)
    return [tmp_path / name for name in ("a.gpz", "b.gpz", "c.gpz")], [*first, *second, *third]


def require_same(sample, given):
    assert np.abs(sample["positions"] - given["positions"]).max() <= 1e-3
    assert np.array_equal(sample["forces"], given["forces"])
    assert np.array_equal(sample["numbers"], given["numbers"]) and sample["numbers"].dtype == np.int64
    assert sample["energy"] == given["energy"]


def test_frames_and_structures_of_several_files(files):
    paths, given = files
    data = Samples(paths)
    assert len(data) == 48
    for k in np.random.default_rng(1).permutation(48):
        require_same(data[k], given[k])
    require_same(data[-1], given[-1])
    for sample, one in zip(data, given, strict=True):
        require_same(sample, one)
    assert np.array_equal(data[0]["velocities"], given[0]["velocities"]) and "velocities" not in data[7]
    assert np.array_equal(data[0]["cell"], np.diag([9.0, 8.0, 7.0])) and data[0]["pbc"].all()
    assert not data[7]["cell"].any() and not data[7]["pbc"].any()


def test_keys_and_transform(files):
    paths, given = files
    data = Samples(paths[0], keys=["Temp", "fx"], transform=lambda sample: (sample["Temp"], sample["fx"].sum()))
    assert data[3][0] == 303.0 and np.isclose(data[3][1], given[3]["forces"][:, 0].sum())
    with pytest.raises(gpz.ColumnError, match="no dipole"):
        Samples(paths[1], keys=["dipole"])[0]
    with pytest.raises(gpz.ColumnError, match="no q"):
        Samples(paths[0], keys=["q"])[0]


def test_energies_are_those_of_all_atoms(tmp_path):
    """Of LAMMPS with thermo_modify norm yes they are per atom, and some of the atoms have none."""
    x, ids = np.arange(12.0).reshape(4, 3), [1, 2, 3, 4]
    for name, energy in (("PotEng", (-2.5, "1/atom")), ("energy", -10.0)):
        with gpz.Writer(tmp_path / "a.gpz", units="lj") as writer:
            writer.write(positions=x, ids=ids, types=[1, 1, 2, 2], observables={name: energy, "Temp": 1.5})
        assert Samples(tmp_path / "a.gpz")[0]["energy"] == -10
        with gpz.open(tmp_path / "a.gpz", atoms=[2, 3]) as some, gpz.Writer(tmp_path / "b.gpz", units="lj") as writer:
            writer.write(some[0])
        with pytest.warns(UserWarning, match=f"{name} of 4 atoms is left out, because frames have 2"):
            sample = Samples(tmp_path / "b.gpz")[0]
        assert "energy" not in sample and sample["positions"].shape == (2, 3)
        with pytest.warns(UserWarning, match="of 4 atoms"), pytest.raises(gpz.ColumnError, match="no energy"):
            Samples(tmp_path / "b.gpz", keys=["energy"])[0]
        with pytest.warns(UserWarning, match="of 4 atoms"):
            assert Samples(tmp_path / "b.gpz", keys=["Temp"])[0] == {"Temp": 1.5}


def test_shuffled_has_every_sample_once(files):
    data = Samples(files[0])
    order = data.shuffled(1)
    assert sorted(order) == list(range(48)) and order.tolist() != sorted(order)
    assert np.array_equal(order, data.shuffled(1)) and not np.array_equal(order, data.shuffled(2))


def test_pickles_have_no_open_files(files):
    paths, given = files
    data = Samples(paths)
    assert len(data) == 48
    require_same(data[0], given[0])
    state = pickle.dumps(data)
    assert len(state) < 1000  # paths and options
    other = pickle.loads(state)
    assert not other._files
    require_same(other[45], given[45])


def require_all(data, given, queue):
    try:
        for k in np.random.default_rng(2).permutation(len(given)):
            require_same(data[int(k)], given[k])
        queue.put("read")
    except BaseException as error:  # of another process
        queue.put(repr(error))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes(files, method):
    """Behind a first read in this process, whose files and locks a fork inherits."""
    paths, given = files
    data = Samples(paths)
    require_same(data[6], given[6])
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    processes = [context.Process(target=require_all, args=(data, given, queue)) for _ in range(2)]
    for process in processes:
        process.start()
    assert [queue.get(timeout=120) for _ in processes] == ["read", "read"]
    for process in processes:
        process.join()
    require_same(data[7], given[7])


def test_types_where_no_elements_are_known(tmp_path):
    with gpz.Writer(tmp_path / "a.gpz", bound=1e-3) as writer:
        writer.write(positions=np.zeros((3, 3)), types=[2, 1, 2])
    sample = Samples(tmp_path / "a.gpz")[0]
    assert sample["types"].tolist() == [2, 1, 2] and "numbers" not in sample and "cell" not in sample


def test_files_of_several_units_are_refused(files, tmp_path):
    for units in ("real", None):
        path = tmp_path / f"{units}.gpz"
        with gpz.Writer(path, units=units) as writer:
            writer.write(positions=np.zeros((3, 3)), types=[2, 1, 2])
        data = Samples([files[0][1], path])
        for ask in (len, lambda data: data[0], lambda data: data.shuffled(1)):
            with pytest.raises(gpz.ArgumentError, match=f"{units}.gpz: its units are {units or 'not named'}, and those of .*b.gpz metal"):
                ask(data)
        assert len(Samples(path)) == 1
    gpz.pack.write(tmp_path / "pack.gpz", molecules(3))  # in metal units
    assert len(Samples([files[0][1], tmp_path / "pack.gpz"])) == len(Samples(files[0][1])) + 3
    with pytest.raises(gpz.ArgumentError, match="pack.gpz: its units are metal, and those of .*real.gpz real"):
        len(Samples([tmp_path / "real.gpz", tmp_path / "pack.gpz"]))


def test_errors(files):
    data = Samples(files[0])
    with pytest.raises(IndexError, match="no sample 48: there are 48"):
        data[48]
    with pytest.raises(FileNotFoundError):
        len(Samples("nowhere.gpz"))
