# SPDX-License-Identifier: BSD-3-Clause
"""Small runs of LAMMPS in which something below dump gpz fails (tests/faults/io_faults.cpp), and what may come of them.

GPZ_FAULTS=all injects every fault there is, instead of some of them; GPZ_FAULTS_TABLE is a file to which each case
appends its counts. Both are set by scripts/faults.sh."""

import collections
import json
import os
import re
import shutil
import struct
import subprocess

from harness import Skip, read_dump

ALL = os.environ.get("GPZ_FAULTS") == "all"
TABLE = os.environ.get("GPZ_FAULTS_TABLE")
EVERY = 5  # steps from frame to frame
STEPS = list(range(0, 30, EVERY))  # of the frames of a whole run
BOUND = 0.0005
EDGE = 2 * (4 / 0.8442) ** (1 / 3)  # of the periodic box
NAMES = ("t.gpz", "t.%.gpz", "t.*.gpz")

SYSTEM = """
units lj
lattice fcc 0.8442
region box block 0 2 0 2 0 2
create_box 2 box
create_atoms 1 box
set group all type/fraction 2 0.3 4711
mass * 1.0
velocity all create 3.0 87287 loop geom
"""
RUN = """
pair_style lj/cut 2.5
pair_coeff * * 1.0 1.0 2.5
fix nve all nve
dump gpz all gpz {every} out/{name} id type x y z
dump_modify gpz key 3 async {mode} append {append} share {share} thermo yes topology yes
{more}
run {steps}
"""  # a restart file of the run itself would change neighbour lists, and so the last bits


class Call(collections.namedtuple("Call", "rank number kind result path")):
    def __str__(self):
        return f"{self.kind} of {os.path.basename(self.path)}, call {self.number} of rank {self.rank}"



def other_records(data):
    """The lengths of the records of a .gpz file that are no frames."""
    (metadata_length,) = struct.unpack_from("<I", data, 20)
    offset = (24 + metadata_length + 7) // 8 * 8 + 8
    while offset < len(data):
        kind, _, length = struct.unpack_from("<IIQ", data, offset + 8)
        if kind & 0x80000000:
            yield length
        offset += length


