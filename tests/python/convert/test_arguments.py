# SPDX-License-Identifier: BSD-3-Clause
"""Wrong arguments: one line that names the option, the value and what to do; exit codes are those of gpz."""

import re

import numpy as np
import pytest

import gpz
from gpz.convert import convert
from gpz.programs import convert as command
from gpz.programs.exit_codes import exit_code

USAGE, IO, CORRUPT, TRUNCATED, UNSUPPORTED = 2, 3, 4, 5, 6


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """run.gpz with velocities, and run.xtc, run.trr and run.dcd of it, without types. The box has 20 Angstrom. rest.gro has
    velocities that are all the same."""
    made = tmp_path_factory.mktemp("arguments")
    random = np.random.default_rng(8)
    with gpz.Writer(made / "run.gpz", units="metal") as writer:
        for k in range(3):
            x, v = random.random((20, 3)) * 25, random.normal(size=(20, 3))
            writer.write(positions=x, velocities=v, ids=np.arange(1, 21), box=[20, 20, 20], timestep=k, time=k)
    for ending in ("xtc", "trr", "dcd"):
        convert(made / "run.gpz", made / f"run.{ending}")
    atoms = [f"{i:5}SOL     OW{i:5}{i:8.3f}{1:8.3f}{1:8.3f}{0.1:8.4f}{0.1:8.4f}{0.1:8.4f}" for i in (1, 2)]
    (made / "rest.gro").write_text("\n".join(["at rest", "2", *atoms, "5 5 5"]) + "\n")
    (made / "folder.gpz").mkdir()
    for name in ("noise.xtc", "noise.dcd", "noise.nc", "noise.h5md", "noise.pdb", "noise.gro", "noise.gpz"):
        (made / name).write_text("this is a text, and nothing else\n" * 5)
    (made / "empty.dcd").touch()
    return made


