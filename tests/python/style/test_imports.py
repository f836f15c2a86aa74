# SPDX-License-Identifier: BSD-3-Clause
"""Modules of the package import each other in one direction. Imports within functions do not count: by those, methods such as
Trajectory.view name what is optional."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[3] / "python" / "gpz"


def name_of(path, package):
    parts = ("gpz", *path.relative_to(package).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def of_module(tree):
    """Imports outside of functions, also those for type checkers."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from of_module(node)


def graph_of(package):
    """{module: the modules of the package that it imports}"""
    files = {name_of(path, package): path for ending in ("py", "pyi") for path in package.rglob(f"*.{ending}")}
    graph = {}
    for name, path in files.items():
        graph[name] = set()
        for node in of_module(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                graph[name] |= {alias.name for alias in node.names} & files.keys()
                continue
            for alias in node.names:
                part = f"{node.module}.{alias.name}"
                graph[name] |= {part if part in files else node.module} & files.keys()
    return graph


def circles_in(graph):
    """Modules of circles, and between two of them."""
    left = {name: imports - {name} for name, imports in graph.items()}
    while True:
        imported = set().union(*left.values())
        ends = [name for name, imports in left.items() if not imports & left.keys() or name not in imported]
        if not ends:
            return sorted(left)
        for name in ends:
            del left[name]


def test_there_are_no_circles():
    assert circles_in(graph_of(PACKAGE)) == []


def test_a_circle_is_found(tmp_path):
    (tmp_path / "__init__.py").write_text("from gpz.a import f\n")
    (tmp_path / "a.py").write_text("def f():\n    import gpz\n")
    assert circles_in(graph_of(tmp_path)) == []
    (tmp_path / "b.py").write_text("from gpz import a\n")
    (tmp_path / "a.py").write_text("if True:\n    from gpz.b import a\n")
    assert circles_in(graph_of(tmp_path)) == ["gpz.a", "gpz.b"]
