# SPDX-License-Identifier: BSD-3-Clause
"""Wrong inputs of the modules for other programs, as in wrong_inputs.py. The tests of each folder take the rows of the
program that they import."""

import numpy as np
from wrong_inputs import IDS, INTERVAL, ONES, READ_ONLY, THREADS, A, N, Row, T, X

import gpz


def ase_write(name, error, *says, change=lambda atoms: None, file="new", **arguments):
    def call(place):
        import ase.io

        atoms = ase.Atoms("Cu5", positions=X, cell=[10, 10, 10], pbc=True)
        atoms.set_array("id", IDS)
        images = change(atoms) or atoms
        gpz.ase.write_gpz(str(getattr(place, file)), images, **arguments)

    return Row("ase.io.write", name, call, error, says)


def ase_read(name, error, *says, **arguments):
    def call(place):
        import ase.io

        ase.io.read(place.file, **arguments)

    return Row("ase.io.read", name, call, error, says)


def zinc(atoms):
    made = atoms.copy()
    made.set_chemical_symbols(["Zn"] * len(made))
    return made


def mda_write(name, error, *says, file="new", elements="Cu", count=N, **arguments):
    def call(place):
        import MDAnalysis as mda

        universe = mda.Universe.empty(count, trajectory=True)
        universe.add_TopologyAttr("types", ["1" if elements == "Cu" else elements] * count)
        universe.add_TopologyAttr("elements", [elements] * count)
        universe.add_TopologyAttr("ids", np.arange(1, count + 1))
        universe.atoms.positions = np.resize(X, (count, 3))
        universe.dimensions = [10, 10, 10, 90, 90, 90]
        universe.atoms.write(str(getattr(place, file)), **arguments)

    return Row("MDAnalysis writer", name, call, error, says)


def openmm_report(name, error, *says, file="new", interval=1, count=N, **arguments):
    """A reporter, and a step of free particles of copper."""

    def call(place):
        import openmm
        from openmm import app

        arguments_ = {key: value() if callable(value) else value for key, value in arguments.items()}
        path = getattr(place, file) if isinstance(file, str) else file
        reporter = gpz.openmm.GPZReporter(path, interval, **arguments_)
        topology, system = app.Topology(), openmm.System()
        residue = topology.addResidue("CU", topology.addChain())
        for _ in range(count):
            topology.addAtom("CU", app.element.copper, residue)
            system.addParticle(63.5)
        platform = openmm.Platform.getPlatformByName("Reference")
        simulation = app.Simulation(topology, system, openmm.VerletIntegrator(0.001), platform)
        simulation.context.setPositions(X[:count])
        simulation.reporters.append(reporter)
        simulation.step(1)

    return Row("GPZReporter", name, call, error, says)


def quantity(value, *units):
    """Of openmm.unit, when it is called."""

    def made():
        from openmm import unit

        product = unit.dimensionless
        for name, power in units:
            product = product * getattr(unit, name) ** power
        return value * product

    return made


def pack_write(name, error, *says, structures=None, **fields):
    """`fields`: of the second of two structures."""

    def call(place):
        given = structures
        if structures is None:
            usual = {"numbers": ONES, "positions": X}
            given = [usual, {key: value for key, value in {**usual, **fields}.items() if value is not None}]
        gpz.pack.write(place.new, given)

    return Row("gpz.pack.write", name, call, error, says)


def pack_options(name, error, *says, **options):
    return Row(
        "gpz.pack.write", name, lambda place: gpz.pack.write(place.new, [{"numbers": ONES, "positions": X}], **options), error, says
    )


def pack_open(name, error, *says, call=len, **options):
    def opened(place):
        gpz.pack.write(place.new, [{"numbers": ONES, "positions": X}] * 3)
        with gpz.pack.open(place.new, **options) as pack:
            call(pack)

    return Row("gpz.pack.open", name, opened, error, says)


def samples(name, error, *says, paths="file", **options):
    def call(place):
        from gpz._samples import Samples

        Samples(getattr(place, paths) if isinstance(paths, str) else paths, **options)

    return Row("Dataset", name, call, error, says)