BOUND = "a finite number that is not negative, not"
WRONG = [
    # Numbers that are none.
    (USAGE, "run.xtc o.gpz --eb=", f"--eb: {BOUND} ''"),
    (USAGE, "run.xtc o.gpz --eb=-1", f"--eb: {BOUND} '-1'"),
    (USAGE, "run.xtc o.gpz --eb=nan", f"--eb: {BOUND} 'nan'"),
    (USAGE, "run.xtc o.gpz --eb=inf", f"--eb: {BOUND} 'inf'"),
    (USAGE, "run.xtc o.gpz --eb=1e-400", f"--eb: {BOUND} '1e-400'"),
    (USAGE, "run.xtc o.gpz --eb=1e400", f"--eb: {BOUND} '1e400'"),
    (USAGE, "run.xtc o.gpz --eb=1_0", f"--eb: {BOUND} '1_0'"),
    (USAGE, "run.xtc o.gpz --eb=small", f"--eb: {BOUND} 'small'"),
    (USAGE, "run.xtc o.gpz --eb 0.1 --lossless", "--lossless: not allowed with argument --eb"),
    (USAGE, "run.xtc o.gpz --rel=", f"--rel: {BOUND} ''"),
    (USAGE, "run.xtc o.gpz --rel=-0.5", f"--rel: {BOUND} '-0.5'"),
    (USAGE, "run.xtc o.gpz --rel nan", f"--rel: {BOUND} 'nan'"),
    (USAGE, "run.xtc o.gpz --rel 1e-400", f"--rel: {BOUND} '1e-400'"),
    (USAGE, "run.xtc o.gpz --rel 1", "--rel: 1 is a bound of the whole box or more; give less than 1"),
    (USAGE, "run.xtc o.gpz --rel 2", "--rel: 2 is a bound of the whole box or more; give less than 1"),
    (USAGE, "run.xtc o.gpz --eb 0.1 --rel 0.1", "--rel: not allowed with argument --eb"),
    (USAGE, "run.xtc o.gpz --rel 0.1 --lossless", "--lossless: not allowed with argument --rel"),
    (USAGE, "run.gpz o.dcd --rel 0.1", "--rel=0.1 has no meaning here: o.dcd is no .gpz file"),
    (USAGE, "run.gpz o.dcd --lossless", "--eb=0.0 has no meaning here: o.dcd is no .gpz file"),
    (USAGE, "run.trr o.gpz --bound velocities=-1", "--bound: velocities=V or forces=V.*not 'velocities=-1'"),
    (USAGE, "run.trr o.gpz --bound velocities", "--bound: velocities=V or forces=V.*not 'velocities'"),
    (USAGE, "run.trr o.gpz --bound x=1", "--bound: velocities=V or forces=V.*not 'x=1'"),
    (USAGE, "run.trr o.gpz --bound velocities=1 --bound velocities=2", "--bound: .*one bound each"),
    (USAGE, "run.trr o.gpz --bound forces=1", "run.trr: a bound of forces .1., and the file has no forces"),
    (USAGE, "run.trr o.gpz --bound v*=1 --bound velocities=2", "--bound: .*one bound each"),
    (USAGE, "run.trr o.gpz --bound v*=warm", "--bound: velocities=V .*thermal.*not 'v.=warm'"),
    (USAGE, "run.trr o.gpz --bound forces=thermal", "--bound forces: a thermal bound is for vx, vy and vz, not for fx"),
    (USAGE, "run.trr o.gpz --bound v*=thermal", "run.trr: a thermal bound of velocities, .* no types: give a topology .*number"),
    (USAGE, "run.xtc o.gpz --bound v*=thermal", "run.xtc: a bound of velocities .thermal., and the file has no velocities"),
    (USAGE, "rest.gro o.gpz --bound v*=thermal", "rest.gro: --bound: no two particles .*column type.* no thermal speed"),
    (USAGE, "run.xtc o.gpz --key 0", "--key: a whole number from 1 to 65535, or auto, not '0'"),
    (USAGE, "run.xtc o.gpz --key=-3", "--key: a whole number from 1 to 65535, or auto, not '-3'"),
    (USAGE, "run.xtc o.gpz --key 1.5", "--key: a whole number from 1 to 65535, or auto, not '1.5'"),
    (USAGE, "run.xtc o.gpz --key 99999999999999999999", "--key: a whole number from 1 to 65535, or auto, not '99999999999999999999'"),
    (USAGE, "run.xtc o.gpz --key often", "--key: a whole number from 1 to 65535, or auto, not 'often'"),
    (USAGE, "run.xtc o.gpz --threads=-1", "--threads: a whole number from 0 to 4096, not '-1'"),
    (USAGE, "run.xtc o.gpz --threads 9999999999", "--threads: a whole number from 0 to 4096, not '9999999999'"),
    (USAGE, "run.gpz o.xtc --precision=-4", "--precision: a whole number from 0 to 9, not -4"),
    (USAGE, "run.gpz o.xtc --precision 400", "--precision: a whole number from 0 to 9, not 400"),
    (USAGE, "run.gpz o.xtc --precision x", "--precision: a whole number, not 'x'"),
    (UNSUPPORTED, "run.gpz o.xtc --precision 9 --frames 0", "do not fit.*fewer with --precision"),
    # Frames.
    (USAGE, "run.xtc o.gpz --frames x", "--frames: A:B .*not 'x'"),
    (USAGE, "run.xtc o.gpz --frames ::0", "--frames: A:B .*not '::0'"),
    (USAGE, "run.xtc o.gpz --frames 1:2:3:4", "--frames: A:B .*not '1:2:3:4'"),
    (USAGE, "run.xtc o.gpz --frames=", "--frames: A:B .*not ''"),
    (USAGE, "run.xtc o.gpz --frames 7:", "run.xtc: none of the 3 frames"),
    (USAGE, "run.gpz o.xtc --frames=-9", "run.gpz: none of the 3 frames"),
    # Names.
    (USAGE, "run.xtc o.gpz --units foo", "unknown units: foo .known: lj, real"),
    (USAGE, "run.xtc o.gpz --effort default", "--effort: .*'default'.*'standard'"),
    (USAGE, "run.xtc o.gpz --order best", "--order: .*'best'.*'place'"),
    (USAGE, "run.xtc o.gpz --nonsense", "--nonsense"),
    (USAGE, "run.xtc", "OUT"),
    (USAGE, "run.gpz o.pdb", "o.pdb: no format to write ends with .pdb: there are .dcd"),
    (USAGE, "run.gpz run.gpz", "only one"),
    (USAGE, "run.foo o.gpz", "run.foo: MDAnalysis reads no trajectory whose name ends with .foo"),
    (USAGE, "run.lammpstrj o.gpz", "run.lammpstrj: .*gpz encode"),
    # Options without an effect.
    (USAGE, "run.gpz o.dcd --eb 0.1", "--eb=0.1 has no meaning here: o.dcd is no .gpz file"),
    (USAGE, "run.gpz o.dcd --bound velocities=1", "--bound=.* has no meaning here"),
    (USAGE, "run.gpz o.dcd --topology run.gro", "--topology='run.gro' has no meaning here"),
    (USAGE, "run.gpz o.dcd --precision 3", "--precision=3 has no meaning here: o.dcd is no XTC file"),
    (USAGE, "run.xtc o.gpz --precision 3", "--precision=3 has no meaning here: o.gpz is no XTC file"),
    # Files.
    (IO, "none.dcd o.gpz", "none.dcd: no such file"),
    (IO, "none.gpz o.dcd", "none.gpz: no such file"),
    (IO, "run.dcd none/o.gpz", "none: there is no such folder"),
    (IO, "run.dcd folder.gpz", "folder.gpz: is a folder"),
    (IO, "folder.gpz o.dcd", "folder.gpz: is no regular file"),
    (IO, "run.dcd o.gpz --topology none.gro", "none.gro: no such file .the topology."),
    (USAGE, "run.dcd o.gpz --topology none.gro.txt", "none.gro.txt"),
    (CORRUPT, "run.dcd o.gpz --topology noise.pdb", "noise.pdb: MDAnalysis cannot read this topology"),
    *((CORRUPT, f"noise.{ending} o.gpz", f"noise.{ending}: ") for ending in ("xtc", "dcd", "nc", "h5md", "pdb", "gro")),
    (CORRUPT, "noise.gpz o.dcd", "noise.gpz: byte 0: not a gpz file"),
    (TRUNCATED, "empty.dcd o.gpz", "empty.dcd: byte 0: truncated before its first frame is complete"),
]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(("code", "words", "message"), WRONG, ids=[words for _, words, _ in WRONG])
def test_wrong_arguments(folder, monkeypatch, capsys, code, words, message):
    monkeypatch.chdir(folder)
    if words.endswith("none.gro.txt"):
        (folder / "none.gro.txt").touch()
    before = sorted(folder.iterdir())
    try:
        found = command.main(words.split())
    except SystemExit as error:  # of argparse
        found = error.code
    said = capsys.readouterr().err
    assert (found, said.count("\n")) == (code, 1), said
    assert re.match(f"gpz convert: .*{message}", said), said
    assert ".gpz-convert" not in said
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("option", ["--eb=0", "--lossless"])
def test_zero_is_exact(folder, tmp_path, option):
    assert command.main([str(folder / "run.dcd"), str(tmp_path / "a.gpz"), option]) == 0
    with gpz.open(tmp_path / "a.gpz") as exact, gpz.open(folder / "run.gpz") as source:
        assert exact[0].bounds["x"] is None
        assert np.array_equal(exact[2].positions, source[2].positions.astype(np.float32))


