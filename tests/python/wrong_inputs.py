# SPDX-License-Identifier: BSD-3-Clause
"""Wrong inputs of every entry point of the package itself: what is called, the exception, and texts that its message has:
the argument, the value, what to do. wrong_inputs_of_modules.py has those of its modules for other programs."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import gpz

N = 5
X = np.random.default_rng(1).uniform(0, 10, (N, 3))
IDS = np.arange(1, N + 1)
ONES = np.ones(N, int)
LARGE = 2**63
FRAMES = gpz.compress_frames(np.array([X, X]), 0.1)
READ_ONLY = np.zeros((2, 5, 3))
READ_ONLY.flags.writeable = False


class Place:
    """file: of two frames, units metal, elements Cu, bounds 0.001 and 0.01 of q, with ids. plain: one without ids. new: a
    path where nothing is."""

    def __init__(self, folder: Path):
        self.new, self.file, self.plain = (folder / name for name in ("new.gpz", "file.gpz", "plain.gpz"))
        with gpz.Writer(self.file, units="metal", elements=["Cu"], bound=0.001, bounds={"q": 0.01}) as writer:
            for k in range(2):
                writer.write(positions=X + k, ids=IDS, types=ONES, q=X[:, 0], box=[10, 10, 10], timestep=100 * k)
        with gpz.Writer(self.plain, bound=0.001, order="place") as writer:
            writer.write(positions=X)


class Row(NamedTuple):
    entry: str
    name: str
    call: Callable[[Place], Any]
    error: type[Exception]
    says: tuple[str, ...]


def writer(name, error, *says, **arguments):
    return Row("Writer", name, lambda place: gpz.Writer(place.new, **arguments), error, says)


def target(name, error, *says, file):
    return Row("Writer", f"path {name}", lambda place: gpz.Writer(file(place) if callable(file) else file), error, says)


def append(name, error, *says, **arguments):
    return Row("append", name, lambda place: gpz.Writer(place.file, append=True, **arguments), error, says)


def appended(name, error, *says, file="file", **arguments):
    def call(place):
        with gpz.Writer(getattr(place, file), append=True) as made:
            made.write(positions=X, **arguments)

    return Row("append", name, call, error, says)


def write(name, error, *says, **arguments):
    def call(place):
        with gpz.Writer(place.new, elements=["Cu"]) as made:
            made.write(**{"positions": X, **arguments})

    return Row("Writer.write", name, call, error, says)


def thermal(name, *says, **arguments):
    def call(place):
        with gpz.Writer(place.new, bounds={"velocities": "thermal"}) as made:
            made.write(positions=X, **arguments)

    return Row("thermal", name, call, gpz.ArgumentError, says)


def reopened(name, error, *says, **arguments):
    def call(place):
        with gpz.open(place.file, **arguments) as trajectory:
            return trajectory[0].positions

    return Row("open", name, call, error, says)


def source(name, error, *says, file):
    return Row("open", f"path {name}", lambda place: gpz.open(file(place) if callable(file) else file), error, says)


def trajectory(name, error, *says, call):
    def run(place):
        with gpz.open(place.file) as opened:
            return call(opened)

    return Row("Trajectory", name, run, error, says)


def tables(name, error, *says, tables):
    def call(place):
        with gpz.Writer(place.new) as made:
            made.write_tables(tables)

    return Row("Writer.write_tables", name, call, error, says)


def row(entry, name, error, *says, call):
    return Row(entry, name, call, error, says)


def frames(name, error, *says, **arguments):
    given = {"frames": X, "bound": 0.1, **arguments}
    return Row("compress_frames", name, lambda place: gpz.compress_frames(**given), error, says)


def unpacked(name, error, *says, **arguments):
    return Row("decompress_frames", name, lambda place: gpz.decompress_frames(FRAMES, **arguments), error, says)


def copied(**arguments):
    def call(place):
        with gpz.open(place.file) as opened, gpz.Writer(place.new, **arguments) as made:
            made.write(opened[0])

    return call


def after(first):
    """A second frame with ids, or without, behind one that is the other way."""

    def call(place):
        with gpz.Writer(place.new) as made:
            made.write(positions=X, ids=IDS[::-1] if first else None)
            made.write(positions=X, ids=None if first else IDS[::-1])

    return call


A, T = gpz.ArgumentError, TypeError
NUMBER = "a number of frames from 1 to 65535"
INTERVAL, THREADS = f'{NUMBER}, or "auto"', "a number from 0 (all cores)"
PATH = "a path, the descriptor of a file or pipe, or a binary file object"
OPENED = "a path, a URL, the bytes of a file, or a binary file object"

CORE = [
    # --- gpz.Writer ---
    writer("units 3", T, "units", "3", '"metal"', units=3),
    writer("units 0", T, "units", "0", '"metal"', units=0),
    writer("units bytes", T, "units", "b'metal'", units=b"metal"),
    writer("units of nobody", A, "units", "imperial", "known: lj", units="imperial"),
    writer("elements text", T, "elements", "'Cu'", '["Cu"]', elements="Cu"),
    writer("elements set", T, "elements", "{'Cu'}", "in the order of types", elements={"Cu"}),
    writer("elements number", T, "elements[0]", "29", "a text", elements=[29]),
    writer("elements None", T, "elements[1]", "None", "a text", elements=["Cu", None]),
    writer("elements bytes", T, "elements[0]", "b'Cu'", "a text", elements=[b"Cu"]),
    writer("elements 5", T, "elements", "5", "list", elements=5),
    writer("type_labels text", T, "type_labels", "'CT'", '["CT"]', type_labels="CT"),
    writer("metadata text", T, "metadata", "'x'", "dict", metadata="x"),
    writer("metadata list", T, "metadata", "[('command', 'x')]", "dict", metadata=[("command", "x")]),
    writer("metadata of number", T, "metadata['command']", "3", "a text", metadata={"command": 3}),
    writer("metadata unknown", A, "metadata['commnd']", "There are generator, units", metadata={"commnd": "x"}),
    writer("metadata elements", T, "metadata['elements']", '["Cu"]', metadata={"elements": "Cu"}),
    writer("metadata columns", T, "metadata['columns']", '["xyz"]', metadata={"columns": "xyz"}),
    writer("timestep_size text", T, "metadata['timestep_size']", "'a'", "number", metadata={"timestep_size": "a"}),
    writer("timestep_size nan", A, "metadata['timestep_size']", "nan", "finite", metadata={"timestep_size": np.nan}),
    writer("timestep_size negative", A, "timestep_size", "-1", "not negative", metadata={"timestep_size": -1}),
    writer("units twice", A, "units", "'metal'", "'real'", "one of them", units="metal", metadata={"units": "real"}),
    writer("bound text", A, "bound", "''", "finite number", bound=""),
    writer("bound negative", A, "bound", "-1", "not negative", bound=-1),
    writer("bound nan", A, "bound", "nan", "finite number", bound=np.nan),
    writer("bound infinite", A, "bound", "inf", "finite number", bound=np.inf),
    writer("bound bool", A, "bound", "True", "finite number", bound=True),
    writer("bound list", T, "bound", "[0.001]", "one finite number", bound=[0.001]),
    writer("bound complex", T, "bound", "1j", "one finite number", bound=1j),
    writer("bound object", T, "bound", "object", "one finite number", bound=object()),
    writer("bounds number", T, "bounds", "0.1", '{"velocities": 1e-4}', "bound=", bounds=0.1),
    writer("bounds text", T, "bounds", "'vx'", "dict", bounds="vx"),
    writer("bounds list", T, "bounds", "('q', 1)", "dict", bounds=[("q", 1)]),
    writer("bounds name", T, "bounds", "1", "names", bounds={1: 0.1}),
    writer("bounds positions", A, "bounds['positions']", "bound=", bounds={"positions": 0.1}),
    writer("bounds x", A, "bounds['x']", "bound=", bounds={"x": 0.1}),
    writer("bounds twice", A, "bounds['vx']", "vx", "one of them", bounds={"velocities": 0.1, "vx": 0.2}),
    writer("bounds negative", A, "bounds['q']", "-1", "not negative", bounds={"q": -1}),
    writer("bounds star", A, "bounds['v*']", "whole names", "velocities", bounds={"v*": 0.1}),
    writer("bounds warm", A, "bounds['vx']", "'warm'", "finite number", bounds={"vx": "warm"}),
    writer("bounds thermal forces", A, "bounds['forces']", "vx, vy and vz", "fx", "number", bounds={"forces": "thermal"}),
    writer("bounds thermal q", A, "bounds['q']", "vx, vy and vz", "not for q", "number", bounds={"q": "thermal"}),
    writer("bounds thermal twice", A, "bounds['vx']", "one of them", bounds={"velocities": "thermal", "vx": 0.2}),
    writer("bound thermal", A, "bound", "'thermal'", "finite number", bound="thermal"),
    thermal("no velocities", "new.gpz", "no column vx"),
    thermal("no species", "new.gpz", "bounds: ", "no column is type, typelabel, element or mass", "a number", velocities=X),
    thermal("all alike", "new.gpz", "bounds: ", "column type", "no thermal speed", "a number", velocities=X * 0 + 0.1, types=ONES),
    thermal("masses of each", "column mass", "no thermal speed", velocities=X, mass=X[:, 0]),
    thermal("integers", "no float column", **{name: IDS for name in ("vx", "vy", "vz")}, types=ONES),
    writer("key_interval -1", A, "key_interval", "-1", INTERVAL, key_interval=-1),
    writer("key_interval 0", A, "key_interval", "0", INTERVAL, key_interval=0),
    writer("key_interval 65536", A, "key_interval", "65536", INTERVAL, key_interval=65536),
    writer("key_interval 2**40", A, "key_interval", str(2**40), INTERVAL, key_interval=2**40),
    writer("key_interval True", T, "key_interval", "True", INTERVAL, key_interval=True),
    writer("key_interval 1.5", T, "key_interval", "1.5", INTERVAL, key_interval=1.5),
    writer("key_interval None", T, "key_interval", "None", INTERVAL, key_interval=None),
    writer("key_interval often", T, "key_interval", "'often'", INTERVAL, key_interval="often"),
    writer("order", A, "order", "'name'", '"auto"', order="name"),
    writer("order None", A, "order", "None", '"auto"', order=None),
    writer("effort", A, "effort", "'strong'", '"standard"', effort="strong"),
    writer("effort default", A, "effort", "'default'", '"standard"', effort="default"),
    writer("effort list", A, "effort", "['fast']", '"fast"', effort=["fast"]),
    writer("append text", T, "append", "'yes'", "True or False", append="yes"),
    writer("append 1", T, "append", "1", "True or False", append=1),
    writer("threads -1", A, "threads", "-1", THREADS, threads=-1),
    writer("threads 2**40", A, "threads", str(2**40), THREADS, threads=2**40),
    writer("threads 1.5", T, "threads", "1.5", THREADS, threads=1.5),
    writer("threads True", T, "threads", "True", THREADS, threads=True),
    target("None", T, "path", "None", PATH, file=None),
    target("3.5", T, "path", "3.5", PATH, file=3.5),
    target("True", T, "path", "True", PATH, file=True),
    target("list", T, "path", "['a']", PATH, file=["a"]),
    target("array", T, "path", "array", PATH, file=np.zeros(2)),
    target("-1", A, "path", "-1", PATH, file=-1),
    target("2**40", A, "path", str(2**40), PATH, file=2**40),
    target("null", A, "path", r"a\x00b", "null character", file="a\0b"),
    target("texts", A, "StringIO", "io.BytesIO", file=lambda _: io.StringIO()),
    target("not writable", A, "writable", '"wb"', file=lambda place: open(place.file, "rb")),  # noqa: SIM115
    target("no write()", T, "path", "write()", file=lambda _: type("Source", (), {"read": None})()),
    row("Writer", "append to a file object", A, "append", "path of a file",
        call=lambda _: gpz.Writer(io.BytesIO(), append=True)),
    # --- a file that is continued ---
    append("units", A, "file.gpz", "units", "'nano'", "'metal'", "Leave it out", units="nano"),
    append("elements", A, "file.gpz", "elements", "['Zn']", "['Cu']", "another file", elements=["Zn"]),
    append("more elements", A, "elements", "['Cu', 'Zn']", "['Cu']", elements=["Cu", "Zn"]),
    append("no elements", A, "elements", "[]", "['Cu']", elements=[]),
    append("type_labels", A, "file.gpz", "type_labels", "['A']", "has none", type_labels=["A"]),
    append("atom_style", A, "metadata['atom_style']", "'full'", "has none", metadata={"atom_style": "full"}),
    append("metadata units", A, "units", "'real'", "'metal'", metadata={"units": "real"}),
    append("timestep_size", A, "metadata['timestep_size']", "0.5", "0", metadata={"timestep_size": 0.5}),
    append("larger bound", A, "file.gpz", "bound", "0.01", "0.001", "Leave it out", bound=0.01),
    append("smaller bound", A, "bound", "0.0005", "0.001", bound=0.0005),
    append("no bound", A, "bound", "0.0", "0.001", bound=0),
    append("bound of a column", A, "bounds['q']", "0.1", "0.01", bounds={"q": 0.1}),
    append("bound of an exact column", A, "bounds['q']", "0.0", "0.01", bounds={"q": 0}),
    append("key_interval", A, "key_interval", "0", INTERVAL, key_interval=0),
    append("threads", A, "threads", "-1", THREADS, threads=-1),
    append("order", A, "order", "'x'", '"auto"', order="x"),
    appended("frame without ids", A, "file.gpz", "ids", "has none", "numpy.arange(1, 6)"),
    appended("frame with ids", A, "plain.gpz", "ids", "all frames", file="plain", ids=IDS),
    appended("unknown type", A, "file.gpz", "types", "2 in row 0", "elements Cu", ids=IDS, types=ONES + 1),
    # --- Writer.write ---
    row("Writer.write", "ids, then none", A, "new.gpz", "ids", "numpy.arange(1, 6)", call=after(True)),
    row("Writer.write", "no ids, then ids", A, "new.gpz", "ids", "all frames", call=after(False)),
    write("x twice", A, "new.gpz", "x=", "positions=", "Leave one out", x=X[:, 0]),
    write("z twice", A, "z=", "positions=", "Leave one out", positions=X[:, :2], z=X[:, 2]),
    write("id twice", A, "id=", "ids=", "Leave one out", ids=IDS, id=IDS),
    write("type twice", A, "type=", "types=", "Leave one out", types=ONES, type=ONES),
    write("vx twice", A, "vx=", "velocities=", "Leave one out", velocities=X, vx=X[:, 0]),
    write("fy twice", A, "fy=", "forces=", "Leave one out", forces=X, fy=X[:, 0]),
    write("iz twice", A, "iz=", "images=", "Leave one out", images=np.zeros((N, 3), int), iz=ONES),
    write("type 7", A, "types", "7 in row 2", "1 to 1", "elements Cu", types=[1, 1, 7, 1, 1]),
    write("type 0", A, "types", "0 in row 3", "1 to 1", types=[1, 1, 1, 0, 1]),
    write("type 1.5", A, "types", "1.5 in row 1", "no whole number", types=[1, 1.5, 1, 1, 1]),
    write("types bool", A, "types", "bool", "whole numbers", types=ONES == 1),
    write("images 0.5", A, "images", "0.5 in row 4", "no whole number", images=[[0, 0, 0]] * 4 + [[0, 0.5, 0]]),
    write("ids 1.5", A, "ids", "1.5 in row 0", "no whole number", ids=[1.5, 2, 3, 4, 5]),
    write("ids nan", A, "ids", "nan in row 1", "no whole number", ids=[1, np.nan, 3, 4, 5]),
    write("ids inf", A, "ids", "inf in row 1", "integers", ids=[1, np.inf, 3, 4, 5]),
    write("ids 2.0**54+2", A, "ids", "1.8014398509481984e+16 in row 1", "give integers", ids=[1, 2.0**54 + 2, 3, 4, 5]),
    write("ids float32", A, "ids", "33554432.0 in row 1", "float32", ids=np.array([1, 2**25, 3, 4, 5], np.float32)),
    write("ids 2**63", A, "ids", f"{LARGE} in row 2", "63 bits", ids=np.array([1, 2, LARGE, 4, 5], np.uint64)),
    write("ids 2**64", A, "ids", str(2**64), "64 bits", ids=[1, 2**64, 3, 4, 5]),
    write("ids text", A, "ids", "<U1", "numbers", ids=list("abcde")),
    write("ids bool", A, "ids", "bool", "whole numbers", ids=ONES == 1),
    write("id column 5.5", A, "id", "5.5 in row 4", "no whole number", id=[1.0, 2, 3, 4, 5.5]),
    write("ids scalar", A, "ids", "1", "numpy.full", ids=1),
    write("ids (N, 1)", A, "ids", "(5, 1)", "(N,)", ids=IDS[:, None]),
    write("scalar", A, "q", "0.5", "numpy.full(N, 0.5)", q=0.5),
    write("columns scalar", T, "columns", "dict", "write(**columns)", columns={"q": 0.5}),
    write("None", A, "q", "None", "numbers", q=None),
    write("length", A, "one length", "'q': 4", q=[1, 2, 3, 4]),
    write("2**63 of uint64", A, "mol", f"{LARGE} in row 0", "63 bits", mol=np.array([LARGE] * N, np.uint64)),
    write("float128", A, "q", "in row 0", "astype", q=np.full(N, np.longdouble(1) / 3)),
    write("complex", A, "positions", "complex128", "numbers", positions=X + 1j),
    write("objects", A, "positions", "object", "numbers", positions=X.astype(object)),
    write("texts", A, "positions", "<U", "numbers", positions=X.astype(str)),
    write("dates", A, "positions", "datetime64", "numbers", positions=np.zeros((N, 3), "M8[s]")),
    write("bools", A, "positions", "bool", "numbers", positions=X > 1),
    write("integers too large", A, "positions", f"{2**60} in row 0", "float64", positions=np.full((N, 3), 2**60)),
    write("shape", A, "positions", "(5, 4)", "(N, 3)", positions=np.zeros((N, 4))),
    write("no list", A, "positions", "(0,)", "(N, 3)", positions=[]),
    write("ragged", A, "positions", "[[1, 2, 3], [1, 2]]", "lengths", positions=[[1, 2, 3], [1, 2]]),
    write("masked", A, "q", "masked", "Fill them", q=np.ma.masked_array(X[:, 0], mask=[1, 0, 0, 0, 0])),
    write("dict", A, "positions", "{'x': 1}", "numbers", positions={"x": 1}),
    write("name", A, "'a\\ud800'", "UTF-8", **{"a\ud800": X[:, 0]}),
    write("frame text", T, "frame", "'x'", "write(positions=x)", frame="x"),
    write("frame array", T, "frame", "array", "write(positions=x)", frame=X),
    row("Writer.write", "frame in other units", A, "new.gpz", "frame", "units metal", "real", "Convert the values",
        call=copied(units="real")),
    row("Writer.write", "frame of other elements", A, "frame", "type 1", "element Cu", "Zn", "types=",
        call=copied(elements=["Zn", "Cu"])),
    write("grid text", T, "grid", "'x'", "number", grid="x"),
    write("grid list", T, "grid", "[0.01]", "number", grid=[0.01]),
    write("grid 0", A, "grid", "above 0, not 0", grid=0),
    write("grid negative", A, "grid", "above 0, not -0.01", grid=-0.01),
    write("grid nan", A, "grid", "finite", "nan", grid=np.nan),
    write("grid infinite", A, "grid", "finite", "inf", grid=np.inf),
    write("grid of no positions", A, "grid=0.01", "has none", positions=None, q=X[:, 0], grid=0.01),
    write("origin", T, "origin", "'x'", "frame of a .gpz file", origin="x"),
    write("origin of number", T, "origin['positions']", "0.001", "gpz.Origin", origin={"positions": 1e-3}),
    write("origin unknown", A, "origin['position']", "there are x y z", origin={"position": gpz.Origin(1e-3)}),
    write("origin negative", A, "origin['x'].bound", "-1", "not negative", origin={"x": gpz.Origin(-1)}),
    write("origin nan", A, "origin['x'].step", "nan", "finite", origin={"x": gpz.Origin(0.1, np.nan)}),
    write("origin text", T, "origin['x'].rounding", "'a'", "number", origin={"x": gpz.Origin(0.1, rounding="a")}),
    write("origin error", A, "largest_error", "-5", "not negative", origin={"x": gpz.Origin(0.1, largest_error=-5)}),
    write("origin dtype", A, "origin['x'].dtype", "int", "float64", origin={"x": gpz.Origin(0.1, dtype=int)}),
    write("timestep 2**63", A, "timestep", str(LARGE), "64 bits", timestep=LARGE),
    write("timestep 1.5", T, "timestep", "1.5", "a whole number", timestep=1.5),
    write("timestep True", T, "timestep", "True", "a whole number", timestep=True),
    write("timestep text", T, "timestep", "'3'", "a whole number", timestep="3"),
    write("time text", T, "time", "'1.5'", "a number", time="1.5"),
    write("time True", T, "time", "True", "a number", time=True),
    write("time infinite", A, "time", "inf", "finite", time=np.inf),
    write("time array", T, "time", "[5.1", "a number", time=X[0]),
    write("box nan", A, "box", "nan", "finite", box=[10, np.nan, 10]),
    write("box number", A, "box", "()", "three lengths", box=10),
    write("box text", T, "box", "'10 10 10'", "numbers", box="10 10 10"),
    write("box texts", T, "box", "['10', '10', '10']", "numbers", box=["10"] * 3),
    write("box complex", T, "box", "1j", "numbers", box=[1j, 1, 1]),
    write("box of six", A, "box", "(6,)", "three lengths", box=[10, 10, 10, 90, 90, 90]),
    write("box flat", A, "box", "10 0 10", "longer than 0", box=[10, 0, 10]),
    write("box kind", A, "box", "'cubic'", '"orthogonal"', box=gpz.Box(np.zeros(3), np.eye(3), kind="cubic")),
    write("box dimension", A, "box", "7", "2 or 3", box=gpz.Box(np.zeros(3), np.eye(3), dimension=7)),
    write("box boundary", A, "boundary", "'xx'", '"pp pp pp"', box=gpz.Box(np.zeros(3), np.eye(3), "xx")),
    write("box boundary None", T, "boundary", "None", '"pp pp pp"', box=gpz.Box(np.zeros(3), np.eye(3), None)),
    write("box origin", A, "origin", "()", "(3,)", box=gpz.Box(0, np.eye(3))),
    write("box upper tilt", A, "box", "0.5", "Box.from_vectors",
          box=gpz.Box(np.zeros(3), np.eye(3) + np.eye(3, k=1) / 2, kind="triclinic")),
    write("box tilt", A, "box", "0.5", "Box.from_vectors", box=gpz.Box(np.zeros(3), np.eye(3) + np.eye(3, k=-1) / 2)),
    write("fractions without box", A, "fractions", "box", positions=None, xs=X[:, 0], ys=X[:, 0], zs=X[:, 0]),
    # --- gpz.Box ---
    row("Box", "low text", T, "low", "'abc'", "numbers", call=lambda _: gpz.Box.from_bounds("abc", [1, 1, 1])),
    row("Box", "high of two", A, "high", "(2,)", "(3,)", call=lambda _: gpz.Box.from_bounds([0, 0, 0], [1, 1])),
    row("Box", "tilt number", A, "tilt", "()", "(3,)", call=lambda _: gpz.Box.from_bounds([0] * 3, [1] * 3, 0.5)),
    row("Box", "matrix of lengths", A, "matrix", "(3,)", "(3, 3)", call=lambda _: gpz.Box.from_vectors([1, 1, 1])),
    row("Box", "origin None", T, "origin", "None", "numbers", call=lambda _: gpz.Box.from_vectors(np.eye(3), None)),
    # --- Observables and tables ---
    write("observables list", T, "observables", "a dict of numbers", observables=[1.0]),
    write("observables number", T, "observables", "a dict of numbers", "3", observables=3),
    write("observables text", T, "observables['Temp']", "'hot'", "a number", observables={"Temp": "hot"}),
    write("observables array", T, "observables['Temp']", "[1, 2]", "a number", observables={"Temp": np.array([1, 2])}),
    write("observables bool", T, "observables['Temp']", "True", "a number", observables={"Temp": True}),
    write("observables triple", T, "observables['Temp']", "(1, 'K', 2)", "its unit", observables={"Temp": (1, "K", 2)}),
    write("observables unit", T, "observables['Temp']: a unit", "3", "a text", observables={"Temp": (1, 3)}),
    write("observables long unit", A, "a unit", "255 bytes", observables={"Temp": (1, "K" * 256)}),
    write("observables name", T, "observables: a name", "5", "a text", observables={5: 1.0}),
    write("observables empty name", A, "observables: a name", "1 to 255 bytes", observables={"": 1.0}),
    write("observables half", A, "a name", "not in UTF-8", observables={"\ud800": 1.0}),
    tables("list", T, "tables", "a dict of tables", tables=[1]),
    tables("name", T, "tables: a name", "5", "a text", tables={5: {}}),
    tables("long name", A, "tables: a name", "255 bytes", tables={"n" * 256: {}}),
    tables("observables", A, "tables['observables']", "write(..., observables=...)", tables={"observables": {"name": ["a"]}}),
    tables("array", T, "tables['bonds']", "a dict of columns", tables={"bonds": np.zeros((2, 2))}),
    tables("column", T, "tables['bonds']: a column", "3", "a text", tables={"bonds": {3: [1]}}),
    tables("lengths", A, "tables['bonds']", "one length", "'b': 2", tables={"bonds": {"a": [1], "b": [1, 2]}}),
    tables("shape", A, "tables['bonds']: a", "(1, 2)", "(rows,)", tables={"bonds": {"a": [[1, 2]]}}),
    tables("number", A, "tables['bonds']: a", "()", "(rows,)", tables={"bonds": {"a": 1}}),
    tables("mixed", T, "tables['atoms']: name", "1 in row 1", "texts", tables={"atoms": {"name": ["CA", 1]}}),
    tables("bytes", T, "tables['atoms']: name", "b'CA' in row 0", "texts", tables={"atoms": {"name": [b"CA"]}}),
    tables("bools", A, "tables['atoms']: a", "bool", "integers", tables={"atoms": {"a": [True]}}),
    tables("complex", A, "tables['atoms']: a", "complex", "floats", tables={"atoms": {"a": [1j]}}),
    tables("large", A, "tables['atoms']: a", str(2**63), "63 bits", tables={"atoms": {"a": np.array([2**63], np.uint64)}}),
    tables("half", A, "tables['atoms']: a", "UTF-8", tables={"atoms": {"a": ["\ud800"]}}),
    row("Table", "unit of no column", A, "units['b']", "['a']", call=lambda place: gpz.Table({"a": [1]}, units={"b": "m"})),
    row("Table", "unit", T, "units['a']", "3", "a text", call=lambda place: gpz.Table({"a": [1]}, units={"a": 3})),
    row("Table", "text", T, "a dict of columns", "'a'", call=lambda place: gpz.Table("a")),
    trajectory("tables text", T, "names", "'bonds'", '["bonds"]', call=lambda t: t.tables(0, "bonds")),
    trajectory("tables number", T, "names", "[3]", "list of names", call=lambda t: t.tables(0, [3])),
    trajectory("tables frame", T, "a frame has a number", "'a'", call=lambda t: t.tables("a")),
    # --- gpz.open ---
    source("None", T, "path", "None", OPENED, file=None),
    source("3", T, "path", "3", "gpz.stream", file=3),
    source("list", T, "path", "[]", OPENED, file=[]),
    source("null", A, "path", r"a\x00b", "null character", file="a\0b"),
    source("name as bytes", A, "path", "file.gpz", "os.fsdecode", file=lambda place: bytes(place.file)),
    source("view of floats", A, "path", "'d'", "bytes(view)", file=memoryview(np.zeros(3))),
    source("view with strides", A, "path", "(2,)", "bytes(view)", file=memoryview(b"abcd")[::2]),
    source("texts", A, "StringIO", "io.BytesIO", file=lambda _: io.StringIO("abc")),
    source("not readable", A, "readable", '"rb"', file=lambda place: open(place.new, "wb")),  # noqa: SIM115
    reopened("threads -1", A, "threads", "-1", THREADS, threads=-1),
    reopened("threads 1.5", T, "threads", "1.5", THREADS, threads=1.5),
    reopened("max_memory 0", A, "max_memory", "0", "or None", max_memory=0),
    reopened("max_memory -1", A, "max_memory", "-1", "or None", max_memory=-1),
    reopened("max_memory 2**70", A, "max_memory", str(2**70), "or None", max_memory=2**70),
    reopened("max_memory 1e9", T, "max_memory", "1000000000.0", "whole number", max_memory=1e9),
    reopened("max_memory True", T, "max_memory", "True", "whole number", max_memory=True),
    reopened("order", A, "order", "'place'", '"stored"', order="place"),
    reopened("dtype int", A, "dtype", "int", "float64", dtype=int),
    reopened("dtype foo", A, "dtype", "'foo'", "float64", dtype="foo"),
    reopened("dtype of other bytes", A, "dtype", "'>f4'", "float64", dtype=">f4"),
    # --- Trajectory and Frame ---
    trajectory("index 1.5", T, "1.5", "t[0:10:2]", call=lambda t: t[1.5]),
    trajectory("index text", T, "'x'", "t[0:10:2]", call=lambda t: t["x"]),
    trajectory("index list", T, "[0, 1]", "[t[i] for i in numbers]", call=lambda t: t[[0, 1]]),
    trajectory("index too large", IndexError, "7", "there are 2", call=lambda t: t[7]),
    trajectory("find text", T, "timestep", "'a'", "whole number", call=lambda t: t.find("a")),
    trajectory("find 1.5", T, "timestep", "1.5", "whole number", call=lambda t: t.find(1.5)),
    trajectory("find list", T, "timestep", "[0, 100]", "whole number", call=lambda t: t.find([0, 100])),
    trajectory("find what is not there", ValueError, "7", "no frame", call=lambda t: t.find(7)),
    trajectory("read text", T, "columns", "'xyz'", '["xyz"]', call=lambda t: t.read(0, "xyz")),
    trajectory("read number", T, "columns", "3", "list", call=lambda t: t.read(0, 3)),
    trajectory("read unknown", gpz.ColumnError, "foo", "there are x y z", call=lambda t: t.read(0, ["foo"])),
    trajectory("read order", A, "order", "'x'", '"stored"', call=lambda t: t.read(0, order="x")),
    trajectory("read dtype", A, "dtype", "int", "float64", call=lambda t: t.read(0, dtype=int)),
    trajectory("out list", T, "out", "[", "dict", call=lambda t: t.read(0, out=[X])),
    trajectory("out array", T, "out", "array", "dict", call=lambda t: t.read(0, out=X[:, 0])),
    trajectory("out of lists", T, "out['x']", "list", "NumPy", call=lambda t: t.read(0, out={"x": [0] * N})),
    trajectory("out short", A, "out['x']", "(4,)", "(5,)", call=lambda t: t.read(0, out={"x": np.zeros(4)})),
    trajectory("out float16", T, "out['x']", "float16", "float64", call=lambda t: t.read(0, out={"x": X[:, 0].astype("f2")})),
    trajectory("out integers", A, "out['x']", "int64", "floats", call=lambda t: t.read(0, out={"x": IDS.copy()})),
    trajectory("out floats", A, "out['id']", "float64", "integers", call=lambda t: t.read(0, out={"id": np.zeros(N)})),
    trajectory("out read-only", A, "out['x']", "read-only", call=lambda t: t.read(0, out={"x": np.frombuffer(bytes(8 * N))})),
    trajectory("positions list", T, "out", "list", "NumPy", call=lambda t: t.read_positions(0, [[0] * 3] * N)),
    trajectory("positions (N, 2)", A, "out", "(5, 2)", "(5, 3)", call=lambda t: t.read_positions(0, np.zeros((N, 2)))),
    trajectory("positions integers", A, "out", "int64", "floats", call=lambda t: t.read_positions(0, np.zeros((N, 3), int))),
    trajectory("verify text", T, "'a'", "number", call=lambda t: t.verify("a")),
    trajectory("load list", T, "names", "['x', 'y']", 'load("x", "y")', call=lambda t: t[0].load(["x", "y"])),
    trajectory("load unknown", gpz.ColumnError, "foo", "there are x y z", call=lambda t: t[0].load("foo")),
    trajectory("column unknown", gpz.ColumnError, "foo", "there are x y z", call=lambda t: t[0]["foo"]),
    trajectory("view limit", A, "limit", "0", "a whole number from 1", call=lambda t: t.view(limit=0)),
    trajectory("view limit text", T, "limit", "'many'", "a whole number from 1", call=lambda t: t.view(limit="many")),
    trajectory("view height", A, "height", "3", "pixels", call=lambda t: t.view(height=3)),
    trajectory("view width", T, "width", "5", "100%", call=lambda t: t.view(width=5)),
    trajectory("view column", A, "column", "embed=True", call=lambda t: t.view(column="x")),
    trajectory("view column unknown", gpz.ColumnError, "foo", "there are x y z", call=lambda t: t.view(embed=True, column="foo")),
    # --- gpz.stream ---
    row("stream", "None", T, "file", "None", "descriptor", call=lambda _: gpz.stream(None)),
    row("stream", "path", T, "file", "'/", "gpz.open", call=lambda place: gpz.stream(str(place.file))),
    row("stream", "bytes", T, "file", "b'abc'", "gpz.open", call=lambda _: gpz.stream(b"abc")),
    row("stream", "BytesIO", T, "file", "BytesIO", "gpz.open", call=lambda _: gpz.stream(io.BytesIO())),
    row("stream", "-1", A, "file", "-1", "descriptor", call=lambda _: gpz.stream(-1)),
    row("stream", "2**40", A, "file", str(2**40), "descriptor", call=lambda _: gpz.stream(2**40)),
    row("stream", "1.5", T, "file", "1.5", "descriptor", call=lambda _: gpz.stream(1.5)),
    row("stream", "threads", A, "threads", "-1", THREADS, call=lambda _: gpz.stream(0, threads=-1)),
    # --- gpz.compress and gpz.decompress ---
    row("compress", "bound None", T, "bound", "None", "finite number", call=lambda _: gpz.compress(X, None)),
    row("compress", "bound -1", A, "bound", "-1", "not negative", call=lambda _: gpz.compress(X, -1)),
    row("compress", "bound text", A, "bound", "'a'", "finite number", call=lambda _: gpz.compress(X, "a")),
    row("compress", "bound of integers", A, "bound", "0.1", "bound=0", call=lambda _: gpz.compress(IDS, 0.1)),
    row("compress", "threads", A, "threads", "-1", THREADS, call=lambda _: gpz.compress(X, 0, threads=-1)),
    row("compress", "complex", A, "array", "complex128", "floats", call=lambda _: gpz.compress(X + 1j, 0)),
    row("compress", "objects", A, "array", "object", "floats", call=lambda _: gpz.compress(None, 0)),
    row("compress", "float128", A, "array", "float128", "64 bits", call=lambda _: gpz.compress(X.astype("g"), 0)),
    row("compress", "ragged", A, "array", "[[1], [1, 2]]", "lengths", call=lambda _: gpz.compress([[1], [1, 2]], 0)),
    row("decompress", "None", T, "data", "None", "gpz.compress", call=lambda _: gpz.decompress(None)),
    row("decompress", "path", T, "data", "'abc'", "gpz.compress", call=lambda _: gpz.decompress("abc")),
    row("decompress", "list", T, "data", "[1, 2]", "gpz.compress", call=lambda _: gpz.decompress([1, 2])),
    row("decompress", "another file", gpz.NotGpzError, "gpz.compress", "gpz.open",
        call=lambda place: gpz.decompress(place.file.read_bytes())),
    row("decompress", "threads", A, "threads", "-1", THREADS, call=lambda _: gpz.decompress(b"", threads=-1)),
    # --- gpz.compress_frames, gpz.frame_array and gpz.decompress_frames ---
    frames("bound None", T, "bound", "None", "finite number", bound=None),
    frames("bound -1", A, "bound", "-1", "not negative", bound=-1),
    frames("bound nan", A, "bound", "nan", "finite number", bound=np.nan),
    frames("effort", A, "effort", "'default'", '"standard"', effort="default"),
    frames("effort 1", A, "effort", "1", '"standard"', effort=1),
    frames("key_interval 0", A, "key_interval", "0", NUMBER, key_interval=0),
    frames("key_interval 2.0", T, "key_interval", "2.0", NUMBER, key_interval=2.0),
    frames("key_interval auto", T, "key_interval", "'auto'", NUMBER, key_interval="auto"),
    frames("threads", A, "threads", "-1", THREADS, threads=-1),
    frames("integers", A, "frames", "int64", "float32 or float64", frames=IDS.reshape(1, -1, 1)),
    frames("float16", A, "frames", "float16", "float32 or float64", frames=X.astype("f2")),
    frames("big-endian", A, "frames", ">f8", "float32 or float64", frames=X.astype(">f8")),
    frames("None", A, "frames", "object", "float32 or float64", frames=None),
    frames("text", A, "frames", "<U1", "float32 or float64", frames="a"),
    frames("ragged", A, "frames", "[[1], [1, 2]]", "lengths", frames=[[1], [1, 2]]),
    frames("1 dimension", A, "frames", "(5,)", "particles x components", frames=X[:, 0]),
    frames("4 dimensions", A, "frames", "(1, 1, 5, 3)", "particles x components", frames=X[None, None]),
    frames("4 components", A, "frames", "(5, 4)", "up to three", frames=np.zeros((5, 4))),
    frames("0 components", A, "frames", "(5, 0)", "up to three", frames=np.zeros((5, 0))),
    frames("boxes", A, "box", "2 boxes for 1 frames", box=[gpz.Box.from_bounds([0, 0, 0], [1, 1, 1])] * 2),
    frames("box text", T, "box", "'a'", box="a"),
    frames("box 2", A, "box", "three lengths", "(2,)", box=[1, 2]),
    frames("box 0", A, "box", box=[0, 1, 1]),
    row("frame_array", "None", T, "data", "None", "gpz.compress_frames", call=lambda _: gpz.frame_array(None)),
    row("frame_array", "text", T, "data", "'abc'", "gpz.compress_frames", call=lambda _: gpz.frame_array("abc")),
    row("frame_array", "list", T, "data", "[1, 2]", "gpz.compress_frames", call=lambda _: gpz.frame_array([1, 2])),
    row("frame_array", "nothing", gpz.TruncatedError, "frame array", call=lambda _: gpz.frame_array(b"")),
    row("frame_array", "other bytes", gpz.NotGpzError, "frame array", call=lambda _: gpz.frame_array(bytes(100))),
    row("frame_array", "a file", gpz.UnsupportedError, "frame array", "file",
        call=lambda place: gpz.frame_array(place.file.read_bytes())),
    row("frame_array", "gpz.compress", gpz.UnsupportedError, "frame array", "file",
        call=lambda place: gpz.frame_array(gpz.compress(X, 0))),
    row("frame_array", "max_memory", A, "max_memory", "-1", "or None", call=lambda _: gpz.frame_array(FRAMES, max_memory=-1)),
    row("frame_array", "max_memory text", T, "max_memory", "'1'", call=lambda _: gpz.frame_array(FRAMES, max_memory="1")),
    unpacked("frames 2", gpz.NotFoundError, "frame 2", "2 frames", frames=2),
    unpacked("frames -3", gpz.NotFoundError, "frame -3", "2 frames", frames=-3),
    unpacked("frames 2**70", A, "frames", "a slice, or the number", frames=2**70),
    unpacked("frames True", T, "frames", "True", "a slice, or the number", frames=True),
    unpacked("frames 1.0", T, "frames", "1.0", "a slice, or the number", frames=1.0),
    unpacked("frames list", T, "frames", "[0, 1]", "a slice, or the number", frames=[0, 1]),
    unpacked("frames step", A, "frames", "step 2", "neighbouring", frames=slice(None, None, 2)),
    unpacked("frames backwards", A, "frames", "step -1", "neighbouring", frames=slice(None, None, -1)),
    unpacked("frames slice of text", T, frames=slice("a", None)),
    unpacked("threads", A, "threads", "-1", THREADS, threads=-1),
    unpacked("max_memory", A, "max_memory", "-1", max_memory=-1),
    unpacked("max_memory 1.5", T, "max_memory", "1.5", max_memory=1.5),
    unpacked("out list", A, "out", "float64", "(2, 5, 3)", out=[1]),
    unpacked("out shape", A, "out", "float64", "(2, 5, 3)", out=np.zeros((2, 5, 2))),
    unpacked("out type", A, "out", "float64", "(2, 5, 3)", out=np.zeros((2, 5, 3), "f4")),
    unpacked("out big-endian", A, "out", "float64", "(2, 5, 3)", out=np.zeros((2, 5, 3), ">f8")),
    unpacked("out strides", A, "out", "contiguous", out=np.zeros((2, 5, 6))[..., ::2]),
    unpacked("out read only", A, "out", "can be written", out=READ_ONLY),
]  # fmt: skip


def check(row: Row, folder: Path) -> None:
    """The call raises the exception, its message has every text, and no file that was there has changed."""
    place = Place(folder)
    files = (place.file, place.plain)
    before = [file.read_bytes() for file in files]
    try:
        row.call(place)
    except Exception as error:  # noqa: BLE001
        assert isinstance(error, row.error), repr(error)
        for text in row.says:
            assert text in str(error), f"{text!r} is not in: {error}"
        assert "incompatible function arguments" not in str(error)
    else:
        raise AssertionError(f"{row.entry}, {row.name}: nothing was raised")
    assert [file.read_bytes() for file in files] == before
