# SPDX-License-Identifier: BSD-3-Clause
"""Runs LAMMPS with `dump gpz` and `dump custom`, decodes the one and compares it with the other, atom by atom."""

import argparse
import ctypes
import functools
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import traceback
import zlib
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from long_form import LONG  # noqa: E402

DEFAULT_BOUND = 0.0005  # of positions, in LJ units
SKIPPED = 77  # exit code


class Skip(Exception):
    """Why a case cannot be run here."""


class Frame:
    """A snapshot of a LAMMPS text dump."""

    def __init__(self, step, boundary, box, columns, rows):
        self.step, self.boundary, self.box, self.columns, self.rows = step, boundary, box, columns, rows
        if "id" in columns:
            assert len(self.by_id) == len(rows), f"step {step}: an id occurs twice"

    @functools.cached_property
    def by_id(self):
        """{id: row}"""
        at = self.columns.index("id")
        return {row[at]: row for row in self.rows}

    @functools.cached_property
    def atoms(self):
        """{id: {column: text}}; rows where there are no ids."""
        if "id" not in self.columns:
            return self.rows
        return {atom: dict(zip(self.columns, row)) for atom, row in self.by_id.items()}

    def column(self, name):
        """{id: text}"""
        at = self.columns.index(name)
        return {atom: row[at] for atom, row in self.by_id.items()}


def read_dump(path):
    frames = []
    with open(path) as file:
        for line in file:
            assert line.startswith("ITEM: TIMESTEP"), f"{path}: {line!r}"
            step = int(file.readline())
            assert file.readline().startswith("ITEM: NUMBER OF ATOMS")
            count = int(file.readline())
            boundary = file.readline().removeprefix("ITEM: BOX BOUNDS ").split()
            box = [float(word) for _ in range(3) for word in file.readline().split()]
            columns = file.readline().removeprefix("ITEM: ATOMS ").split()
            rows = [file.readline().split() for _ in range(count)]
            frames.append(Frame(step, boundary, box, columns, rows))
    return frames


def within(a, b, bound):
    """Exactly: is |a - b| <= bound? Bit by bit equality if bound is 0."""
    if bound == 0:
        return a == b
    difference = abs(a - b)
    if difference == bound:  # rounding keeps the order of numbers, so only this case needs the exact difference
        from fractions import Fraction  # which takes longer to import than most cases need for their values

        return abs(Fraction(a) - Fraction(b)) <= Fraction(bound)
    return difference < bound


def is_same(got, text, bound):
    """Is `got` the value that `text` is? `bound`: of a float column that is not lossless, otherwise None."""
    if got == text:
        return True
    if bound is not None:
        return within(float(got), float(text), bound)
    return re.fullmatch(r"[-+.\deE]+", text) is not None and float(got) == float(text)


def compare(decoded, original, bounds):
    """Every value of every atom of every frame; `bounds` has the float columns that are not lossless."""
    assert [f.step for f in decoded] == [f.step for f in original], "timesteps differ: " + str(
        [f.step for f in decoded]
    )
    checked = 0
    for mine, theirs in zip(decoded, original):
        at = f"step {mine.step}"
        assert mine.columns == theirs.columns, f"{at}: columns {mine.columns}"
        assert mine.boundary == theirs.boundary, f"{at}: boundary {mine.boundary}"
        assert mine.box == theirs.box, f"{at}: box {mine.box}, not {theirs.box}"
        assert mine.by_id.keys() == theirs.by_id.keys(), f"{at}: other ids"
        for atom, row in theirs.by_id.items():
            for column, got, text in zip(theirs.columns, mine.by_id[atom], row):
                same = got == text or is_same(got, text, bounds.get(column))
                assert same, f"{at}, atom {atom}, column {column}: {got}, not {text}"
            checked += len(row)
    return checked


