# SPDX-License-Identifier: BSD-3-Clause
"""dump gpz in a rerun of .gpz files: what it records holds for the positions that those were made of."""

import re
import subprocess
import sys

from harness import Skip, case, read_dump
from systems import FLAT, MELT, TRICLINIC

OLD = 0.001  # the bound of the files that are read
COLUMNS = "id type x y z ix iy iz"
ALL = f"{COLUMNS} xu yu zu xs ys zs"
ROUNDING = 1e-12  # of the comparison, which moves values by box edges
LONG = MELT.replace("0 5 0 5 0 5", "0 3 0 4 0 8")


def write(t, columns=COLUMNS, system=MELT, name="old.gpz", exact="exact.dump", more="", eb=OLD, ranks=1):
    """A .gpz file, and all positions exactly."""
    every = ALL if "z" in columns else "id type x y ix iy xu yu xs ys"
    t.lammps(
        f"{system}{more}dump old all gpz 20 {name} {columns}\ndump_modify old eb {eb}\n"
        f"dump exact all custom 20 {exact} {every}\ndump_modify exact sort id format float %.17g\nrun 60",
        ranks=ranks,
    )


def dump(columns, modify="", name="new.gpz", read="old.gpz dump x y z ix iy iz"):
    modify = f"dump_modify new {modify}\n" if modify else ""
    return f"dump new all gpz 20 {name} {columns}\n{modify}rerun {read}\n"


def edges(frame):
    """Of an orthogonal box."""
    box = frame.box
    return [box[1] - box[0], box[3] - box[2], box[5] - box[4]]


def whole_edges(frame, name, difference):
    """Atoms that are at a face may come back at the other one."""
    if "u" in name:
        return 0
    edge = 1.0 if "s" in name else edges(frame)["xyz".index(name[0])]
    return round(difference / edge) * edge


def promises(t, name):
    """For each frame of a file, {column: (bound, largest error)}."""
    sys.path.insert(0, t.options.reference)
    from gpz_reference import reader as gpz_ref

    file = gpz_ref.read_file(str(t.path(name)))
    return [{n: (f.bound, f.largest_error) for f in frame.fields for n in f.names} for frame in file.frames]


def check(t, name, exact="exact.dump", names="x y z", wraps=True):
    """Positions are within what each frame records of the exact ones. Returns the bounds of the frames for the first of the
    columns."""
    t.gpz("decode", name, "--format", "lammps", "--exact", "--sort", "id", "-o", "new.text")
    frames, original = read_dump(t.path("new.text")), {frame.step: frame for frame in read_dump(t.path(exact))}
    promised = promises(t, name)
    assert len(frames) == len(promised) > 0
    for frame, promise in zip(frames, promised):
        theirs = original[frame.step]
        for column in names.split():
            bound, error = promise[column]
            expected, worst = theirs.column(column), 0.0
            for atom, text in frame.column(column).items():
                difference = float(text) - float(expected[atom])
                if wraps:
                    difference -= whole_edges(theirs, column, difference)
                worst = max(worst, abs(difference))
            at = f"step {frame.step}, {column}"
            assert worst <= error + ROUNDING, f"{at}: {worst} from the original, recorded {error}"
            assert 0 < error <= bound, f"{at}: {error} of {bound}"
    return [promise[names.split()[0]][0] for promise in promised]


@case(ranks=(1, 2))
def rerun_origin(t):
    """The bound that is recorded is that of the original positions: what is asked for, or the default beside that of the file."""
    write(t, ranks=t.ranks)
    every = {"": 0.0015, "eb 0.01": 0.01, "eb 0.0012": 0.0012, "eb abs 0.0035": 0.0035}
    scripts = [MELT + dump("id type x y z", modify, f"{n}.gpz") for n, modify in enumerate(every)]
    scripts.append(MELT + dump("id x y z", "eb rel 0.001", "rel.gpz"))
    output = t.lammps(t.in_turn(*scripts))
    for n, bound in enumerate(every.values()):
        assert check(t, f"{n}.gpz") == [bound] * 4
        text = f"positions within {bound:.8g} sigma: 0.001 of old.gpz, and {bound - OLD:.8g} in addition"
        assert text in output, output
    edge = edges(read_dump(t.path("exact.dump"))[0])[0]
    assert all(abs(bound - 0.001 * edge) < 1e-9 for bound in check(t, "rel.gpz"))
    assert "largest error: x y z 0.00103" in output, output
    assert "within 0.0005 sigma" not in output, output


@case(ranks=(1, 2))
def rerun_origin_refused(t):
    """Bounds that leave nothing beside that of the file."""
    write(t)
    for bound, text in ("0.001", "0.001"), ("1e-4", "0.0001"), ("0", "0 (exact)"):
        message = t.error(MELT + dump("id x y z", f"eb {bound}"))
        expected = "positions come from old.gpz, which are within 0.001 sigma of the original ones"
        assert expected in message and f"a bound of {text} cannot be kept" in message, message
        assert "dump_modify new eb sets a larger one, and without it the bound is 0.0015" in message, message


