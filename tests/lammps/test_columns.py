# SPDX-License-Identifier: BSD-3-Clause
"""Columns, their bounds, and what the file says about them."""

import re
import subprocess

from harness import DEFAULT_BOUND, case, read_dump
from systems import BASE, CORNER, MELT, TRICLINIC, dumps


@case(ranks=(1, 2))
def own_bounds(t):
    t.lammps(
        MELT
        + dumps(
            BASE + " vx vy vz fx fy fz", modify="eb 0.01 bound v* 0.002 bound fx 0.5 bound fx lossless bound fz 0.03"
        )
        + "run 40"
    )
    t.same(bounds={"x": 0.01, "y": 0.01, "z": 0.01, "vx": 0.002, "vy": 0.002, "vz": 0.002, "fz": 0.03})
    coarse = read_dump(t.path("t.gpz.text"))[0].atoms
    fine = read_dump(t.path("t.dump"))[0].atoms
    assert any(coarse[i]["vx"] != fine[i]["vx"] for i in fine), "the bound of v* had no effect"


def thermal_speed(atoms):
    """Of the slowest type, from the columns of a dump."""
    speeds = []
    for kind in {a["type"] for a in atoms.values()}:
        squares = count = 0
        for column in ("vx", "vy", "vz"):
            velocities = [float(a[column]) for a in atoms.values() if a["type"] == kind]
            mean = sum(velocities) / len(velocities)
            squares += sum((v - mean) ** 2 for v in velocities)
            count += len(velocities) - 1
        speeds.append((squares / count) ** 0.5)
    return min(speeds)


@case(ranks=(1, 2))
def thermal_bound(t):
    """A thousandth of the thermal speed of the slowest type at the first frame, rounded down to two digits: that which gpz encode
    computes from the same atoms. The last rank has them."""
    system = MELT + "region far block 4 5 4 5 4 5\nset group all type 1\nset region far type 2\nmass 2 9.0\ngroup far type 2\n"
    system += "velocity far scale 0.3\n"
    said = t.lammps(system + dumps(BASE + " vx vy vz", modify="bound v* thermal") + "run 40")
    bounds = {t.info()["columns"][v]["bound"] for v in ("vx", "vy", "vz")}
    speed = thermal_speed(read_dump(t.path("t.dump"))[0].atoms)
    (bound,) = bounds
    assert 0.0009 * speed < bound <= 0.001 * speed * (1 + 1e-6), (bound, speed)
    assert float(f"{bound:.1e}") == bound
    assert f"velocities within {bound:g}, a thousandth of the thermal speed of the slowest species" in said
    t.same(bounds={v: bound for v in ("vx", "vy", "vz")})
    # A file that is continued has its bound already, however hot the atoms are.
    said = t.lammps(MELT + "velocity all create 9.0 4711\n" + dumps(BASE + " vx vy vz", modify="append yes bound v* thermal") + "run 20")
    assert "thermal speed" not in said
    assert t.info()["columns"]["vx"]["bound"] == bound


@case()
def thermal_bound_that_cannot_be(t):
    message = t.error(MELT + "velocity all set 0 0 0\n" + dumps(BASE + " vx", modify="bound vx thermal") + "run 0")
    assert "no thermal speed" in message and "give a number" in message, message
    message = t.error(MELT + dumps(BASE + " fx", modify="bound fx thermal") + "run 0")
    assert "for vx, vy and vz, not for fx" in message, message


@case(ranks=(1, 2))
def computes_fixes_variables(t):
    t.lammps(
        MELT
        + "compute ke all ke/atom\ncompute s all stress/atom NULL\nfix store all ave/atom 1 20 20 vx vy\n"
        + "variable r atom sqrt(x*x+y*y)\n"
        + dumps(BASE + " c_ke c_s[*] f_store[2] v_r mass proc procp1", modify="bound c_s[*] 1e-3")
        + "run 40"
    )
    t.same(bounds={f"c_s[{i}]": 1e-3 for i in range(1, 7)})


@case(ranks=(2,))
def computes_of_a_rank_without_atoms(t):
    """Its arrays may not be allocated."""
    custom = "fix own all property/atom d_heat i_mark d2_pair 2\n"
    more = "compute ke all ke/atom\ncompute s all stress/atom NULL\nvariable r atom x+y\n" + custom
    columns = BASE + " c_ke c_s[2] c_s[5] v_r d_heat i_mark d2_pair[2]"
    t.lammps("processors 2 1 1\n" + CORNER + more + dumps(columns) + "run 40")
    t.same()