class Faults:
    """One small run, again and again, each time with another fault. Six frames, of which the first and the fourth are
    key frames; they are in `out`, as one file, or as those that `name` stands for."""

    def __init__(self, t, mode, name="t.gpz", hosts=1, share="no"):
        if not t.options.io_faults:
            raise Skip("needs Linux, for LD_PRELOAD")
        self.t, self.mode, self.name, self.hosts, self.share = t, mode, name, hosts, share
        self.out, self.log = t.path("out"), t.path("calls")
        self.counts = collections.Counter()
        self.wrong = []
        self.decoded = {}
        self.continued = set()  # what was in the files before runs that have continued them
        self.calls = self.undisturbed()

    def __str__(self):
        ranks = f"{self.t.ranks} rank{'s' if self.t.ranks > 1 else ''}"
        return f"lmp, {ranks}{' of 2 hosts' if self.hosts > 1 else ''}, async {self.mode}, share {self.share}, {self.name}"

    # --- runs ---

    def script(self, again=False, append="no", more="", steps=STEPS[-1]):
        start = "read_restart r.5\n" if again else SYSTEM
        left = steps - (EVERY if again else 0)
        return start + RUN.format(every=EVERY, name=self.name, mode=self.mode, append=append, more=more, steps=left, share=self.share)

    def clear(self):
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir()

    def wrapper(self, environment=None, preload=()):
        """The command in front of LAMMPS that lets its calls be logged, and some of them fail."""
        self.log.unlink(missing_ok=True)
        preload = [os.environ.get("LD_PRELOAD", ""), self.t.options.io_faults, *preload]
        facts = {"IO_FAULTS_DIR": self.out, "IO_FAULTS_LOG": self.log, **(environment or {})}
        if self.hosts > 1:
            preload.append(self.t.options.two_hosts)
            facts["GPZ_TEST_FIRST_HOST"] = 1
        facts["LD_PRELOAD"] = " ".join(preload).strip()
        return ["env", *(f"{key}={value}" for key, value in facts.items())]

    def run(self, script, environment=None, preload=(), **options):
        """Runs LAMMPS; its calls are in the log."""
        return self.t.run(script, wrapper=self.wrapper(environment, preload), **options)

    def called(self):
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [Call(int(r), int(n), kind, result, path) for r, n, kind, result, path in (l.split(" ", 4) for l in lines)]

    def undisturbed(self):
        no_dump = [line for line in self.script(steps=EVERY).splitlines() if not line.startswith("dump")]
        self.clear()
        done = self.run(self.t.in_turn(self.script(), "\n".join([*no_dump, "write_restart r.5"])))
        assert done.returncode == 0, done.stdout
        self.bytes = {path.name: path.read_bytes() for path in self.out.iterdir()}
        self.frames = {name: self.decode(name) for name in self.bytes}
        self.records = {length for content in self.bytes.values() for length in other_records(content)}
        whole = self.whole(self.frames)
        assert list(whole) == STEPS and all(len(atoms) == 32 for atoms in whole.values()), whole
        return self.called()

    def inject(self, call, action, script=None, following=False, kinds=""):
        """Runs LAMMPS with a fault at one call, and perhaps all that follow it on that rank. With a script of its own, it finds
        the files that are there."""
        fault = {"IO_FAULTS_AT": call.number, "IO_FAULTS_RANK": call.rank, "IO_FAULTS_ACTION": action}
        if following:
            fault["IO_FAULTS_FOR"] = 0
        if kinds:
            fault["IO_FAULTS_KINDS"] = kinds
        if not script:
            self.clear()
        return self.run(script or self.script(), fault, timeout=100)

    # --- what is there afterwards ---

    def decode(self, name):
        """{step: text of the frame} of a file in `out`. A torn end is no error of the file."""
        path = self.out / name
        content = path.read_bytes()
        if content not in self.decoded:
            self.decoded[content] = self.decode_anew(path)
        return self.decoded[content]

    def decode_anew(self, path):
        done = subprocess.run([self.t.options.gpz, "info", "--json", path], capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            assert "the file ends inside its header" in done.stderr, done.stderr
            return {}
        facts = json.loads(done.stdout)
        assert facts["state"] in ("complete", "torn"), facts["state"]
        done = subprocess.run(
            [self.t.options.gpz, "decode", path, "--format", "lammps", "--sort", "id", "-o", "-"],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == (5 if facts["state"] == "torn" else 0), f"exit code {done.returncode}, {done.stderr}"
        frames = ["ITEM: TIMESTEP\n" + text for text in done.stdout.split("ITEM: TIMESTEP\n")[1:]]
        steps = [int(text.split("\n")[1]) for text in frames]
        assert len(steps) == facts["frames"] and len(set(steps)) == len(steps), f"{path.name}: {steps}"
        return dict(zip(steps, frames))

    def files(self):
        """Those of the dump. Open MPI tries locks on a file beside it, which stays where a process is killed."""
        return {path.name for path in self.out.iterdir() if ".locktest." not in path.name}

    def whole(self, frames):
        """{step: {id: values}} of the frames of all files together."""
        whole = {}
        for texts in frames.values():
            for step, text in texts.items():
                for row in text.split("\n")[9:]:
                    if row:
                        atom, *values = row.split()
                        atoms = whole.setdefault(step, {})
                        assert atom not in atoms, f"step {step} has atom {atom} twice"
                        atoms[atom] = [float(value) for value in values]
        return dict(sorted(whole.items()))

    def completed(self):
        """{file: how many of its frames were complete, as the calls say that were made}."""
        count = collections.Counter()
        own_file = self.t.ranks == 1 or "%" in self.name
        for call in self.called():
            if call.kind != "write" or not call.result.isdigit():
                continue
            name = os.path.basename(call.path)
            # A rank with its own file: header, frame, records in front of a frame, frame... Several: a frame's trailer,
            # of 24 bytes, is written last.
            count[name] += int(call.result) not in self.records if own_file else call.result == "24"
        return {name: min(n - 1 if own_file else n, len(self.frames[name])) for name, n in count.items()}

    def tear(self):
        """Makes `out` what a run leaves that died in the middle of its fifth frame. Returns the frames."""
        self.clear()
        for name, content in self.bytes.items():
            (self.out / name).write_bytes(content[: len(content) * 2 // 3])
        return {name: self.decode(name) for name in self.files()}

    def kept(self):
        """The frames that are there now; they must be those of the undisturbed run, and have all that was complete."""
        now = {name: self.decode(name) for name in self.files()}
        for name, texts in now.items():
            assert list(texts) == list(self.frames[name])[: len(texts)], f"{name}: steps {list(texts)}"
            for step, text in texts.items():
                assert text == self.frames[name][step], f"{name}: step {step} is another frame"
        for name, count in self.completed().items():
            assert len(now.get(name, {})) >= count, f"{name}: {len(now.get(name, {}))} of {count} complete frames"
        return now

    def goes_on(self, before):
        """Another run continues what is there, without a gap, a double frame, or a change of what is there. Many faults
        leave the same files, which are continued once."""
        content = hash(frozenset((path.name, path.read_bytes()) for path in self.out.iterdir()))
        if content in self.continued:
            return
        first = [name for name in self.frames if "*" not in self.name or name == "t.0.gpz"]
        again = all(before.get(name) for name in first)  # otherwise there is no restart file
        done = self.run(self.script(again=again, append="yes"))
        assert done.returncode == 0, f"append: {done.stdout[-800:]}"
        after = self.complete_again()
        everywhere = set.intersection(*(set(before.get(name, {})) for name in self.frames)) if "%" in self.name else set(STEPS)
        for name, texts in before.items():
            for step, text in texts.items():
                assert step not in everywhere or after[name][step] == text, f"append: {name}: step {step} has changed"
        self.continued.add(content)

    def complete_again(self):
        """The frames: those of the undisturbed run, with its positions within the bounds of both runs."""
        after = {name: self.decode(name) for name in self.files()}
        assert after.keys() == self.frames.keys(), f"files {sorted(after)}"
        for name, texts in after.items():
            assert list(texts) == list(self.frames[name]), f"{name}: steps {list(texts)}"
        original = self.whole(self.frames)
        for step, atoms in self.whole(after).items():
            assert atoms.keys() == original[step].keys(), f"step {step}: other atoms"
            for atom, values in atoms.items():
                apart = [abs(a - b) for a, b in zip(values, original[step][atom])]
                worst = max(min(d, abs(d - EDGE)) for d in apart)
                assert worst <= 2 * BOUND * 1.001, f"step {step}, atom {atom}: {worst} away"
        return after

    def unchanged(self):
        now = {path.name: path.read_bytes() for path in self.out.iterdir()}
        assert now.keys() == self.bytes.keys(), f"files {sorted(now)}"
        for name, content in now.items():
            assert content == self.bytes[name], f"{name}: other bytes"

    # --- cases and their counts ---

    def case(self, fault, call, check):
        """Runs one case, which may find the files of the one before; what is wrong is told at the end."""
        try:
            outcome, reason = check(), ""
        except subprocess.TimeoutExpired:
            outcome, reason = "WRONG", "does not end"
        except AssertionError as e:
            outcome, reason = "WRONG", str(e)
        self.counts[fault, outcome] += 1
        if reason:
            self.wrong.append(f"{self}, {fault}, {call}: {reason}")

    def report(self):
        """Adds the counts to the table; returns what is wrong."""
        by_fault = collections.defaultdict(collections.Counter)
        for (fault, outcome), count in self.counts.items():
            by_fault[fault][outcome] += count
        if TABLE:
            with open(TABLE, "a", encoding="utf-8") as table:
                for fault, outcomes in by_fault.items():
                    text = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
                    table.write(f"{self}\t{fault}\t{sum(outcomes.values())}\t{text}\n")
        return self.wrong


# Name, async, hosts: what the short form runs on so many ranks.
SHORT = {
    1: [("t.gpz", "no", 1), ("t.gpz", "yes", 1), ("t.gpz", "compress", 1), ("t.*.gpz", "yes", 1)],
    2: [("t.gpz", "yes", 1), ("t.gpz", "no", 2), ("t.gpz", "compress", 1), ("t.%.gpz", "yes", 1)],
    4: [("t.gpz", "no", 1), ("t.gpz", "yes", 1)],
}


def kinds_of_runs(ranks):
    if not ALL:
        return SHORT[ranks]
    kinds = [("t.gpz", "no", 1), ("t.gpz", "yes", 1), ("t.gpz", "compress", 1)]
    if ranks > 1:
        kinds.append(("t.gpz", "no", 2))  # with MPI-IO
    if ranks < 4:
        kinds += [("t.%.gpz", "no", 1), ("t.%.gpz", "yes", 1), ("t.*.gpz", "yes", 1)]
    return kinds


def each(t, names=NAMES, share="no"):
    """Faults for each kind of run."""
    wrong = []
    for name, mode, hosts in kinds_of_runs(t.ranks):
        if name in names and (hosts == 1 or t.options.two_hosts):
            faults = Faults(t, mode, name, hosts, share)
            yield faults
            wrong += faults.report()
    assert not wrong, f"{len(wrong)} cases:\n" + "\n".join(wrong)


def some(numbers, at_most):
    """All of them in the long form, otherwise evenly spread ones, the last among them."""
    numbers = list(numbers)
    if ALL or len(numbers) <= at_most:
        return numbers
    return [numbers[len(numbers) - 1 - len(numbers) * k // at_most] for k in range(at_most)][::-1]