ASE = [
    ase_write("efort", T, "efort", efort="dense"),
    ase_write("effort", A, "effort", "'default'", '"standard"', effort="default"),
    ase_write("bound", A, "bound", "True", "finite number", bound=True),
    ase_write("bounds number", T, "bounds", "0.1", "dict", bounds=0.1),
    ase_write("bounds", A, "vx", "no column", bounds={"velocities": 0.1}),
    ase_write("bounds thermal", A, "bounds['forces']", "vx, vy and vz", bounds={"forces": "thermal"}),
    ase_write("bounds thermal at rest", A, "new.gpz", "bounds: ", "no thermal speed",
              change=lambda atoms: atoms.set_velocities(X * 0 + 1), bounds={"velocities": "thermal"}),
    ase_write("units", A, "units", "imperial", "known: lj", units="imperial"),
    ase_write("units 3", T, "units", "3", '"metal"', units=3),
    ase_write("specorder text", T, "specorder", "'Cu'", '["Cu"]', specorder="Cu"),
    ase_write("specorder", A, "new.gpz", "Cu", "elements Zn", specorder=["Zn"]),
    ase_write("images", T, "images", "'x'", "ase.Atoms", change=lambda _: ["x"]),
    ase_write("ids of some", A, "image 1", '"id"', "all of them",
              change=lambda atoms: [atoms, type(atoms)("Cu5", positions=X)]),
    ase_write("key_interval", A, "key_interval", "0", INTERVAL, key_interval=0),
    ase_write("time", T, "time", "'x'", "number", change=lambda atoms: atoms.info.update(time="x")),
    ase_write("timestep", T, "timestep", "1.5", "whole number", change=lambda atoms: atoms.info.update(timestep=1.5)),
    ase_write("array timestep", A, "array 'timestep'", "rename", change=lambda atoms: atoms.set_array("timestep", IDS)),
    ase_write("array ids", A, "array 'ids'", "rename", change=lambda atoms: atoms.set_array("ids", IDS)),
    ase_write("array x", A, "array 'x'", "rename", change=lambda atoms: atoms.set_array("x", IDS)),
    ase_write("array vy", A, "array 'vy'", "rename",
              change=lambda atoms: [atoms.set_velocities(X), atoms.set_array("vy", IDS)][2:]),
    ase_write("arrays of one name", A, "array 'a b'", "column a_b", "rename",
              change=lambda atoms: [atoms.set_array("a_b", IDS), atoms.set_array("a b", IDS)][2:]),
    ase_write("append units", A, "file.gpz", "units", "'real'", "'metal'", file="file", append=True, units="real"),
    ase_write("append specorder", A, "elements", "['Zn', 'Cu']", "['Cu']", file="file", append=True, specorder=["Zn", "Cu"]),
    ase_write("append bound", A, "bound", "0.01", "0.001", file="file", append=True, bound=0.01),
    ase_write("append Zn", A, "file.gpz", "Zn", "elements Cu", file="file", append=True,
              change=lambda atoms: [zinc(atoms)]),
    ase_write("append in the end Zn", A, "file.gpz", "Zn", "elements Cu", file="file", append=True,
              change=lambda atoms: [atoms, zinc(atoms)]),
    ase_write("append to no elements", A, "plain.gpz", "Cu", "neither elements", 'array "type"', file="plain", append=True),
    ase_read("units", ValueError, "units", "'imperial'", "metal", units="imperial"),
    ase_read("specorder text", T, "specorder", "'Cu'", '["Cu"]', specorder="Cu"),
    ase_read("specorder", ValueError, "specorder", "'OW'", "no chemical symbol", specorder=["OW"]),
    ase_read("threads", A, "threads", "-1", THREADS, threads=-1),
    ase_read("order", A, "order", "'x'", '"stored"', order="x"),
    ase_read("index", IndexError, "file.gpz", "50", "2 frames", index=50),
]  # fmt: skip

MDANALYSIS = [
    mda_write("efort", T, "new.gpz", "efort", "no keyword", efort="dense"),
    mda_write("effort", A, "effort", "'default'", '"standard"', effort="default"),
    mda_write("bound", A, "bound", "-1", "finite number", bound=-1),
    mda_write("velocity_bound", A, "velocity_bound", "nan", "finite number", velocity_bound=np.nan),
    mda_write("force_bound", T, "force_bound", "[1]", "one finite number", force_bound=[1]),
    mda_write("force_bound thermal", A, "force_bound", "vx, vy and vz", "number", force_bound="thermal"),
    mda_write("bound thermal", A, "bound", "vx, vy and vz", "number", bound="thermal"),
    mda_write("velocity_bound thermal", A, "no column vx", velocity_bound="thermal"),
    mda_write("units", ValueError, "imperial", "metal", lammps_units="imperial"),
    mda_write("convert_units", T, "convert_units", "'no'", "True or False", convert_units="no"),
    mda_write("append", T, "append", "'yes'", "True or False", append="yes"),
    mda_write("key_interval", A, "key_interval", "0", INTERVAL, key_interval=0),
    mda_write("threads", A, "threads", "-1", THREADS, threads=-1),
    mda_write("append units", A, "file.gpz", "units", "'real'", "'metal'", file="file", append=True, lammps_units="real"),
    mda_write("append bound", A, "file.gpz", "bound", "0.01", "0.001", file="file", append=True, bound=0.01),
    mda_write("append Zn", A, "file.gpz", "type Zn (element Zn)", "elements Cu", file="file", append=True, elements="Zn"),
    mda_write("append type 2", A, "file.gpz", "type 2", "elements Cu", file="file", append=True, elements="2"),
    mda_write("append other atoms", A, "file.gpz", "5 atoms", "4", "another file", file="file", append=True, count=4),
]

