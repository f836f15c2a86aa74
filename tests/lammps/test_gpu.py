# SPDX-License-Identifier: BSD-3-Clause
"""Frames that are compressed on a GPU: skipped without one, or if dump gpz was built without CUDA. Cases gpu_kokkos_*
also need a LAMMPS that keeps its atoms there: --lmp-arguments "-k on g 1 -sf kk -pk kokkos newton on neigh half"."""

import re

from harness import DEFAULT_BOUND, Skip, case, compare, driver_of_gpus, read_dump
from systems import BASE, CORNER, FLAT, MELT, TRICLINIC, dumps
from test_append import continued, merged

COLUMNS = BASE + " ix iy iz vx vy vz"
LOOSE = {**{c: DEFAULT_BOUND + 1e-7 for c in "xyz"}, **{c: 1e-7 for c in ("vx", "vy", "vz")}}
SCALED = {c: DEFAULT_BOUND / 8.3979 for c in ("xs", "ys", "zs", "xsu", "ysu", "zsu")}  # in the box of MELT
CPU = "device cpu order place effort fast"  # what GPUs have
DIRECT = "before KOKKOS copies them for other output"


def twins(first, second, columns=COLUMNS, every=5, group="all", both="", custom="t.dump"):
    """Dump gpz (a.gpz) and dump b (b.gpz) have dump_modify arguments of their own; dump custom writes t.dump."""
    commands = dumps(columns, every, "a.gpz", custom, group, both, modify=f"device gpu {first}")
    return commands + f"dump b {group} gpz {every} b.gpz {columns}\ndump_modify b share no {second} {both}\n"


def need_driver():
    """The case no_gpu tests what LAMMPS says without one."""
    if not driver_of_gpus():
        raise Skip("there is no GPU, or no driver for it")


def lammps(t, script, kokkos=False):
    """Runs a script in which dump gpz wants a GPU."""
    need_driver()
    done = t.run(script)
    missing = re.search(r"dump_modify device: (gpz was built without CUDA|there is no GPU.*?) \(", done.stdout)
    if missing:
        raise Skip(missing[1])
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}"
    assert re.search(r"Dump gpz gpz: compressed on GPU \d+, ", done.stdout), done.stdout
    if kokkos and "GPU(s) per node" not in done.stdout:
        raise Skip("LAMMPS does not use KOKKOS: see --lmp-arguments")
    return done.stdout


def says(output, dump, *places):
    """What the log says of where a dump takes the atoms: when that changes, not at every run."""
    found = re.findall(rf"Dump {dump} gpz: compressed on GPU \d+, where KOKKOS keeps the atoms, (.*)", output)
    assert found == list(places), f"dump {dump}: {found}"


# --- the GPU and the CPU ---


def gpu_and_cpu(t, script, run="run 40", frames=9, bounds=None, **options):
    output = lammps(t, script + twins(options.pop("modify", ""), options.pop("cpu", CPU), **options) + run)
    assert re.search(r"Dump b gpz: compressed on the CPU, \d+ threads? a rank(, from copies .*)?\n", output), output
    t.same_frames("a.gpz", "b.gpz")
    t.same("a.gpz", frames=frames, bounds=bounds)


@case(ranks=(1, 2))
def gpu_all_atoms(t):
    gpu_and_cpu(t, MELT)


@case(ranks=(1, 2))
def gpu_every_step(t):
    """Several runs: the backend stays as it is."""
    gpu_and_cpu(t, MELT, every=1, run="run 10\nrun 15", frames=26)


@case(ranks=(1, 2))
def gpu_group(t):
    gpu_and_cpu(t, MELT + "group some id 3:400:7\n", group="some")


@case(ranks=(1, 2))
def gpu_no_atoms(t):
    gpu_and_cpu(t, MELT + "group none empty\n", group="none")


@case(ranks=(2,))
def gpu_empty_rank(t):
    gpu_and_cpu(t, "processors 2 1 1\n" + CORNER, run="run 20", frames=5)