@case(ranks=(1, 2))
def rerun_origin_of_other_columns(t):
    """Unwrapped positions and fractions of the box, in the file that is read and in the one that is written."""
    stored = {"x": COLUMNS, "xu": "id xu yu zu", "xs": "id xs ys zs ix iy iz", "xsu": "id xsu ysu zsu"}
    for name, columns in stored.items():
        write(t, columns, name=f"{name}.gpz", ranks=t.ranks)
    scripts = []
    for name in stored:
        images = "" if name.endswith("u") else " ix iy iz"
        read = f"{name}.gpz dump x y z{images}"
        scripts.append(MELT + dump("id xu yu zu", "eb 0.002", f"xu-{name}.gpz", read))
        scripts.append(MELT + dump("id xs ys zs xu yu zu", "", f"xs-{name}.gpz", read))
    t.lammps(t.in_turn(*scripts))
    edge = edges(read_dump(t.path("exact.dump"))[0])[0]
    for name in stored:
        assert check(t, f"xu-{name}.gpz", names="xu yu zu") == [0.002] * 4
        bounds = check(t, f"xs-{name}.gpz", names="xs ys zs xu yu zu")
        assert all(abs(bound - 0.0015 / edge) < 1e-9 for bound in bounds), bounds


@case()
def rerun_origin_in_a_long_box(t):
    """An error of a distance is more as a fraction of the shorter edges. Fractions of the same box stay as they are."""
    write(t, system=LONG, name="x.gpz")
    write(t, "id xs ys zs ix iy iz", system=LONG, name="xs.gpz")
    files = {f"new-{name}.gpz": f"{name}.gpz dump x y z" for name in ("x", "xs")}
    scripts = [LONG + dump("id xs ys zs", name=name, read=read) for name, read in files.items()]
    output = t.lammps(t.in_turn(*scripts))
    long, least = edges(read_dump(t.path("exact.dump"))[0])[2], OLD * 8 / 3
    for name, bound in ("x", least + 0.0005), ("xs", 0.0015):
        bounds = check(t, f"new-{name}.gpz", names="xs ys zs")
        assert all(abs(found - bound / long) < 1e-9 for found in bounds), f"{name}: {bounds}"
    assert f"{least:.8g} of x.gpz (0.001 there, and more as fractions of this box, or rotated)" in output, output
    message = t.error(LONG + dump("id xs ys zs", "eb 0.0025", read="x.gpz dump x y z"))
    assert f"(within {least:.8g} as fractions of this box, or rotated)" in message, message


@case()
def rerun_origin_in_tilted_and_flat_boxes(t):
    """Tilted boxes, which change, and two dimensions. Image flags tell where atoms are that LAMMPS has moved by an edge."""
    shear = "fix d all deform 1 xy erate 0.05 x erate 0.01\n"
    for name, columns in ("x", COLUMNS), ("xs", "id xs ys zs ix iy iz"):
        write(t, columns, TRICLINIC, f"{name}.gpz", "tilted.dump", shear)
        read = f"{name}.gpz dump x y z ix iy iz"
        output = t.lammps(TRICLINIC + dump("id xu yu zu xsu ysu zsu", name=f"tilted-{name}.gpz", read=read))
        assert output.count(" in addition") == 1, output  # not for each box
        check(t, f"tilted-{name}.gpz", "tilted.dump", "xu yu zu", wraps=False)
    write(t, "id type x y ix iy", FLAT, "flat.gpz", "flat.dump")
    t.lammps(FLAT + dump("id x y xs ys xu yu", name="new.gpz", read="flat.gpz dump x y ix iy"))
    assert check(t, "new.gpz", "flat.dump", "x y xs ys xu yu")[0] == 0.0015


@case(ranks=(2,))
def rerun_origin_of_several_files(t):
    """Each frame has the bound of its own file; of the parts of a frame the largest counts, whoever reads it."""
    write(t, name="1.gpz")
    write(t, name="2.gpz", exact="later.dump", more="reset_timestep 100\n", eb=0.0002)
    t.lammps(MELT + dump("id x y z", read="1.gpz 2.gpz dump x y z"))
    t.path("both.dump").write_text(t.path("exact.dump").read_text() + t.path("later.dump").read_text())
    assert check(t, "new.gpz", "both.dump") == [0.0015] * 4 + [0.0004] * 4

    write(t, name="part.%.gpz", ranks=2)
    write(t, name="other.%.gpz", ranks=2, eb=0.004)
    t.path("part.1.gpz").write_bytes(t.path("other.1.gpz").read_bytes())
    output = t.lammps(MELT + dump("id x y z", read="part.%.gpz dump x y z nfile 2"))
    assert check(t, "new.gpz") == [0.004 + 0.0005] * 4
    assert "0.004 of part.1.gpz, and 0.0005 in addition" in output, output