OPENMM = [
    openmm_report("file", T, "file", "5", "a path", file=5),
    openmm_report("reportInterval 0", A, "reportInterval", "0", "a number of steps from 1", interval=0),
    openmm_report("reportInterval 1.5", T, "reportInterval", "1.5", "a number of steps from 1", interval=1.5),
    openmm_report("efort", T, "efort", efort="dense"),
    openmm_report("effort", A, "effort", "'default'", '"standard"', effort="default"),
    openmm_report("order", A, "order", "'x'", '"memory"', order="x"),
    openmm_report("key_interval", A, "key_interval", "0", INTERVAL, key_interval=0),
    openmm_report("threads", A, "threads", "-1", THREADS, threads=-1),
    openmm_report("sync", T, "sync", "1", "True or False", sync=1),
    openmm_report("append", T, "append", "'yes'", "True or False", append="yes"),
    openmm_report("enforcePeriodicBox", T, "enforcePeriodicBox", "'no'", "True or False", enforcePeriodicBox="no"),
    openmm_report("temperature", T, "temperature", "300", "True or False", temperature=300),
    openmm_report("velocities", T, "velocities", "0.1", "True or False", velocities=0.1),
    openmm_report("eb", A, "eb", "-1", "finite number", eb=-1),
    openmm_report("eb text", A, "eb", "'small'", "finite number", eb="small"),
    openmm_report("eb of time", T, "eb", "ps", "nanometer", eb=quantity(1, ("picosecond", 1))),
    openmm_report("eb thermal", A, "eb", "vx, vy and vz", "number", eb="thermal"),
    openmm_report("velocity_eb length", T, "velocity_eb", "nanometer/picosecond", velocities=True,
                  velocity_eb=quantity(1, ("nanometer", 1))),
    openmm_report("velocity_eb alone", A, "velocity_eb", "velocities=True", velocity_eb=0.1),
    openmm_report("force_eb alone", A, "force_eb", "forces=True", force_eb=0.1),
    openmm_report("force_eb thermal", A, "force_eb", "vx, vy and vz", forces=True, force_eb="thermal"),
    openmm_report("velocity_eb at rest", A, "new.gpz", "bounds: ", "no thermal speed", velocities=True, velocity_eb="thermal"),
    openmm_report("atomSubset number", T, "atomSubset", "3", atomSubset=3),
    openmm_report("atomSubset texts", T, "atomSubset", "['CU']", "whole numbers from 0", atomSubset=["CU"]),
    openmm_report("atomSubset floats", T, "atomSubset", "[0.0, 1.0]", "whole numbers from 0", atomSubset=[0.0, 1.0]),
    openmm_report("atomSubset mask", T, "atomSubset", "True", "whole numbers from 0", atomSubset=[True, False]),
    openmm_report("atomSubset empty", A, "atomSubset", "no atoms", "None", atomSubset=[]),
    openmm_report("atomSubset -1", A, "atomSubset", "-1", "from 0", atomSubset=[0, -1]),
    openmm_report("atomSubset twice", A, "atomSubset", "3", "twice", atomSubset=[3, 1, 3]),
    openmm_report("atomSubset beyond", A, "atomSubset", "5", "5 atoms, from 0", atomSubset=[0, 5]),
    openmm_report("append columns", A, "file.gpz", "columns", file="file", append=True),
    openmm_report("append other atoms", A, "file.gpz", "5 atoms", "4", "another file", file="file", append=True, count=4),
]  # fmt: skip


def hdf5(name, error, *says, call):
    def run(place):
        import h5py

        import gpz.hdf5

        with h5py.File(place.new.with_suffix(".h5"), "w") as file:
            file.create_dataset("x", data=np.array([X, X]), chunks=(1, N, 3), **gpz.hdf5.options(0.1))
            file["scalar"] = 1.5
            call(gpz.hdf5, file)

    return Row("gpz.hdf5", name, run, error, says)


