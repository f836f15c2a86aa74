# SPDX-License-Identifier: BSD-3-Clause
"""A data set of PyTorch over .gpz files: frames of trajectories and structures of packs (gpz.pack).

    from gpz.torch import Dataset
    from torch.utils.data import DataLoader

    data = Dataset(["a.gpz", "b.gpz"])
    data[17]["positions"]                       # a tensor, (N, 3)
    loader = DataLoader(data, batch_size=None, sampler=data.shuffled(seed=1), num_workers=4)

Structures differ in size: batch_size=None gives them one by one; collate functions of libraries such as PyTorch Geometric join
them. Needs torch.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import torch
import torch.utils.data

from gpz._arguments import shown
from gpz._samples import Sample, Samples
from gpz.pack.reader import USUAL_CACHE

# Types of floats, and those in which NumPy rounds: for small arrays it takes a tenth of the time of torch.
FLOATS = {torch.float16: np.float16, torch.bfloat16: None, torch.float32: np.float32, torch.float64: np.float64}


class Dataset(Samples, torch.utils.data.Dataset):
    """A map-style data set: dataset[i] is a dict of tensors of one frame or structure.

    numbers: (N,) int64, atomic numbers; for trajectories without elements `types` instead.
    positions, forces, velocities: (N, 3). cell: (3, 3), edge vectors as rows. pbc: (3,) bool.
    energy: (), in float64 unless told otherwise. Of a trajectory: the observable PotEng, else pe, else energy, of all atoms of
        the frame. Frames of some atoms have neither energy nor stress, with a warning.
    stress of a trajectory: (6,), xx yy zz yz xz xy, energy by volume (eV/Å^3 in metal), of the observables stress[1] to stress[6] or
    stress[9].

    A key is missing where the file does not have it. Numbers are in the units of the files, which have to be the same ones:
    gpz.ArgumentError for files of several units, when the data set is first used.

    paths: of .gpz files, or URLs.
    keys: those to read, also other columns, observables and entries of info; None: those above. gpz.ColumnError where one is
        missing. Texts stay texts.
    dtype: of floats but the energy.
    energy_dtype: of the energy. float32 has steps of 0.002 at 20,000: subtract the energies of the free atoms before rounding.
    transform: a function of the dict, whose result is the sample.
    cache: bytes of decoded batches of packs that each process keeps of each file. Frames of trajectories are not kept, and those that are no key
        frames are decoded from their key frame on: write them with key_interval=1 for reading at random.

    Files are opened by each process when it first reads them, also with workers of DataLoader by fork or spawn.
    """

    def __init__(
        self,
        paths: str | os.PathLike | Iterable[str | os.PathLike],
        *,
        keys: Sequence[str] | None = None,
        dtype: torch.dtype = torch.float32,
        energy_dtype: torch.dtype = torch.float64,
        transform: Callable[[dict[str, Any]], Any] | None = None,
        cache: int = USUAL_CACHE,
    ):
        super().__init__(paths, keys=keys, transform=transform, cache=cache)
        self._dtypes = _checked("dtype", dtype), _checked("energy_dtype", energy_dtype)

    def _converted(self, sample: Sample) -> dict[str, Any]:
        dtype, energy_dtype = self._dtypes
        return {key: _tensor(value, energy_dtype if key == "energy" else dtype) for key, value in sample.items()}


def _checked(name: str, dtype: Any) -> torch.dtype:
    if dtype not in FLOATS:
        raise TypeError(f"{name}: torch.float32 or another type of floats, not {shown(dtype)}")
    return dtype


def _tensor(value: Any, dtype: torch.dtype) -> Any:
    if isinstance(value, str):
        return value
    array = np.asarray(value)
    if not array.ndim:
        return torch.tensor(array.item(), dtype=dtype if array.dtype.kind == "f" else None)
    if array.dtype.kind != "f":
        return torch.from_numpy(array)
    rounded = FLOATS[dtype]
    return torch.from_numpy(array).to(dtype) if rounded is None else torch.from_numpy(array.astype(rounded, copy=False))
