# SPDX-License-Identifier: BSD-3-Clause
"""Whatever happens to the calls on its files, a dump keeps the frames that were complete."""

import json
import os
import signal
import subprocess

from faults import ALL, EVERY, NAMES, STEPS, Faults, each, some
from harness import Skip, case

REASONS = {"ENOSPC": "No space left on device", "EIO": "Input/output error", "EAGAIN": "Resource temporarily unavailable"}
KILLS = ("kill-before", "kill-half", "kill-after")


def at_most(t, one_rank):
    """How many faults of a kind the short form injects: runs of several ranks take longer."""
    return max(1, one_rank // t.ranks)


def of_the_dump(faults):
    """The calls whose failure the dump notices. With MPI-IO these are not all: Open MPI waits for ever if its own open fails
    on some ranks, and does not tell if close fails; the dump has opened the file itself before, and syncs it."""
    if faults.hosts == 1:
        return faults.calls
    by_mpi = {call.rank for call in faults.calls if ".locktest." in call.path}
    assert len(by_mpi) == faults.t.ranks
    calls = []
    for rank in by_mpi:
        own = [call for call in faults.calls if call.rank == rank]
        first = next(n for n, call in enumerate(own) if ".locktest." in call.path)
        calls += own[:first] + [call for call in own[first:] if call.kind in ("write", "sync")]
    return calls


@case(ranks=(1, 2, 4))
def killed_at_every_write(t):
    """SIGKILL of one rank before, in and after each of its writes. MPI then ends the others."""
    for faults in each(t):
        writes = [call for call in faults.calls if call.kind == "write"]
        for n, call in enumerate(some(writes, at_most(t, 4))):
            for action in KILLS if ALL else (KILLS[n % 3],):
                faults.case(f"SIGKILL, {action.removeprefix('kill-')}", call, lambda: killed(faults, call, action))


def killed(faults, call, action):
    done = faults.inject(call, action)
    assert done.returncode != 0, "exit code 0"
    faults.goes_on(faults.kept())
    return "kept and continued"


@case(ranks=(1, 2, 4))
def failing_calls(t):
    """One call on a file fails, or all from one on: an error that names file and reason, and the frames before."""
    kinds = [("ENOSPC", True), ("EIO", False), ("EAGAIN", False)]
    for faults in each(t):
        for n, call in enumerate(some(of_the_dump(faults), at_most(t, 4))):
            for action, following in kinds if ALL else (kinds[n % len(kinds)],):
                fault = f"{action} in {call.kind}{' and all later calls' if following else ''}"
                faults.case(fault, call, lambda: failed(faults, call, action, following))


def failed(faults, call, action, following):
    done = faults.inject(call, action, following=following)
    if done.returncode == 0 and no_matter(faults, call):
        faults.unchanged()
        return "survived"
    named(done, call, action)
    faults.goes_on(faults.kept())
    return "refused, kept and continued"


def no_matter(faults, call):
    """To close a file that was read, or is opened again to be written, may fail if all goes well then."""
    later = [c for c in faults.calls if c.rank == call.rank and c.path == call.path and c.number > call.number]
    return call.kind == "close" and any(c.kind == "close" for c in later)


def named(done, call, action):
    """The run has failed, and said with which file and why."""
    assert done.returncode != 0, f"exit code 0\n{done.stdout[-1500:]}"
    errors = [line for line in done.stdout.splitlines() if line.startswith("ERROR")]
    file = os.path.join("out", os.path.basename(call.path))
    assert any(file in line and REASONS[action] in line for line in errors), f"\n{done.stdout[-1500:]}"


@case(ranks=(1, 2, 4) if ALL else (1, 2))
def interrupted_calls(t):
    """Signals and short writes are no errors."""
    for faults in each(t):
        for n, call in enumerate(some(of_the_dump(faults), at_most(t, 4))):
            actions = ("EINTR", "one", "half") if call.kind in ("read", "write") else ("EINTR",)
            for action in actions if ALL else (actions[n % len(actions)],):
                faults.case(f"{action} in {call.kind}", call, lambda: survived(faults, call, action))


@case(ranks=(1, 2))
def failing_calls_of_append(t):
    """Calls of a run that continues a torn file: it fails and leaves the frames, or goes on as if nothing was."""
    for faults in each(t, NAMES[:2]):
        script = faults.script(again=True, append="yes")
        faults.tear()
        assert faults.run(script).returncode == 0
        faults.calls = faults.called()
        for n, call in enumerate(some(of_the_dump(faults), at_most(t, 4))):
            fault = REASONS if ALL else [list(REASONS)[n % 3]]
            for action in fault:
                faults.case(f"append: {action} in {call.kind}", call, lambda: append_failed(faults, call, action, script))
            short = ("one", "half") if call.kind in ("read", "write") else ()
            for action in ("EINTR", *short) if ALL else ("EINTR",):
                faults.case(f"append: {action} in {call.kind}", call, lambda: append_survived(faults, call, action, script))


def append_failed(faults, call, action, script):
    before = faults.tear()
    done = faults.inject(call, action, script)
    if done.returncode == 0 and no_matter(faults, call):
        faults.complete_again()
        return "survived"
    named(done, call, action)
    now = {name: faults.decode(name) for name in faults.files()}
    for name, texts in before.items():
        assert list(now[name].items())[: len(texts)] == list(texts.items()), f"{name}: frames are lost"
    faults.goes_on(now)
    return "refused, kept and continued"


def append_survived(faults, call, action, script):
    faults.tear()
    done = faults.inject(call, action, script)
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout[-1500:]}"
    faults.complete_again()
    return "survived"


