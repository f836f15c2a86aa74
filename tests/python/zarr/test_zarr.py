# SPDX-License-Identifier: BSD-3-Clause
"""gpz.zarr.Gpz: the codec of Zarr's format 3."""

import asyncio
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import zarr
from conftest import BOUND, FRAMES, PARTICLES, made, require_close
from zarr.codecs import ShardingCodec, TransposeCodec

import gpz
from gpz.zarr import Gpz


def create(store, frames, chunks=(1, PARTICLES, 3), codec=None, **arguments):
    array = zarr.create_array(
        store=store,
        shape=frames.shape,
        chunks=chunks,
        dtype=frames.dtype,
        **{"serializer": codec or Gpz(BOUND), "compressors": None, **arguments},
    )
    array[...] = frames
    return array


@pytest.mark.parametrize("effort", ["fast", "standard", "dense"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_values(tmp_path, dtype, effort):
    frames = made(dtype)
    create(tmp_path / "a.zarr", frames, codec=Gpz(bound=BOUND, effort=effort))
    array = zarr.open_array(tmp_path / "a.zarr", mode="r")
    require_close(array[...], frames)
    require_close(array[3:7, 10:20], frames[3:7, 10:20])
    assert array.nbytes_stored() < frames.nbytes / 2


@pytest.mark.parametrize("chunks", [(4, PARTICLES, 3), (3, 77, 3), (3, PARTICLES, 2), (FRAMES, 7, 1)])
def test_chunks(tmp_path, frames, chunks):
    create(tmp_path / "a.zarr", frames, chunks)
    require_close(zarr.open_array(tmp_path / "a.zarr", mode="r")[...], frames)


@pytest.mark.parametrize("shape", [(), (5,), (300, 3), (20, 300), (4, 5, 40, 3)])
def test_dimensions(tmp_path, shape):
    values = np.random.default_rng(3).uniform(0, 5, shape).astype("f4")
    create(tmp_path / "a.zarr", values, chunks=tuple(max(length // 2, 1) for length in shape))
    require_close(np.asarray(zarr.open_array(tmp_path / "a.zarr", mode="r")[...]), values)


def test_exact(frames):
    frames[2, 5] = np.nan, np.inf, -0.0
    assert np.array_equal(create({}, frames, codec=Gpz(0))[...].view("u4"), frames.view("u4"))


def test_metadata(tmp_path, frames):
    """What docs/hdf5.md says of it."""
    create(tmp_path / "a.zarr", frames)
    codecs = json.loads((tmp_path / "a.zarr" / "zarr.json").read_text())["codecs"]
    assert codecs == [{"name": "gpz", "configuration": {"bound": BOUND, "effort": "standard"}}]
    data = (tmp_path / "a.zarr" / "c" / "4" / "0" / "0").read_bytes()
    require_close(gpz.decompress_frames(data), frames[4:5])
    assert gpz.frame_array(data).bound == BOUND


@pytest.mark.parametrize("program", ["import zarr", "import zarr, numcodecs"])
def test_programs_that_do_not_import_gpz(tmp_path, frames, program):
    """Zarr finds the codec by the entry point of the package."""
    array = create(tmp_path / "a.zarr", frames)
    program += "; import sys; print(zarr.open_array(sys.argv[1], mode='r')[4, 5].tobytes().hex())"
    done = subprocess.run(
        [sys.executable, "-B", "-c", program, str(tmp_path / "a.zarr")], capture_output=True, text=True, check=False
    )
    assert done.stdout == array[4, 5].tobytes().hex() + "\n", done.stderr


def test_shards(tmp_path, frames):
    create(tmp_path / "a.zarr", frames, shards=(5, PARTICLES, 3))
    array = zarr.open_array(tmp_path / "a.zarr", mode="r")
    assert isinstance(array.metadata.codecs[0], ShardingCodec) and array.shards == (5, PARTICLES, 3)
    require_close(array[...], frames)
    require_close(array[7], frames[7])
    assert len(list((tmp_path / "a.zarr").rglob("c/*/*/*"))) == 2


def test_codecs_before_and_behind(tmp_path, frames):
    create(
        tmp_path / "a.zarr", frames, filters=[TransposeCodec(order=(2, 1, 0))], compressors=[zarr.codecs.Crc32cCodec()]
    )
    require_close(zarr.open_array(tmp_path / "a.zarr", mode="r")[...], frames)


def test_fill_values(tmp_path, frames):
    array = create(tmp_path / "a.zarr", frames, fill_value=7)
    array.resize((FRAMES + 3, PARTICLES, 3))
    array[FRAMES + 1, :5] = frames[0, :5]
    back = zarr.open_array(tmp_path / "a.zarr", mode="r")[FRAMES:]
    assert (back[0] == 7).all() and (back[2] == 7).all() and (np.abs(back[1, 5:] - 7) <= BOUND).all()
    require_close(back[1, :5], frames[0, :5])


def test_asynchronous(frames):
    async def run():
        array = await zarr.api.asynchronous.create_array(
            store={}, shape=frames.shape, chunks=(1, PARTICLES, 3), dtype="f4", serializer=Gpz(BOUND), compressors=None
        )
        await asyncio.gather(*(array.setitem(np.s_[k : k + 1], frames[k : k + 1]) for k in range(FRAMES)))
        return await asyncio.gather(*(array.getitem(np.s_[k : k + 2]) for k in range(FRAMES - 1)))

    for k, pair in enumerate(asyncio.run(run())):
        require_close(pair, frames[k : k + 2])


def test_threads(tmp_path, frames):
    array = create(tmp_path / "a.zarr", frames)
    wanted = array[...]
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda k: np.array_equal(array[k % FRAMES], wanted[k % FRAMES]), range(100)))


@pytest.mark.parametrize("dtype", ["i4", "f2", ">f4", "c8", "bool"])
def test_other_types_are_refused(dtype):
    with pytest.raises(gpz.ArgumentError, match="gpz compresses float32 and float64, not "):
        zarr.create_array(
            store={}, shape=(4, 9, 3), chunks=(1, 9, 3), dtype=dtype, serializer=Gpz(BOUND), compressors=None
        )


@pytest.mark.parametrize(
    "change, says",
    [
        ({"effort": "default"}, "effort"),
        ({"bound": -1}, "bound"),
        ({"bound": None}, "bound"),
        ({"speed": 3}, "a bound and an effort"),
    ],
)
def test_wrong_metadata(tmp_path, frames, change, says):
    create(tmp_path / "a.zarr", frames)
    path = tmp_path / "a.zarr" / "zarr.json"
    metadata = json.loads(path.read_text())
    metadata["codecs"][0]["configuration"] |= change
    path.write_text(json.dumps(metadata))
    with pytest.raises((gpz.ArgumentError, TypeError), match=says):
        zarr.open_array(tmp_path / "a.zarr", mode="r")


def test_metadata_without_a_bound():
    with pytest.raises(gpz.ArgumentError, match="a bound and an effort"):
        Gpz.from_dict({"name": "gpz"})
    with pytest.raises(gpz.ArgumentError, match="not the codec gpz: 'zstd'"):
        Gpz.from_dict({"name": "zstd", "configuration": {"bound": 1}})


def test_damage(tmp_path, frames):
    wanted = create(tmp_path / "a.zarr", frames)[3]
    chunk = tmp_path / "a.zarr" / "c" / "3" / "0" / "0"
    whole = chunk.read_bytes()
    random = np.random.default_rng(1)
    for _ in range(60):
        data = bytearray(whole)
        data[random.integers(len(data))] ^= 1 << random.integers(8)
        chunk.write_bytes(data)
        with pytest.raises(gpz.Error):
            zarr.open_array(tmp_path / "a.zarr", mode="r")[3]
    chunk.write_bytes(whole)
    assert np.array_equal(zarr.open_array(tmp_path / "a.zarr", mode="r")[3], wanted)


def test_a_chunk_of_another_array_is_refused(tmp_path, frames):
    create(tmp_path / "a.zarr", frames)
    for wrong in (frames[:1, :-1], frames[:1].astype("f8"), frames[:2], frames[:1, :, :2]):
        (tmp_path / "a.zarr" / "c" / "3" / "0" / "0").write_bytes(gpz.compress_frames(wrong, BOUND))
        with pytest.raises(gpz.CorruptError, match="where its array has float32"):
            zarr.open_array(tmp_path / "a.zarr", mode="r")[3]
