#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Makes dump gpz a package of a LAMMPS source tree: overlay.py LAMMPS.

What a contribution to LAMMPS consists of: the sources in src/GPZ, the files of this folder at their places, the pages,
and entries in LAMMPS's own lists. Entries that are there already stay; lists that the tree lacks (release archives
differ) are named. The library stays outside: cmake/Modules/Packages/GPZ.cmake finds an installed one.
"""

import argparse
import re
import shutil
import sys
from pathlib import Path
from typing import Iterator, Tuple

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parent
# Parts of the plugin, and what compresses on GPUs: this package is for CPUs.
NOT_IN_TREE = {
    "gpzplugin.cpp",
    "gpzplugin_fit.cpp",
    "gpzplugin_fit.h",
    "gpz_gpu.cpp",
    "gpz_kokkos.cpp",
    "gpz_kokkos.h",
    "gpz_no_kokkos.cpp",
    "rerun_gpz.cpp",
    "rerun_gpz.h",  # these replace commands of the core; without them, names in .gpz need format gpz
}

DETAILS = """
.. _PKG-GPZ:

GPZ package
-----------

**Contents:**

Compressed trajectories: a dump style in whose files the error of every
position is below a bound, and a file format for the :doc:`rerun <rerun>`
and :doc:`read_dump <read_dump>` commands that reads them.  IDs, types and
other integers are stored without loss.

To use this package you must have the gpz library installed, which has a
BSD license, and a C++17 compiler.

**Install:**

This package has :ref:`specific installation instructions <gpz>` on the
:doc:`Build extras <Build_extras>` page.

**Supporting info:**

* ``src/GPZ``: filenames -> commands
* ``src/GPZ/README``
* :doc:`dump gpz <dump_gpz>`
* :doc:`rerun and read_dump with format gpz <rerun_gpz>`
* ``examples/PACKAGES/gpz``

----------
"""

EXTRAS = """.. _gpz:

GPZ package
-----------

To build with this package you must have the gpz library installed on
your system, and a C++17 compiler.

.. tabs::

   .. tab:: CMake build

      If the library is not installed at a standard location, the setting
      ``-D gpz_DIR=/path/to/lib/cmake/gpz`` names the folder of its
      ``gpz-config.cmake`` file.

   .. tab:: Traditional make

      This package can only be built with CMake.

----------

"""

LIST_ENTRY = """   * - :ref:`GPZ <PKG-GPZ>`
     - compressed trajectories with an error bound
     - :doc:`dump gpz <dump_gpz>`
     - PACKAGES/gpz
     - ext
"""

UNIT_TEST = """
if(PKG_GPZ)
  add_executable(test_dump_gpz test_dump_gpz.cpp)
  target_link_libraries(test_dump_gpz PRIVATE lammps GTest::GMock)
  add_test(NAME DumpGPZ COMMAND test_dump_gpz)