# What makes Open MPI start and end faster on one host; other MPIs do not need it. A variable that is set stays as it is.
OPEN_MPI = {
    "OMPI_MCA_pml": "ob1",  # without a search for networks, which takes most of a start
    "PMIX_MCA_gds": "hash",  # what ranks tell each other at the start, without shared memory
    "HWLOC_PLUGINS_PATH": "/",  # without a search for displays
    "HWLOC_COMPONENTS": "-linux:pci,-linux:io",  # nor for other devices, which reads all of the PCI bus for every process
    "OMPI_MCA_ess_singleton_isolated": "1",  # a rank that is alone starts no daemon
    "OMPI_MCA_odls_base_sigkill_timeout": "0",  # after an error, ranks that are left are killed without a second's wait
    "OMPI_MCA_mpi_yield_when_idle": "1",  # tests that run at the same time share the cores
}


@functools.cache
def driver_of_gpus():
    """Whether there is a driver of NVIDIA with a GPU, so that it is worth starting LAMMPS to use it."""
    try:
        return ctypes.CDLL("libcuda.so.1").cuInit(0) == 0
    except OSError:
        return False


class Test:
    """One case in a directory of its own."""

    def __init__(self, options, directory):
        self.options = options
        self.directory = directory
        self.ranks = 1
        self.decoded = {}
        self.lmp_arguments = options.lmp_arguments.split()

    def path(self, name):
        return self.directory / name

    def command(self, ranks, arguments, wrapper=()):
        start = [*self.options.mpiexec.split(), "-np", str(ranks)] if ranks > 1 else []
        return [*start, *wrapper, self.options.lmp, *self.lmp_arguments, *arguments]

    def load(self):
        """What a script begins with."""
        return f"plugin load {self.options.plugin}\n" if self.options.plugin else ""

    def in_turn(self, *scripts):
        """The scripts as one, for one start of LAMMPS; it forgets everything between them."""
        return f"\nclear\n{self.load()}".join(scripts)

    def write_script(self, script):
        self.path("in.lammps").write_text(f"{self.load()}{script}\n")

    def run(self, script, ranks=None, wrapper=(), timeout=300, **subprocess_options):
        """Runs a script, whatever comes of it."""
        self.write_script(script)
        command = self.command(ranks or self.ranks, ["-in", "in.lammps", "-log", "log.lammps"], wrapper)
        return subprocess.run(
            command,
            cwd=self.directory,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=timeout,
            **subprocess_options,
        )

    def lammps(self, script, fails=False, **options):
        """Runs a script and returns what LAMMPS said. `fails`: it must end with an error and a non-zero exit code."""
        done = self.run(script, **options)
        if done.returncode and not fails and "not supported with Kokkos" in done.stdout:
            raise Skip("LAMMPS has no such command with KOKKOS")
        assert (done.returncode != 0) == fails, f"exit code {done.returncode}\n{done.stdout}"
        return done.stdout

    def error(self, script, **options):
        """The error message of a script that fails."""
        output = self.lammps(script, fails=True, **options)
        errors = re.findall(r"^ERROR.*?: (.*)\s+\(.*\)$", output, re.MULTILINE)
        assert len(set(errors)) == 1, output
        return errors[0]

    def gpz(self, *arguments, fails=False):
        done = subprocess.run(
            [self.options.gpz, *arguments],
            cwd=self.directory,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=300,
        )
        assert (done.returncode != 0) == fails, f"gpz {arguments}: exit code {done.returncode}\n{done.stderr}"
        return done.stdout

    def decode(self, name, reference=True, fails=False):
        """The frames of a .gpz file. The reference decoder must find the same in the first file of a case, in the long form in all.
        A file that has not changed is decoded once."""
        key = name, self.path(name).read_bytes(), reference, fails
        if key not in self.decoded:
            self.decoded[key] = self.decode_anew(name, reference and (LONG or not self.decoded), fails)
        return self.decoded[key]

    def decode_anew(self, name, reference, fails):
        to_text = ["decode", name, "--format", "lammps", "--sort", "id", "-o"]
        if reference and self.options.reference:
            self.gpz(*to_text, name + ".exact", "--exact")
            self.compare_with_reference(name, read_dump(self.path(name + ".exact")))
        self.gpz(*to_text, name + ".text", fails=fails)
        return read_dump(self.path(name + ".text"))

    def compare_with_reference(self, name, frames):
        sys.path.insert(0, self.options.reference)
        from gpz_reference import reader as gpz_ref

        file = gpz_ref.read_file(str(self.path(name)))
        assert file.torn is None and not file.damage, f"{name}: {file.torn} {file.damage}"
        steps = [f.timestep for f in file.frames]
        assert steps == [f.step for f in frames], f"{name}: the reference decoder finds other frames"
        for theirs, mine in zip(file.frames, frames):
            at = f"{name}, step {mine.step}"
            columns = {column.name: column.values for column in theirs.columns}
            ids = [str(i) for i in columns.get("id", [])]
            assert set(ids) == mine.by_id.keys(), f"{at}: the reference decoder finds other ids"
            for column, values in columns.items():
                if column not in ("element", "typelabel"):
                    texts = mine.column(column)
                    for atom, value in zip(ids, values):
                        assert float(texts[atom]) == value, f"{at}, atom {atom}, {column}: {texts[atom]} and {value}"

    def info(self, name="t.gpz"):
        """What `gpz info` says; its columns by name."""
        facts = json.loads(self.gpz("info", "--json", name))
        facts["columns"] = {column["name"]: column for column in facts["columns"]}
        return facts

    def context(self, name="t.gpz"):
        """What a file says besides its frames, frame by frame: step, observables, tables, and the records in front."""
        done = subprocess.run(
            [self.options.tables_json, name], cwd=self.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert done.returncode == 0, f"{name}: {done.stderr}"
        frames = json.loads(done.stdout)
        for frame in frames:
            frame["records"] = [kind for kind, _ in frame["records"]]
        return frames

    def frame_records(self, name):
        """The records of the frames of a .gpz file, byte by byte: no frame depends on the file header."""
        data = self.path(name).read_bytes()
        (metadata_length,) = struct.unpack_from("<I", data, 20)
        offset, records = (24 + metadata_length + 7) // 8 * 8 + 8, []
        while offset < len(data):
            kind, _, length = struct.unpack_from("<IIQ", data, offset + 8)
            if kind == 1:
                records.append(data[offset : offset + length])
            offset += length
        return records

    def since_key(self, name="t.gpz"):
        """For each frame, how many frames its key frame is back (docs/format.md, section 3)."""
        fields_at = 24 + 3 * 8 + 8 + 12 * 8
        return [struct.unpack_from("<H", record, fields_at + 2)[0] for record in self.frame_records(name)]

    def same_frames(self, *names):
        """The files have the same frames, to the last bit."""
        first, *others = (self.frame_records(name) for name in names)
        assert first, f"{names[0]}: no frames"
        for name, records in zip(names[1:], others):
            differ = [i for i, (a, b) in enumerate(zip(first, records)) if a != b]
            assert not differ, f"{names[0]} and {name}: frames {differ} of {len(first)} differ"
            assert len(first) == len(records), f"{names[0]}: {len(first)} frames, {name}: {len(records)}"

    def same(self, gpz="t.gpz", custom="t.dump", bounds=None, frames=None):
        """The .gpz file has what the text dump has. Positions have the default bound unless `bounds` says otherwise."""
        bounds = {**{c: DEFAULT_BOUND for c in ("x", "y", "z", "xu", "yu", "zu")}, **(bounds or {})}
        original = read_dump(self.path(custom))
        checked = compare(self.decode(gpz), original, bounds)
        assert len(original) == (frames or len(original)) > 0, f"{len(original)} frames"
        return checked

    def cut(self, name, fraction):
        """Cuts a file as the death of its writer would have."""
        os.truncate(self.path(name), int(self.path(name).stat().st_size * fraction))


CASES = {}
SAMPLE = []  # their names, without those of the long form


def case(ranks=(1,)):
    """Registers a test function, once for every number of ranks: one of them for the usual form, as the name of the function has it."""

    def register(function):
        chosen = ranks[zlib.crc32(function.__name__.encode()) % len(ranks)]
        for count in ranks:
            name = function.__name__ + (f"_{count}ranks" if len(ranks) > 1 or count > 1 else "")
            CASES[name] = (function, count)
            if count == chosen:
                SAMPLE.append(name)
        return function

    return register


def main(register):
    """`register` fills CASES with those of the names that it is given."""
    parser = argparse.ArgumentParser(description=__doc__, fromfile_prefix_chars="@")
    parser.add_argument("cases", nargs="*", help="names of cases; all without any")
    parser.add_argument("--module", help="without names: only the cases of this module")
    parser.add_argument("--list", action="store_true", help="print the names of all cases; the word long, if they are of the long form alone")
    parser.add_argument("--lmp", help="LAMMPS executable")
    parser.add_argument("--lmp-arguments", default="", help="arguments it is always given, as one word")
    parser.add_argument("--plugin", help="gpzplugin.so; without it LAMMPS must have dump gpz built in")
    parser.add_argument("--serial-lmp", help="LAMMPS executable without MPI")
    parser.add_argument("--serial-plugin", help="gpzplugin.so for it")
    parser.add_argument("--fit-plugins", type=Path, help="folder of plugins that fit and do not fit (fit_plugin.cpp)")
    parser.add_argument("--lammps-sources", help="source tree of the LAMMPS executable")
    parser.add_argument("--plugin-allocations", help="one whose allocations on a GPU fail on demand")
    parser.add_argument("--gpz", help="the gpz command")
    parser.add_argument("--mpiexec", default="mpiexec", help="command that starts several ranks with -np N")
    parser.add_argument("--reference", help="folder of the package gpz_reference")
    parser.add_argument("--two-hosts", help="library to preload: MPI takes its processes for those of two hosts")
    parser.add_argument("--rank-dies", help="library to preload: SIGKILL of one rank in a call of MPI")
    parser.add_argument("--io-faults", help="library to preload: lets calls on files fail (tests/faults)")
    parser.add_argument("--alloc-faults", help="library to preload: lets allocations fail (tests/faults)")
    parser.add_argument("--tables-json", help="program that prints tables and observables (tables_json.cpp)")
    parser.add_argument("--runs", type=Path, help="folder of the runs that are made by tests/clients/runs.py")
    parser.add_argument("--molfile", type=Path, help="folder of the plugins for programs that load molfile plugins")
    parser.add_argument("--work", type=Path, help="folder for the files of the cases")
    options = parser.parse_args()
    register(options.cases)
    if options.list:
        print("\n".join(name if name in SAMPLE else f"{name} long" for name in CASES))
        return 0

    names = options.cases or [name for name, (f, _) in CASES.items() if options.module in (None, f.__module__)]
    # Open MPI's own files are in a folder that all processes of a user share, and a process that ends removes it when another
    # is about to use it. Those of processes that were killed would stay there.
    own = tempfile.mkdtemp(prefix="gpz-mpi-")
    for name, value in {**OPEN_MPI, "OMPI_MCA_orte_tmpdir_base": own}.items():
        os.environ.setdefault(name, value)
    try:
        return run_cases(names, options)
    finally:
        shutil.rmtree(own, ignore_errors=True)


def run_cases(names, options):
    failed, skipped = [], []
    for name in names:
        function, ranks = CASES[name]
        directory = options.work.resolve() / name
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        test = Test(options, directory)
        test.ranks = ranks
        try:
            function(test)
        except Skip as reason:
            skipped.append(name)
            print(f"{name}: skipped: {reason}")
        except Exception:
            failed.append(name)
            print(f"{name}: FAILED\n{traceback.format_exc(-3)}", file=sys.stderr)
        else:
            print(f"{name}: ok")
    return 1 if failed else SKIPPED if len(skipped) == len(names) else 0