@pytest.mark.parametrize(("bound", "warned"), [(9.99, False), (10, True), (1e300, True)])
def test_a_bound_as_large_as_the_box_is_one_note(folder, tmp_path, bound, warned):
    notes = convert(folder / "run.dcd", tmp_path / "a.gpz", bound=bound)
    found = [note for note in notes if "edges of" in note]
    assert len(found) == warned
    assert not warned or f"{bound:g}" in found[0] and "20" in found[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"bound": "1"}, "bound: .*'1'"),
        ({"bound": -1}, "bound: .*-1"),
        ({"bound": float("nan")}, "bound: .*nan"),
        ({"relative_bound": "0.1"}, "relative_bound: .*'0.1'"),
        ({"relative_bound": 1}, "relative_bound: 1 is .*less than 1"),
        ({"relative_bound": 0.1, "bound": 0.1}, "one of bound and relative_bound"),
        ({"bounds": {"x": 1}}, "bounds: 'x'"),
        ({"bounds": {"velocities": float("inf")}}, "velocities.*inf"),
        ({"frames": 3}, "frames: .*3"),
        ({"key_interval": 0}, "key_interval: .*0"),
        ({"threads": -1}, "threads: .*-1"),
        ({"effort": "default"}, "effort is .*'default'"),
        ({"order": None}, "order is .*None"),
        ({"units": "feet"}, "units: feet"),
        ({"precision": 3}, "precision=3"),
    ],
)
def test_wrong_arguments_in_python(folder, tmp_path, arguments, message):
    with pytest.raises(gpz.ArgumentError, match=message):
        convert(folder / "run.trr", tmp_path / "a.gpz", **arguments)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [{"key_interval": 1.0}, {"key_interval": "often"}, {"threads": True}, {"precision": "3"}])
def test_arguments_of_a_wrong_type(folder, tmp_path, arguments):
    """As gpz.Writer refuses them."""
    source, target = ("run.gpz", "a.xtc") if "precision" in arguments else ("run.trr", "a.gpz")
    (name,) = arguments
    with pytest.raises(TypeError, match=f"{name}: .*{arguments[name]!r}"):
        convert(folder / source, tmp_path / target, **arguments)
    assert list(tmp_path.iterdir()) == []


def test_missing_files_are_those_of_python(tmp_path):
    with pytest.raises(FileNotFoundError):
        convert(tmp_path / "none.dcd", tmp_path / "a.gpz")


def test_exit_codes_are_those_of_the_command():
    """As in code_of() of tools/decompress/exit_code.cpp."""
    codes = {
        gpz.ArgumentError: 2,
        gpz.FileError: 3,
        gpz.NotGpzError: 4,
        gpz.VersionError: 4,
        gpz.CorruptError: 4,
        gpz.TruncatedError: 5,
        gpz.OutOfMemoryError: 6,
        gpz.LimitError: 6,
        gpz.UnsupportedError: 6,
        gpz.NotFoundError: 1,
        gpz.InternalError: 1,
    }
    assert {kind: exit_code(kind("")) for kind in codes} == codes


def test_an_input_is_no_output(folder, tmp_path):
    """The topology, or a file that a writer has open."""
    path = tmp_path / "top.gpz"
    path.write_bytes((folder / "run.gpz").read_bytes())
    before = path.read_bytes()
    with pytest.raises(gpz.ArgumentError, match="is an input as well as the output: write another file"):
        convert(folder / "run.xtc", path, topology=path)
    with gpz.Writer(path, append=True), pytest.raises(gpz.ArgumentError, match="is being written by another writer"):
        convert(folder / "run.xtc", path)
    assert path.read_bytes() == before