def survived(faults, call, action):
    done = faults.inject(call, action)
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout[-1500:]}"
    faults.unchanged()
    return "survived"


@case(ranks=(2, 4) if ALL else (2,))
def rank_killed_between_frames(t):
    rank_dies(t, ("Wait",), at_most=1)


@case(ranks=(2, 4))
def rank_killed_in_a_gather(t):
    """What ranks tell each other: the sizes of their chunks, and in the background, that these are in the file."""
    rank_dies(t, ("Allgather", "Igather"), at_most=1)


def rank_dies(t, functions, at_most, share="no"):
    """SIGKILL of one rank: the job ends, and all frames that were complete are there."""
    if not t.options.rank_dies:
        raise Skip("needs MPI and a linker that knows LD_PRELOAD")
    for faults in each(t, NAMES[:1], share):
        for function in functions:
            for rank in range(t.ranks) if ALL else (t.ranks - 1,):
                for at in some(range(1, 16), at_most):
                    call = f"call {at} of MPI_{function}, rank {rank}"
                    faults.case(f"SIGKILL in MPI_{function}", call, lambda: died(faults, function, rank, at))


def died(faults, function, rank, at):
    when = {"GPZ_TEST_CALL": function, "GPZ_TEST_DIES": rank, "GPZ_TEST_AT": at}
    faults.clear()
    done = faults.run(faults.script(), when, (faults.t.options.rank_dies,), timeout=100)
    if done.returncode == 0:
        faults.unchanged()
        return "not called so often"
    faults.goes_on(faults.kept())
    return "kept and continued"


