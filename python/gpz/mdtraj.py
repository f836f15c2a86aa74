# SPDX-License-Identifier: BSD-3-Clause
"""mdtraj trajectories from .gpz files.

    import gpz.mdtraj
    t = gpz.mdtraj.load("traj.gpz")                       # the topology is made from the file
    for part in gpz.mdtraj.iterload("traj.gpz", chunk=100): ...

    import mdtraj                                         # with the topology of another file, if gpz.mdtraj is imported
    t = mdtraj.load("traj.gpz", top="start.pdb")
    for part in mdtraj.iterload("traj.gpz", top="start.pdb", chunk=100, skip=10): ...

mdtraj has float32 coordinates in nm, times in ps and a fixed number of atoms. Lengths and times are converted from the
units that the file names; files in LJ units, and files that do not name their units, are left as they are. float32
rounds: beside the error bound, a coordinate is off by up to 1.2e-7 of it.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence

import mdtraj
import numpy as np
from mdtraj.core import element
from mdtraj.formats.registry import FormatRegistry

import gpz
from gpz import _clients, _particles, _units
from gpz._elements import symbols_of_masses
from gpz.remote.names import shown_path

NANOMETER, PICOSECOND = 1e-9, 1e-12


def load(
    filename: str | os.PathLike,
    top: mdtraj.Topology | mdtraj.Trajectory | str | None = None,
    *,
    stride: int | None = None,
    frame: int | None = None,
    atom_indices: Sequence[int] | None = None,
    threads: int | None = None,
) -> mdtraj.Trajectory:
    """The frames of a file.

    top: a topology, a trajectory or a file that mdtraj reads topologies from; None: topology(filename).
    stride: every so many frames. frame: this one alone, from 0.
    atom_indices: these atoms, from 0, in the order of ids.
    threads: as in gpz.open.

    xyz: (frames, atoms, 3), nm, absolute coordinates in the order of ids. unitcell_vectors: (frames, 3, 3), nm, None
    where the box is not periodic in all directions, which mdtraj cannot say otherwise. time: (frames,), ps.

    Raises ValueError if the atoms change, IndexError if there is no such frame.
    """
    with _clients.open_trajectory(filename, threads=threads, dtype=np.float32) as trajectory:
        if frame is not None:
            trajectory[frame]  # IndexError if there is none
        frames = trajectory[::stride] if frame is None else trajectory[frame : frame + 1 or None]
        return _read(frames, _topology(frames, top), atom_indices)


def iterload(
    filename: str | os.PathLike,
    chunk: int = 100,
    top: mdtraj.Topology | mdtraj.Trajectory | str | None = None,
    *,
    stride: int | None = None,
    atom_indices: Sequence[int] | None = None,
    skip: int = 0,
    threads: int | None = None,
) -> Iterator[mdtraj.Trajectory]:
    """The frames of a file, `chunk` of them at a time; 0: all at once, as in mdtraj. skip: frames at the beginning that are left out.
    Other arguments and values are those of `load`. Raises ValueError for a negative `chunk` or `skip`."""
    if chunk < 0:
        raise ValueError(f"chunk={chunk}: a number of frames, or 0 for all of them")
    with GPZTrajectoryFile(filename, threads=threads) as file:
        made = _topology(file.frames, top)
        file.seek(skip)
        while len(part := file.read_as_traj(made, chunk or None, stride, atom_indices)):
            yield part


@FormatRegistry.register_fileobject(".gpz")
class GPZTrajectoryFile:
    """The file object of mdtraj.open and mdtraj.iterload. Frames are read from the one on that tell() names.

    mode: "r": mdtraj does not write .gpz files. threads: as in gpz.open.
    frames: all of them.
    """

    distance_unit = "nanometers"

    def __init__(self, filename: str | os.PathLike, mode: str = "r", *, threads: int | None = None, **_of_other_formats):
        if mode != "r":
            raise ValueError(f'mode={mode!r}: .gpz files are opened with "r", and written by gpz.Writer or gpz convert')
        self.frames = _clients.open_trajectory(filename, threads=threads, dtype=np.float32)
        self._next = 0

    def read_as_traj(
        self,
        topology: mdtraj.Topology,
        n_frames: int | None = None,
        stride: int | None = None,
        atom_indices: Sequence[int] | None = None,
    ) -> mdtraj.Trajectory:
        """The next frames: n_frames of them, each `stride` after the one before; None: all. A trajectory without frames at the
        end."""
        step = stride or 1
        chosen = self.frames[self._next :: step][:n_frames]
        self._next = min(self._next + step * len(chosen), len(self))
        if len(chosen):
            return _read(chosen, topology, atom_indices)
        kept = topology if atom_indices is None else topology.subset(atom_indices)
        return mdtraj.Trajectory(np.empty((0, kept.n_atoms, 3), np.float32), kept)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> None:
        """The frame that is read next; whence: as in io.IOBase.seek. A frame after the last is the end."""
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._next, os.SEEK_END: len(self)}[whence]
        if start + offset < 0:
            raise ValueError(f"skip or offset {offset}: there is no frame in front of the first")
        self._next = min(start + offset, len(self))

    def tell(self) -> int:
        """The number of the frame that is read next."""
        return self._next

    def __len__(self) -> int:
        return len(self.frames)

    def close(self) -> None:
        """Closes the file."""
        self.frames.close()

    def __enter__(self) -> GPZTrajectoryFile:
        return self

    def __exit__(self, *_exception) -> None:
        self.close()


def topology(filename: str | os.PathLike) -> mdtraj.Topology:
    """A topology from the first frame and the tables of the file.

    Residues and chains are those of the table atoms (resid, resname, chain); without resid there is a residue for each
    molecule (column mol; one residue without it). Atoms of a residue follow each other in the order of ids: where others lie
    between, there are several residues of one number. Atoms have the name of the table, else of the element, else of the type;
    serial is the id. Elements are those of the file, if mdtraj knows them, else those whose mass an
    atom has, else virtual sites. Bonds are those of the table,
    between atoms that the frame has. Warns if the tables are damaged, and goes on without.
    """
    with _clients.open_trajectory(filename) as trajectory:
        return _topology(trajectory, None)


def _topology(trajectory: gpz.Trajectory, top) -> mdtraj.Topology:
    _clients.require_fixed_count(trajectory, "mdtraj")
    if top is not None:
        return top if isinstance(top, mdtraj.Topology) else getattr(top, "topology", None) or mdtraj.load_topology(top)
    frame = trajectory[0]
    types = _clients.type_columns(frame)[:1]
    frame.load(*(name for name in ("id", "mol", "mass", *types) if name in frame))
    particles = _particles.of_frame(trajectory, 0, frame.ids, frame[types[0]] if types else None)
    found = particles.types()
    numbers = np.ones(frame.n_particles, int) if found is None else found
    names = np.array(_clients.type_names(trajectory) or particles.labels() or [""], dtype=object)
    labels = _filled(particles.texts("element"), _clients.of_types(numbers, names, ""))
    by_mass = symbols_of_masses(frame["mass"] if "mass" in frame else particles.numbers("mass"), trajectory.units)
    called = _filled(particles.texts("name"), np.where(labels == "", numbers.astype(str).astype(object), labels))
    by_mass = np.full(len(labels), "", object) if by_mass is None else by_mass
    known = {name: _element(name) for name in {*labels, *by_mass}}
    elements = [known[mass if known[label] is element.virtual else label] for label, mass in zip(labels, by_mass)]
    made = mdtraj.Topology()
    residues = _residues(made, particles, frame["mol"] if "mol" in frame else None, frame.n_particles)
    ids = frame.ids if frame.ids is not None else np.arange(1, frame.n_particles + 1)
    atoms = [
        made.add_atom(*values) for values in zip(called, elements, residues, ids.tolist())
    ]
    links = particles.links("bonds")
    for first, second in () if links is None else np.unique(np.sort(links.indices), axis=0).tolist():
        made.add_bond(atoms[first], atoms[second])
    return made


def _filled(values: np.ndarray | None, others: np.ndarray) -> np.ndarray:
    """(N,) texts: the others where there are none or an empty one."""
    return others if values is None else np.where(values == "", others, values)


def _residues(made: mdtraj.Topology, particles: _particles.Particles, molecules: np.ndarray | None, count: int) -> list:
    """The residue of each atom. Adds residues and chains to the topology."""
    resids = particles.column("resid", "i")
    names, chains = (_filled(particles.texts(name), np.full(count, "", object)) for name in ("resname", "chain"))
    if resids is None:
        molecules = particles.column("mol", "i") if molecules is None else molecules
        resids = np.zeros(count, np.int64) if molecules is None else molecules
    # A residue begins where one of these changes: mdtraj takes atoms residue by residue, and numbers of residues repeat.
    differs = np.any([values[1:] != values[:-1] for values in (resids, names, chains)], axis=0)
    first = np.concatenate([[0], np.flatnonzero(differs) + 1])[:count]
    of_atoms = np.cumsum(np.concatenate([[0], differs]))[:count]
    residues = []
    chain = None
    for k in first.tolist():
        if chain is None or chains[k] != chain[0]:
            chain = (chains[k], made.add_chain(chains[k]) if chains[k] else made.add_chain())
        residues.append(made.add_residue(names[k] or "MOL", chain[1], int(resids[k])))
    return [residues[k] for k in of_atoms.tolist()]


def _element(name: str):
    try:
        return element.get_by_symbol(name)
    except KeyError:
        return element.virtual


def _read(frames: gpz.Trajectory, topology: mdtraj.Topology, atom_indices) -> mdtraj.Trajectory:
    count = _clients.require_fixed_count(frames, "mdtraj")
    to_nm = _units.length_factor(frames.units, NANOMETER)
    times = _clients.times_of(frames) * _units.time_factor(frames.units, PICOSECOND)
    chosen = slice(None) if atom_indices is None else np.asarray(atom_indices)
    xyz = np.empty((len(frames), np.arange(count)[chosen].size, 3), np.float32)
    cells = np.zeros((len(frames), 3, 3))
    first = None
    for i, frame in enumerate(frames):
        frame.load("positions", *(["ids"] if "id" in frame else []))
        first = frame if first is None else first
        if not np.array_equal(first.ids, frame.ids):
            raise ValueError(
                f"{shown_path(frames.path)}: the atoms of timestep {frame.timestep} have other ids than those of {first.timestep}, "
                f"and a trajectory of mdtraj has the same atoms in all frames. {_clients.OTHERS}"
            )
        xyz[i] = frame.positions[chosen]
        if frame.box is not None and all(frame.box.periodic):
            cells[i] = frame.box.matrix
    xyz *= np.float32(to_nm)
    periodic = cells.any()
    if not periodic and first.box is not None and any(first.box.periodic):
        warnings.warn(
            f"{shown_path(frames.path)}: the box is periodic in some directions only, which mdtraj cannot express: the trajectory "
            "has no unit cell",
            stacklevel=3,
        )
    result = mdtraj.Trajectory(
        xyz,
        topology if atom_indices is None else topology.subset(chosen),
        time=None if np.isnan(times).any() else times,
    )
    if periodic:
        result.unitcell_vectors = (cells * to_nm).astype(np.float32)
    return result


FormatRegistry.register_loader(".gpz")(load)