@case(ranks=(1, 2))
def custom_properties(t):
    t.lammps(
        MELT
        + "group odd id 1:499:2\nfix p all property/atom i_flag d_weight i2_pair 2 d2_vec 3\n"
        + "set atom 1*200 i_flag -2147483647 d_weight 0.1 i2_pair[2] 77 d2_vec[3] 1e300\n"
        + dumps(BASE + " i_flag d_weight i2_pair[1] i2_pair[2] d2_vec[3]", group="odd")
        + "run 20"
    )
    t.same()


@case(ranks=(1, 2))
def scaled_and_unwrapped(t):
    t.lammps(MELT + dumps("id xs ys zs xu yu zu xsu ix") + "run 60")
    scaled = DEFAULT_BOUND / read_dump(t.path("t.dump"))[0].box[1]
    t.same(bounds={c: scaled * (1 + 1e-15) for c in ("xs", "ys", "zs", "xsu")})


def scaled_within(t, bound):
    """Decoded scaled positions differ from those of the text dump by no more than `bound` in any Cartesian coordinate,
    in the box of their frame. The largest bound that allows this is used (at step 0, a lattice has few values)."""
    frames, exact = t.decode("t.gpz"), read_dump(t.path("t.dump"))
    assert [f.step for f in frames] == [f.step for f in exact]
    for frame, original in zip(frames, exact):
        sides = original.box if len(original.box) == 9 else [n for s in (0, 2, 4) for n in (*original.box[s : s + 2], 0)]
        # a text dump has the bounds of the tilted box, which are further apart
        xy, xz, yz = sides[2::3]
        lengths = [
            sides[1] - max(0, xy, xz, xy + xz) - sides[0] + min(0, xy, xz, xy + xz),
            sides[4] - max(0, yz) - sides[3] + min(0, yz),
            sides[7] - sides[6],
        ]
        edges = [(lengths[0], xy, xz), (0, lengths[1], yz), (0, 0, lengths[2])]  # by axis
        worst = 0
        for atom, values in original.atoms.items():
            error = [float(frame.atoms[atom][c]) - float(values[c]) for c in ("xs", "ys", "zs")]
            worst = max(worst, *(abs(sum(e * d for e, d in zip(edge, error))) for edge in edges))
        assert worst <= bound * (1 + 1e-9), f"step {frame.step}: {worst}"
        stored = bound / max(sum(map(abs, edge)) for edge in edges)
        largest = max(
            abs(float(frame.atoms[i][c]) - float(a[c])) for i, a in original.atoms.items() for c in ("xs", "ys", "zs")
        )
        assert frame.step == 0 or stored / 2 < largest <= stored * (1 + 1e-9), f"step {frame.step}: {largest} of {stored}"


@case(ranks=(1, 2))
def scaled_triclinic(t):
    t.lammps(TRICLINIC + dumps("id xs ys zs xu yu zu") + "run 60")
    scaled_within(t, DEFAULT_BOUND)


@case(ranks=(1, 2))
def scaled_in_growing_box(t):
    """The bound is one of distances in every frame, also in a box that is not as it was in the first one."""
    grow = "fix d all deform 1 x scale 2 y scale 1.5 xz delta 2 remap x\n"
    t.lammps(TRICLINIC + dumps("id xs ys zs", modify="eb 0.01") + grow + "run 60")
    scaled_within(t, 0.01)
    largest, bound = re.search(r"largest error: xs ys zs (\S+) of (\S+)", t.path("log.lammps").read_text()).groups()
    assert float(bound) / 2 < float(largest) <= float(bound)


@case()
def scaled_with_relative_bound(t):
    t.lammps(MELT + dumps("id xs ys zs", modify="eb rel 1e-3") + "fix d all deform 1 x scale 2\nrun 60")
    low, high = read_dump(t.path("t.dump"))[0].box[:2]
    scaled_within(t, 1e-3 * (high - low))


@case()
def incomplete_positions(t):
    t.lammps(MELT + dumps("z id x vx") + "run 20")
    t.same()


@case()
def position_twice(t):
    t.lammps(MELT + dumps("id x y z xu x") + "run 20")
    frames = t.decode("t.gpz", reference=False)
    assert frames[0].columns == "id x y z xu x".split()


@case(ranks=(1, 2))
def relative_bound(t):
    t.lammps(
        MELT
        + "change_box all y scale 2 remap\n"
        + dumps(BASE, modify="eb rel 1e-4")
        + "fix d all deform 1 y scale 1.5\nrun 40"
    )
    _, _, low, high, _, _ = read_dump(t.path("t.dump"))[0].box
    edge = high - low
    t.same(bounds={c: 1e-4 * edge * (1 + 1e-15) for c in "xyz"})
    assert abs(t.info()["columns"]["x"]["bound"] / (1e-4 * edge) - 1) < 1e-12


