# SPDX-License-Identifier: BSD-3-Clause
"""rerun and read_dump with format gpz: their keywords, and the formats that LAMMPS has of its own."""

import gzip
import struct
import subprocess

from harness import Skip, case, read_dump
from reread import ALL, THERMO, at_rest, exact_text, need_package, same, same_atoms, same_thermo, thermo, write
from systems import BASE, FLAT, GENERAL_TRICLINIC, MELT, TRICLINIC

WRITE = f"write_dump all custom {{W}} {ALL} ix iy iz modify sort id format float %.17g\n"


@case(ranks=(1, 2, 4))
def rerun_selections(t):
    """Frames of one file and of two in a row, chosen by every keyword."""
    first = write(t)
    t.lammps(
        MELT + "reset_timestep 200\ndump gpz all gpz 20 later.gpz id type x y z vx vy vz ix iy iz\nrun 60", ranks=1
    )
    files = ["t.gpz", "later.gpz"], [first, exact_text(t, "later.gpz")]
    choices = {
        "{A} dump x y z": [0, 20, 40, 60, 80, 100],
        "{A} {B} dump x y z vx vy vz": [0, 20, 40, 60, 80, 100, 200, 220, 240, 260],
        "{A} every 40 dump x y z": [0, 40, 80],
        "{A} {B} skip 3 dump x y z ix iy iz": [0, 60, 200, 260],
        "{A} {B} first 80 last 220 dump x y z": [80, 100, 200, 220],
        "{A} {B} first 90 start 90 stop 400 post yes dump x y z": [100, 200, 220, 240, 260],
    }
    tables = same_thermo(t, "".join(f"rerun {choice} {{F}}\n" for choice in choices), *files)
    assert [[int(row[0]) for row in table] for table in tables] == list(choices.values()), tables


@case(ranks=(1, 3))
def read_dump_selections(t):
    """A frame by its timestep, with the keywords that say what becomes of the atoms."""
    text = write(t)
    few = "group few id 1:50\ndelete_atoms group few compress no\n"
    choices = (
        "read_dump {A} 60 x y z vx vy vz ix iy iz {F}\n",
        "read_dump {A} 60 z vx ix timestep no {F}\n",
        few + "read_dump {A} 40 x y z vx vy vz replace no add keep {F}\n",
        few + "read_dump {A} 40 x y z vx vy vz add yes {F}\n",
        "read_dump {A} 100 x y z vx purge yes replace no add yes {F}\n",
        "create_atoms 1 single 0.3 0.4 0.5\nread_dump {A} 80 x y z trim yes {F}\n",
        "change_box all x scale 1.1 remap\nread_dump {A} 80 x y z box no {F}\n",
        "change_box all x scale 1.1 remap\nread_dump {A} 100 x y z {F}\n",
        "read_dump {A} 20 x vx label vx vy label x vz scaled no wrapped no {F}\n",
        "read_dump {A} 20 x y z label x vx label y vy label z vz scaled yes wrapped yes {F}\n",
    )
    blocks = [choice + WRITE.replace("{W}", f"{{W}}{i}") for i, choice in enumerate(choices)]
    again = "clear\n" + at_rest(MELT)
    written = same_atoms(t, again.join(blocks), ["t.gpz"], [text], system=at_rest(MELT))
    assert len(written) == len(choices) == len(set(written))
    assert all("ITEM: NUMBER OF ATOMS\n500\n" in atoms for atoms in written)


@case()
def new_ids_ascend(t):
    """Atoms that are created get new IDs in the order of the old ones, wherever they are stored."""
    write(t, modify="order place")
    t.lammps(MELT + "read_dump t.gpz 60 x y z purge yes replace no add yes format gpz\n" + WRITE.format(W="new.out"))
    new = read_dump(t.path("new.out"))[0].atoms
    old = read_dump(t.path("t.text"))[3].atoms
    assert {i: atom["type"] for i, atom in new.items()} == {i: atom["type"] for i, atom in old.items()}


@case(ranks=(1, 2, 4, 5))
def rerun_percent(t):
    """Files of four ranks, read by fewer ranks, by as many and by more."""
    t.lammps(MELT + f"dump gpz all gpz 20 t.%.gpz {BASE} vx vy vz\nrun 60", ranks=4)
    for rank in range(4):
        exact_text(t, f"t.{rank}.gpz")
    files = ["t.%.gpz"], ["t.%.text"]
    script = "read_dump {A} 40 x y z vx vy vz nfile 4 {F}\n" + WRITE + "rerun {A} first 20 dump x y z nfile 4 {F}\n"
    tables, _ = same(t, script, *files, system=at_rest(MELT))
    assert [int(row[0]) for row in tables[0]] == [20, 40, 60]