def running(faults, more, steps):
    """LAMMPS in the background; returns when it has passed some frames."""
    more += "\nthermo 5\nthermo_modify flush yes"
    faults.t.write_script(faults.script(more=more, steps=steps))
    command = faults.t.command(faults.t.ranks, ["-in", "in.lammps", "-log", "none"], faults.wrapper())
    lammps = subprocess.Popen(
        command, cwd=faults.t.directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    for line in lammps.stdout:
        if line.split()[:1] == ["100"]:
            return lammps
    raise AssertionError("the run ended before step 100")


@case(ranks=(1, 2, 4) if ALL else (1, 2))
def interrupted_run(t):
    """SIGINT and SIGTERM, to LAMMPS or to what has started its ranks."""
    for faults in each(t, NAMES[:1]):
        for signal_ in (signal.SIGINT, signal.SIGTERM):
            faults.case(signal_.name, "at step 100", lambda: interrupted(faults, signal_))


def interrupted(faults, signal_):
    faults.clear()
    with running(faults, "", 10**8) as lammps:
        lammps.send_signal(signal_)
        lammps.stdout.read()
    assert lammps.returncode != 0, "exit code 0"
    before = faults.decode("t.gpz")
    steps = list(before)
    # A step is printed before its frame is made, and three frames can be on their way.
    assert steps == list(range(0, steps[-1] + 1, EVERY)) and steps[-1] >= 100 - 4 * EVERY, steps
    for step in STEPS:
        assert before[step] == faults.frames["t.gpz"][step], f"step {step} is another frame"
    done = faults.run(faults.script(again=True, append="yes", steps=steps[-1] + 2 * EVERY))
    assert done.returncode == 0, done.stdout[-1000:]
    after = faults.decode("t.gpz")
    assert list(after) == [*steps, steps[-1] + EVERY, steps[-1] + 2 * EVERY], list(after)
    assert all(after[step] == text for step, text in before.items()), "frames have changed"
    return "kept and continued"


@case(ranks=(1, 2, 4) if ALL else (1, 2))
def reader_beside_the_writer(t):
    """A file that grows has complete frames and perhaps a torn one, and never damage."""
    for faults in each(t, NAMES[:1]):
        faults.clear()
        with running(faults, "", 10**8) as lammps:
            last = [0]
            try:
                for number in range(100 if ALL else 3):
                    faults.case("reading while it grows", number, lambda: read_beside(faults, lammps, last))
            finally:
                lammps.kill()
                lammps.stdout.close()


def read_beside(faults, lammps, last):
    """`last`: the last step that was read."""

    def gpz(*arguments):
        done = subprocess.run([faults.t.options.gpz, *arguments], cwd=faults.out, capture_output=True, text=True, timeout=60)
        assert done.returncode in (0, 5), f"gpz {arguments[0]}: exit code {done.returncode}, {done.stderr}"
        assert (done.returncode == 5) == ("truncated after" in done.stderr) == bool(done.stderr), done.stderr
        return done.stdout

    facts = json.loads(gpz("info", "--json", "t.gpz"))
    assert facts["state"] in ("complete", "torn"), facts["state"]
    gpz("verify", "t.gpz")
    steps = [int(text.split("\n")[0]) for text in gpz("decode", "t.gpz", "--format", "lammps", "-o", "-").split("ITEM: TIMESTEP\n")[1:]]
    assert steps == list(range(0, steps[-1] + 1, EVERY)), steps
    assert last[0] <= facts["timesteps"]["last"] <= steps[-1], f"{last[0]}, {facts['timesteps']['last']}, {steps[-1]}"
    last[0] = steps[-1]
    assert lammps.poll() is None, "the writer has ended"
    return "complete frames"


@case(ranks=(1, 2))
def forbidden(t):
    """A folder and a file that must not be written."""
    # root may write everywhere, unless it gives this up
    wrapper = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"] if os.geteuid() == 0 else []
    if subprocess.run([*wrapper, "true"], check=False).returncode:
        raise Skip("root may write everywhere, and setpriv cannot change that")
    for faults in each(t, NAMES):
        faults.case("a folder that must not be written", "", lambda: refused(faults, wrapper, faults.out, "no"))
        if faults.name == "t.gpz":
            faults.case("a file that must not be written", "", lambda: refused(faults, wrapper, faults.out / "t.gpz", "yes"))


def refused(faults, wrapper, path, append):
    faults.clear()
    if path != faults.out:
        path.write_bytes(faults.bytes[path.name])
    mode = path.stat().st_mode
    path.chmod(mode & ~0o222)
    try:
        message = faults.t.error(faults.script(append=append), wrapper=wrapper)
    finally:
        path.chmod(mode)
    assert "out/t." in message and "Permission denied" in message, message
    if path == faults.out:
        assert not faults.files()
    else:
        faults.unchanged()
    return "refused"


@case()
def failing_allocations(t):
    """An allocation under the dump style, in it or in what it calls: an error, and the frames before."""
    for faults in each(t, NAMES[:1]):
        allocations_fail(faults, 0)


def allocations_fail(faults, rank):
    if not faults.t.options.alloc_faults or not faults.t.options.plugin:
        raise Skip("needs Linux, and dump gpz as a plugin")
    total = allocations(faults, rank, faults.script())
    loading = allocations(faults, rank, "")  # by CUDA's runtime, where it is part of the plugin
    for n, at in enumerate(some(range(loading + 1, total + 1), at_most(faults.t, 10))):
        for following in (False, True) if ALL and n % 4 == 0 else (not ALL and n % 2 == 1,):
            fault = f"allocation{' and all later ones' if following else ''}"
            faults.case(fault, f"number {at} of {total}, rank {rank}", lambda: out_of_memory(faults, rank, at, following))


def allocations(faults, rank, script):
    done = without_memory(faults, rank, 0, False, script)
    assert done.returncode == 0, done.stdout
    return int(faults.t.path("allocations").read_text())


def without_memory(faults, rank, at, following, script=None):
    faults.clear()
    plugin = os.path.basename(faults.t.options.plugin)
    facts = {"LD_PRELOAD": faults.t.options.alloc_faults, "ALLOC_FAULTS_AT": at, "ALLOC_FAULTS_WITHIN": plugin}
    if following:
        facts["ALLOC_FAULTS_FOLLOWING"] = 1
    if at == 0:
        facts["ALLOC_FAULTS_REPORT"] = faults.t.path("allocations")
    wrapper = ["env", *(f"{key}={value}" for key, value in facts.items())]
    if faults.t.ranks > 1:
        one = f'if [ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = {rank} ]; then exec {" ".join(wrapper)} "$@"; fi; exec "$@"'
        wrapper = ["sh", "-c", one, "sh"]
    return faults.t.run(faults.script() if script is None else script, wrapper=wrapper, timeout=100)


def out_of_memory(faults, rank, at, following):
    done = without_memory(faults, rank, at, following)
    if done.returncode == 0:
        faults.unchanged()
        return "as usual"
    said = done.stdout[-1500:]
    assert done.returncode == 1 or faults.t.ranks > 1, f"exit code {done.returncode}\n{said}"
    assert "ERROR" in said or "memory allocation failed" in said, said
    for name in faults.files():
        texts = faults.decode(name)
        assert list(texts.items()) == list(faults.frames[name].items())[: len(texts)], f"{name}: other frames"
    return "refused, frames kept"
