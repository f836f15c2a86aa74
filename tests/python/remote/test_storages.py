# SPDX-License-Identifier: BSD-3-Clause
"""Files of fsspec, on S3, and file objects."""

import gzip
import io
import pickle

import boto3
import fsspec
import numpy as np
import pytest
from moto.server import ThreadedMotoServer
from serving import FRAMES, KEY

import gpz
from gpz import _files


@pytest.fixture
def memory(path):
    """The file in fsspec's memory://."""
    with fsspec.open("memory://folder/file.gpz", "wb") as file:
        file.write(path.read_bytes())
    yield "memory://folder/file.gpz"
    fsspec.filesystem("memory").store.clear()


def test_urls_of_fsspec(memory, same):
    trajectory = gpz.open(memory)
    same(trajectory)
    same(pickle.loads(pickle.dumps(trajectory)), [3])
    with pytest.raises(FileNotFoundError, match="no such file"):
        gpz.open("memory://folder/none.gpz")


@pytest.fixture(scope="module")
def versions(local, tmp_path_factory):
    """Two files of the same size, layout and timesteps, whose charges are 1 and 2. Frames of one fit into the other."""
    made = tmp_path_factory.mktemp("versions")
    for charge in (1.0, 2.0):
        with gpz.Writer(made / f"{charge:g}.gpz", units="lj", bound=1e-3, key_interval=KEY) as writer:
            for frame in local:
                positions = frame.positions
                charges = np.full(len(positions), charge)
                ids = np.arange(1, len(positions) + 1)
                writer.write(positions=positions, ids=ids, q=charges, box=[60, 60, 60], timestep=frame.timestep)
    one, two = (made / "1.gpz").read_bytes(), (made / "2.gpz").read_bytes()
    assert len(one) == len(two) and one != two
    return one, two


def replace_in_memory(url, data):
    with fsspec.open(url, "wb") as file:
        file.write(data)


def test_a_file_in_memory_that_was_replaced(memory, versions):
    replace_in_memory(memory, versions[0])
    trajectory = gpz.open(memory)
    assert len(trajectory[KEY].positions)
    replace_in_memory(memory, versions[1])
    with pytest.raises(gpz.remote.ChangedError, match="was replaced while it was open"):
        trajectory[3 * KEY].positions  # noqa: B018
    trajectory.refresh()
    assert trajectory[3 * KEY]["q"][0] == 2


def test_versions_are_asked_for_once_in_a_batch(memory, path, same, monkeypatch):
    """And not at all if the caller does not want it, or if the storage has none."""
    store = type(fsspec.filesystem("memory"))
    asked = []
    info = store.info

    def counted(self, path, **options):
        asked.append(path)
        found = info(self, path, **options)
        return {key: value for key, value in found.items() if key != "created"} if unknown else found

    monkeypatch.setattr(store, "info", counted)
    for checks, unknown in ((True, False), (False, False), (True, True)):
        trajectory = gpz.open(memory, remote=gpz.remote.Options(check_version=checks))
        same(trajectory, [KEY + 3, 3 * KEY])
        batches = trajectory._file.source.counts[0]
        asked.clear()
        same(trajectory, [2 * KEY + 3])
        assert trajectory._file.source.counts[0] > batches
        assert len(asked) == (trajectory._file.source.counts[0] - batches if checks and not unknown else 0)


def test_versions_are_mixed_without_the_check(memory, versions):
    """So that the tests above are about files that nothing else tells apart."""
    replace_in_memory(memory, versions[0])
    trajectory = gpz.open(memory, remote=gpz.remote.Options(check_version=False))
    assert trajectory[0]["q"][0] == 1
    replace_in_memory(memory, versions[1])
    assert [trajectory[k]["q"][0] for k in (0, 3 * KEY)] == [1, 2]


@pytest.mark.parametrize("opened", [False, True])
def test_files_of_fsspec(memory, same, opened):
    file = fsspec.open(memory)
    if opened:
        file = file.open()
    same(gpz.open(file), [0, KEY + 3])


def test_files_of_fsspec_on_this_machine(path, same):
    trajectory = gpz.open(fsspec.open(f"file://{path}"))
    assert trajectory.path == str(path)
    same(trajectory, [5])
    with fsspec.open(str(path)) as file:
        assert gpz.open(file).path == str(path)
    with pytest.raises(gpz.ArgumentError, match="not readable"):
        gpz.open(fsspec.open("memory://folder/new.gpz", "wb"))


def test_files_that_fsspec_decompresses(path, tmp_path, same):
    (tmp_path / "file.gpz.gz").write_bytes(gzip.compress(path.read_bytes()))
    same(gpz.open(fsspec.open(f"file://{tmp_path}/file.gpz.gz", compression="gzip")), [5])


def test_chained_urls(server, tmp_path, same):
    """simplecache copies the file once."""
    url = f"simplecache::{server.url()}"
    trajectory = gpz.open(url, remote=gpz.remote.Options(storage={"simplecache": {"cache_storage": str(tmp_path)}}))
    server.forget()
    same(trajectory, [KEY + 3])
    assert any(tmp_path.iterdir())
    assert server.requests == []  # nor for the version


