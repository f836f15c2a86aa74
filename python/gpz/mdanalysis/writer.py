# SPDX-License-Identifier: BSD-3-Clause
"""Atom groups of MDAnalysis as frames of .gpz files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from MDAnalysis.coordinates import base
from MDAnalysis.exceptions import NoDataError

import gpz
from gpz._arguments import checked_flag, checked_integer
from gpz._checks import checked_bound_of
from gpz._frame import VECTORS
from gpz._metadata import Existing
from gpz._positions import WRAPPED
from gpz.mdanalysis import geometry, tables
from gpz.mdanalysis.origins import OfFrame, of_atoms
from gpz.mdanalysis.units import units_of

if TYPE_CHECKING:
    from MDAnalysis.core.groups import AtomGroup

# Arguments for other formats, which Reader.OtherWriter hands to every writer.
PASSED_BY_MDANALYSIS = {"dt", "format", "multiframe", "start", "step"}
MOST_TYPES = 10_000  # of a file: larger numbers are labels


class GPZWriter(base.WriterBase):
    """Writes .gpz files: `atoms.write("out.gpz", frames="all")`, or

        with mda.Writer("out.gpz", n_atoms=len(atoms), bound=0.001) as writer:
            for ts in u.trajectory:
                writer.write(atoms)

    filename: the file, which is replaced.
    n_atoms: of every frame; None: as many as the first frame has.
    bound: the largest error of a coordinate, in A. None: that of the units of the file, as in gpz.Writer (real,
        metal: 0.0005 A). 0: exact.
    velocity_bound, force_bound: of velocities (A/ps) and forces (kJ/(mol A)); None: they are exact.
        velocity_bound="thermal": as in gpz.Writer. Species are the atoms of one type, or of one mass where there are no
        types.
    lammps_units: of the file. None: those of the trajectory if it is a .gpz file, else "metal", in which lengths, times
        and velocities are those of MDAnalysis.
    convert_units: False: numbers go into the file as MDAnalysis has them.
    key_interval: every Nth frame can be read without others; "auto" and order, effort: as in gpz.Writer.
    append: add frames to an existing file, with its units, bounds and types: the type labels, numbers or elements of the
        atoms say which they are. A keyword that says otherwise is refused, and so are types that the file does not have
        and other atoms.
    threads: for encoding; 1: none besides the caller's, 0: all cores.

    Written are positions, velocities and forces as the timestep has them (float32), the box, time, timestep
    (`ts.data["step"]`, else the frame number), and what the topology has of ids, types, elements, resids (column mol),
    charges (q) and masses. Tables of the file get names, resnames, resids, chainIDs and segids of atoms, and bonds, angles,
    dihedrals and impropers between them, as they are in the first frame. Floats in `ts.data` become observables of the frame, with the number of atoms of the universe (Atoms) if `atoms` are some of them. Ids are 1, 2, ... if those of the atoms do not ascend: readers sort by them. Types that are
    no numbers get numbers and become type labels. Types and elements are those of the first frame.
    """

    format = "GPZ"
    multiframe = True
    units = dict.fromkeys(("time", "length", "velocity"))  # of the file: known when the first frame is written

    def __init__(
        self,
        filename: str,
        n_atoms: int | None,
        *,
        bound: float | None = None,
        velocity_bound: float | str | None = None,
        force_bound: float | None = None,
        lammps_units: str | None = None,
        convert_units: bool = True,
        key_interval: int | str = "auto",
        order: str = "auto",
        effort: str = "standard",
        append: bool = False,
        threads: int = 1,
        **further: Any,
    ):
        unknown = sorted(set(further) - PASSED_BY_MDANALYSIS)
        if unknown:
            raise TypeError(f"{filename}: the writer of .gpz files has no keyword {', '.join(unknown)}")
        if n_atoms is not None:
            n_atoms = checked_integer("n_atoms", n_atoms, 1, 2**63 - 1, "a trajectory has at least one atom")
        self.filename = str(filename)
        self.n_atoms = n_atoms
        self.convert_units = checked_flag("convert_units", convert_units)
        self.lammps_units = lammps_units
        self._bounds = {
            name: checked_bound_of(name, given, columns)
            for name, given, columns in (
                ("bound", bound, WRAPPED),
                ("velocity_bound", velocity_bound, VECTORS["velocities"]),
                ("force_bound", force_bound, VECTORS["forces"]),
            )
            if given is not None
        }
        self._options: dict[str, Any] = {
            "key_interval": key_interval,
            "order": order,
            "effort": effort,
            "append": checked_flag("append", append),
            "threads": threads,
        }
        self._file: gpz.Writer | None = None
        self._observables = tables.ObservablesOf(self.filename)
        if lammps_units is not None:
            units_of(lammps_units)  # an error before the first frame

    def _write_next_frame(self, obj: Any) -> None:
        try:
            atoms = obj.atoms
            timestep = obj.trajectory.ts if obj is obj.universe else obj.ts
        except AttributeError:
            raise TypeError("Input obj is neither an AtomGroup or Universe") from None
        if self.n_atoms is None:
            self.n_atoms = len(atoms)
        if len(atoms) != self.n_atoms:
            raise ValueError(f"{self.filename}: a frame of {len(atoms)} atoms in a trajectory of {self.n_atoms}")
        reader = of_atoms(atoms)
        if self._file is None:
            self._file = self._open(atoms, reader)
        columns: dict[str, Any] = {**self._vectors(timestep), **self._topology(atoms)}
        place = self._place_and_time(timestep)
        origins: dict[str, gpz.Origin] = {}
        same_units = reader is not None and (self.lammps_units or "lj") == (reader.lammps_units or "lj")
        observables = self._observables.of(timestep.data, reader, same_units, atoms)
        if reader is not None:
            origins = self._origins(reader)
            box = reader.box_of(timestep.dimensions)
            if box is not None and self.lammps_units == reader.lammps_units and self.convert_units == reader.convert_units:
                # Where they were in the file, to the last digit.
                columns["positions"] = columns["positions"].astype(np.float64) + box.origin
                place["box"] = box
        origins = {name: origin for name, origin in origins.items() if name in columns}
        self._file.write(**columns, **place, origin=origins, observables=observables)

    def _origins(self, reader: OfFrame) -> dict[str, gpz.Origin]:
        """The errors of the atoms' values in the .gpz file that they come from."""
        factors = {"positions": self._units.length, "velocities": self._units.velocity, "forces": self._units.force}
        origins = {name: origin.scaled(1 / factors[name]) for name, origin in reader.origins().items()}
        of_file = reader.layout.units
        for name, factor in (("q", of_file.charge / self._units.charge), ("mass", of_file.mass / self._units.mass)):
            origin = reader.origins_of_topology().get(name)
            if origin is not None and origin.bound:
                origins[name] = origin.scaled(factor)
        return origins

    def _open(self, atoms: AtomGroup, reader: OfFrame | None) -> gpz.Writer:
        existing = Existing.find(self.filename) if self._options["append"] else None
        units = self.lammps_units
        if units is None and (existing is None or not self.convert_units):
            units = getattr(atoms.universe.trajectory, "lammps_units", "metal") or "lj"
        if existing is None:
            self._types = Types(atoms)
        else:
            self._types = Types(atoms, existing)
            if (existing.metadata["units"] or "lj") == units:
                units = None  # those of the file, also if it does not name them
            existing.require_same_atoms(ids_of(atoms))
        self.lammps_units = existing.metadata["units"] or "lj" if units is None else units
        self._units = units_of(self.lammps_units if self.convert_units else None)
        factors = {"bound": self._units.length, "velocity_bound": self._units.velocity, "force_bound": self._units.force}
        bounds = {
            name: bound if isinstance(bound, str) else bound / factors[name] for name, bound in self._bounds.items()
        }
        columns = {"velocities": bounds.get("velocity_bound"), "forces": bounds.get("force_bound")}
        described = tables.kept_of(reader) | tables.of_atoms(atoms, ids_of(atoms), self._types.has_elements)
        if existing is not None:  # tables that the file has are valid for its further frames
            described = {name: table for name, table in described.items() if not existing.has_table(name, table)}
        file = gpz.Writer(
            self.filename,
            units=units,
            elements=self._types.elements,
            type_labels=self._types.labels,
            bound=bounds.get("bound"),
            bounds={name: bound for name, bound in columns.items() if bound is not None},
            **self._options,
        )
        file.write_tables(described)
        return file

    def _vectors(self, ts: base.Timestep) -> dict[str, np.ndarray]:
        """Positions, velocities and forces in units of the file."""
        if not ts.has_positions:
            raise NoDataError(f"{self.filename}: a frame without positions")
        vectors = {"positions": in_units(ts.positions, self._units.length)}
        if ts.has_velocities:
            vectors["velocities"] = in_units(ts.velocities, self._units.velocity)
        if ts.has_forces:
            vectors["forces"] = in_units(ts.forces, self._units.force)
        return vectors

    def _topology(self, atoms: AtomGroup) -> dict[str, np.ndarray]:
        columns = {"ids": ids_of(atoms)}
        if self._types.table:
            columns["types"] = self._types.numbers(atoms)
        for attribute, column, factor in (
            ("resids", "mol", None),
            ("charges", "q", self._units.charge),
            ("masses", "mass", self._units.mass),
        ):
            if hasattr(atoms, attribute) and not _is_placeholder(atoms, attribute):
                values = getattr(atoms, attribute)
                columns[column] = values if factor is None else values / factor
        return columns

    def _place_and_time(self, ts: base.Timestep) -> dict[str, Any]:
        step = ts.data.get("step", ts.frame)
        box = geometry.box_of(ts.dimensions, self._units.length)
        return {"box": box, "timestep": int(step), "time": float(ts.time) / self._units.time}

    def close(self) -> None:
        """Completes the file and closes it."""
        file = getattr(self, "_file", None)
        if file is not None:
            file.close()


