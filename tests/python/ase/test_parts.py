# SPDX-License-Identifier: BSD-3-Clause
"""The energy of a file of some atoms, for every way to make one and every reader: an energy is that of its atoms, or absent with a word
about it (docs/decisions/0081-of-which-atoms.md). What dump gpz writes of groups and ranks is in tests/lammps/test_observables.py."""

import functools
import os
import subprocess
import warnings

import ase.io
import ase.units
import dpdata
import MDAnalysis
import numpy as np
import openmm
import pytest
from openmm import app

import gpz
import gpz.mdanalysis  # noqa: F401 (its reader)
from gpz._samples import Samples
from gpz.archive import archive
from gpz.convert import convert
from gpz.openmm import GPZReporter

X = np.array([[0.5, 0.5, 0.5], [1.5, 1.0, 0.5], [0.5, 2.0, 3.0], [4.0, 4.0, 4.0]])
FORCES = np.arange(12.0).reshape(4, 3) / 8
TYPES = np.array([1, 2, 2, 3])
ENERGY = -10.0  # kcal/mol, of all four atoms
EV = ENERGY * ase.units.kcal / ase.units.mol
SOURCES = {"total": (ENERGY, "kcal/mol"), "per atom": (ENERGY / 4, "kcal/mol/atom")}


def command(*arguments, **options):
    return subprocess.run([os.environ["GPZ"], *map(str, arguments)], check=True, capture_output=True, **options)


def rows(chosen, **further):
    forces = dict(zip(("fx", "fy", "fz"), FORCES[chosen].T))
    return (
        {"positions": X[chosen], "ids": np.arange(1, 5)[chosen], "types": TYPES[chosen], "box": [5, 5, 5], "timestep": 0} | forces | further
    )