@case(ranks=(1, 2))
def gpu_region(t):
    gpu_and_cpu(t, MELT + "region ball sphere 3 3 3 2 side in\n", both="region ball")


@case(ranks=(1, 2))
def gpu_compute(t):
    """A column from host memory, next to those that KOKKOS keeps on the GPU; rows from a threshold."""
    gpu_and_cpu(t, MELT + "compute ke all ke/atom\n", columns=COLUMNS + " c_ke", both="thresh c_ke > 1")


@case(ranks=(1, 2))
def gpu_own_bounds(t):
    exact = {**{c: 1e-8 for c in "xyz"}, "vx": 1e-3}
    bounds = "eb 1e-8 bound vx 1e-3"
    gpu_and_cpu(t, MELT, columns=COLUMNS + " fx", modify=bounds, cpu=f"{CPU} {bounds}", bounds=exact)


@case(ranks=(1, 2))
def gpu_too_fine(t):
    """A box of more than 2^30 steps of the grid: on the GPU, all chunks are independent."""
    lammps(t, MELT + twins("eb 1e-9", f"eb 1e-9 {CPU}") + "run 20")
    for name in ("a.gpz", "b.gpz"):
        assert t.since_key(name) == list(range(5)), name
        t.same(name, frames=5, bounds={c: 1e-9 for c in "xyz"})


@case(ranks=(1, 2))
def gpu_triclinic(t):
    gpu_and_cpu(t, TRICLINIC)


@case(ranks=(1, 2))
def gpu_scaled_positions(t):
    gpu_and_cpu(t, MELT, columns="id type xs ys zs xu", bounds=SCALED)


@case(ranks=(1, 2))
def gpu_flat(t):
    gpu_and_cpu(t, FLAT, columns=BASE + " vx vy")


@case(ranks=(1, 2))
def gpu_wrapped(t):
    """dump_modify pbc yes, which dump custom with KOKKOS would do to the atoms themselves."""
    far = "neigh_modify every 50 delay 0 check no\nneighbor 2.0 bin\n"
    lammps(t, MELT + far + twins("pbc yes", f"pbc yes {CPU}") + "run 45")
    t.same_frames("a.gpz", "b.gpz")
    moved = 0
    for mine, theirs in zip(t.decode("a.gpz"), read_dump(t.path("t.dump"))):
        low, high = theirs.box[:2]
        for atom, values in theirs.atoms.items():
            wrapped = mine.atoms[atom]
            for axis in "xyz":
                turns = int(values["i" + axis]) - int(wrapped["i" + axis])
                here, there = float(wrapped[axis]), float(values[axis]) + turns * (high - low)
                assert abs(here - there) <= DEFAULT_BOUND + 1e-12, f"step {mine.step}, atom {atom}: {here}, not {there}"
                assert low - DEFAULT_BOUND <= here <= high + DEFAULT_BOUND, f"step {mine.step}, atom {atom}: {here}"
                moved += turns != 0
    assert moved > 0, "no atom left the box"


@case(ranks=(1, 2))
def gpu_at_once(t):
    """dump_modify async no."""
    gpu_and_cpu(t, MELT, modify="async no", every=2, run="run 20", frames=11)


@case(ranks=(1, 2))
def gpu_can_be_changed(t):
    """Between runs."""
    devices = ("cpu", "gpu", "auto")
    change = "".join(f"dump_modify gpz device {device}\nrun 10\n" for device in devices)
    gpu_and_cpu(t, MELT, modify="order place effort fast", every=2, run="run 10\n" + change, frames=21)


@case(ranks=(1, 2))
def gpu_more_atoms(t):
    """A system that grows between runs."""
    gpu_and_cpu(t, MELT, every=4, run="run 20\nreplicate 2 2 1\nrun 20", frames=11)


# --- where KOKKOS keeps the atoms ---


