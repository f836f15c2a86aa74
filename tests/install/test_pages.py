# SPDX-License-Identifier: BSD-3-Clause
"""Manual pages and completions, against what gpz --help says."""
import re
import shutil
import subprocess
import unittest

from staged import STAGE, VERSION, StagedCase, run

MAN = STAGE / "share" / "man" / "man1"
BASH = STAGE / "share" / "bash-completion" / "completions" / "gpz"
ZSH = STAGE / "share" / "zsh" / "site-functions" / "_gpz"
FISH = STAGE / "share" / "fish" / "vendor_completions.d" / "gpz.fish"
GPZ = STAGE / "bin" / "gpz"


def commands():
    names = re.findall(r"^  (\w+) ", run(GPZ, "--help").split("Subcommands:")[1], re.MULTILINE)
    assert "encode" in names
    return names


EXTERNAL = {"archive", "convert", "plot", "record", "view"}  # programs of the Python package


def options(command):
    """Those in the list of gpz COMMAND --help."""
    if command in EXTERNAL:
        return set()
    return set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", run(GPZ, command, "--help"), re.MULTILINE))


class ManPages(StagedCase):
    def test_one_for_each_command(self):
        self.assertEqual({page.name for page in MAN.iterdir()}, {"gpz.1"} | {f"gpz-{name}.1" for name in commands()})

    def test_options_and_version(self):
        for name in commands():
            text = (MAN / f"gpz-{name}.1").read_text().replace("\\-", "-")
            self.assertEqual(set(re.findall(r"\\fB(--[\w-]+)", text)), options(name), name)
            self.assertIn(f'"gpz {VERSION}"', text)

    @unittest.skipUnless(shutil.which("groff"), "no groff")
    def test_render_without_warnings(self):
        for page in MAN.iterdir():
            done = subprocess.run(["groff", "-ww", "-man", "-Tutf8", page], capture_output=True, text=True, check=True)
            self.assertEqual(done.stderr, "", page.name)
            # In bold, a character is printed over itself.
            self.assertIn("SYNOPSIS", re.sub(".\x08", "", done.stdout))


@unittest.skipUnless(shutil.which("bash"), "no bash")
class Bash(StagedCase):
    def complete(self, *words):
        """What bash offers for the last one of the words behind gpz."""
        script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gpz; printf "%s\\n" "${COMPREPLY[@]}"'
        output = run("bash", "--norc", "-u", "-c", script, "bash", BASH, "gpz", *words, cwd=self.folder)
        return set(output.split())

    def test_commands(self):
        self.assertEqual(self.complete("") - {"-h", "--help", "--version"}, set(commands()))
        self.assertEqual(self.complete("enc"), {"encode"})

    def test_options(self):
        for name in commands():
            self.assertEqual(self.complete(name, "--"), options(name), name)
        self.assertEqual(self.complete("encode", "in.dump", "--los"), {"--lossless"})

    def test_fixed_values(self):
        self.assertEqual(self.complete("encode", "--order", ""), {"auto", "id", "place", "memory"})
        self.assertEqual(self.complete("encode", "--order", "p"), {"place"})
        self.assertEqual(self.complete("encode", "--order", "="), {"auto", "id", "place", "memory"})
        self.assertEqual(self.complete("encode", "--order", "=", "i"), {"id"})
        self.assertEqual(self.complete("bench", "--device", ""), {"cpu", "gpu", "all"})

    def test_files(self):
        (self.folder / "melt.gpz").touch()
        self.assertEqual(self.complete("decode", "m"), {"melt.gpz"})
        self.assertEqual(self.complete("decode", "-o", ""), {"melt.gpz"})
        self.assertEqual(self.complete("encode", "--eb", ""), set())


@unittest.skipUnless(shutil.which("zsh"), "no zsh")
class Zsh(StagedCase):
    def test_parses(self):
        run("zsh", "-n", ZSH)
        self.assertEqual(ZSH.read_text().splitlines()[0], "#compdef gpz")


@unittest.skipUnless(shutil.which("fish"), "no fish")
class Fish(StagedCase):
    def complete(self, line):
        output = run("fish", "--no-config", "-c", 'source $argv[1]; complete --do-complete $argv[2]', FISH, line,
                     env={"HOME": str(self.folder)}, cwd=self.folder)
        return {candidate.split("\t")[0] for candidate in output.splitlines()}

    def test_commands_options_values(self):
        self.assertLessEqual(set(commands()), self.complete("gpz "))
        for name in commands():
            self.assertEqual(self.complete(f"gpz {name} --"), options(name), name)
        self.assertEqual(self.complete("gpz encode --order "), {"auto", "id", "place", "memory"})


if __name__ == "__main__":
    unittest.main()