def codec(name, error, *says, **arguments):
    def run(place):
        import gpz.numcodecs
        import gpz.zarr

        try:
            gpz.zarr.Gpz(**arguments)
        except Exception as first:  # noqa: BLE001
            try:
                gpz.numcodecs.Gpz(**arguments)
            except Exception as second:
                assert (type(first), str(first)) == (type(second), str(second))
                raise

    return Row("Gpz", name, run, error, says)


HDF5 = [
    hdf5("bound", A, "bound", "-1", "not negative", call=lambda module, _: module.options(-1)),
    hdf5("bound None", T, "bound", "None", "finite number", call=lambda module, _: module.options(None)),
    hdf5("bound True", A, "bound", "True", "finite number", call=lambda module, _: module.options(True)),
    hdf5("effort", A, "effort", "'default'", '"standard"', call=lambda module, _: module.options(1, "default")),
    hdf5("effort 2", A, "effort", "2", '"standard"', call=lambda module, _: module.options(1, 2)),
    hdf5("dataset array", T, "dataset", "h5py.Dataset", call=lambda module, _: module.read(X)),
    hdf5("dataset path", T, "dataset", "'a.h5'", "h5py.Dataset", call=lambda module, _: module.read("a.h5")),
    hdf5("dataset group", T, "dataset", "h5py.Dataset", call=lambda module, file: module.read(file)),
    hdf5("dataset scalar", A, "frames", "first dimension", call=lambda module, file: module.read(file["scalar"])),
    hdf5("frames number", A, "frames", "a slice", call=lambda module, file: module.read(file["x"], 1)),
    hdf5("frames list", A, "frames", "a slice", call=lambda module, file: module.read(file["x"], [0, 1])),
    hdf5("frames step", A, "frames", "step 2", call=lambda module, file: module.read(file["x"], slice(None, None, 2))),
    hdf5("threads", A, "threads", "-1", THREADS, call=lambda module, file: module.read(file["x"], threads=-1)),
    hdf5("threads text", T, "threads", "'2'", THREADS, call=lambda module, file: module.read(file["x"], threads="2")),
    hdf5("out list", A, "out", "float64", "(2, 5, 3)", call=lambda module, file: module.read(file["x"], out=[1])),
    hdf5("out type", A, "out", "float64", "(2, 5, 3)",
         call=lambda module, file: module.read(file["x"], out=np.zeros((2, 5, 3), "f4"))),
    hdf5("out read only", A, "out", "can be written", call=lambda module, file: module.read(file["x"], out=READ_ONLY)),
    hdf5("out read only, one thread", A, "out", "can be written",
         call=lambda module, file: module.read(file["x"], out=READ_ONLY, threads=1)),
]  # fmt: skip

ZARR = [
    codec("no bound", T, "bound"),
    codec("bound", A, "bound", "-1", "not negative", bound=-1),
    codec("bound None", T, "bound", "None", "finite number", bound=None),
    codec("effort", A, "effort", "'default'", '"standard"', bound=1, effort="default"),
    codec("effort 2", A, "effort", "2", '"standard"', bound=1, effort=2),
    codec("speed", T, "speed", bound=1, speed=3),
]  # fmt: skip