endif()
"""

# A file, a pattern in it, and what is written before the match ("before") or after it.
ENTRIES = [
    ("cmake/CMakeLists.txt", r"^  GRANULAR\n", "before", "  GPZ\n"),
    ("cmake/CMakeLists.txt", r"^foreach\(PKG_WITH_INCL KSPACE", "after", " GPZ"),
    ("cmake/presets/all_on.cmake", r"^  GRANULAR\n", "before", "  GPZ\n"),
    ("cmake/presets/all_off.cmake", r"^  GRANULAR\n", "before", "  GPZ\n"),
    ("cmake/presets/nolib.cmake", r"^  GPU\n", "after", "  GPZ\n"),
    ("doc/src/Commands_dump.rst", r"^   \* :doc:`grid <dump>`\n", "before", "   * :doc:`gpz <dump_gpz>`\n"),
    ("doc/src/commands_list.rst", r"^   rerun\n", "after", "   rerun_gpz\n"),
    ("doc/src/Packages_list.rst", r"^   \* - :ref:`GRANULAR", "before", LIST_ENTRY),
    (
        "doc/src/Packages_details.rst",
        r"^   \* :ref:`GRANULAR <PKG-GRANULAR>`\n",
        "before",
        "   * :ref:`GPZ <PKG-GPZ>`\n",
    ),
    ("doc/src/Packages_details.rst", r"^\.\. _PKG-GRANULAR:\n", "before", DETAILS[1:] + "\n"),
    ("doc/src/Build_extras.rst", r"^   \* :ref:`GPU <gpu>`\n", "after", "   * :ref:`GPZ <gpz>`\n"),
    ("doc/src/Build_extras.rst", r"^\.\. _h5md:\n", "before", EXTRAS),
    ("doc/src/Build_package.rst", r"^   \* :ref:`GPU <gpu>`\n", "after", "   * :ref:`GPZ <gpz>`\n"),
    (
        "doc/src/dump.rst",
        r"^:doc:`dump h5md <dump_h5md>` command\n=+\n\n",
        "before",
        ":doc:`dump gpz <dump_gpz>` command\n" + 34 * "=" + "\n\n",
    ),
    ("doc/src/dump.rst", r"^\* style = .*?\*dcd\*", "after", " or *gpz*"),
    (
        "doc/src/dump.rst",
        r"^       \*h5md\* attributes",
        "before",
        "       *gpz* attributes = discussed on :doc:`dump gpz <dump_gpz>` page\n",
    ),
    ("unittest/formats/CMakeLists.txt", r"^if\(BUILD_TOOLS\)\n", "before", UNIT_TEST[1:] + "\n"),
]
SPELLING = ["gpz", "gpzplugin"]


def sources() -> Iterator[Path]:
    for path in sorted(PACKAGE.glob("*")):
        if path.suffix in (".cpp", ".h") and path.name not in NOT_IN_TREE:
            yield path


def copies(lammps: Path) -> Iterator[Tuple[Path, Path]]:
    for path in sources():
        yield path, lammps / "src" / "GPZ" / path.name
    for path in sorted(HERE.rglob("*")):
        name = path.relative_to(HERE)
        if path.is_file() and len(name.parts) > 1 and "__pycache__" not in name.parts:
            yield path, lammps / name
    for path in sorted((PACKAGE / "doc").glob("*.rst")):
        yield path, lammps / "doc" / "src" / path.name


def enter(text: str, pattern: str, side: str, entry: str) -> str:
    match = re.search(pattern, text, re.MULTILINE | re.DOTALL)
    if not match:
        raise ValueError(f"nothing matches {pattern}")
    at = match.start() if side == "before" else match.end()
    there = text[at - len(entry) : at] if side == "before" else text[at : at + len(entry)]
    return text if there == entry else text[:at] + entry + text[at:]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lammps", type=Path, help="source tree, with cmake/ and src/")
    lammps = parser.parse_args().lammps
    if not (lammps / "src" / "dump_custom.h").is_file():
        parser.error(f"{lammps} is no LAMMPS source tree")

    for source, target in copies(lammps):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        shutil.copyfile(source, target)

    missing, failed = set(), []
    for name, pattern, side, entry in ENTRIES:
        path = lammps / name
        if not path.is_file():
            missing.add(name)
            continue
        text = path.read_text()
        try:
            entered = enter(text, pattern, side, entry)
        except ValueError as error:
            failed.append(f"{name}: {error}")
            continue
        if entered != text:
            path.unlink()  # it may be a link into another tree
            path.write_text(entered)
    words = lammps / "doc" / "utils" / "sphinx-config" / "false_positives.txt"
    if words.is_file():
        known = words.read_text().split("\n")
        for word in SPELLING:
            if word not in known:
                known.insert(
                    next((i for i, other in enumerate(known) if other.lower() > word.lower()), len(known)), word
                )
        words.unlink()
        words.write_text("\n".join(known))
    for name in sorted(missing):
        print(f"not in this tree: {name}")
    for failure in failed:
        print(failure, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
