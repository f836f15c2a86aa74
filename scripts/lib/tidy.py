#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs clang-tidy over the C++ files that are configured in a build folder.

    tidy.py BUILD_FOLDER [--all] [FILTER]      FILTER: a regular expression of paths in the repository

clang-tidy looks at all that a file includes, and most of its time goes into the headers of others. So files are looked at
together, one after the other in one file: some checks look at the main file only. They are those of one room whose options agree;
what each may include is checked by the build. Where their names clash (those of anonymous namespaces, for example), clashing files
go into another one; nothing has to be renamed but main.

--all: tests, benchmarks and the evaluation too, and the static analyzer for the other rooms. Tests under AddressSanitizer and
UndefinedBehaviorSanitizer see what that looks for. A name that one file declares by `using` may be used by another one; that each uses its own
is seen in the text.
"""

import bisect
import concurrent.futures
import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
CHECKED = ("bench", "evaluation", "gpz", "hdf5", "lammps_pkg", "molfile", "tests", "tools")
ANALYZED = ("gpz", "hdf5", "lammps_pkg", "molfile", "tools")
LARGEST_BATCH = 24  # files; so that there is work for several cores
HEADERS = f"^{re.escape(str(REPOSITORY))}/({'|'.join(CHECKED)})/.*\\.cpp$|/(gpz|hdf5|molfile|tools)/.*\\.hpp$"


def compile_flags(entry):
    """The options of a compile command that do not depend on its file."""
    words = shlex.split(entry["command"])
    start = next(i for i, word in enumerate(words) if word.startswith("-"))
    flags, skip = [], False
    for word in words[start:]:
        if skip or word in ("-c", "-MD", "-Winvalid-pch") or word.startswith("--param") or word == entry["file"]:  # GCC's alone: --param
            skip = False
        elif word in ("-o", "-MT", "-MF", "-include"):  # -include: GCC's precompiled header, which files have to do without
            skip = True
        else:
            flags.append(word)
    return tuple(flags)


def room(file):
    return Path(file).relative_to(REPOSITORY).parts[0]


def macros(flags):
    """Value by name, without those that only mark a library."""
    defined = (flag[2:].partition("=") for flag in flags if flag.startswith("-D"))
    return {name: value for name, _, value in defined if not name.endswith("_EXPORTS")}


def headers(folder):
    return {path.name for path in folder.glob("*.hpp")}


class Group:
    """Files of some folders of a room, and options with which all of them can be compiled."""

    def __init__(self, folder, flags):
        self.room, self.folders, self.flags, self.files = room(folder), [folder], flags, []

    def can_have(self, folder, flags):
        if room(folder) != self.room or any(headers(folder) & headers(other) for other in self.folders if other != folder):
            return False
        if self.room == "gpz":  # the options say what a room of it sees
            return flags == self.flags
        mine, others = macros(self.flags), macros(flags)
        return all(others[name] == value for name, value in mine.items() if name in others)

    def add(self, folder, flags, file):
        if folder not in self.folders:
            self.folders.append(folder)
        self.flags += tuple(flag for flag in flags if flag.startswith(("-I", "-D")) and flag not in self.flags)
        # -isystem has its folder in the word after it.
        for flag, value in itertools.pairwise(flags):
            if flag == "-isystem" and value not in self.flags:
                self.flags += (flag, value)
        self.files.append(file)


def unused_names(file):
    """Messages about names that the file declares by `using` and then does not use."""
    text = Path(file).read_text()
    declared = re.findall(r"^\s*using [\w:]*::(\w+);", text, re.MULTILINE)
    return [f"{file}: using ...::{name}; is not used" for name in declared if len(re.findall(rf"\b{name}\b", text)) == 1]


class Batch:
    """A file that consists of these, in a folder in which the rules of their room hold."""

    def __init__(self, path, files):
        self.path, self.files, self.starts = path, files, []
        path.parent.mkdir(parents=True, exist_ok=True)
        rules = REPOSITORY / room(files[0]) / ".clang-tidy"
        if rules.exists():
            shutil.copy(rules, path.parent)
        lines = []
        for number, file in enumerate(files):
            lines += ["#undef main", f"#define main main_{number}"]
            self.starts.append(len(lines))
            lines += Path(file).read_text().splitlines()
        path.write_text("\n".join(lines) + "\n")

    def origin(self, line):
        """The file that has a line of this one, and the number of the line there."""
        index = bisect.bisect_left(self.starts, line) - 1
        return self.files[index], line - self.starts[index]

    def with_errors(self, output):
        """The files in which, or in headers of which, a compiler that wrote this saw an error."""
        found, line = set(), 1
        for text in output.splitlines():
            if place := re.search(rf"{re.escape(str(self.path))}:(\d+)", text):
                line = int(place[1])
            if "error:" in text:
                found.add(self.origin(line)[0])
        return found

    def translated(self, output):
        """With the places in the files that are meant."""
        return re.sub(rf"{re.escape(str(self.path))}:(\d+)", lambda place: "{}:{}".format(*self.origin(int(place[1]))), output)


class Tidy:
    def __init__(self, build, everything):
        self.without_analyzer = "" if everything else "-clang-analyzer-*"
        self.folder = build / "tidy"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.build = build
        self.numbers = itertools.count(1)

    def run(self, batch, group):
        checks = self.without_analyzer if room(batch.files[0]) in ANALYZED else "-clang-analyzer-*,-misc-unused-using-decls"
        # What one file has in an anonymous namespace is hidden by names of the next one.
        done = subprocess.run(["clang-tidy-14", "-quiet", f"--header-filter={HEADERS}", f"--checks={checks}", str(batch.path), "--",
                               *self.flags(group), "-Wno-shadow"],
                              cwd=self.build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode == 0, batch.translated(done.stdout)

    @staticmethod
    def flags(group):
        return [*(f"-iquote{folder}" for folder in group.folders), *group.flags]

    def without_clashes(self, files, group):
        """Batches of these files of the group, each of which compiles."""
        while files:
            path = self.folder / room(files[0]) / f"{next(self.numbers)}.cpp"
            clashing = []
            while True:
                batch = Batch(path, files)
                if len(files) == 1:
                    break
                done = subprocess.run(["clang++-14", "-fsyntax-only", "-w", "-ferror-limit=0", *self.flags(group), str(path)],
                                      cwd=self.build, capture_output=True, text=True, check=False)
                if done.returncode == 0:
                    break
                culprits = batch.with_errors(done.stderr) - {files[0]} or {files[0]}
                # They cannot follow the ones before them.
                clashing += [file for file in files if file in culprits]
                files = [file for file in files if file not in culprits]
            yield batch
            files = clashing


def main():
    build, *rest = sys.argv[1:]
    build = Path(build).resolve()
    wanted = re.compile(next((word for word in rest if word != "--all"), ""))
    rooms = CHECKED if "--all" in rest else ANALYZED
    tidy = Tidy(build, "--all" in rest)
    groups, checked = [], set()
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = entry["file"]
        path = Path(file)
        if not path.is_relative_to(REPOSITORY) or path.suffix != ".cpp" or file in checked:
            continue
        if room(file) in rooms and wanted.search(str(path.relative_to(REPOSITORY))):
            checked.add(file)
            flags = compile_flags(entry)
            group = next((group for group in groups if group.can_have(path.parent, flags)), None)
            if not group:
                groups.append(group := Group(path.parent, flags))
            group.add(path.parent, flags, file)

    def check_together(part):
        group, files = part
        return [tidy.run(batch, group) for batch in tidy.without_clashes(files, group)]

    parts = [(group, group.files[i:i + LARGEST_BATCH]) for group in groups for i in range(0, len(group.files), LARGEST_BATCH)]
    parts.sort(key=lambda part: -len(part[1]))
    unused = [message for file in sorted(checked) if room(file) in ANALYZED for message in unused_names(file)]
    print("\n".join(unused), end="\n" if unused else "")
    failed = bool(unused)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(check_together, part) for part in parts]
        for job in jobs:
            for ok, output in job.result():
                if not ok:
                    failed = True
                    print(output, flush=True)
    print(f"{len(checked)} files in {next(tidy.numbers) - 1}")
    return 1 if failed or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