class Source:
    """Four atoms in the file `whole`. Ways return the path of a file that is made of it."""

    def __init__(self, folder, energy):
        self.folder, self.energy, self._files = folder, energy, 0
        self.whole = self.new()
        self.write(self.whole, rows(slice(None), observables={"PotEng": energy, "Temp": 300.0}))

    def new(self, ending=".gpz"):
        self._files += 1
        return self.folder / f"{self._files}{ending}"

    def write(self, path, *frames):
        with gpz.Writer(path, units="real", elements=["O", "H", "Na"], bound=0) as writer:
            for frame in frames:
                writer.write(**frame) if isinstance(frame, dict) else writer.write(frame)
        return path

    def select(self, *choice, of=None):
        path = self.new()
        command("select", of or self.whole, "-o", path, *choice)
        return path

    def select_of_pipe(self):
        path = self.new()
        with open(self.whole, "rb") as file:
            command("select", "-", "-o", path, "--ids", "1:2", stdin=file)
        return path

    def opened(self, atoms):
        with gpz.open(self.whole, atoms=atoms) as some:
            return self.write(self.new(), some[0])

    def arrays(self):
        """As docs/python.md says it."""
        with gpz.open(self.whole) as file:
            frame = file[0]
            return self.write(self.new(), rows([0, 2], observables=frame.observables | {"Atoms": frame.n_particles}))

    def joined(self, name, *parts):
        path = self.new()
        command(name, *parts, "-o", path)
        return path

    def of_rank(self, chosen):
        return self.write(self.new(), rows(chosen, observables={"PotEng": self.energy, "Temp": 300.0, "Atoms": 4.0}))

    def of_group(self, annotated):
        """A text dump of a group, and the log of the run."""
        dump, log, path = self.new(".lammpstrj"), self.new(".log"), self.new()
        command("decode", self.whole, "-o", dump, "--ids", "1:2", "--with-units", "--exact")
        norm, energy = ("yes", ENERGY / 4) if self.energy[1].endswith("/atom") else ("no", ENERGY)
        log.write_text(
            f"units real\nthermo_modify norm {norm}\n Step Temp PotEng\n0 300 {energy}\nLoop time of 1 on 1 procs for 0 steps with 4 atoms\n"
        )
        command("encode", dump, "-o", path, "--lossless", "--elements", "O,H,Na", *([] if annotated else ["--log", log]))
        if annotated:
            command("annotate", path, "--log", log)
        return path

    def atom_group(self, choice):
        path = self.new()
        quiet(quiet(MDAnalysis.Universe, str(self.whole)).select_atoms(choice).write, str(path))
        return path

    def subset(self, indices):
        """Of a simulation of OpenMM."""
        force = openmm.CustomExternalForce("-(fx*x + fy*y + fz*z) + e")
        for name in "fx", "fy", "fz", "e":
            force.addPerParticleParameter(name)
        system, topology = openmm.System(), app.Topology()
        residue = topology.addResidue("X", topology.addChain())
        for k, symbol in enumerate(("O", "H", "H", "Na")):
            system.addParticle(1)
            force.addParticle(k, [*FORCES[k], ENERGY * 4.184 / 4 + FORCES[k] @ X[k] / 10])
            topology.addAtom(symbol, app.element.get_by_symbol(symbol), residue)
        system.addForce(force)
        simulation = app.Simulation(topology, system, openmm.VerletIntegrator(0.001), openmm.Platform.getPlatformByName("Reference"))
        simulation.context.setPositions(X / 10)
        path = self.new()
        with GPZReporter(path, 1, atomSubset=indices, forces=True, potentialEnergy=True) as reporter:
            reporter.describeNextReport(simulation)
            reporter.report(simulation, simulation.context.getState(positions=True, forces=True, energy=True))
        return path

    def archived(self, path):
        """The archive of a .gpz file."""
        folder = self.folder / f"archive of {path.stem}"
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PATH", os.path.dirname(os.environ["GPZ"]), prepend=os.pathsep)
            report = archive([path], to=folder, jobs=1, lossless=True)
        assert report.done == 1 and report.ok
        (made,) = folder.glob("**/*.gpz")
        return made

    def through_text(self, *choice):
        text, path = self.new(".extxyz"), self.new()
        command("decode", self.whole, "-o", text, *choice)
        command("encode", text, "-o", path, "--lossless")
        return path


# By name: a file of all atoms, or of some, with what is said of an energy that has been left out on the way.
ALL = {
    "as it is": lambda s: s.whole,
    "select --frames": lambda s: s.select("--frames", "0"),
    "select --types of all": lambda s: s.select("--types", "1:3"),
    "open, all ids": lambda s: s.opened([1, 2, 3, 4]),
    "merge of all parts": lambda s: s.joined("merge", s.select("--ids", "1:2"), s.select("--ids", "3:4")),
    "merge of all ranks": lambda s: s.joined("merge", s.of_rank([0, 2]), s.of_rank([1, 3])),
    "repair": lambda s: s.joined("repair", s.whole),
    "archive": lambda s: s.archived(s.whole),
    "all atoms of MDAnalysis": lambda s: s.atom_group("all"),
    "OpenMM": lambda s: s.subset(None),
}
SOME = {
    "select --ids": lambda s: s.select("--ids", "1:2"),
    "select --types": lambda s: s.select("--types", "H"),
    "select --region": lambda s: s.select("--region", ":1,:,:"),
    "select of a pipe": lambda s: s.select_of_pipe(),
    "select of a part": lambda s: s.select("--frames", "0", of=s.select("--ids", "2:4")),
    "open, ids": lambda s: s.opened([1, 3]),
    "open, types": lambda s: s.opened({"types": 2}),
    "open, a region": lambda s: s.opened({"region": ((None, 1), (None, None), (None, None))}),
    "open, a function": lambda s: s.opened(lambda frame: frame["x"] < 1),
    "rows of arrays": lambda s: s.arrays(),
    "dump of a group, encode --log": lambda s: s.of_group(False),
    "dump of a group, annotate --log": lambda s: s.of_group(True),
    "file of a rank": lambda s: s.of_rank([0, 2]),
    "merge of some parts": lambda s: s.joined("merge", s.select("--ids", "1"), s.select("--ids", "3:4")),
    "cat of parts": lambda s: s.joined("cat", "--keep", "last", s.select("--ids", "1:2"), s.select("--ids", "1:2")),
    "archive of a part": lambda s: s.archived(s.select("--ids", "1:2")),
    "some atoms of MDAnalysis": lambda s: s.atom_group("id 1 3"),
    "OpenMM, atomSubset": lambda s: s.subset([0, 2]),
}
NAMED_BEFORE = {  # by gpz decode, where the text is made
    "decode --ids to extended XYZ": lambda s: s.through_text("--ids", "1:2"),
}