def _is_placeholder(atoms: AtomGroup, attribute: str) -> bool:
    """Whether the values stand for unknown ones: masses of 1 that the reader made up."""
    known = getattr(atoms.universe._topology, attribute, None)
    return getattr(known, "is_guessed", False) is True and bool((getattr(atoms, attribute) == 1).all())


class Types:
    """Types of atoms as numbers of LAMMPS, from 1, and what is known about each: those of the first frame.

    existing: a file that is continued, whose types they are.
    elements, labels: texts, [t - 1] for type t; None if there are none, and for types of an existing file.
    table: the number of each type; empty for atoms without types.
    has_elements: whether the file says the element of each type.
    """

    def __init__(self, atoms: AtomGroup, existing: Existing | None = None):
        self.elements: list[str] | None = None
        self.labels: list[str] | None = None
        self.table: dict[str, int] = {}
        self.has_elements = existing is not None and bool(existing.elements)
        self._names: np.ndarray | None = None
        if not hasattr(atoms, "types"):
            return
        types = atoms.types
        names = sorted(set(types))
        if existing is not None:
            pairs = dict(zip(types, atoms.elements)) if hasattr(atoms, "elements") else {}
            self.table = {name: number_in(existing, name, pairs.get(name, "")) for name in names}
            return
        if all(name.isdecimal() and 0 < int(name) <= MOST_TYPES for name in names):
            self.table = {name: int(name) for name in names}
        else:
            # Types of a .gpz file keep their numbers.
            known = getattr(getattr(atoms.universe, "trajectory", None), "names_of_types", [])
            self.labels = known if set(names) <= set(known) else names
            self.table = {name: number for number, name in enumerate(self.labels, 1)}
        if hasattr(atoms, "elements"):
            self.elements = self._elements_of(types, atoms.elements)
            self.has_elements = self.elements is not None

    def _elements_of(self, types: np.ndarray, elements: np.ndarray) -> list[str] | None:
        """None if atoms of one type are of different elements."""
        pairs = set(zip(types, elements))
        names = dict(pairs)
        if len(pairs) > len(names):
            return None
        by_number = {number: names[name] for name, number in self.table.items() if name in names}
        return [by_number.get(number, "") for number in range(1, max(by_number) + 1)]

    def numbers(self, atoms: AtomGroup) -> np.ndarray:
        """(N,) int64. Kept for as long as the types are the same."""
        types = atoms.types
        if self._names is None or not np.array_equal(types, self._names):
            try:
                self._numbers = np.array([self.table[name] for name in types], dtype=np.int64)
            except KeyError as error:
                raise ValueError(f"no atom of the first frame had the type {error}") from None
            self._names = types.copy()
        return self._numbers