LEARNING = [
    pack_write("text", T, "structures", "list", structures="x"),
    pack_write("one dict", T, "structures", "list", structures={"numbers": ONES, "positions": X}),
    pack_write("none", A, "structures", "at least one", structures=[]),
    pack_write("numbers", T, "structure 0", "5", "ase.Atoms", structures=[5]),
    pack_write("field", A, "structure 1", "'enrgy'", "energy", "info", enrgy=1.0),
    pack_write("no positions", A, "structure 1", "positions", positions=None),
    pack_write("no numbers", A, "structure 1", "numbers", numbers=None),
    pack_write("empty", A, "numbers", "at least one atom", numbers=np.zeros(0, int), positions=np.zeros((0, 3))),
    pack_write("numbers 0", A, "structure 1", "numbers", "0 in row 0", "1 to 118", numbers=ONES * 0),
    pack_write("numbers 119", A, "numbers", "119", "1 to 118", numbers=ONES * 119),
    pack_write("numbers 1.5", A, "numbers", "1.5", "no whole number", numbers=ONES * 1.5),
    pack_write("numbers short", A, "positions", "(5, 3)", "(4, 3)", numbers=ONES[1:]),
    pack_write("positions", A, "structure 1", "positions", "(5, 2)", "(5, 3)", positions=X[:, :2]),
    pack_write("positions texts", A, "positions", "not of numbers", positions=[["a"] * 3] * N),
    pack_write("forces", A, "forces", "(4, 3)", "(5, 3)", forces=X[1:]),
    pack_write("velocities", A, "velocities", "(5,)", "(5, 3)", velocities=X[:, 0]),
    pack_write("forces bool", A, "forces", "bool", forces=X > 5),
    pack_write("cell", A, "cell", "(3,)", "(3, 3)", cell=[1, 2, 3]),
    pack_write("pbc 1", T, "pbc", "1", "True", pbc=1),
    pack_write("pbc of two", T, "pbc", "[True, False]", "three", pbc=[True, False]),
    pack_write("energy text", T, "energy", "'low'", "number", energy="low"),
    pack_write("energies", T, "energy", "[1, 2]", "number", energy=[1, 2]),
    pack_write("stress", A, "stress", "(3, 3)", "(6,)", stress=np.eye(3)),
    pack_write("info", T, "info", "5", "dict", info=5),
    pack_write("info name", T, "info", "5", "text", info={5: 1}),
    pack_write("info taken", A, "info['energy']", "taken", info={"energy": 1.0}),
    pack_write("info value", T, "info['a']", "None", "number", info={"a": None}),
    pack_write("info matrix", T, "info['a']", "(k,)", info={"a": np.eye(3)}),
    pack_write("info bool", T, "info['a']", "True", info={"a": True}),
    pack_write("info large", A, "info['a']", "9223372036854775808", "63 bits", info={"a": np.uint64(2**63)}),
    pack_write("arrays", T, "arrays", "5", "dict", arrays=5),
    pack_write("arrays taken", A, "arrays['x']", "taken", arrays={"x": X[:, 0]}),
    pack_write("arrays shape", A, "arrays['q']", "(4,)", "(5,)", arrays={"q": ONES[1:]}),
    pack_write("arrays 3 axes", A, "arrays['q']", "(5, 1, 1)", "(5, k)", arrays={"q": np.zeros((5, 1, 1))}),
    pack_write("arrays texts", A, "arrays['q']", "not of numbers", arrays={"q": ["a"] * 5}),
    pack_options("bound", A, "bound", "-1", "finite number", bound=-1),
    pack_options("bounds", A, "bounds['forces']", "-1", bounds={"forces": -1}),
    pack_options("bounds positions", A, "bounds['positions']", "bound=", bounds={"positions": 1}),
    pack_options("bounds of nothing", A, "fx", "no column", bounds={"forces": 1}),
    pack_options("units", A, "units", "imperial", "known: lj", units="imperial"),
    pack_options("batch 0", A, "batch", "0", "from 1", batch=0),
    pack_options("batch text", T, "batch", "'large'", "from 1", batch="large"),
    pack_options("effort", A, "effort", "'default'", '"standard"', effort="default"),
    pack_options("threads", A, "threads", "-1", THREADS, threads=-1),
    pack_options("efort", T, "efort", efort="dense"),
    pack_open("cache", A, "cache", "-1", "from 0", cache=-1),
    pack_open("cache text", T, "cache", "'1 GB'", "from 0", cache="1 GB"),
    pack_open("threads", A, "threads", "-1", THREADS, threads=-1),
    pack_open("index 3", IndexError, "3", call=lambda pack: pack[3]),
    pack_open("index -4", IndexError, "-4", call=lambda pack: pack[-4]),
    pack_open("index 1.5", T, "index", "1.5", call=lambda pack: pack[1.5]),
    pack_open("seed", A, "seed", "-1", call=lambda pack: pack.shuffled(-1)),
    pack_open("batches", A, "batches", "0", call=lambda pack: pack.shuffled(1, batches=0)),
    pack_open("closed", ValueError, "closed", call=lambda pack: [pack.close(), pack[0]]),
    samples("paths 5", T, "paths", "5", "a path", paths=5),
    samples("paths of numbers", T, "paths", "5", "a path", paths=[5]),
    samples("no paths", A, "paths", "no file", paths=[]),
    samples("keys text", T, "keys", "'forces'", "list", keys="forces"),
    samples("keys", T, "keys", "[5]", "list", keys=[5]),
    samples("transform", T, "transform", "5", "function", transform=5),
    samples("cache", A, "cache", "-1", "from 0", cache=-1),
]  # fmt: skip