def direct_and_not(t, script, run="run 40", frames=9, places=(DIRECT,), **options):
    """`places` None: anything that the dump reads there before KOKKOS copies all."""
    output = lammps(t, script + twins("direct yes", "device gpu direct no", **options) + run, kokkos=True)
    if places is None:
        assert re.search(rf"Dump gpz gpz: .*, {DIRECT}", output), output
    else:
        says(output, "gpz", *places)
    says(output, "b", "at the time of other output, because of dump_modify direct no")
    t.same_frames("a.gpz", "b.gpz")
    t.same("a.gpz", frames=frames)


@case(ranks=(1, 2))
def gpu_kokkos_every_step(t):
    direct_and_not(t, MELT + "thermo 10\n", every=1, run="run 30\nrun 25", frames=56)


@case(ranks=(1, 2))
def gpu_kokkos_every_7_steps(t):
    direct_and_not(t, MELT + "thermo 10\n", every=7, run="run 30\nrun 25", frames=8)


@case(ranks=(1, 2))
def gpu_kokkos_group(t):
    direct_and_not(t, MELT + "group some id 3:400:7\n", group="some", every=2, frames=21)


@case(ranks=(1, 2))
def gpu_kokkos_forces(t):
    direct_and_not(t, MELT, columns="id fx fy fz x y z", every=3, run="run 30", frames=11)


@case(ranks=(1, 2))
def gpu_kokkos_alone(t):
    """Nothing else makes output due, so that KOKKOS fuses the steps in between. To compare, another run: over so few
    steps, sums in another order change little."""
    for every, frames in ((1, 36), (7, 6)):
        script = MELT + "thermo 1000\n"
        alone = f"dump gpz all gpz {every} t.gpz {COLUMNS}\ndump_modify gpz device gpu direct yes\nrun 20\nrun 15"
        says(lammps(t, script + alone, kokkos=True), "gpz", DIRECT)
        custom = f"dump custom all custom {every} t.dump {COLUMNS}\ndump_modify custom sort id format float %.17g\n"
        t.lammps(script + custom + "run 20\nrun 15")
        original = read_dump(t.path("t.dump"))
        assert len(original) == frames
        compare(t.decode("t.gpz"), original, LOOSE)


@case(ranks=(1, 2))
def gpu_kokkos_several_intervals(t):
    """Frames of several dumps, thermo output and restart files, each alone and together at steps."""
    script = MELT + "thermo 6\nrestart 10 r.*\n"
    for name, every in (("c", 4), ("d", 6)):
        for direct in ("yes", "no"):
            script += f"dump {name}{direct} all gpz {every} {name}.{direct}.gpz {COLUMNS}\n"
            script += f"dump_modify {name}{direct} device gpu direct {direct}\n"
    lammps(t, script + twins("direct yes", "device gpu direct no", every=9) + "run 40\nrun 37", kokkos=True)
    for name, every in (("c", 4), ("d", 6)):
        t.same_frames(f"{name}.yes.gpz", f"{name}.no.gpz")
        assert [f.step for f in t.decode(f"{name}.yes.gpz")] == list(range(0, 78, every))
    t.same_frames("a.gpz", "b.gpz")
    t.same("a.gpz", frames=9)
    assert sorted(int(path.name[2:]) for path in t.directory.glob("r.*")) == list(range(10, 78, 10))


@case(ranks=(1, 2))
def gpu_kokkos_schedule(t):
    """What dump_modify says of steps."""
    change = "".join(f"dump_modify {dump} every 3 delay -1\n" for dump in ("gpz", "b", "custom"))
    direct_and_not(t, MELT, both="delay 12 first yes", run=f"run 40\n{change}run 20", frames=6 + 7)


