# SPDX-License-Identifier: BSD-3-Clause
"""OVITO reads .gpz: import_file("traj.gpz") in its Python module, File > Load File in OVITO Pro.

OVITO finds the reader by itself once this package is installed in its Python (for OVITO Pro, in a clone of the repository: ovitos -m pip install .).
Columns become the properties that OVITO's reader of LAMMPS dumps makes of them. The free OVITO Basic loads no Python
readers: for it, `gpz decode` makes a text dump.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from ovito.io import FileReaderInterface

import gpz
from gpz import _clients, _positions
from gpz._box import inverse_of
from gpz._particles import Links, Particles, ParticlesOfFrames

MAGIC = b"\x89GPZ\r\n\x1a\n"

# OVITO's standard properties, by the columns of LAMMPS that are their components.
VECTORS = {
    "Velocity": ("vx", "vy", "vz"),
    "Force": ("fx", "fy", "fz"),
    "Periodic Image": ("ix", "iy", "iz"),
    "Dipole Orientation": ("mux", "muy", "muz"),
    "Angular Velocity": ("omegax", "omegay", "omegaz"),
    "Angular Momentum": ("angmomx", "angmomy", "angmomz"),
    "Torque": ("tqx", "tqy", "tqz"),
    "Aspherical Shape": ("shapex", "shapey", "shapez"),
}
SCALARS = {
    "id": "Particle Identifier",
    "mol": "Molecule Identifier",
    "mass": "Mass",
    "q": "Charge",
    "radius": "Radius",
    "mu": "Dipole Magnitude",
    "c_epot": "Potential Energy",
}


class GpzReader(FileReaderInterface):
    """Reads .gpz files. Particles are in the order of ids; values are those of the file, in its units."""

    _opened: tuple | None = None  # the file that was read last, what it was then, and its particles

    def __init__(self):
        super().__init__()
        self._names: set[str] = set()  # of attributes, of the frames so far

    @staticmethod
    def detect(filename: str) -> bool:
        """Whether the file begins as .gpz files do."""
        try:
            with open(filename, "rb") as file:
                return file.read(len(MAGIC)) == MAGIC
        except OSError:
            return False

    def scan(self, filename: str, register_frame) -> None:
        """Registers each frame under its timestep. Raises ValueError if there is no complete frame."""
        timesteps = self._open(filename)[0].timesteps
        if not len(timesteps):
            raise ValueError(f"{filename}: there is no complete frame")
        for index, timestep in enumerate(timesteps):
            register_frame(frame_info=index, label=int(timestep))

    def parse(self, data, *, filename: str, frame_index: int = 0, frame_info: Any = None, **_further) -> None:
        """Fills `data` with a frame: cell, particles and their properties, bonds, in units of the file, and attributes: Timestep,
        Time and the observables. Masses, charges and molecules that the frame lacks come from the tables of the file."""
        trajectory, tables = self._open(filename)
        frame = trajectory[frame_index if frame_info is None else frame_info]
        if frame.box is not None:
            cell = data.create_cell(np.column_stack([frame.box.matrix.T, frame.box.origin]), pbc=frame.box.periodic)
            cell.is2D = frame.box.dimension == 2
        particles = data.create_particles(count=frame.n_particles)
        _fill(particles, trajectory, frame, tables)
        attributes: dict[str, float] = dict(_clients.observables(frame))
        attributes |= {"Timestep": frame.timestep} | ({} if frame.time is None else {"Time": frame.time})
        for name in self._names.difference(attributes).intersection(data.attributes.keys()):
            del data.attributes[name]  # of another frame
        data.attributes.update(attributes)
        self._names.update(attributes)

    def _open(self, filename: str) -> tuple[gpz.Trajectory, ParticlesOfFrames]:
        """The file stays open from frame to frame: a difference frame is then decoded from the one before it."""
        facts = os.stat(filename)
        key = (filename, facts.st_size, facts.st_mtime_ns)
        if self._opened is None or self._opened[0] != key:
            trajectory = _clients.open_trajectory(filename, threads=0)
            self._opened = (key, (trajectory, ParticlesOfFrames(trajectory)))
        return self._opened[1]


def _fill(particles, trajectory: gpz.Trajectory, frame: gpz.Frame, tables: ParticlesOfFrames) -> None:
    """Decodes the frame into properties of `particles`: one decode for all columns, and no copy. Adds what tables say."""
    out: dict[str, np.ndarray] = {}
    properties = []

    def create(name, columns, **options):
        created = particles.create_property(name, **options)
        created.__enter__()  # writable until __exit__
        properties.append(created)
        array = np.asarray(created)
        for k, column in enumerate(columns):
            if column in frame:
                out[column] = array if array.ndim == 1 else array[:, k]
        return array

    try:
        places = frame.position_columns
        positions = None
        if places is not None:
            positions = create("Position", places)
            positions[:, len(places) :] = 0
        for name, columns in VECTORS.items():
            if any(column in frame for column in columns):
                array = create(name, columns)
                for k, column in enumerate(columns):
                    if column not in frame:
                        array[:, k] = 0
        types = _clients.type_columns(frame)
        if types:
            create("Particle Type", types[:1])
        for column in frame.columns:
            if column not in out and column not in types:
                kind = frame.column_info[column].dtype.kind
                standard = SCALARS.get(column)
                name = standard or column.replace(".", "_")  # OVITO allows no dots in names
                create(name, (column,), **({} if standard else {"dtype": np.int64 if kind == "i" else np.float64}))
        trajectory.read(frame.index, out=out)
        if positions is not None and _positions.is_scaled(places):
            _positions.to_cartesian(frame.box, places, positions)
        # Copies: OVITO's memory must not be referred to any more once it has the properties.
        ids, numbers = (out[name].copy() if name in out else None for name in ("id", types[0] if types else ""))
        found = tables.of(frame.index, ids, numbers)
        for column, values in _of_tables(found).items():
            if column not in out:
                create(SCALARS[column], ())[...] = values
        if not types and found.types() is not None:
            create("Particle Type", ())[...] = found.types()
        kept = {created.name for created in properties}
        for name in set(particles.keys()) - kept:
            del particles[name]  # of the frame before, which had other columns
    finally:
        for created in properties:
            created.__exit__(None, None, None)
    if types or found.types() is not None:
        names = _clients.type_names(trajectory) or found.labels()
        listed = particles["Particle Type"]
        for number in np.unique(listed[...]):
            listed.add_type_id(int(number), particles, name=names[number - 1] if 0 < number <= len(names) else "")
    _fill_bonds(particles, found.links("bonds"), positions, frame.box)


def _of_tables(found: Particles) -> dict[str, np.ndarray]:
    """The SCALARS that the tables have, by column."""
    values = {"mass": found.numbers("mass"), "q": found.numbers("q"), "mol": found.column("mol", "i")}
    return {column: np.nan_to_num(array) for column, array in values.items() if array is not None}


def _fill_bonds(particles, links: Links | None, positions: np.ndarray | None, box: gpz.Box | None) -> None:
    """The bonds of a frame, in place of those of the frame before."""
    if links is None:
        if particles.bonds is not None:
            particles.bonds = None
        return
    bonds = particles.create_bonds(count=len(links.indices))
    bonds.create_property("Topology", data=links.indices)
    kept = {"Topology"}
    if positions is not None and box is not None:
        # The nearest image. Coordinates that are not wrapped have none.
        first, second = positions[links.indices[:, 0]], positions[links.indices[:, 1]]
        crossed = -np.rint((second - first) @ inverse_of(box)).astype(np.int64)
        bonds.create_property("Periodic Image", data=np.where(box.periodic, crossed, 0))
        kept.add("Periodic Image")
    if links.types is not None:
        texts = links.types.dtype.kind == "O"
        names, numbers = np.unique(links.types, return_inverse=True)
        types = bonds.create_property("Bond Type", data=numbers + 1 if texts else links.types)
        for number, name in enumerate(names.tolist(), 1):
            types.add_type_id(number if texts else name, bonds, name=name if texts else "")
        kept.add("Bond Type")
    for name in set(bonds.keys()) - kept:
        del bonds[name]
