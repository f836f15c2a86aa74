# SPDX-License-Identifier: BSD-3-Clause
"""Writes hostile files into a folder: make.py FOLDER [NAME...]"""

import pathlib
import sys

import costly
import costly_tables
import scan_files

FILES = {**costly.FILES, **{f"tables-{name}": make for name, make in costly_tables.FILES.items()}, **scan_files.FILES}


def main(folder, *names):
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    for name in names or FILES:
        (pathlib.Path(folder) / f"{name}.gpz").write_bytes(FILES[name]())


if __name__ == "__main__":
    main(*sys.argv[1:])
