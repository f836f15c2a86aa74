#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs clang-tidy over the C++ files that are configured in a build folder.

    tidy.py BUILD_FOLDER [FILTER]      FILTER: a regular expression of paths in the repository

clang-tidy looks at all that a file includes, and most of its time goes into the headers of others. So files that are
compiled alike are looked at together, as one file that includes them. Where their names clash (those of anonymous
namespaces, for example), clashing files go into another one; nothing has to be renamed.

Some checks look at the main file only, and run on one file after the other: the static analyzer and unused using
declarations. They are left out in tests and benchmarks: tests run under AddressSanitizer and UndefinedBehaviorSanitizer,
which see what the analyzer looks for.
"""

import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
CHECKED = ("bench", "gpz", "lammps_pkg", "molfile", "tests", "tools")
ONE_BY_ONE = ("gpz", "lammps_pkg", "molfile", "tools")
OF_MAIN_FILE = r"-?(?:clang-analyzer-[\w.*]+|misc-unused-using-decls)"
LARGEST_BATCH = 16  # files; so that there is work for several cores
HEADERS = f"^{re.escape(str(REPOSITORY))}/({'|'.join(CHECKED)})/.*\\.cpp$|/(gpz|molfile|tools)/.*\\.hpp$"


def compile_flags(entry):
    """The options of a compile command that do not depend on its file."""
    words = shlex.split(entry["command"])
    start = next(i for i, word in enumerate(words) if word.startswith("-"))
    flags, skip = [], False
    for word in words[start:]:
        if skip or word in ("-c", "-MD") or word == entry["file"]:
            skip = False
        elif word in ("-o", "-MT", "-MF"):
            skip = True
        else:
            flags.append(word)
    return tuple(flags)


def room(file):
    return Path(file).relative_to(REPOSITORY).parts[0]


class Tidy:
    def __init__(self, build):
        self.folder = build / "tidy"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.build = build
        self.batches = 0
        config = (REPOSITORY / ".clang-tidy").read_text()
        self.main_file_checks = ",".join(re.findall(rf"^  ({OF_MAIN_FILE}),?$", config, re.MULTILINE))
        assert self.main_file_checks, "no such checks in .clang-tidy"

    def run(self, file, flags, checks):
        done = subprocess.run(["clang-tidy-14", "-quiet", f"--header-filter={HEADERS}", f"--checks={checks}", str(file), "--",
                               *flags], cwd=self.build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode == 0, done.stdout

    def one(self, file, flags):
        return self.run(file, flags, f"-*,{self.main_file_checks}")

    def together(self, batch, flags):
        # What one file has in an anonymous namespace is hidden by names of the next one.
        return self.run(batch, [*flags, "-Wno-shadow"], "-clang-analyzer-*,-misc-unused-using-decls,-bugprone-suspicious-include")

    def batch(self, files):
        """A file that includes these, in a folder in which the rules of their room hold."""
        self.batches += 1
        path = self.folder / room(files[0]) / f"{self.batches}.cpp"
        path.parent.mkdir(parents=True, exist_ok=True)
        rules = REPOSITORY / room(files[0]) / ".clang-tidy"
        if rules.exists():
            shutil.copy(rules, path.parent)
        path.write_text("".join(f'#include "{file}"\n' for file in files))
        return path

    def without_clashes(self, files, flags):
        """Batches of these files, each of which compiles."""
        while files:
            clashing = []
            while True:
                batch = self.batch(files)
                done = subprocess.run(["clang++-14", "-fsyntax-only", "-w", "-Wfatal-errors", *flags, str(batch)],
                                      cwd=self.build, capture_output=True, text=True, check=False)
                if done.returncode == 0 or len(files) == 1:
                    break
                # The file that cannot follow the ones before it; of the first one, the error is its own.
                before_error = done.stderr.partition("error:")[0]
                named = [file for file in files if file in before_error]
                culprit = named[-1] if named else files[-1]
                clashing.append(culprit)
                files = [file for file in files if file != culprit]
            yield batch
            files = clashing


def main():
    build = Path(sys.argv[1]).resolve()
    wanted = re.compile(sys.argv[2] if len(sys.argv) > 2 else "")
    tidy = Tidy(build)
    groups, flags_of = {}, {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = entry["file"]
        path = Path(file)
        if not path.is_relative_to(REPOSITORY) or path.suffix != ".cpp" or file in flags_of:
            continue
        if room(file) in CHECKED and wanted.search(str(path.relative_to(REPOSITORY))):
            flags_of[file] = compile_flags(entry)
            groups.setdefault((path.parent, flags_of[file]), []).append(file)

    def check_together(group):
        (_, flags), files = group
        return [tidy.together(batch, flags) for batch in tidy.without_clashes(files, flags)]

    def check_one(file):
        return [tidy.one(file, flags_of[file])]

    parts = [(key, files[i:i + LARGEST_BATCH]) for key, files in groups.items() for i in range(0, len(files), LARGEST_BATCH)]
    parts.sort(key=lambda part: -len(part[1]))
    failed = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(check_together, part) for part in parts]
        jobs += [pool.submit(check_one, file) for file in flags_of if room(file) in ONE_BY_ONE]
        for job in jobs:
            for ok, output in job.result():
                if not ok:
                    failed = True
                    print(output, flush=True)
    print(f"{len(flags_of)} files, {tidy.batches} compiled together, {sum(room(f) in ONE_BY_ONE for f in flags_of)} one by one")
    return 1 if failed or not flags_of else 0


if __name__ == "__main__":
    sys.exit(main())
