# SPDX-License-Identifier: BSD-3-Clause
"""The format "gpz" of ASE: reading and writing of .gpz files.

ASE finds it by itself once this package is installed:

    import ase.io
    atoms = ase.io.read("traj.gpz")                     # the last frame
    for atoms in ase.io.iread("traj.gpz@::10"): ...     # every tenth, one after the other
    ase.io.write("new.gpz", images, bound=1e-4)

    ase convert traj.gpz traj.extxyz;  ase gui traj.gpz@-10:

Lengths, velocities, forces, masses and charges are converted to ASE's units (Å, eV, u, e) from those that the file
names. Files in LJ units, and files that do not name their units, are left as they are.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from ase import Atoms
from ase.calculators.lammps import convert
from ase.calculators.lammps.unitconvert import UNITSETS
from ase.calculators.singlepoint import SinglePointCalculator
from ase.data import atomic_masses, atomic_numbers, chemical_symbols
from ase.utils.plugins import ExternalIOFormat

import gpz
from gpz import _ase, _checks, _clients, _components, _core, _origins
from gpz._arguments import checked_number, shown
from gpz._elements import symbols_of_masses
from gpz._metadata import Existing, texts
from gpz._particles import ParticlesOfFrames
from gpz._quantities import ASE_STYLE, VECTORS
from gpz._tables import same_table
from gpz._units import LENGTHS, mass_factor
from gpz.remote.names import shown_path

MAGIC = b"\x89GPZ\r\n"
gpz_format = ExternalIOFormat(desc="gpz compressed trajectory", code="+S", module="gpz.ase", ext=["gpz"], magic=[MAGIC])

RESERVED = ("frame", "positions", "ids", "types", *VECTORS, "box", "timestep", "time", "origin", "observables")  # arguments of gpz.Writer.write
# What the arguments of Writer.write and columns are, for ASE's table of units.
QUANTITIES = {"positions": "distance", "velocities": "velocity", "forces": "force", "mass": "mass", "q": "charge"}
STANDARD = ("id", "mol", "mass", "q")  # columns that have a place of their own in Atoms
MOST_TYPES = 10_000  # of a file, to number them by the array "type"
LARGEST_NUMBER = len(atomic_masses) - 1


def read_gpz(
    filename: str,
    index: int | slice = slice(None),
    *,
    units: str | None = None,
    specorder: Sequence[str] | None = None,
    threads: int | None = None,
    order: str | None = None,
    remote: gpz.remote.Options | None = None,
) -> Iterator[Atoms]:
    """Yields an ase.Atoms for each frame of `index`; frames are decoded one after the other.

    units: LAMMPS units of the file, for a file that does not name them ("metal", "real", ...).
    specorder: chemical symbols of the atom types 1, 2, ..., for a file that has neither elements nor masses.
    threads, order, remote: as in gpz.open. For a URL, ase.io.read needs format="gpz".

    Atoms are in the order of ids. An Atoms has positions, cell, celldisp, pbc; numbers from elements, else masses, else
    `specorder`, else the numbers of the types (1 becomes H), as ASE's reader of text dumps does it; velocities,
    charges; in a SinglePointCalculator forces, energy (the observable PotEng, else pe, else energy), free_energy, stress, dipole, magmom, and
    the columns energies, charges, magmoms and stresses; info["timestep"] and info["time"] (in ASE's unit of time); the arrays
    id, type, mol-id and travel (image flags), and every other column under its name, as it is in the file: columns name[1] to name[k]
    are one array. momenta[1] to momenta[3] are those of the Atoms where the file has no velocities. Other observables are
    in `info` under their names, in units of the file, name[1] to name[k] as one array; those per atom are multiplied by the number of
    atoms. Frames of some of the atoms of a system have none of the results for all of them, with a warning. Where frames have no masses, charges and molecules, the tables of the file say them.
    Tables also become the arrays atomtypes, residuenames and residuenumbers, as of PDB files, and bonds, angles and dihedrals, as
    of LAMMPS's data files: texts with indices, which ASE does not adapt when atoms are removed.
    info["gpz_origins"] has the errors of positions and of other columns, if the file has bounds for them: write_gpz takes
    them into account. Whoever gives an Atoms other positions removes it. Names of
    elements that ASE does not know become X, with all names in the array "element".
    """
    with _clients.open_trajectory(filename, threads=threads, order=order, dtype=np.float64, remote=remote) as trajectory:
        units = trajectory.units if units is None else units
        specorder = None if specorder is None else _known_symbols(specorder)
        _require_start(trajectory, index)
        frames = trajectory[index] if isinstance(index, slice) else [trajectory[index]]
        tables = _Tables(trajectory)
        for frame in frames:
            yield _atoms(frame, trajectory.elements, specorder, units, tables)


class _Tables:
    """Arrays from the tables, frame after frame. They are made anew only where the tables change."""

    def __init__(self, trajectory: gpz.Trajectory):
        self._particles = ParticlesOfFrames(trajectory)
        self._last: Any = None
        self._arrays: dict[str, np.ndarray] = {}

    def of(self, frame: gpz.Frame, types: np.ndarray | None) -> tuple[Any, dict[str, np.ndarray]]:
        """The particles of a frame, and arrays of Atoms."""
        particles = self._particles.of(frame.index, frame.ids, types)
        if particles is not self._last:
            self._last, self._arrays = particles, _ase.arrays_of(particles)
        return particles, self._arrays


def _factor(quantity: str, units: str) -> float:
    """A unit of LAMMPS in ASE's; 1 in LJ units and where no units are named."""
    if units in ("", "lj", ASE_STYLE):
        return 1.0
    if units not in UNITSETS:
        raise ValueError(f"units: LAMMPS has no units {units!r}. It has lj, {', '.join(LENGTHS)}")
    if quantity == "velocity":
        # As LAMMPS moves atoms. In electron units these are Bohr/fs, of which ASE's table has something else.
        return _factor("distance", units) / _factor("time", units)
    if quantity == "dipole":
        return _factor("charge", units) * _factor("distance", units)
    if quantity == "mass" and mass_factor(units) == 1:
        return 1.0  # ASE's table has 1 + 3e-10: 15.999400004 instead of 15.9994
    return convert(1.0, quantity, units, "ASE")


def _known_symbols(specorder) -> list[str]:
    names = texts("specorder", specorder)
    for name in names:
        if name not in atomic_numbers:
            raise ValueError(f"specorder: {name!r} is no chemical symbol of ASE")
    return names


def _scaled(values, factor: float):
    """Values times a factor; not copied if the factor is 1, as for lengths in Å."""
    return values if factor == 1 else values * factor


def _require_start(trajectory: gpz.Trajectory, index: int | slice) -> None:
    """IndexError if the first frame that was asked for is not there. ase.io.read(index=50) hands slice(50, None), of
    which
    Python would make nothing, and of slice(-50, None) another frame."""
    count = len(trajectory)
    if not count:
        raise IndexError(f"{shown_path(trajectory.path)}: there is no complete frame")
    start = index.start if isinstance(index, slice) and index.stop is None else None
    if start is not None and not -count <= start < count:
        raise IndexError(f"{shown_path(trajectory.path)}: there is no frame {start}, but {count} frames")


def write_gpz(
    filename: str,
    images: Atoms | Iterable[Atoms],
    append: bool = False,
    *,
    bound: float | None = None,
    bounds: Mapping[str, float] | None = None,
    units: str | None = None,
    specorder: Sequence[str] | None = None,
    key_interval: int | str = "auto",
    order: str = "auto",
    effort: str = "standard",
    threads: int = 1,
) -> None:
    """Writes images, or adds them to the frames of a file with append=True.

    bound: the largest error of a coordinate, Å; None: that of the units, as in gpz.Writer (metal: 0.0005), and of Atoms
        that were read from a .gpz file, that of this file. It holds for the original positions (gpz.Writer.write).
    bounds: those of other columns, in `units`, such as {"velocities": 1e-4}; without one they are exact.
    units: LAMMPS units of the file: "metal" (Å, ps, eV; this is the default), "real", ...; "lj": numbers are written as
        they are.
    specorder: chemical symbols of the atom types 1, 2, ...; None: the array "type" where each type is of one element,
        else the order in which elements occur.
    append: what is not given (units, specorder, bounds) is taken from the file; what is given has to be the same there.
        Atoms get the types of their elements in the file. Elements that the file does not have are refused.
    key_interval, order, effort, threads: as in gpz.Writer.

    Written are positions, cell, pbc and celldisp, elements, the array "id" (without it 1 to N), momenta as velocities,
    masses, charges and forces where there are any, info["timestep"] and info["time"], and all other arrays of numbers:
    one of the shape (N, k) as the columns name[1] to name[k]. Of the calculator, energy, free_energy, stress, dipole and magmom become
    observables (the energy as PotEng, the stress as stress[1] to stress[6] in ASE's order), and energies, charges, magmoms and
    stresses of atoms become columns. Numbers in `info`, and its arrays of up to nine numbers, become observables. The arrays
    atomtypes, residuenames and residuenumbers become a table. A warning names what is left out: texts, longer arrays of `info`,
    constraints, bonds. A cell vector of zeros that is not periodic is an edge of length 0.
    """
    images = [images] if isinstance(images, Atoms) else images if hasattr(images, "__len__") else list(images)
    for image in images:
        if not isinstance(image, Atoms):
            raise TypeError(f"images: ase.Atoms, not {shown(image)}")
    existing = Existing.find(filename) if append else None
    specorder = None if specorder is None else texts("specorder", specorder)
    if existing is not None:
        file_units, elements = existing.metadata["units"] or "lj", existing.elements or existing.labels
        _require_ids(images, existing)
    else:
        units = file_units = "metal" if units is None else units
        _checks.require_units(units)
        elements = specorder = specorder or _elements_of(images)
        _require_ids(images, None)

    # Before the file is opened: what is refused leaves it as it is.
    try:
        types = [_types_of(atoms, elements) for atoms in images]
    except KeyError as error:
        names = existing.names if existing is not None else f"elements {' '.join(elements)}"
        said = f"is not among the {names}" if elements else f'has no type: the file has {names}. Set the array "type"'
        raise gpz.ArgumentError(f"{error.args[0]} {said}", filename) from None
    if bound is not None:
        _require_bound(_checks.checked_bound("bound", bound), images, filename)

    def from_ase(values, quantity):
        return _scaled(values, 1 / _factor(quantity, file_units))

    with gpz.Writer(
        filename,
        units=units,
        elements=specorder,
        bound=None if bound is None else from_ase(_checks.checked_bound("bound", bound), "distance"),
        bounds=bounds,
        key_interval=key_interval,
        order=order,
        effort=effort,
        append=append,
        threads=threads,
    ) as writer:
        tables: dict[str, gpz.Table] = {}
        dropped: set[str] = set()
        for atoms, numbers in zip(images, types):
            columns = _columns(atoms, from_ase, dropped)
            found = _ase.tables_of(atoms, columns["ids"])
            if found and not (tables and same_table(tables["atoms"], found["atoms"])):
                if tables or existing is None or not existing.has_table("atoms", found["atoms"]):
                    writer.write_tables(found)
                tables = found
            observables = _ase.observables_of(atoms, from_ase, dropped)
            origin = _origins_given(atoms, columns, from_ase)
            writer.write(types=numbers, **columns, origin=origin, observables=observables)
    if dropped:
        names = _core.printable(", ".join(sorted(dropped)))
        warnings.warn(f"{shown_path(filename)}: not written, as a .gpz file has no place for them: {names}", stacklevel=2)


def _require_bound(bound: float, images: Sequence[Atoms], filename: str) -> None:
    """ArgumentError for a bound, Å, that is smaller than that of the file which Atoms were read from."""
    for number, atoms in enumerate(images):
        before = atoms.info.get("gpz_origins", {}).get("positions", {}).get("bound", 0.0)
        if bound < before * (1 - 1e-9):
            raise gpz.ArgumentError(
                f"the positions of image {number} are within {before:g} of the original: a bound of {bound:g} cannot be kept. "
                'Without a bound they stay as they are; if they are new, remove atoms.info["gpz_origins"]',
                filename,
            )


def _types_of(atoms: Atoms, names: Sequence[str]) -> np.ndarray:
    """(N,) types, by the names of types [t - 1]: the array "type" if it says the same as the elements, else the first type
    of each element. KeyError for an element that is none of them."""
    given = atoms.arrays.get("type")
    if given is not None and given.dtype.kind in "iu" and len(given):
        if not names:
            return given
        known = np.array([atomic_numbers.get(name, 0) for name in names])
        if given.min() >= 1 and given.max() <= len(names) and (known[given - 1] == atoms.numbers).all():
            return given
    numbers = {atomic_numbers[name]: t for t, name in reversed([*enumerate(names, 1)]) if name in atomic_numbers}
    for number in dict.fromkeys(atoms.numbers.tolist()):
        if number not in numbers:
            raise KeyError(chemical_symbols[number])
    return np.array([numbers[number] for number in atoms.numbers.tolist()], np.int64)


def _require_ids(images: Sequence[Atoms], existing: Existing | None) -> None:
    """ArgumentError for ids in some images only: the others would be numbered, and an atom have another id."""
    with_ids = ["id" in atoms.arrays for atoms in images]
    if any(with_ids) and not all(with_ids):
        raise gpz.ArgumentError(
            f'the image {with_ids.index(False)} has no array "id", and others have. Set it in all of them'
        )
    if existing is None or any(with_ids) or not images:
        return
    ids = existing.last_ids()
    if ids is not None and not np.array_equal(ids, np.arange(1, len(ids) + 1)):
        raise gpz.ArgumentError(
            'append: the atoms have no array "id", and the ids of the file are not 1, 2, 3, ... Set it', existing.path
        )


def _elements_of(images: Iterable[Atoms]) -> list[str]:
    """Chemical symbols, [t - 1] for type t."""
    pairs: dict[tuple[int, int], None] = {}  # types and atomic numbers, in the order in which they occur
    for atoms in images:
        types = atoms.arrays.get("type", np.zeros(len(atoms), int))
        pairs.update(dict.fromkeys(zip(types.tolist(), atoms.numbers.tolist())))
    numbers = list(dict.fromkeys(number for _, number in pairs))
    by_type = dict(tuple(pairs))
    if len(by_type) == len(pairs) and min(by_type, default=0) > 0 and max(by_type) <= MOST_TYPES:
        numbers = [by_type.get(number, 0) for number in range(1, max(by_type) + 1)]
    return [chemical_symbols[number] for number in numbers]


def _origins_of(frame: gpz.Frame, vectors: Iterable[str], rest: Iterable[str], to_ase) -> dict[str, dict[str, float]]:
    """The errors of what becomes an Atoms, in the units that it has there; plain numbers, so that it can be copied and stored.
    `atoms`: how many there are."""
    found = {name: _origins.joined(list(_origins.of_columns(frame, VECTORS[name]).values())) for name in vectors}
    found = {"positions": _origins.of_positions(frame), **found, **_origins.of_columns(frame, list(rest))}
    result = {}
    for name, origin in found.items():
        if origin is not None and origin.bound:
            origin = origin.scaled(to_ase(1.0, QUANTITIES[name]) if name in QUANTITIES else 1.0)
            result[name] = {"bound": origin.bound, "step": origin.step, "largest_error": origin.largest_error}
    return {**result, "atoms": frame.n_particles} if result else {}


def _origins_given(atoms: Atoms, columns: Mapping[str, Any], from_ase) -> dict[str, gpz.Origin]:
    """For each argument of Writer.write, the errors that Atoms of a .gpz file have, in units of the file to write."""
    given = atoms.info.get("gpz_origins", {})
    if given and len(atoms) > given.get("atoms", 0):
        raise gpz.ArgumentError(
            f'{len(atoms)} atoms, of which {given.get("atoms", 0)} were read from a .gpz file: info["gpz_origins"] has the errors of '
            "those, and not of the others. Remove it, and bounds hold for the positions that the Atoms has"
        )
    origins = {}
    for name, values in columns.items():
        if name in given:
            origin = gpz.Origin(**given[name]).scaled(from_ase(1.0, QUANTITIES[name]) if name in QUANTITIES else 1.0)
            arrays = [np.asarray(values, np.float64).reshape(-1)]
            # To units and back. Velocities became momenta in between.
            origins[name] = origin if name not in QUANTITIES else _origins.computed(origin, arrays, 8)
    return origins


def _columns(atoms: Atoms, from_ase, dropped: set[str]) -> dict[str, Any]:
    """The arguments of Writer.write, except types. dropped: gets the names of arrays that are none of them."""
    columns: dict[str, Any] = {
        "positions": from_ase(atoms.positions, "distance"),
        "ids": atoms.arrays.get("id", np.arange(1, len(atoms) + 1)),
        "timestep": atoms.info.get("timestep"),
    }
    if "time" in atoms.info:
        columns["time"] = from_ase(checked_number('info["time"]', atoms.info["time"]), "time")
    if atoms.cell.rank:
        columns["box"] = _box(atoms, from_ase)
    if atoms.has("momenta"):
        columns["velocities"] = from_ase(atoms.get_velocities(), "velocity")
    if atoms.has("masses"):
        columns["mass"] = from_ase(atoms.get_masses(), "mass")
    if atoms.has("initial_charges"):
        columns["q"] = from_ase(atoms.get_initial_charges(), "charge")
    forces = _ase.known(atoms, "forces")
    if forces is not None:
        columns["forces"] = from_ase(forces, "force")
    kept = ("positions", "numbers", "id", "type", "momenta", "masses", "initial_charges")
    vectors = [names for vector, names in VECTORS.items() if vector in columns]
    used = {*columns, *RESERVED, *sum(vectors, ()), "id", "type", "x", "y", "z"}
    for name, values in [*atoms.arrays.items(), *_ase.columns_of(atoms, from_ase).items()]:
        if name == "travel":
            columns["images"] = values
        elif name in kept or _ase.is_of_tables(name, values):
            continue
        elif values.dtype.kind not in "biuf" or values.ndim > 3:
            dropped.add(name)
        else:
            column = "mol" if name == "mol-id" else "_".join(name.split())
            named = _components.split(column, values)
            twice = used.intersection(named)
            if twice:
                raise gpz.ArgumentError(
                    f"the array {name!r} would be the column {twice.pop()}, which is taken: rename the array"
                )
            columns.update(named)
            used.update(named)
    if atoms.constraints:
        dropped.add("constraints")
    return columns


def _box(atoms: Atoms, from_ase) -> gpz.Box:
    """The gpz.Box of the cell of `atoms`. An edge vector of ASE that is zero becomes an edge of length 0."""
    cell = atoms.cell.array
    missing = ~cell.any(axis=1)
    if atoms.cell.rank + missing.sum() != 3 or (missing & atoms.pbc).any():
        raise ValueError(
            "a box has three edge vectors: this cell lacks one or two. Set them, or make them zero and not periodic, or remove the cell"
        )
    boundary = " ".join("pp" if periodic else "ff" for periodic in atoms.pbc)
    return gpz.Box.from_vectors(from_ase(cell, "distance"), from_ase(atoms.get_celldisp().ravel(), "distance"), boundary)


def _atoms(frame: gpz.Frame, elements: Sequence[str], specorder: Sequence[str] | None, units: str, tables: _Tables) -> Atoms:
    def to_ase(values, quantity, of=units):
        return _scaled(values, _factor(quantity, of))

    if frame.position_columns is None:
        raise ValueError(f"frame {frame.index} has no positions: its columns are {_core.printable(' '.join(frame.columns))}")
    vectors = {
        group: columns for group, columns in VECTORS.items() if all(column in frame.columns for column in columns)
    }
    types = _clients.type_columns(frame)
    used = {*frame.position_columns, *types, *(column for columns in vectors.values() for column in columns)}
    rest = [name for name in frame.columns if name not in used]
    frame.load("positions", *vectors, *types[:1], *rest)  # in one decode
    types = frame[types[0]] if types else None
    ids, mol, mass, charges = (frame[name] if name in rest else None for name in STANDARD)
    particles, arrays = tables.of(frame, types)
    types = particles.types() if types is None else types
    mass = particles.numbers("mass") if mass is None else mass
    charges = particles.numbers("q") if charges is None else charges
    mol = particles.column("mol", "i") if mol is None else mol
    box = frame.box
    numbers = _numbers(frame.n_particles, types, mass, elements, specorder, units)
    atoms = Atoms(
        numbers=_ase.numbers_of(particles, numbers),
        positions=to_ase(frame.positions, "distance"),
        cell=None if box is None else to_ase(box.matrix, "distance"),
        celldisp=None if box is None else to_ase(box.origin, "distance"),
        pbc=False if box is None else box.periodic,
    )
    atoms.info["timestep"] = frame.timestep
    origins = _origins_of(frame, vectors, rest, to_ase)
    if origins:
        atoms.info["gpz_origins"] = origins
    if frame.time is not None:
        atoms.info["time"] = to_ase(frame.time, "time")
    if mass is not None:
        atoms.set_masses(np.where(np.isnan(mass), atoms.get_masses(), to_ase(mass, "mass")))
    if frame.velocities is not None:
        atoms.set_velocities(to_ase(frame.velocities, "velocity"))
    if charges is not None:
        atoms.set_initial_charges(to_ase(np.nan_to_num(charges), "charge"))
    results, info = _ase.results_of(_clients.observables(frame), to_ase, units)
    atoms.info.update(info)
    if frame.forces is not None:
        results["forces"] = to_ase(frame.forces, "force")
    others = _components.joined({name: frame[name] for name in rest if name not in STANDARD})
    momenta = others.get("momenta")
    if momenta is not None and momenta.shape == (len(atoms), 3) and not atoms.has("momenta"):
        atoms.set_momenta(others.pop("momenta"))
    for name, of_ase in _ase.OTHER_NAMES.items():
        if name in others and of_ase not in others:
            others[of_ase] = others.pop(name)
    for name, quantity in _ase.OF_ATOMS.items():
        if name in others:
            values = others.pop(name)
            results[name] = values if quantity is None else to_ase(values, quantity)
    if results:
        atoms.calc = SinglePointCalculator(atoms, **results)
    for name, values in (("id", ids), ("type", types), ("mol-id", mol), ("travel", frame.images)):
        if values is not None:
            atoms.set_array(name, values)
    if types is not None and not all(name in atomic_numbers for name in elements if name):  # a type without atoms has no name
        atoms.set_array("element", _clients.of_types(types, np.array(elements), "X"))
    for name, values in [*arrays.items(), *others.items()]:
        atoms.set_array(f"{name}_" if name in atoms.arrays else name, values)
    return atoms


def _numbers(count, types, mass, elements, specorder, units) -> np.ndarray:
    """Atomic numbers; 0 (X) where nothing says which."""
    if types is not None and elements:
        return _clients.of_types(types, np.array([atomic_numbers.get(name, 0) for name in elements]), 0)
    symbols = symbols_of_masses(mass, units)
    by_mass = np.zeros(count, int)
    if symbols is not None:
        by_mass = np.array([atomic_numbers[symbol] if symbol else 0 for symbol in symbols], int)
    if types is not None and specorder:
        return np.where(by_mass == 0, _clients.of_types(types, np.array([atomic_numbers[name] for name in specorder]), 0), by_mass)
    if types is None or by_mass.any():
        return by_mass
    return np.where(types <= LARGEST_NUMBER, types, 0)