@case(ranks=(1, 2))
def gpu_kokkos_append(t):
    """A run that is continued from an older restart file leaves out the steps that the file has."""
    lammps(t, MELT + twins("direct yes", "device gpu direct no", every=7) + "restart 21 r.*\nrun 40", kokkos=True)
    again = "append yes device gpu"
    commands = continued(f"{again} direct yes", COLUMNS).replace(" 20 t.gpz ", " 7 a.gpz ").replace(" 20 ", " 7 ")
    commands += f"dump b all gpz 7 b.gpz {COLUMNS}\ndump_modify b {again} direct no\n"
    output = lammps(t, "read_restart r.21\n" + commands + "run 40", kokkos=True)
    says(output, "gpz", DIRECT)
    assert output.count("the file goes beyond them: 3 frames") == 2, output  # 21, 28 and 35
    t.same_frames("a.gpz", "b.gpz")
    t.same("a.gpz", merged(t), frames=9)


@case(ranks=(1, 2))
def gpu_kokkos_later_fix(t):
    """A fix that is defined behind the dump takes part in the second half of a step: velocities are those behind it."""
    script = MELT.replace("fix nve all nve\n", "")
    direct_and_not(t, script, run="fix nve all nve\nrun 40")
    direct_and_not(t, script, run="fix nve all nve\nrun 40", columns=BASE + " ix", every=1, frames=41)


AVERAGE = "compute hot all temp\nfix mean all ave/time {0} 1 {0} c_hot\n"


@case(ranks=(1, 2))
def gpu_kokkos_end_of_step(t):
    """Fixes that act at the end of steps, at those of frames, at others, defined before and behind the dump."""
    direct_and_not(t, MELT + AVERAGE.format(5))
    direct_and_not(t, MELT + AVERAGE.format(7) + 'fix say all print 3 "now"\n')
    direct_and_not(t, MELT + "thermo 10\n", run=AVERAGE.format(5) + "run 40")


@case(ranks=(1, 2))
def gpu_kokkos_end_of_step_reads(t):
    """Frames do not wait for fixes that only read, unless those have what a column shows; nor for changes behind them."""
    averages = AVERAGE.format(5) + "fix x all ave/atom 1 5 5 x vx\n"
    direct_and_not(t, MELT + averages, columns=BASE + " vx vy vz", both="", every=5)
    direct_and_not(t, MELT + averages, columns=BASE + " f_x[1] f_x[2]", both="", every=5, places=None)
    slower = "fix still all momentum 5 linear 1 1 0\n"
    for fixes in (averages + slower, slower + averages):
        direct_and_not(t, MELT + fixes, columns=BASE + " vx vy vz", both="", every=5)


@case(ranks=(1, 2))
def gpu_kokkos_end_of_step_changes(t):
    """Atoms and box are those that fixes leave at the end of a step."""
    deform = "fix wider all deform 1 x erate 0.02 y delta -0.05 0.05 remap x units box\n"
    slower = "fix slower all temp/rescale 5 3.0 2.0 0.01 0.9\nfix still all momentum 2 linear 1 1 0\n"
    for fixes in (deform, slower, deform + slower):
        direct_and_not(t, MELT + fixes, both="", every=5)
        direct_and_not(t, MELT, run=fixes + "run 40", every=5)
    direct_and_not(t, TRICLINIC + "fix tilt all deform 1 xy erate 0.05 remap v\n", every=4, frames=11)


@case(ranks=(1, 2))
def gpu_kokkos_end_of_step_comes_and_goes(t):
    """Between runs, and without a set-up of the second run."""
    direct_and_not(t, MELT, run="run 20\n" + AVERAGE.format(5) + "run 20\nunfix mean\nrun 20", frames=13)
    direct_and_not(t, MELT + AVERAGE.format(5), run="run 20\nrun 20 pre no")