class CountingFile(io.BytesIO):
    """Another class than BytesIO, whose bytes gpz.open takes as they are."""

    def __init__(self, data):
        super().__init__(data)
        self.sizes = []

    def read(self, size=-1):
        self.sizes.append(size)
        return super().read(size)


class OtherFile:
    """Only what a file object has to have."""

    def __init__(self, data):
        self.inner = CountingFile(data)
        for name in ("read", "seek", "tell"):
            setattr(self, name, getattr(self.inner, name))


def test_file_objects_are_read_in_parts(path, same, monkeypatch):
    monkeypatch.setattr(_files, "SMALL_FILE", 1 << 16)
    file = OtherFile(path.read_bytes())
    file.seek(77)
    trajectory = gpz.open(file)
    same(trajectory, [KEY + 3, 2])
    assert file.tell() == 77
    assert 0 < sum(file.inner.sizes) < path.stat().st_size / 2
    assert trajectory.path is None
    same(pickle.loads(pickle.dumps(trajectory)), [3])
    file.inner.truncate(100_000)
    with pytest.raises(gpz.TruncatedError, match="OtherFile: .*ends too early"):
        trajectory[3 * KEY].positions  # noqa: B018


def test_errors_of_file_objects_arrive_as_they_are(path, monkeypatch):
    class OwnError(Exception):
        pass

    monkeypatch.setattr(_files, "SMALL_FILE", 1 << 16)
    file = OtherFile(path.read_bytes())
    trajectory = gpz.open(file)

    def fail(_size):
        raise OwnError("not today")

    file.read = fail
    with pytest.raises(OwnError, match="not today"):
        trajectory[3 * KEY].positions  # noqa: B018


def test_small_and_decompressed_file_objects_are_read_at_once(path, tmp_path, monkeypatch):
    file = OtherFile(path.read_bytes())
    gpz.open(file)
    assert file.inner.sizes == [-1]
    monkeypatch.setattr(_files, "SMALL_FILE", 1 << 16)
    (tmp_path / "file.gz").write_bytes(gzip.compress(path.read_bytes()))
    with gzip.open(tmp_path / "file.gz") as packed:
        trajectory = gpz.open(packed)
    assert len(trajectory[KEY].positions)


# --- S3 ---


@pytest.fixture(scope="module")
def bucket(path):
    """Options of s3fs for a server on this machine, which has the file as s3://bucket/file.gpz."""
    server = ThreadedMotoServer("127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    known = {"aws_access_key_id": "name", "aws_secret_access_key": "secret", "region_name": "us-east-1"}
    client = boto3.client("s3", endpoint_url=f"http://{host}:{port}", **known)
    client.create_bucket(Bucket="bucket")
    client.put_object(Bucket="bucket", Key="file.gpz", Body=path.read_bytes())
    yield client, {"key": "name", "secret": "secret", "endpoint_url": f"http://{host}:{port}"}
    server.stop()


def options(storage):
    return gpz.remote.Options(storage=storage, delay=0.0)


def test_s3(bucket, same, local):
    _, storage = bucket
    trajectory = gpz.open("s3://bucket/file.gpz", remote=options(storage))
    assert trajectory.path == "s3://bucket/file.gpz"
    same(trajectory, [KEY + 3])
    for one, other in zip(trajectory, local):
        np.testing.assert_array_equal(one.positions, other.positions)
    assert trajectory._file.source.counts[0] < 15


def test_s3_without_the_file(bucket):
    _, storage = bucket
    with pytest.raises(FileNotFoundError, match="s3://bucket/none.gpz: there is no such file"):
        gpz.open("s3://bucket/none.gpz", remote=options(storage))


def test_s3_file_that_was_replaced(bucket, path):
    client, storage = bucket
    client.put_object(Bucket="bucket", Key="other.gpz", Body=path.read_bytes())
    trajectory = gpz.open("s3://bucket/other.gpz", remote=options(storage))
    client.put_object(Bucket="bucket", Key="other.gpz", Body=bytes(path.stat().st_size))
    with pytest.raises(gpz.remote.ChangedError, match="was replaced while it was open"):
        trajectory[3 * KEY].positions  # noqa: B018
    client.put_object(Bucket="bucket", Key="other.gpz", Body=path.read_bytes())
    assert trajectory.refresh() == 0
    client.put_object(Bucket="bucket", Key="other.gpz", Body=b"short")
    with pytest.raises(gpz.Error):
        trajectory[3 * KEY].positions  # noqa: B018
    assert len(trajectory) == FRAMES


def test_s3_file_that_was_replaced_by_one_of_the_same_layout(bucket, versions):
    client, storage = bucket
    client.put_object(Bucket="bucket", Key="same.gpz", Body=versions[0])
    trajectory = gpz.open("s3://bucket/same.gpz", remote=options(storage))
    client.put_object(Bucket="bucket", Key="same.gpz", Body=versions[1])
    with pytest.raises(gpz.remote.ChangedError, match="ETag is .* and was"):
        trajectory[3 * KEY].positions  # noqa: B018