@case(ranks=(1, 2))
def rerun_origin_continued(t):
    """A file that is continued keeps its bound, or is refused."""
    write(t)
    write(t, name="later.gpz", exact="later.dump", more="reset_timestep 100\n")
    scripts = [MELT + dump("id x y z", "append yes", read=f"{name} dump x y z") for name in ("old.gpz", "later.gpz")]
    t.lammps(t.in_turn(*scripts))
    t.path("both.dump").write_text(t.path("exact.dump").read_text() + t.path("later.dump").read_text())
    assert check(t, "new.gpz", "both.dump") == [0.0015] * 8

    t.lammps(MELT + "dump new all gpz 20 small.gpz id x y z\nrun 60")
    before = t.path("small.gpz").read_bytes()
    message = t.error(MELT + dump("id x y z", "append yes", "small.gpz", "later.gpz dump x y z"))
    assert "a bound of 0.0005 cannot be kept; write to another file than the one that is continued" in message, message
    assert t.path("small.gpz").read_bytes()[: len(before) // 2] == before[: len(before) // 2]


@case()
def rerun_origin_ends_with_the_rerun(t):
    """Atoms that move afterwards, exact files, text, and read_dump: bounds are those of the positions that LAMMPS has."""
    write(t)
    usual = "positions within 0.0005 sigma (default for units lj; dump_modify new eb changes it)"
    output = t.lammps(MELT + dump("id x y z") + "run 20")
    assert output.index("positions within 0.0015") < output.index(usual), output
    bounds = [promise["x"][0] for promise in promises(t, "new.gpz")]
    assert bounds == [0.0015] * 4 + [0.0005], bounds

    write(t, name="exact.gpz", eb=0)
    text = t.gpz("decode", "old.gpz", "--format", "lammps", "--exact", "-o", "old.text")
    assert not text
    scripts = [
        MELT + dump("id x y z", read="exact.gpz dump x y z"),
        MELT + dump("id x y z", read="old.text dump x y z"),
        MELT + "read_dump old.gpz 40 x y z\ndump new all gpz 20 new.gpz id x y z\nrun 0",
    ]
    output = t.lammps(t.in_turn(*scripts))
    assert output.count(usual) == 3 and "in addition" not in output, output


@case()
def rerun_origin_names_the_reference(t):
    """What bounds refer to is what the file says."""
    write(t)
    t.gpz("decode", "old.gpz", "--format", "lammps", "--exact", "--sort", "id", "-o", "old.text")
    t.gpz("encode", "old.text", "-o", "encoded.gpz", "--eb", "0.002", "--units", "lj")
    for name in "old.gpz", "encoded.gpz":
        t.lammps(MELT + dump("id x y z", read=f"{name} dump x y z"))
        reference = t.info(name)["reference"]
        assert reference and t.info("new.gpz")["reference"] == reference, reference


# A program that goes on after an error of LAMMPS.
LIBRARY = """
import ctypes, sys
lammps = ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
lammps.lammps_open_no_mpi.restype = ctypes.c_void_p
arguments = [b"lmp", b"-log", b"none"]
words = (ctypes.c_char_p * len(arguments))(*arguments)
handle = ctypes.c_void_p(lammps.lammps_open_no_mpi(len(arguments), words, None))
for script in sys.argv[2:]:
    lammps.lammps_commands_string(handle, script.encode())
    message = ctypes.create_string_buffer(1000)
    failed = lammps.lammps_get_last_error_message(handle, message, 1000) if lammps.lammps_has_error(handle) else 0
    print("failed:" if failed else "done", message.value.decode(), flush=True)
"""


@case()
def rerun_origin_ends_with_an_error(t):
    """Of a rerun that a program catches."""
    linked = subprocess.run(["ldd", t.options.lmp], stdout=subprocess.PIPE, text=True, check=False).stdout
    library = re.search(r"liblammps\S* => (\S+)", linked)
    if not library:
        raise Skip("LAMMPS was built without a shared library")
    write(t)
    first = t.load() + MELT + dump("id x y z", "eb 1e-4")
    second = "clear\n" + t.load() + MELT + "dump new all gpz 20 new.gpz id x y z\nrun 0\n"
    done = subprocess.run(
        [sys.executable, "-c", LIBRARY, library[1], first, second],
        cwd=t.directory,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    before, after = re.split("failed: .*a bound of 0.0001 cannot be kept.*\n", done.stdout)
    assert "positions within 0.0005 sigma (default" in after and after.strip().endswith("done"), done.stdout
