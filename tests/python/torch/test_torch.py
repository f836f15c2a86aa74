# SPDX-License-Identifier: BSD-3-Clause
"""gpz.torch.Dataset with PyTorch's own DataLoader: scripts/test.sh --torch."""

import numpy as np
import pytest
import torch
from learning_structures import molecules, trajectory
from torch.utils.data import DataLoader, random_split

import gpz.pack
from gpz.torch import Dataset


@pytest.fixture
def files(tmp_path):
    first = trajectory(tmp_path / "a.gpz", frames=6)
    second = molecules(40)
    gpz.pack.write(tmp_path / "b.gpz", second, bound=1e-3, batch=50)
    return [tmp_path / "a.gpz", tmp_path / "b.gpz"], [*first, *second]


def require_same(sample, given, dtype=torch.float32):
    assert sample["positions"].dtype == sample["forces"].dtype == sample["cell"].dtype == dtype
    assert sample["numbers"].dtype == torch.int64 and sample["pbc"].dtype == torch.bool
    assert torch.equal(sample["forces"], torch.tensor(given["forces"], dtype=dtype))
    assert torch.equal(sample["numbers"], torch.tensor(given["numbers"]))
    assert (sample["positions"].double() - torch.tensor(given["positions"])).abs().max() <= 1e-3 + 1e-6
    assert sample["energy"].shape == () and sample["energy"].dtype == torch.float64 and sample["energy"] == given["energy"]


def test_tensors(files):
    paths, given = files
    data = Dataset(paths)
    assert isinstance(data, torch.utils.data.Dataset) and len(data) == 46
    for k, one in enumerate(given):
        require_same(data[k], one)
    require_same(Dataset(paths, dtype=torch.float64)[3], given[3], torch.float64)
    for dtype in (torch.float16, torch.bfloat16):
        assert torch.equal(Dataset(paths, dtype=dtype)[9]["forces"], torch.tensor(given[9]["forces"]).to(dtype))
    sample = Dataset(paths[0], keys=["Temp", "energy"], energy_dtype=torch.float32)[2]
    assert sample["Temp"] == 302 and sample["Temp"].dtype == sample["energy"].dtype == torch.float32


@pytest.mark.parametrize("method", [None, "fork", "spawn"])
def test_loaders(files, method):
    """One sample at a time, in a random order, by workers; the parent has read before."""
    paths, given = files
    data = Dataset(paths)
    require_same(data[0], given[0])
    order = data.shuffled(3)
    loader = DataLoader(data, batch_size=None, sampler=order.tolist(), num_workers=0 if method is None else 2,
                        multiprocessing_context=method)  # fmt: skip
    read = list(loader)
    assert len(read) == 46
    for sample, k in zip(read, order):
        require_same(sample, given[k])


def test_usual_batches_and_splits(files):
    """Frames of one size are stacked by PyTorch's default."""
    paths, given = files
    train, rest = random_split(Dataset(paths[0]), [4, 2], generator=torch.Generator().manual_seed(1))
    batch = next(iter(DataLoader(train, batch_size=4)))
    assert batch["positions"].shape == (4, 7, 3) and batch["energy"].shape == (4,) and len(rest) == 2
    assert torch.equal(batch["forces"], torch.tensor(np.array([given[k]["forces"] for k in train.indices]), dtype=torch.float32))


def test_transform_gets_tensors(files):
    assert Dataset(files[0], transform=lambda sample: sample["forces"].norm())[4].ndim == 0


def test_wrong_types(files):
    with pytest.raises(TypeError, match="dtype: torch.float32.*int64"):
        Dataset(files[0], dtype=torch.int64)
    with pytest.raises(TypeError, match="energy_dtype: torch.float32.*'float32'"):
        Dataset(files[0], energy_dtype="float32")