def number_in(file: Existing, name: str, element: str) -> int:
    """The type of a file for atoms whose type has this name, and whose element is this one or not known ("").
    ArgumentError if the file has none for them."""
    if name in file.labels:
        return file.labels.index(name) + 1
    elements = [text.capitalize() for text in file.elements]
    number = int(name) if name.isdecimal() else 0
    if 0 < number <= max(len(elements), len(file.labels)) or (number and not file.elements and not file.labels):
        if not element or number > len(elements) or elements[number - 1] == element.capitalize():
            return number
    for known in (element, name):
        if known and known.capitalize() in elements:
            return elements.index(known.capitalize()) + 1
    what = f"{name} (element {element})" if element else name
    raise gpz.ArgumentError(f"append: type {what} is none of those of the file, which has {file.names}", file.path)


def ids_of(atoms: AtomGroup) -> np.ndarray:
    """(N,) integers that ascend."""
    if hasattr(atoms, "ids"):
        ids = np.asarray(atoms.ids)
        if ids.dtype.kind == "i" and (np.diff(ids) > 0).all():
            return ids
    return np.arange(1, len(atoms) + 1)


def in_units(vectors: np.ndarray, factor: float) -> np.ndarray:
    """A copy only where there is something to convert."""
    return vectors if factor == 1 else vectors / np.float32(factor)
