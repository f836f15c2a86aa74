# SPDX-License-Identifier: BSD-3-Clause
"""Files that LAMMPS seldom writes, and files that cannot be read to their end."""

import errno
import gc
import os
import pathlib
import shutil

import MDAnalysis as mda
import numpy as np
import pytest
from MDAnalysis.lib.distances import calc_bonds, capped_distance, self_distance_array

import gpz
from gpz.mdanalysis import FrameError, GPZReader

IDS = np.arange(1, 41)


@pytest.fixture
def positions():
    return np.random.default_rng(3).uniform(0, 8, (40, 3))


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "file.gpz")


def write(path, frames, **options):
    """Frames are dicts of arguments of gpz.Writer.write."""
    with gpz.Writer(path, **options) as writer:
        for frame in frames:
            writer.write(**frame)
    return path


def frames_of(positions, count=4, **columns):
    return [{"positions": positions + i, "ids": IDS, "timestep": 10 * i, **columns} for i in range(count)]


def test_a_general_triclinic_box_is_turned(path, positions):
    matrix = np.array([[7.0, 2.0, 1.0], [-1.0, 8.0, 0.5], [0.3, -2.0, 9.0]])
    origin = np.array([3.0, -4.0, 5.0])
    points = np.random.default_rng(5).uniform(0, 1, (40, 3)) @ matrix + origin
    columns = {"velocities": points - origin, "forces": 2 * (points - origin)}
    write(path, [{"positions": points, "ids": IDS, "box": gpz.Box.from_vectors(matrix, origin), **columns}], bound=1e-5)
    universe = mda.Universe(path)
    ts = universe.trajectory.ts
    fractions = (points - origin) @ np.linalg.inv(matrix)
    np.testing.assert_allclose(ts.positions @ np.linalg.inv(ts.triclinic_dimensions), fractions, atol=1e-5)
    # Distances, lengths and angles do not change when all of it is turned.
    np.testing.assert_allclose(
        np.linalg.norm(ts.triclinic_dimensions, axis=1), np.linalg.norm(matrix, axis=1), rtol=1e-6
    )
    np.testing.assert_allclose(
        self_distance_array(ts.positions),
        [np.linalg.norm(a - b) for i, a in enumerate(points) for b in points[i + 1 :]],
        atol=1e-4,
    )
    np.testing.assert_allclose(ts.velocities, ts.positions, atol=1e-4)
    np.testing.assert_allclose(ts.forces, 2 * ts.positions, atol=2e-4)


def test_distances_across_the_faces_of_a_box_that_does_not_begin_at_zero(path):
    box = gpz.Box.from_bounds((-5, 2, 100), (5, 12, 110))
    points = np.array([[-4.9, 3.0, 100.1], [4.9, 3.0, 109.9]])
    universe = mda.Universe(write(path, [{"positions": points, "ids": [1, 2], "box": box}]))
    distance = calc_bonds(universe.atoms.positions[:1], universe.atoms.positions[1:], box=universe.dimensions)
    assert distance[0] == pytest.approx(np.hypot(0.2, 0.2), abs=0.004)
    inside = universe.atoms.positions
    assert (inside >= -0.001).all() and (inside <= 10.001).all()
    pairs = capped_distance(inside[:1], inside[1:], 0.5, box=universe.dimensions, return_distances=False)
    assert len(pairs) == 1


@pytest.mark.parametrize(("columns", "convention"), [
    ("x y zs", "mixed"), ("xs ys z", "mixed"), ("xu yu z", "mixed"), ("x y xs ys zs", "scaled"), ("xs ys", "scaled"), ("x y", "unscaled"),
])  # fmt: skip
def test_coordinates_in_columns_of_several_forms(path, columns, convention):
    """They are distances from the lower corner of the box; without a third column, z is 0 in the file."""
    box = gpz.Box.from_vectors([[8, 0, 0], [1, 6, 0], [0, 0, 4]], [1, 2, -3])
    point, fractions = np.array([5.5, 5.0, -1.0]), [0.5, 0.5, 0.5]
    values = {name: [fractions["xyz".index(name[0])] if "s" in name else point["xyz".index(name[0])]] for name in columns.split()}
    if "z" not in columns:
        point[2] = 0
    with gpz.Writer(path, bound=1e-5) as writer:
        writer.write(ids=[1], box=box, **values)
    reader = GPZReader(path)
    assert reader.lammps_coordinate_convention == convention
    np.testing.assert_allclose(reader.ts.positions, [point - box.origin], atol=1e-4)


def test_images_of_coordinates_that_are_wrapped(path):
    """Those of xu and yu are in them already."""
    with gpz.Writer(path, bound=1e-5) as writer:
        writer.write(ids=[1], xu=[31.0], yu=[2.0], zs=[0.5], ix=[3], iy=[7], iz=[-1], box=[10, 10, 10])
    np.testing.assert_allclose(GPZReader(path, unwrap_images=True).ts.positions, [[31, 2, -5]], atol=1e-4)


