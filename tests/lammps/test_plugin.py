# SPDX-License-Identifier: BSD-3-Clause
"""The plugin in a LAMMPS that it was not built for, and scripts/plugin.sh, which builds another."""

import argparse
import os
import re
import shutil
import subprocess
from pathlib import Path

from harness import Skip, case
from systems import MELT

REPOSITORY = Path(__file__).resolve().parents[2]
REMEDY = re.compile(r"To build another, in a clone of gpz: scripts/plugin\.sh <source tree of LAMMPS (.*?)> --lammps <its lmp>")


def without_plugin(t):
    """Scripts no longer begin with the plugin of the tests."""
    if not t.options.fit_plugins:
        raise Skip("dump gpz is built into LAMMPS")
    t.options = argparse.Namespace(**{**vars(t.options), "plugin": None})
    return t.options.fit_plugins


def version_of_sources(t):
    text = (Path(t.options.lammps_sources) / "src/version.h").read_text()
    return re.search(r'LAMMPS_VERSION "(.*)"', text)[1]


def plugin(folder, kind):
    return folder / kind / f"gpz_{kind}_plugin.so"


def refusal(t, file):
    """(the LAMMPS that the plugin was built for, the one that loads it), as the error says."""
    message = t.error(f"plugin load {file}")
    assert REMEDY.search(message)[1] == version_of_sources(t), message
    return re.match(r"gpzplugin\.so was built for (LAMMPS .*?) and cannot work in (.*?)\. To", message).groups()


@case()
def plugin_that_fits(t):
    folder = without_plugin(t)
    assert "The plugin fits" in t.lammps(f"plugin load {plugin(folder, 'fits')}")


@case(ranks=(2,))
def plugin_for_another_version(t):
    own, host = refusal(t, plugin(without_plugin(t), "version"))
    version = version_of_sources(t)
    assert own.startswith("LAMMPS 1 Apr 2001 ("), own
    assert host.startswith(f"LAMMPS {version} ("), host
    assert own.removeprefix("LAMMPS 1 Apr 2001") == host.removeprefix(f"LAMMPS {version}"), (own, host)


@case()
def plugin_for_other_sizes(t):
    own, host = refusal(t, plugin(without_plugin(t), "sizes"))
    names = [re.search(r"\((\w+), ", text)[1] for text in (own, host)]
    assert sorted(names) == ["bigbig", "smallbig"], names
    assert own.replace(names[0], names[1]) == host


@case()
def plugin_for_a_lammps_with_another_function(t):
    """Same version, sizes and MPI: an update of a release, or a LAMMPS that was changed. The call would end in a crash."""
    own, host = refusal(t, plugin(without_plugin(t), "function"))
    assert own.startswith(f"LAMMPS {version_of_sources(t)} ("), own
    assert host == "this LAMMPS, which lacks LAMMPS_NS::in_no_release_of_lammps()", host


@case()
def plugin_for_another_mpi(t):
    """With MPI into a LAMMPS without, and the other way: neither the plugin nor LAMMPS calls the other's MPI."""
    if not t.options.serial_lmp:
        raise Skip("GPZ_LAMMPS_SERIAL_BINARY is not set")
    plugins = t.options.plugin, t.options.serial_plugin
    without_plugin(t)
    own, host = refusal(t, plugins[1])
    assert own.endswith(", no MPI)"), own
    mpi = re.search(r", ([^,]*)\)$", host)[1]
    assert mpi != "no MPI", host
    t.options.lmp = t.options.serial_lmp
    own, host = refusal(t, plugins[0])
    assert own.endswith(f", {mpi})") and host.endswith(", no MPI)"), (own, host)


@case(ranks=(2,))
def plugin_that_does_not_fit_in_the_path(t):
    """LAMMPS loads it at every start: it warns once, and all other work goes on."""
    file = plugin(without_plugin(t), "version")
    output = t.lammps(MELT + "run 2", env={**os.environ, "LAMMPS_PLUGIN_PATH": f"/nowhere:{file.parent}"})
    warnings = [line for line in output.splitlines() if "was built for" in line]
    assert len(warnings) == 1 and warnings[0].startswith("WARNING: "), output
    assert REMEDY.search(warnings[0]) and "LAMMPS starts without dump gpz" in warnings[0], warnings
    assert "Loop time" in output, output
    message = t.error(MELT + "dump t all gpz 1 t.gpz id", env={**os.environ, "LAMMPS_PLUGIN_PATH": str(file.parent)})
    assert "nrecognized dump style 'gpz'" in message, message


# --- scripts/plugin.sh ---


def script(t, *arguments, **environment):
    """Its packages are there already, or the plugin of the tests would not be."""
    return subprocess.run(
        [REPOSITORY / "scripts/plugin.sh", *map(str, arguments)],
        cwd=t.directory,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "GPZ_CACHE_DIR": str(t.directory), **environment},
    )


