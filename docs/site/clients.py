# SPDX-License-Identifier: BSD-3-Clause
"""The page of the package's parts for other programs, from their sources: importing them would need those programs."""

import ast
import inspect
from pathlib import Path
from typing import Iterator, List, Union

from docstrings import restructured

PROGRAMS = {
    "mdanalysis": "MDAnalysis",
    "ase": "ASE",
    "ovito": "OVITO",
    "mdtraj": "mdtraj",
    "dpdata": "dpdata",
    "openmm": "OpenMM",
    "torch": "PyTorch",
    "hdf5": "HDF5",
    "zarr": "Zarr",
    "numcodecs": "numcodecs",
}
Documented = Union[ast.ClassDef, ast.FunctionDef]
HEAD = """Python reference: other programs
================================

Parts of the Python package that open .gpz files in other programs, or compress files of their formats. Each needs that program:
``pip install ".[mdanalysis]"`` at the root of the repository installs both, and ``".[all]"`` all of them.
"""


def docstring(node: Union[ast.Module, Documented]) -> List[str]:
    return restructured(inspect.cleandoc(ast.get_docstring(node) or "").splitlines())


def arguments(node: Documented) -> str:
    if isinstance(node, ast.ClassDef):
        return ""
    plain = ast.parse(ast.unparse(node.args).join(("def f(", "): pass"))).body[0]
    assert isinstance(plain, ast.FunctionDef)
    for argument in ast.walk(plain.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    return f"({ast.unparse(plain.args)})"


def part(package: Path, name: str) -> Iterator[str]:
    files = [package / f"{name}.py"] if (package / f"{name}.py").exists() else sorted((package / name).glob("*.py"))
    modules = {path.stem: ast.parse(path.read_text()) for path in files}
    main = modules.get("__init__") or modules[name]
    title = PROGRAMS[name]
    yield from ["", title, "-" * len(title), "", f".. py:module:: gpz.{name}", "", *docstring(main), ""]
    exported = [
        node.value for node in main.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    ]
    public = ast.literal_eval(exported[0]) if exported else None
    for module in modules.values():
        for node in module.body:
            if not isinstance(node, (ast.ClassDef, ast.FunctionDef)) or not ast.get_docstring(node):
                continue
            if node.name in public if public is not None else not node.name.startswith("_"):
                kind = "class" if isinstance(node, ast.ClassDef) else "function"
                yield from [f".. py:{kind}:: {node.name}{arguments(node)}", ""]
                yield from [f"    {line}" for line in docstring(node)]
                yield ""


def clients_page(package: Path) -> str:
    return HEAD + "\n".join(line for name in PROGRAMS for line in part(package, name)) + "\n"