def quiet(call, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*arguments, **options)


def by_ase(path, _folder):
    return ase.io.read(path).calc.results.get("energy")


def by_dpdata(path, _folder):
    """Without an energy it is no labeled system."""
    try:
        return dpdata.LabeledSystem(str(path), fmt="gpz")["energies"][0]
    except NotImplementedError as error:
        assert "has no energies (an observable PotEng)" in str(error)
        assert len(dpdata.System(str(path), fmt="gpz")["coords"]) == 1
        return None


def by_samples(path, _folder):
    """Of gpz.torch, in units of the file."""
    energy = Samples(path)[0].get("energy")
    return None if energy is None else energy * EV / ENERGY


def by_mdanalysis(path, _folder):
    """In ts.data as in the file; MDAnalysis has no place for energies."""
    (ts,) = MDAnalysis.Universe(str(path)).trajectory
    energy = ts.data.get("PotEng", ts.data.get("energy"))
    return None if energy is None else energy * EV / ENERGY


def by_extended_xyz(path, folder):
    done = command("decode", path, "-o", folder / "o.extxyz", text=True)
    if done.stderr:
        warnings.warn(done.stderr, stacklevel=1)
    calculator = ase.io.read(folder / "o.extxyz").calc
    return None if calculator is None else calculator.results.get("energy")


READERS = {"ASE": by_ase, "dpdata": by_dpdata, "gpz.torch": by_samples, "MDAnalysis": by_mdanalysis, "extended XYZ": by_extended_xyz}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """By source and way; each file is made once for all readers."""
    sources = {name: Source(tmp_path_factory.mktemp("source"), energy) for name, energy in SOURCES.items()}
    return functools.cache(lambda source, way: (ALL | SOME | NAMED_BEFORE)[way](sources[source]))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("way", [*ALL, *SOME, *NAMED_BEFORE])
def test_cell(made, tmp_path, way, reader):
    for source in SOURCES:
        path = made(source, way)
        with gpz.open(path) as file:
            count, stored = file[0].n_particles, file[0].observables
        assert (count == 4) == (way in ALL)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            energy = READERS[reader](path, tmp_path)
        said = [str(warning.message) for warning in caught if "left out, because" in str(warning.message)]
        if way in ALL:
            assert energy == pytest.approx(EV, rel=1e-5), source  # constants of ASE and LAMMPS differ
            assert not said
        else:
            assert energy is None, source
            assert bool(said) == (way in SOME), said
            assert all("PotEng" in line and "of 4 atoms" in line and f"frames have {count}" in line for line in said)
            assert stored["Atoms"] == 4 and ("PotEng" in stored) == (way in SOME)


def test_formats_without_energies(made, tmp_path):
    """They are named, of all atoms and of some."""
    for way in "as it is", "select --ids":
        notes = quiet(convert, made("total", way), tmp_path / "o.h5md")
        assert any(note.startswith("observables that are not in the H5MD file: PotEng Temp") for note in notes)
        quiet(convert, tmp_path / "o.h5md", tmp_path / "o.gpz", units="real")
        with gpz.open(tmp_path / "o.gpz") as file:
            assert not file[0].observables
