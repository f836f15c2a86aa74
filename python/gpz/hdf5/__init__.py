# SPDX-License-Identifier: BSD-3-Clause
"""Datasets of HDF5 whose chunks are compressed by gpz: H5MD, and files of your own.

    import h5py, gpz.hdf5

    file.create_dataset("position", data=frames, chunks=(1, *frames.shape[1:]), **gpz.hdf5.options(bound=0.0005))
    positions = file["position"][100]                                  # as of any dataset
    positions = gpz.hdf5.read(file["position"], slice(100, 200))       # on several cores

Importing this module makes the filter known to the HDF5 library of h5py. Other programs find it if HDF5_PLUGIN_PATH names
gpz.hdf5.plugin_path(). Needs h5py.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import h5py

from gpz._checks import checked_bound
from gpz._coding import checked_effort
from gpz._errors import UnsupportedError
from gpz.hdf5._reading import FILTER, read

__all__ = ["FILTER", "options", "plugin_path", "read"]


def plugin_path() -> str:
    """The folder of the plugin, for HDF5_PLUGIN_PATH."""
    return str(Path(__file__).parent / "plugin")


def options(bound: float, effort: str = "standard") -> dict[str, Any]:
    """Arguments for h5py.Group.create_dataset, and for whatever passes them on, such as writers of MDAnalysis and pyh5md.

    bound: the largest absolute error of a value, in the units of the dataset (nm for files of GROMACS); 0: exact.
    effort: as of gpz.Writer.

    Values that are no float32 or float64 are stored as they are. The last dimension holds components if it has up to three
    elements and there are others, the one before it particles. Give chunks, usually of one frame: (1, particles, 3). Leave out
    shuffle. Raises gpz.ArgumentError, gpz.UnsupportedError if this installation has no plugin.
    """
    low, high = struct.unpack("<2I", struct.pack("<d", checked_bound("bound", bound)))
    if not h5py.h5z.filter_avail(FILTER):
        raise UnsupportedError(
            f"HDF5 does not find the filter {FILTER}: there is no libh5gpz.so in {plugin_path()} that it can load"
        )
    return {
        "compression": FILTER,
        "compression_opts": (low, high, checked_effort(effort)),
    }


h5py.h5pl.prepend(plugin_path().encode())
