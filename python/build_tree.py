# SPDX-License-Identifier: BSD-3-Clause
"""Makes the package in the build folder one that importlib.metadata knows: with the version and the entry points of
pyproject.toml, by which other programs find gpz.

    build_tree.py PYPROJECT VERSION FOLDER
"""

import pathlib
import shutil
import sys

try:
    import tomllib
except ImportError:  # Python 3.10; scikit-build-core depends on it there
    import tomli as tomllib  # type: ignore[no-redef]


def main(pyproject: str, version: str, folder: str) -> None:
    project = tomllib.loads(pathlib.Path(pyproject).read_text())["project"]
    groups = dict(project.get("entry-points", {}))
    if "scripts" in project:
        groups["console_scripts"] = project["scripts"]
    lines = [
        line
        for group, entries in groups.items()
        for line in (f"[{group}]", *(f"{name} = {target}" for name, target in entries.items()), "")
    ]
    # One of an earlier version or name would offer its entry points as well.
    for earlier in pathlib.Path(folder).glob("*.dist-info"):
        shutil.rmtree(earlier)
    info = pathlib.Path(folder) / f"{project['name'].replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version}\n")
    (info / "entry_points.txt").write_text("\n".join(lines))


main(*sys.argv[1:])
