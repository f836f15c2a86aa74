# SPDX-License-Identifier: BSD-3-Clause
"""How columns of a .gpz file become a timestep of MDAnalysis."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from MDAnalysis.coordinates.timestep import Timestep

import gpz
from gpz import _core, _observed, _origins, _positions
from gpz.mdanalysis import geometry
from gpz.mdanalysis.units import BASE_NAMES, units_of

# By the names and in the order of MDAnalysis's reader of LAMMPS's text.
CONVENTIONS = {
    name: _core.position_forms["wrapped" if name == "unscaled" else name]
    for name in ("unscaled", "scaled", "unwrapped", "scaled_unwrapped")
}
MIXED = "mixed"  # positions of several of them
VELOCITIES, FORCES, IMAGES = ("vx", "vy", "vz"), ("fx", "fy", "fz"), ("ix", "iy", "iz")
# What is no additional column, because a timestep has a place of its own for it.
KNOWN_COLUMNS = {"id", *VELOCITIES, *FORCES}.union(*CONVENTIONS.values())

# Entries of ts.data that MDAnalysis and this reader use.
OF_TIMESTEPS = ("dt", "time", "time_offset", "step")


class FrameError(RuntimeError):
    """A frame cannot be read. No OSError or EOFError: MDAnalysis takes those for the end of the trajectory."""


class Vector(NamedTuple):
    """An array of a timestep, (N, 3)."""

    array: np.ndarray
    columns: Sequence[str]  # that come into it: three, or two of a two-dimensional file
    factor: float  # one unit of the file in that of MDAnalysis


class Layout:
    """The columns that are read of every frame. Arguments are those of GPZReader; `columns` are those of the first frame.

    convention: of CONVENTIONS, or MIXED. positions: their columns that the file has. additional: columns that become ts.data.
    units: of the numbers in a timestep; names: what MDAnalysis calls them.
    """

    def __init__(
        self,
        filename: str,
        columns: Sequence[str],
        lammps_units: str | None,
        convert_units: bool,
        convention: str,
        unwrap: bool,
        additional: Iterable[str] | bool | None,
    ):
        self.filename = filename
        self.lammps_units = lammps_units or None
        self.units = units_of(self.lammps_units if convert_units else None)
        # MDAnalysis's writers that write in the units of a trajectory know its base units, and not all of LAMMPS's.
        known = convert_units and self.lammps_units not in (None, "lj")
        self.names = dict(BASE_NAMES) if known else dict(units_of(self.lammps_units).names)

        self.positions = self._find_positions(columns, convention)
        self.convention = next((key for key, names in CONVENTIONS.items() if set(self.positions) <= set(names)), MIXED)
        self.has_ids = "id" in columns
        if not self.has_ids:
            warnings.warn(
                f"{filename} has no ids: atoms are in another order in each frame. What depends on which atom is "
                "where (displacements, RMSD, selections) is wrong"
            )
        self.unwraps = unwrap and not _positions.is_unwrapped(self.positions)
        if self.unwraps and not all(name in columns for name in IMAGES):
            raise TypeError(f"{filename}: unwrap_images needs image flags, and ix iy iz are not among its columns")
        self.additional = self._find_additional(columns, additional)
        self._observables: set[str] = set()  # in ts.data, of the frame before

    def _find_positions(self, columns: Sequence[str], wanted: str) -> tuple[str, ...]:
        if wanted not in ("auto", *CONVENTIONS):
            raise ValueError(f"lammps_coordinate_convention={wanted!r} is none of auto, {', '.join(CONVENTIONS)}")
        if wanted == "auto":  # the first whole set, in the order of MDAnalysis
            needed = 3 if any(names[2] in columns for names in CONVENTIONS.values()) else 2
            whole = (key for key, names in CONVENTIONS.items() if all(name in columns for name in names[:needed]))
            wanted = next(whole, "auto")
        names = CONVENTIONS.get(wanted, ())
        if all(name in columns for name in names[:2]):
            # A third coordinate that the convention lacks comes from another one.
            lacks_third = len(names) == 3 and names[2] not in columns
            found = _positions.find(name for name in columns if not names or name in names or (lacks_third and name[0] == "z"))
            if found is not None:
                return found
        kind = "" if wanted == "auto" else f"{wanted} "
        raise TypeError(f"{self.filename}: no {kind}coordinates among the columns {_core.printable(' '.join(columns))}")

    def _find_additional(self, columns: Sequence[str], wanted: Iterable[str] | bool | None) -> list[str]:
        if wanted is True:
            return [name for name in columns if name not in KNOWN_COLUMNS]
        if isinstance(wanted, (str, bool)) or not (wanted is None or isinstance(wanted, Iterable)):
            raise ValueError(f"additional_columns={wanted!r} is neither True nor a list of names")
        names = list(wanted or ())
        missing = [name for name in names if name not in columns]
        if missing:
            warnings.warn(f"{self.filename}: additional columns that the file does not have: {', '.join(missing)}")
        return [name for name in names if name in columns]

    @property
    def is_scaled(self) -> bool:
        """Whether some coordinates are fractions of the box."""
        return _positions.is_scaled(self.positions)

    def others(self, frame: gpz.Frame) -> list[str]:
        """Columns that are read of a frame besides those of the vectors and the ids."""
        return [*(name for name in self.additional if name in frame), *(IMAGES if self.unwraps else ())]

    def _known(self) -> dict[str, tuple[Sequence[str], float]]:
        """For each name of a timestep, the columns of its arrays, and a unit of the file in that of MDAnalysis."""
        return {
            "positions": (self.positions, self.units.length),
            "velocities": (VELOCITIES, self.units.velocity),
            "forces": (FORCES, self.units.force),
        }

    def vectors(self, ts: Timestep, frame: gpz.Frame) -> list[Vector]:
        """The arrays of a timestep into which columns of this frame are read. Makes those that it does not have, and marks those
        that the frame does not have."""
        for name, (columns, _) in self._known().items():
            setattr(ts, f"has_{name}", all(column in frame for column in columns))
        return list(self.vectors_of(ts).values())

    def vectors_of(self, ts: Timestep) -> dict[str, Vector]:
        """The vectors of the file that a timestep has, by its names. The timestep stays as it is."""
        return {
            name: Vector(getattr(ts, name), columns, factor)
            for name, (columns, factor) in self._known().items()
            if getattr(ts, f"has_{name}")
        }

    def fill(self, ts: Timestep, frame: gpz.Frame, values: Mapping[str, np.ndarray]) -> None:
        """Completes a timestep whose vectors have the columns of the file. `values` has the others; nothing of `frame`
        is decoded."""
        vectors = self.vectors_of(ts).values()
        if ts.has_positions and len(self.positions) == 2:
            ts.positions[:, 2] = 0
        if frame.box is not None:
            if ts.has_positions:
                self._place(ts.positions, frame.box, values)
            for vector in vectors:
                geometry.turn(vector.array, frame.box)
        elif self.is_scaled or self.unwraps:
            raise FrameError(f"{self.filename}: frame {frame.index} has no box, which its positions are relative to")
        for array, _, factor in vectors:
            if factor != 1:
                array *= np.float32(factor)
        ts.dimensions = None
        if frame.box is not None:
            ts.dimensions = geometry.dimensions(frame.box) * [*(3 * [self.units.length]), 1, 1, 1]
        self._fill_observables(ts, frame)
        for name in self.additional:
            ts.data.pop(name, None)
        ts.data.update({name: values[name] for name in self.additional if name in values})
        ts.data["step"] = frame.timestep

    def _fill_observables(self, ts: Timestep, frame: gpz.Frame) -> None:
        """Puts the observables of the frame into ts.data, in place of those of the frame before."""
        try:
            found = _observed.of_atoms(frame.observables, frame.n_particles, self.filename)
        except gpz.CorruptError as error:
            warnings.warn(f"{self.filename}: observables of frames cannot be read: {error.cause}")
            found = gpz.Observables()
        for name in self._observables.difference(found):
            ts.data.pop(name, None)
        self._observables = set(found).difference(OF_TIMESTEPS)
        ts.data.update({name: found[name] for name in self._observables})

    def _place(self, positions: np.ndarray, box: gpz.Box, values: Mapping[str, np.ndarray]) -> None:
        """Makes coordinates of the file distances from the origin of the box, in place."""
        images = np.column_stack([values[name] for name in IMAGES]) if self.unwraps else None
        if self.convention == MIXED or (self.is_scaled and len(self.positions) == 2):
            exact = positions.astype(np.float64)
            if images is not None:
                _positions.add_images(box, self.positions, images, exact)
            _positions.to_cartesian(box, self.positions, exact)
            positions[...] = exact - box.origin
            return
        if self.is_scaled:
            positions[...] = geometry.along_edges(positions, box)
        else:
            geometry.to_origin(positions, box)
        if images is not None:
            positions += geometry.along_edges(images, box)

    def origins(self, frame: gpz.Frame, ts: Timestep) -> dict[str, gpz.Origin]:
        """The errors of the vectors of a timestep that was read from this frame, in its units."""
        # What vectors are computed from: before the corner of the box is taken away they may be larger.
        corner = 0.0 if frame.box is None else float(np.abs(frame.box.origin).max(initial=0.0)) * self.units.length
        turned = frame.box is not None and frame.box.kind == "general triclinic"
        origins = {}
        for name, vector in self.vectors_of(ts).items():
            origin = _origins.joined(list(_origins.of_columns(frame, vector.columns).values()))
            if name == "positions" and self.is_scaled:
                origin = _origins.of_positions(frame, self.positions)
            if origin is None:
                continue
            if turned:  # each component has a part of the errors of all three
                origin = origin.scaled(3**0.5)._replace(step=0.0)
            arrays = [vector.array.reshape(-1), np.array([corner if name == "positions" else 0.0])]
            moved = name == "positions" and (corner != 0 or self.is_scaled or self.unwraps)
            # To float32, to the corner of the box by way of its edges, and to units and back.
            operations = 1 + (4 if moved else 0) + (3 if turned else 0) + (2 if vector.factor != 1 else 0)
            origins[name] = _origins.computed(origin.scaled(vector.factor), arrays, operations)
        return origins