def test_without_ids(path, positions):
    frames = [{key: value for key, value in frame.items() if key != "ids"} for frame in frames_of(positions)]
    with pytest.warns(UserWarning, match="has no ids: atoms are in another order in each frame"):
        reader = GPZReader(write(path, frames, bound=1e-4, order="place"))
    # Which atom is which is lost, and where there are atoms is not.
    for i, ts in enumerate(reader):
        found = ts.positions[np.lexsort(ts.positions.T)]
        true = (positions + i)[np.lexsort((positions + i).T)]
        np.testing.assert_allclose(found, true, rtol=0, atol=1.1e-4)


def test_other_atoms_in_a_later_frame(path, positions):
    frames = frames_of(positions)
    frames[2]["ids"] = np.where(IDS == 7, 41, IDS)
    reader = GPZReader(write(path, frames))
    with pytest.raises(FrameError, match="frame 2 has other atoms than frame 0.*ASE.*OVITO"):
        for _ in reader:
            pass
    assert reader[1].frame == 1


def test_ids_beyond_32_bits(path, positions):
    large = IDS + 2**40
    frames = frames_of(positions, ids=large)
    universe = mda.Universe(write(path, frames))
    np.testing.assert_array_equal(universe.atoms.ids, large)
    assert [ts.frame for ts in universe.trajectory] == [0, 1, 2, 3]


def test_frames_without_times(path, positions):
    frames = frames_of(positions)
    reader = GPZReader(write(path, frames, units="real", metadata={"timestep_size": 2.0}))
    assert [ts.time for ts in reader] == pytest.approx([0, 0.02, 0.04, 0.06])
    assert reader.dt == pytest.approx(0.02)
    reader.close()
    with pytest.warns(UserWarning, match="no dt information"):
        assert [ts.time for ts in GPZReader(write(path, frames, units="real"))] == [0, 1, 2, 3]


def test_times_of_some_frames(path, positions):
    """Frames that have one keep it: the run may have gone on with another timestep."""
    frames = [{**frame, "time": 100.0 * i} if i > 1 else frame for i, frame in enumerate(frames_of(positions))]
    reader = GPZReader(write(path, frames, units="real", metadata={"timestep_size": 2.0}))
    assert [ts.time for ts in reader] == pytest.approx([0, 0.02, 0.2, 0.3])


def test_times_that_the_caller_chooses(path, positions):
    frames = [{**frame, "time": 7.0 + i} for i, frame in enumerate(frames_of(positions))]
    write(path, frames, units="metal")
    assert [ts.time for ts in GPZReader(path)] == [7, 8, 9, 10]
    assert [ts.time for ts in GPZReader(path, time_offset=100)] == [107, 108, 109, 110]
    assert [ts.time for ts in GPZReader(path, dt=0.5)] == [0, 0.5, 1, 1.5]
    assert [ts.data["step"] for ts in GPZReader(path)] == [0, 10, 20, 30]