@case()
def file_names_decide(t):
    """Without a format, names in .gpz are read as such."""
    text = write(t)
    script = "read_dump {A} 40 x y z\n" + WRITE + "rerun {A} skip 2 dump x y z\n"
    tables, _ = same(t, script, ["t.gpz"], [text], form="")
    assert [int(row[0]) for row in tables[0]] == [0, 40, 80]
    assert "incorrectly formatted" in t.error(MELT + "rerun t.gpz dump x y z format native")


@case()
def types_of_elements(t):
    """A file that shows elements instead of types has the types as well."""
    write(t, columns="id element x y z vx", modify="element Ar Kr")
    t.lammps(
        at_rest(MELT)
        + "read_dump t.gpz 40 x y z vx purge yes replace no add keep format gpz\n"
        + "write_dump all custom e.out id element x y z vx modify element C C sort id format float %.17g\n"
        + "write_dump all custom t.out id type modify sort id"
    )
    t.lammps(MELT + "write_dump all custom types.out id type modify sort id")
    types = [
        {i: atom["type"] for i, atom in read_dump(t.path(name))[0].atoms.items()} for name in ("t.out", "types.out")
    ]
    assert types[0] == types[1]


@case()
def reread_after_clear(t):
    """The commands stay when the simulation is cleared; loading the plugin again does no harm."""
    write(t)
    load = f"plugin load {t.options.plugin}\n" if t.options.plugin else ""
    output = t.lammps(
        f"{MELT}rerun t.gpz dump x y z format gpz\nclear\n{MELT}rerun t.gpz dump x y z\nclear\n{load}{MELT}"
        "rerun t.gpz dump x y z format gpz\nrerun t.text dump x y z"
    )
    tables = thermo(output)
    assert len(tables) == 4 and tables[0] == tables[1] == tables[2] == tables[3]