@case(ranks=(1, 2))
def gpu_kokkos_end_of_step_alone(t):
    """Nothing else makes output due. To compare, another run."""
    script = MELT + "thermo 1000\n" + AVERAGE.format(5)
    alone = f"dump gpz all gpz 7 t.gpz {COLUMNS}\ndump_modify gpz device gpu direct yes\nrun 20\nrun 15"
    says(lammps(t, script + alone, kokkos=True), "gpz", DIRECT)
    custom = f"dump custom all custom 7 t.dump {COLUMNS}\ndump_modify custom sort id format float %.17g\n"
    t.lammps(script + custom + "run 20\nrun 15")
    original = read_dump(t.path("t.dump"))
    assert len(original) == 6
    compare(t.decode("t.gpz"), original, LOOSE)


def copied(output, dump):
    """What the summaries say was copied to the host for how many frames."""
    blocks = re.split(r"\nDump (\w+) gpz: ", output)
    texts = [text for name, text in zip(blocks[1::2], blocks[2::2]) if name == dump]
    found = [re.search(r"KOKKOS copied (.*) to the host for (\d+) frames?: \d+\.\d+ ms each", text) for text in texts]
    return [(match[1], int(match[2])) for match in found if match]


HOST = """
compute ke all ke/atom
compute pe all pe/atom
compute s all stress/atom NULL
compute move all displace/atom
compute near all coord/atom cutoff 1.2
compute all all property/atom xu id
region ball sphere 3 3 3 2 side in
variable s equal stride(0,1000,5)
variable odd equal step%10!=0
variable size equal 2+0.01*step
variable speed atom sqrt(vx^2+vy^2)+c_ke
variable place atom x+0.01*id
region grows sphere 3 3 3 v_size side in
fix mean all ave/atom 1 5 5 c_ke
"""


@case(ranks=(1, 2))
def gpu_kokkos_host_arrays(t):
    """Columns, thresholds, regions and steps for which something is read on the host: only that is copied there."""
    ke = "v, type, mass, group masks (for {})"
    for columns, both, frames, needs in (
        (COLUMNS, "every/time 0.025", 5, ""),
        (COLUMNS, "region ball", 5, "x (for region ball)"),
        (COLUMNS, "thresh x > 3 thresh vx < 0.5", 5, "x (for x); v (for vx)"),
        (COLUMNS + " c_ke", "", 5, ke.format("c_ke")),
        (COLUMNS + " c_ke", "thresh c_ke > 1 thresh type == 2", 5, ke.format("c_ke c_ke") + "; type (for type)"),
        (COLUMNS + " c_pe c_s[1] c_s[4]", "", 5, "group masks (for c_pe); " + ke.format("c_s[1] c_s[4]")),
        (BASE + " c_move[4] c_near", "", 5, "x, group masks, image flags (for c_move[4])"),
        (BASE + " c_all[1]", "", 5, "all arrays (for c_all[1])"),
        (BASE + " f_mean", "", 5, ""),
        ("id xs ys zs", "", 5, "x (for xs ys zs)"),
        ("id xu yu zu vx", "thresh yu > 1", 5, "x, image flags (for yu)"),
        ("id xsu ysu zsu", "", 5, "x, image flags (for xsu ysu zsu)"),
    ):
        gpz = twins("direct yes", "device gpu direct no", columns, both=both)
        output = lammps(t, f"{MELT}{HOST}{gpz}run 20", kokkos=True)
        says(output, "gpz", DIRECT + (f", except {needs}" if needs else ""))
        assert copied(output, "gpz") == ([(needs, 4)] if needs else []), f"{columns} {both}: {output}"
        t.same_frames("a.gpz", "b.gpz")
        t.same("a.gpz", frames=frames, bounds=SCALED)


@case(ranks=(1, 2))
def gpu_kokkos_unwrapped(t):
    """On the GPU, where it makes the values that dump custom has on the CPU."""
    for script, columns in ((MELT, "id xu yu zu ix"), (TRICLINIC, "id zu yu xu"), (FLAT, "id xu yu ix iy")):
        direct_and_not(t, script, columns=columns, every=50, run="run 200", frames=5)
        gpu_and_cpu(t, script, columns=columns, every=50, run="run 200", frames=5)