@case()
def plugin_script_refuses(t):
    without_plugin(t)
    sources, lmp = t.options.lammps_sources, t.options.lmp
    tree = t.path("another release")
    (tree / "src").mkdir(parents=True)
    (tree / "src/version.h").write_text('#define LAMMPS_VERSION "1 Apr 2001"\n#define LAMMPS_UPDATE "Update 7"\n')
    (tree / "src/dump_custom.h").touch()
    for arguments, message in (
        ([], "which sources?"),
        (["/nowhere"], "/nowhere: no such folder"),
        ([t.directory], "no source tree of LAMMPS"),
        ([sources, tree], "two source trees"),
        ([sources, "--nothing"], "unknown argument: --nothing"),
        ([sources, "--output"], "--output needs a value"),
        ([sources, "--sizes", "big"], "--sizes big: smallbig, bigbig or smallsmall"),
        ([sources, "--no-mpi", "--mpi", "mpicxx"], "contradict"),
        ([sources, "--mpi", "/bin/true"], "/bin/true: no MPI compiler"),
        ([sources, "--lammps", "/nowhere"], "/nowhere: not an executable file"),
        ([sources, "--lammps", "/bin/true"], "/bin/true: not LAMMPS"),
        ([sources, "--lammps", lmp, "--sizes", "smallsmall"], "was built with LAMMPS_SIZES="),
        ([tree, "--lammps", lmp], f"is LAMMPS {version_of_sources(t)}, but {tree} has the sources of 1 Apr 2001, Update 7"),
    ):
        done = script(t, *arguments)
        assert done.returncode == 1 and message in done.stdout, f"{arguments}: {done.returncode} {done.stdout}"
        assert len(done.stdout.splitlines()) == 1, f"{arguments}: {done.stdout}"


@case()
def plugin_script_finds_the_package(t):
    """Wherever it stands in the list of packages, and only there. A LAMMPS with other sizes ends the script behind that check."""
    without_plugin(t)
    shown = subprocess.run([t.options.lmp, "-h"], capture_output=True, text=True, check=True).stdout
    title = next(line for line in shown.splitlines() if line.startswith("Large-scale Atomic"))
    for packages, found in (
        ("PLUGIN", True),
        ("KSPACE MOLECULE\nPLUGIN RIGID", True),
        ("EXTRA-DUMP PLUGIN", True),
        ("KSPACE\nUSER-PLUGINS", False),
    ):
        lmp = t.path("lmp")
        lmp.write_text(
            f"#!/bin/sh\ncat <<'E'\n\n{title}\n-DLAMMPS_SMALLBIG\nInstalled packages:\n\n{packages}\n\n"
            "List of individual style options included in this LAMMPS executable\n\n* Pair styles:\n\nPLUGIN\nE\n"
        )
        lmp.chmod(0o755)
        done = script(t, t.options.lammps_sources, "--lammps", lmp, "--sizes", "smallsmall")
        wanted = "not smallsmall" if found else "has no package PLUGIN"
        assert done.returncode == 1 and wanted in done.stdout, f"{packages}: {done.stdout}"


def writes_frames(t, file):
    """Loaded automatically, the plugin writes frames; the script has said how it is loaded."""
    commands = "dump t all gpz 10 t.gpz id type x y z\nrun 20"
    output = t.lammps(MELT + commands, env={**os.environ, "LAMMPS_PLUGIN_PATH": str(file.parent)})
    assert "Loaded dump style" in output and len(t.decode("t.gpz")) == 3, output


@case()
def plugin_script_configures(t):
    """All that the script finds out and tells CMake, and its trial in LAMMPS; instead of compiling, CMake lists what it would compile."""
    built = t.options.plugin
    without_plugin(t)
    cmake = t.path("bin/cmake")
    cmake.parent.mkdir()
    cmake.write_text(
        f"""#!/bin/sh
[ "$1" = --build ] || exec {shutil.which("cmake")} "$@"
ninja -n -C "$2" "$4" && mkdir -p "$2/lib" && cp {built} "$2/lib/"
"""
    )
    cmake.chmod(0o755)
    sources, lmp = Path(t.options.lammps_sources), t.options.lmp
    path = f"{cmake.parent}:{os.environ['PATH']}"
    done = script(t, sources / "src", "--lammps", lmp, "--build", "build", PATH=path)
    assert done.returncode == 0, done.stdout
    name = re.search(r"^== The plugin for LAMMPS (.*): (.*)$", done.stdout, re.MULTILINE)
    file = Path(name[2])
    assert name[1].startswith(version_of_sources(t)) and file.parent.parent == t.path("build/plugins"), done.stdout
    for line in (f"{lmp} loads it", f"plugin load {file}", f"LAMMPS_PLUGIN_PATH={file.parent}"):
        assert line in done.stdout, done.stdout
    assert "lammps_pkg/CMakeFiles/gpzplugin_objects.dir" in t.path("build/build.log").read_text()
    cache = dict(re.findall(r"^(\w+):\w+=(.*)$", t.path("build/CMakeCache.txt").read_text(), re.MULTILINE))
    assert cache["LAMMPS_SOURCE_DIR"] == str(sources.resolve()), cache["LAMMPS_SOURCE_DIR"]
    assert f"({cache['GPZ_LAMMPS_SIZES']}, " in name[1], name[1]
    assert cache["GPZ_LAMMPS_MPI"] == ("OFF" if "no MPI" in name[1] else "ON"), name[1]
    writes_frames(t, file)


@case()
def plugin_script_builds(t):
    """As a user runs it. Compiles gpz's library, which takes minutes: see HACKING.md for how this test is run."""
    without_plugin(t)
    fast = ["--", "-D", "CMAKE_BUILD_TYPE=Debug", "-D", "CMAKE_CXX_FLAGS_DEBUG=-O0"]
    arguments = [t.options.lammps_sources, "--lammps", t.options.lmp, "--output", "plugins", "--build", "build"]
    done = script(t, *arguments, *fast)
    assert done.returncode == 0, done.stdout
    writes_frames(t, t.path("plugins/gpzplugin.so"))
