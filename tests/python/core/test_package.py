# SPDX-License-Identifier: BSD-3-Clause
"""The package as a whole."""

import inspect
import pathlib
import pydoc

import gpz


def test_everything_public_has_words():
    bare = [name for name in gpz.__all__ if not inspect.getdoc(getattr(gpz, name))]
    for kind in (gpz.Trajectory, gpz.Frame, gpz.Box, gpz.Writer, gpz.Stream):
        for name, member in inspect.getmembers(kind):
            if name.startswith("_") or name in (
                "timestep",
                "n_particles",
                "n_frames",
                "is_triclinic",
                "boundary",
                "dimension",
                "kind",
            ):
                continue
            if not inspect.getdoc(member):
                bare.append(f"{kind.__name__}.{name}")
    assert bare == []


def test_all_is_all():
    mine = {name for name, member in vars(gpz).items() if getattr(member, "__module__", "").startswith("gpz.")}
    assert {name for name in mine if not name.startswith("_")} == set(gpz.__all__)


def test_help_teaches():
    text = pydoc.plain(pydoc.render_doc(gpz))
    for word in ("gpz.open(", "frame.positions", "gpz.Writer(", "in the order of ids"):
        assert word in text


def test_types_are_announced():
    folder = pathlib.Path(gpz.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_core.pyi").exists()


def test_the_stub_is_that_of_the_extension():
    """The names of _core.pyi are those that there are."""
    from gpz import _core

    text = (pathlib.Path(gpz.__file__).parent / "_core.pyi").read_text()
    for name, member in vars(_core).items():
        if name.startswith("_"):
            continue
        assert f"class {name}" in text or f"def {name}(" in text or f"{name}:" in text
        for method in vars(member) if inspect.isclass(member) else ():
            assert method.startswith("_") or f"def {method}(" in text, f"{name}.{method}"