@case(ranks=(1, 2))
def gpu_kokkos_variables(t):
    """What a variable reads is known where LAMMPS tells its formula."""
    for columns, both, frames, variable in (
        (COLUMNS, "every v_s", 4, "dump_modify every"),
        (COLUMNS, "skip v_odd", 3, "dump_modify skip"),
        (BASE, "region grows", 5, "region grows"),
        (BASE + " v_speed", "", 5, "v_speed"),
        (BASE, "thresh v_place > 2", 5, "v_place"),
    ):
        gpz = twins("direct yes", "device gpu direct no", columns, both=both)
        output = lammps(t, f"{MELT}{HOST}{gpz}run 20", kokkos=True)
        (place,) = re.findall(r"Dump gpz gpz: compressed on GPU \d+, where KOKKOS keeps the atoms, (.*)", output)
        known = {"v_speed": "v, type, mass, group masks", "v_place": "x, id, group masks"}
        allowed = [f"{DIRECT}, except {arrays} (for {variable})" for arrays in ("all arrays", known.get(variable))]
        assert place in allowed or place == DIRECT and variable.startswith("dump_modify"), place
        t.same_frames("a.gpz", "b.gpz")
        t.same("a.gpz", frames=frames)


@case(ranks=(1, 2))
def gpu_kokkos_refresh(t):
    """Each dump has a compute of its own that it refreshes."""
    need_driver()
    script = MELT
    for dump, direct in (("a", "yes"), ("b", "no")):
        script += f"variable far atom c_{dump}[4]>0.1\n".replace("far", f"far_{dump}")
        script += f"compute {dump} all displace/atom refresh far_{dump}\n"
        script += f"dump {dump} all gpz 5 {dump}.gpz {BASE} c_{dump}[1] c_{dump}[4]\n"
        script += f"dump_modify {dump} device gpu direct {direct} thresh c_{dump}[4] > 0.05 refresh c_{dump}\n"
    output = t.run(script + "run 40").stdout
    if "GPU(s) per node" not in output:
        raise Skip("LAMMPS does not use KOKKOS, or dump gpz no GPU")
    assert f"Dump a gpz: compressed on GPU 0, where KOKKOS keeps the atoms, {DIRECT}" in output, output
    first, second = t.decode("a.gpz"), t.decode("b.gpz")
    assert len(first) == len(second) == 9
    for one, other in zip(first, second):
        assert {atom: list(values.values()) for atom, values in one.atoms.items()} == {
            atom: list(values.values()) for atom, values in other.atoms.items()
        }, f"step {one.step}"
    assert max(len(frame.atoms) for frame in first) > 100


@case(ranks=(1, 2))
def gpu_kokkos_wrapped(t):
    """dump_modify pbc yes: copies in host memory are wrapped."""
    script = MELT + "neigh_modify every 50 delay 0 check no\nneighbor 2.0 bin\n"
    gpz = twins("direct yes pbc yes", "device gpu direct no pbc yes")
    output = lammps(t, f"{script}{gpz}run 20\nrun 25", kokkos=True)
    assert f"{DIRECT}, except id (for id); type (for type); x (for x y z); " in output, output
    t.same_frames("a.gpz", "b.gpz")
    for frame in t.decode("a.gpz"):
        for atom, values in frame.atoms.items():
            for axis in range(3):
                low, high = frame.box[2 * axis : 2 * axis + 2]
                value = float(values["xyz"[axis]])
                assert low - DEFAULT_BOUND <= value <= high + DEFAULT_BOUND, f"step {frame.step}, atom {atom}: {value}"


CUSTOM = "fix own all property/atom d_heat i_mark d_cold i_more\nset group all d_heat 0.5 i_mark 7\n"
CUSTOM += "set type 2 d_heat -1.25 i_mark -3 d_cold 4.5\n"