@case()
def reread_other_formats(t):
    """The formats of LAMMPS itself work as without the plugin: text, binary, packed and xyz."""
    t.lammps(
        MELT + "dump 1 all custom 20 t.dump id type x y z\ndump 2 all custom 20 t.bin id type x y z\n"
        "dump 3 all xyz 20 t.xyz\n"
        "dump_modify 1 sort id format float %.17g\ndump_modify 3 sort id\nrun 60"
    )
    t.path("t.dump.gz").write_bytes(gzip.compress(t.path("t.dump").read_bytes()))
    readings = (
        "rerun t.dump dump x y z\nread_dump t.bin 40 x y z format native\nrerun t.dump.gz dump x y z\n"
        "rerun t.xyz dump x y z box no format xyz\nread_dump t.dump 40 x y z\n"
        "read_dump t.xyz 2 x y z box no format xyz\nrun 0"
    )
    load = f"plugin load {t.options.plugin}" if t.options.plugin else ""
    with_it = thermo(t.lammps(MELT + readings))
    t.path("in.lammps").write_text(t.path("in.lammps").read_text().replace(load, ""))
    without = subprocess.run(
        t.command(1, ["-in", "in.lammps", "-log", "log.lammps"]),
        cwd=t.directory,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert len(with_it) == 4 and with_it == thermo(without.stdout)


@case()
def reread_molfile(t):
    """LAMMPS's MOLFILE package reads the file through the molfile plugin: as float32, with frames for timesteps."""
    need_package(t, "MOLFILE")
    if not t.options.molfile:
        raise Skip("the molfile plugin was not built")
    write(t, columns="id type x y z vx vy vz", modify="bound v* 1e-4")
    form = f"format molfile gpz {t.options.molfile}"
    output = t.lammps(
        at_rest(MELT)
        + THERMO
        + f"rerun t.gpz dump x y z vx vy vz box no {form}\nrerun t.gpz dump x y z format gpz\n"
        + f"read_dump t.gpz 3 x y z vx vy vz purge yes replace no add keep box no {form}\n"
        + "write_dump all custom m.out id type xu yu zu vx vy vz modify sort id format float %.17g"
    )
    assert "gpz compressed trajectory" in output, output
    through, direct = thermo(output)
    assert [int(row[0]) for row in through] == [0, 1, 2, 3, 4, 5]
    for single, double in zip(through, direct):
        assert abs(float(single[2]) - float(double[2])) < 1e-5, f"energies {single[2]}, {double[2]}"

    got, expected = read_dump(t.path("m.out"))[0].atoms, read_dump(t.path("t.text"))[3].atoms
    for atom, values in expected.items():
        assert got[atom]["type"] == values["type"]
        for column, mine in zip(("x", "y", "z", "vx", "vy", "vz"), ("xu", "yu", "zu", "vx", "vy", "vz")):
            (rounded,) = struct.unpack("f", struct.pack("f", float(values[column])))
            assert abs(float(got[atom][mine]) - rounded) < 1e-12, f"atom {atom}, {column}"


@case(ranks=(1, 2))
def refused_readings(t):
    """What cannot be read is an error that names the file and the reason."""
    write(t, modify="order place effort fast")
    t.lammps(
        GENERAL_TRICLINIC + f"dump 1 all gpz 20 general.gpz {BASE}\ndump_modify 1 triclinic/general yes\nrun 20",
        ranks=1,
    )
    write(t, name="plain.gpz", columns="id type xs ys zs")
    write(t, name="noid.gpz", columns="type x y z")
    t.path("broken.gpz").write_bytes(damaged(t.path("t.gpz").read_bytes()))
    t.path("text.gpz").write_text(t.path("t.text").read_text())
    cases = {
        "rerun missing.gpz dump x y z": ["missing.gpz", "No such file"],
        "rerun text.gpz dump x y z": ["text.gpz", "not a gpz file"],
        "rerun plain.gpz dump x y z vx": ["plain.gpz: timestep 0: has no column vx", "id type xs ys zs"],
        "rerun noid.gpz dump x y z": ["noid.gpz", "has no column id"],
        "read_dump t.gpz 40 x label x c_pe": ["has no column c_pe"],
        "read_dump t.gpz 40 x y z format gpz threads 2": ["threads"],
        "read_dump t.gpz 47 x y z": ["does not contain requested snapshot"],
        "read_dump t.%.gpz 40 x y z": ["multi-proc"],
        "rerun broken.gpz dump x y z": ["broken.gpz", "checksum"],
    }
    for command, expected in list(cases.items())[:: 1 if t.ranks == 1 else 4]:
        message = t.error(MELT + command + "\n")
        assert all(part in message for part in expected), f"{command}: {message}"
    message = t.error(GENERAL_TRICLINIC + "read_dump general.gpz 20 x y z")
    assert "general.gpz: timestep 20" in message and "general triclinic" in message, message


def damaged(data):
    """The middle of the largest gap between the frames' heads, which is compressed atoms, has another bit."""
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


@case()
def frames_that_are_skipped_are_not_read(t):
    """One frame of six is damaged. Who does not ask for it does not notice."""
    write(t, modify="key 1")
    records, data = t.frame_records("t.gpz"), t.path("t.gpz").read_bytes()
    at = data.index(records[3]) + len(records[3]) // 2
    t.path("t.gpz").write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    tables = thermo(t.lammps(MELT + THERMO + "rerun t.gpz skip 2 dump x y z \nrerun t.gpz first 80 dump x y z"))
    assert [[int(row[0]) for row in table] for table in tables] == [[0, 40, 80], [80, 100]]
    message = t.error(MELT + "rerun t.gpz every 60 dump x y z")
    assert "t.gpz" in message and "checksum" in message and "timestep 60" in message, message


@case()
def reread_warnings(t):
    """A torn file is read up to its last complete frame, a file of other units as it is. A timestep that is missing."""
    write(t)
    t.cut("t.gpz", 0.7)
    output = t.lammps(MELT + THERMO + "rerun t.gpz dump x y z")
    complete = len(thermo(output)[0])
    assert 0 < complete < 6 and "t.gpz: the last frame is incomplete" in output, output
    assert f"{complete} frame(s) are complete" in output, output

    output = t.lammps(MELT + "read_dump t.gpz 100 x y z", fails=True)
    assert f"t.gpz: none of its {complete} frames was read: timesteps 0 to {20 * (complete - 1)}" in output, output

    metal = MELT.replace("units lj", "units metal")
    output = t.lammps(metal + "rerun t.gpz dump x y z")
    assert "t.gpz: was written with units lj, but this simulation has units metal" in output, output


@case()
def reread_lacks_a_column_later(t):
    """A column that later frames of the file lack."""
    write(t, columns=BASE + " vx", steps=20)
    write(t, columns=BASE, name="l.gpz", more="reset_timestep 40\n", steps=20)
    message = t.error(MELT + "rerun t.gpz l.gpz dump x y z vx")
    assert "l.gpz: timestep 40: has no column vx" in message, message


@case(ranks=(2,))
def reread_boxes(t):
    """Two dimensions, and tilted boxes that change."""
    flat = write(t, columns="id type x y vx vy", system=FLAT, name="flat.gpz")
    assert "z-dimension" in t.error(FLAT + "rerun flat.gpz dump x y z")
    shear = "fix d all deform 1 xy erate 0.05 x erate 0.01\n"
    tilted = {"a.gpz": "id type x y z", "b.gpz": "id type xs ys zs", "c.gpz": "id type xsu ysu zsu"}
    texts = [write(t, columns=columns, system=TRICLINIC, more=shear, name=name) for name, columns in tilted.items()]

    scripts = [f"{TRICLINIC}{THERMO}rerun {{{key}}} dump x y z {{F}}\n" for key in "ABC"]
    scripts.append(f"{TRICLINIC}{THERMO}rerun {{C}} dump x y z box no {{F}}\n")
    scripts = t.in_turn("rerun {D} dump x y vx vy {F}\n", *scripts)
    tables = same_thermo(t, scripts, [*tilted, "flat.gpz"], [*texts, flat], system=FLAT)
    assert len(tables) == 5
    for table in tables[1:4]:
        assert table[0][5] != table[-1][5], "the box does not change"