def test_a_frame_that_is_damaged_does_not_end_a_loop_quietly(path, positions):
    write(path, frames_of(positions), key_interval=1)
    with gpz.open(path) as trajectory:
        sizes = trajectory.sizes
    data = bytearray(pathlib.Path(path).read_bytes())
    index_and_header = len(data) - sizes.sum()
    # The header comes first and is shorter than any frame: this is inside frame 2.
    data[sizes[0] + sizes[1] + sizes[2] // 2 + min(index_and_header // 2, sizes[2] // 4)] ^= 255
    pathlib.Path(path).write_bytes(data)
    reader = GPZReader(path)
    seen = []
    with pytest.raises(gpz.CorruptError):
        for ts in reader:
            seen.append(ts.frame)
    assert seen == [0, 1]
    assert reader[3].frame == 3


def test_a_file_that_shrinks_while_it_is_read_does_not_end_a_loop_quietly(path, positions):
    big = np.tile(positions, (500, 1))
    frames = [{"positions": big + i, "ids": np.arange(len(big))} for i in range(6)]
    reader = GPZReader(write(path, frames, key_interval=1))
    reader[1]
    with open(path, "r+b") as file:
        file.truncate(reader._trajectory.sizes[:3].sum())
    with pytest.raises((FrameError, gpz.CorruptError)) as caught:
        for _ in reader:
            pass
    assert not isinstance(caught.value, (OSError, EOFError))


@pytest.mark.parametrize("read_ahead", [False, True])
def test_an_error_of_the_disk_does_not_end_a_loop_quietly(path, positions, read_ahead):
    reader = GPZReader(write(path, frames_of(positions, 6)), read_ahead=read_ahead)
    fetch = reader._fetch

    def failing(trajectory, frame, *arguments):
        if frame.index == 3:
            raise gpz.FileError("cannot read", path, 100, errno.EIO)
        return fetch(trajectory, frame, *arguments)

    reader._fetch = failing
    seen = []
    with pytest.raises(FrameError, match="frame 3: .*byte 100: cannot read") as caught:
        for ts in reader:
            seen.append(ts.frame)
    assert seen == [0, 1, 2]
    assert isinstance(caught.value.__cause__, OSError)


def test_files_that_cannot_be_opened(tmp_path, path, positions):
    with pytest.raises(FileNotFoundError):
        mda.Universe(str(tmp_path / "none.gpz"))
    (tmp_path / "text.gpz").write_text("ITEM: TIMESTEP\n0\n")
    with pytest.raises(ValueError, match="text.gpz"):
        mda.Universe(str(tmp_path / "text.gpz"))
    write(path, [])
    with pytest.raises(TypeError, match="no complete frame"):
        mda.Universe(path)
    write(path, [{"q": np.ones(3), "ids": [1, 2, 3]}])
    with pytest.raises(TypeError, match="no coordinates among the columns"):
        mda.Universe(path)
    write(path, frames_of(positions))
    with pytest.raises(gpz.LimitError):
        mda.Universe(path, max_memory=100)


def test_a_closed_reader_can_be_used_again_after_reopening(path, positions):
    reader = GPZReader(write(path, frames_of(positions)))
    reader.close()
    with pytest.raises(ValueError, match="closed"):
        reader[1]
    reader._reopen()
    assert reader.next().frame == 0


def test_the_file_may_be_moved_after_opening(path, positions, tmp_path):
    reader = GPZReader(write(path, frames_of(positions)))
    shutil.move(path, tmp_path / "moved.gpz")
    assert [ts.frame for ts in reader] == [0, 1, 2, 3]


def test_a_timestep_is_one_array(path, positions):
    """Positions are decoded into the array that the timestep keeps."""
    reader = GPZReader(write(path, frames_of(positions)))
    kept = reader.ts.positions
    for ts in reader:
        assert ts.positions is kept


def test_threads(path, positions):
    write(path, frames_of(positions))
    for ts, other in zip(GPZReader(path, threads=1), GPZReader(path, threads=2)):
        np.testing.assert_array_equal(ts.positions, other.positions)


def positions_of(reader, frames):
    return [reader[frame].positions.copy() for frame in frames]


LARGE = 2500  # atoms: smaller frames are not decoded ahead


@pytest.fixture
def large(path):
    """A file of 12 frames, and its positions."""
    random = np.random.default_rng(3)
    positions = random.uniform(0, 30, (LARGE, 3))
    frames = [
        {
            "positions": positions + k, "ids": np.arange(LARGE) + 1, "velocities": positions / 10, "q": positions[:, 0],
            "box": [60, 60, 60],
        }
        for k in range(12)
    ]  # fmt: skip
    return write(path, frames, key_interval=5), positions


@pytest.mark.parametrize("step", [1, 2, 3])
def test_reading_ahead_gives_what_reading_gives(large, step):
    path, _ = large
    keywords = {"additional_columns": ["q"]}
    ahead, plain = GPZReader(path, threads=3, **keywords), GPZReader(path, read_ahead=False, **keywords)
    for ts, other in zip(ahead[::step], plain[::step]):
        assert ts.frame == other.frame
        np.testing.assert_array_equal(ts.positions, other.positions)
        np.testing.assert_array_equal(ts.velocities, other.velocities)
        np.testing.assert_array_equal(ts.data["q"], other.data["q"])
        ts.positions[:] = 0  # is not what the next frame is decoded into
    frames = [3, 4, 5, 1, 9, 10, 11, 0]
    np.testing.assert_array_equal(positions_of(ahead, frames), positions_of(plain, frames))


def test_reading_ahead_delivers_errors_with_their_frame(path, positions):
    frames = frames_of(positions, 8)
    frames[5]["ids"] = np.where(IDS == 7, 41, IDS)
    reader = GPZReader(write(path, frames), read_ahead=True)
    seen = []
    with pytest.raises(FrameError, match="frame 5 has other atoms"):
        for ts in reader:
            seen.append(ts.frame)
    assert seen == [0, 1, 2, 3, 4]
    assert reader[6].frame == 6


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="the system does not list threads")
def test_the_threads_end_with_the_reader(large):
    def threads():
        gc.collect()
        return len(os.listdir("/proc/self/task"))

    before = threads()
    reader = GPZReader(large[0], threads=3)
    for ts in reader:
        if ts.frame == 4:
            break
    assert threads() == before + 2  # and the caller
    reader.close()
    assert threads() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork")
def test_a_forked_child_goes_on_with_the_loop(large):
    path, positions = large
    reader = GPZReader(path, threads=3)
    loop = iter(reader)
    for _ in range(4):
        next(loop)
    child = os.fork()
    if child == 0:
        right = all(ts.frame == i and abs(ts.positions - positions - i).max() < 0.002 for i, ts in enumerate(loop, 0))
        frames = [ts.frame for ts in reader]
        os._exit(0 if right and frames == list(range(12)) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert next(loop).frame == 4