@case(ranks=(1, 2))
def gpu_kokkos_custom_properties(t):
    """KOKKOS keeps vectors of fix property/atom, earlier versions only those of floating-point numbers."""
    columns = BASE + " d_cold d_heat"
    direct_and_not(t, MELT + CUSTOM, columns=columns, run="run 20\nset atom 5*9 d_heat 3.5\nrun 20")
    direct_and_not(t, MELT + CUSTOM + "group some id 3:400:7\n", columns=columns + " i_mark", group="some", places=None)


@case(ranks=(1, 2))
def gpu_kokkos_spheres(t):
    """Radii, angular velocities and torques, which KOKKOS keeps as well."""
    script = "atom_style sphere\n" + MELT.replace("mass * 1.0\n", "set group all diameter 1.0 density 1.9\n")
    script = script.replace("fix nve all nve", "fix nve all nve/sphere") + "set group all omega 0.1 -0.2 0.3\n"
    direct_and_not(t, script, columns=BASE + " radius omegax omegay omegaz tqx tqz", every=4, frames=11)


def from_copies(t, script, columns=COLUMNS, both="", group="all", every=5, run="run 40", frames=9, reads="", **options):
    """Effort standard of few atoms, which the CPU compresses, from copies of what KOKKOS has, on the GPU and in host memory."""
    need_driver()
    for device in ("auto", "cpu"):
        compare_copies(t, script, columns, both, group, every, run, frames, reads, device, **options)


def compare_copies(t, script, columns, both, group, every, run, frames, reads, device, **options):
    modify = f"effort standard async compress device {device}"
    dump = dumps(columns, every, "a.gpz", "t.dump", group, both, modify=modify)
    dump += f"dump b {group} gpz {every} b.gpz {columns}\ndump_modify b share no effort standard device cpu async no direct no {both}\n"
    done = t.run(script + dump + run)
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}"
    if "GPU(s) per node" not in done.stdout:
        raise Skip("LAMMPS does not use KOKKOS: see --lmp-arguments")
    (place,) = re.findall(r"Dump gpz gpz: compressed on the CPU, .*, from copies of the atoms on GPU \d+, (.*)", done.stdout)
    assert place == DIRECT + (f", except {reads}" if reads else ""), place
    t.same_frames("a.gpz", "b.gpz")
    t.same("a.gpz", frames=frames, **options)


def shares_effort_standard(t, script):
    """The GPU encodes all frames of enough atoms, by default. Files are as large as those of the CPU, with the same values."""
    need_driver()
    columns = "id type x y z"
    dump = f"dump a all gpz 5 a.gpz {columns}\ndump_modify a key 9\n"
    dump += f"dump b all gpz 5 b.gpz {columns}\ndump_modify b effort standard device cpu key 9\n"
    # Frames of a lattice would be too small for the GPU to take over.
    done = t.run(script + "run 60\n" + dump + "run 35\nrun 30")
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}"
    if "GPU(s) per node" not in done.stdout:
        raise Skip("LAMMPS does not use KOKKOS: see --lmp-arguments")
    assert re.search(r"Dump a gpz: compressed on the CPU, \d+ threads a rank, and on GPU \d+ where possible, from copies", done.stdout), done.stdout
    assert re.search(r"Dump b gpz: compressed on the CPU, \d+ threads a rank, from copies", done.stdout), done.stdout
    compare(t.decode("a.gpz", reference=False), t.decode("b.gpz", reference=False), {})
    sizes = [t.path(name).stat().st_size for name in ("a.gpz", "b.gpz")]
    assert sizes[0] <= 1.01 * sizes[1], sizes


@case(ranks=(1,))
def gpu_kokkos_shares_effort_standard(t):
    shares_effort_standard(t, MELT.replace("0 5 0 5 0 5", "0 42 0 42 0 42"))  # 296,352 atoms