@case()
def bound_changes_between_runs(t):
    t.lammps(MELT + dumps(BASE, modify="eb 0.1") + "run 20\ndump_modify gpz eb 1e-6\nrun 20")
    compare = {c: 0.1 for c in "xyz"}
    t.same(bounds=compare)
    last, exact = t.decode("t.gpz")[-1].atoms, read_dump(t.path("t.dump"))[-1].atoms
    assert all(abs(float(last[i]["x"]) - float(exact[i]["x"])) <= 1e-6 for i in exact)


@case(ranks=(1, 2))
def elements(t):
    t.lammps(MELT + dumps("id element x y z", both="element Ar Kr") + "run 20")
    t.same()
    assert {a["element"] for a in read_dump(t.path("t.gpz.text"))[0].atoms.values()} == {"Ar", "Kr"}


@case()
def type_labels(t):
    t.lammps(MELT + "labelmap atom 1 small 2 large\n" + dumps("id typelabel x y z") + "run 20")
    t.same()
    assert {a["typelabel"] for a in read_dump(t.path("t.gpz.text"))[0].atoms.values()} == {"small", "large"}


@case()
def metadata(t):
    t.lammps(MELT + dumps(BASE, modify="element Ar Kr") + "timestep 0.002\nrun 20")
    facts = t.info()
    assert facts["units"] == "lj" and facts["atom_style"] == "atomic"
    assert facts["time"] == {"first": 0.0, "last": 0.04}
    assert facts["elements"] == ["Ar", "Kr"] and list(facts["columns"]) == BASE.split()
    assert "LAMMPS" in facts["generator"] and facts["command"] == "dump gpz all gpz 20 t.gpz " + BASE


@case(ranks=(1, 2))
def large_integers(t):
    """Larger than 32 bits if LAMMPS can. (With ids of 2^53, sorting loses an atom of the text dump.)"""
    bigbig = "LAMMPS_BIGBIG" in subprocess.run([t.options.lmp, "-h"], stdout=subprocess.PIPE, text=True).stdout
    largest_id, largest_image = (2**40, 2**20 - 1) if bigbig else (2**31 - 2, 511)
    ids = [1, 2, largest_id, largest_id // 2, largest_id // 3]
    images = [0, largest_image, -largest_image, 1, -1]
    atoms = "".join(f"{i} 1 {n}.5 {n / 3} 1.0 {k} 0 {-k}\n" for n, (i, k) in enumerate(zip(ids, images)))
    box = "0 6 xlo xhi\n0 6 ylo yhi\n0 6 zlo zhi\n"
    t.path("data").write_text(f"made for this test\n\n{len(ids)} atoms\n1 atom types\n{box}\nAtoms # atomic\n\n{atoms}")
    t.lammps(
        "units lj\nread_data data\nmass 1 1.0\npair_style zero 1.0\npair_coeff * *\nfix nve all nve\n"
        + dumps(BASE + " ix iy iz")
        + "run 0"
    )
    t.same(frames=1)
    assert str(largest_id) in read_dump(t.path("t.gpz.text"))[0].atoms


@case(ranks=(1, 2))
def lossless_columns_are_named(t):
    """Those that take much of the file, with bounds that make it smaller; no line for what has them."""
    columns = BASE + " vx vy vz fx fy fz"
    output = t.lammps(MELT + dumps(columns) + "run 200")
    line = re.search(r"  lossless: vx vy vz fx fy fz, (\d+) % of the file; a thousandth of the thermal speed: dump_modify gpz "
                     r"bound v\* thermal; a thousandth of their root mean square: dump_modify gpz (bound .*)\n", output)
    assert line and int(line.group(1)) > 50, output
    bounds = dict(re.findall(r"bound (f.) (\S+)", line.group(2)))
    # One bound for all components. Forces in the crystal of the first frame are zero.
    assert list(bounds) == ["fx", "fy", "fz"] and len(set(bounds.values())) == 1, bounds
    assert 5e-3 <= float(bounds["fx"]) <= 0.1, bounds
    assert "lossless:" not in t.lammps(MELT + dumps(columns, modify=f"bound v* thermal {line.group(2)}") + "run 200")
    given = t.info()["columns"]
    assert given["fx"]["bound"] == float(bounds["fx"]) and given["vx"]["bound"] > 0