@case(ranks=(1,))
def gpu_kokkos_shares_effort_standard_in_a_tilted_box(t):
    tilted = TRICLINIC.replace("0 5 0 5 0 5 1.5 0.7 -0.9", "0 30 0 30 0 30 9 4 -5")  # 108,000 atoms
    shares_effort_standard(t, tilted + "fix tilt all deform 1 xy erate 0.02 remap v\n")


@case(ranks=(1, 2))
def gpu_kokkos_compressed_on_the_cpu(t):
    from_copies(t, MELT)
    from_copies(t, MELT + "group some id 3:400:7\n", group="some", every=1, run="run 20\nrun 9", frames=30)
    from_copies(t, MELT + "group none empty\n", group="none")
    from_copies(t, TRICLINIC, columns="id zu yu xu vy ix", every=50, run="run 200", frames=5)
    from_copies(t, MELT, run="run 20\nreplicate 2 2 1\nrun 20", frames=9)


@case(ranks=(1, 2))
def gpu_kokkos_compressed_on_the_cpu_from_host_arrays(t):
    """Values of the host go with those of the GPU."""
    ke = "v, type, mass, group masks (for c_ke)"
    from_copies(t, MELT + HOST, columns=COLUMNS + " c_ke", run="run 20", frames=5, reads=ke)
    both = "thresh x > 3 thresh vx < 0.5"
    from_copies(t, MELT + HOST, columns="id xs ys zs vx", both=both, run="run 20", frames=5, reads="x (for xs ys zs x); v (for vx)", bounds=SCALED)


@case(ranks=(1, 2))
def gpu_kokkos_costs(t):
    """The summary says what is copied to the host because of dump_modify direct no, if nothing else asks for it."""
    gpz = f"dump gpz all gpz 5 t.gpz {COLUMNS}\ndump_modify gpz device gpu direct no\n"
    output = lammps(t, MELT + "thermo 10\n" + gpz + "run 40", kokkos=True)
    assert copied(output, "gpz") == [("all arrays (because of dump_modify direct no)", 4)], output


@case(ranks=(1, 2))
def gpu_kokkos_minimisation(t):
    places = (DIRECT, "at the time of other output, because only a run has steps")
    direct_and_not(t, MELT, every=5, run="run 20\nminimize 0 0 20 1000", frames=None, places=places)


@case(ranks=(1, 2))
def gpu_kokkos_between_runs(t):
    """What commands change on the host between runs gets into the frames, those of write_dump as well."""
    write = f"write_dump all gpz w.gpz {COLUMNS} modify device gpu\n"
    write += f"write_dump all custom w.dump {COLUMNS} modify sort id format float %.17g\n"
    run = f"run 10\ndisplace_atoms all move 0.1 0.2 0.3 units box\nset atom 7 vx 5.0\n{write}run 10"
    direct_and_not(t, MELT, every=5, run=run, frames=5)
    t.same("w.gpz", "w.dump", frames=1)


@case(ranks=(1, 2))
def gpu_kokkos_threshold_between_runs(t):
    """A threshold that comes after the first run, without a set-up of the second, which would say what it reads."""
    change = "".join(f"dump_modify {dump} thresh x > 3\n" for dump in ("gpz", "b", "custom"))
    direct_and_not(t, MELT, every=5, run=f"run 20\n{change}run 20 pre no", frames=9)


@case(ranks=(1, 2))
def gpu_kokkos_rerun(t):
    """Positions of each frame that is read are new on the host only."""
    lammps(t, MELT + twins("", CPU, "id type x y z ix iy iz") + "run 20", kokkos=True)
    again = twins("", CPU, "id type x y z ix iy iz", custom="again.dump").replace(".gpz ", ".again.gpz ")
    lammps(t, f"{MELT}{again}rerun t.dump dump x y z ix iy iz", kokkos=True)
    t.same_frames("a.again.gpz", "b.again.gpz")
    t.same("a.again.gpz", "again.dump", frames=5)
