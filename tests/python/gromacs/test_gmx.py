# SPDX-License-Identifier: BSD-3-Clause
"""The programs of GROMACS read XTC files that gpz convert writes: what they print against numbers from the .gpz file.

`gmx` is in Debian's package gromacs (scripts/test.sh --gromacs).
"""

import re
import subprocess

import numpy as np
import pytest
from MDAnalysisTests.datafiles import GRO, XTC

import gpz
from gpz.convert import convert

ALPHA_CARBONS = "3\n"  # the number of the group that gmx makes of a file with a protein
NM = 0.1  # per Angstrom


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """run.gpz of 10 frames, with names of atoms, and run.xtc of it."""
    folder = tmp_path_factory.mktemp("gmx")
    convert(XTC, folder / "run.gpz", topology=GRO)
    convert(folder / "run.gpz", folder / "run.xtc")
    return folder


@pytest.fixture(scope="module")
def carbons(files):
    """(frames, atoms, 3): nm."""
    with gpz.open(files / "run.gpz") as file:
        # GRO numbers repeat after 99,999; rows are those of the topology.
        rows = np.flatnonzero(file.tables()["atoms"]["name"] == "CA")
        return np.array([frame.positions[rows] for frame in file], np.float64) * NM


def gmx(folder, *arguments, groups=""):
    done = subprocess.run(["gmx", "-nobackup", *map(str, arguments)], cwd=folder, input=groups, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def numbers(path):
    """(rows, columns) of a file for plots."""
    lines = path.read_text().splitlines()
    return np.array([[float(word) for word in line.split()] for line in lines if line and line[0] not in "#@&"])


def test_the_file_has_the_bytes_of_the_original(files):
    with open(XTC, "rb") as original:
        assert (files / "run.xtc").read_bytes() == original.read()


def test_check(files):
    said = gmx(files, "check", "-f", "run.xtc")
    for item in ("Step", "Time", "Coords", "Box"):
        assert re.search(rf"^{item} +10 +100$", said, re.MULTILINE), said


def test_coordinates(files, carbons):
    gmx(files, "traj", "-f", "run.xtc", "-s", GRO, "-ox", "x.xvg", "-fp", "-nopbc", groups=ALPHA_CARBONS)
    found = numbers(files / "x.xvg")
    with gpz.open(files / "run.gpz") as file:
        assert np.allclose(found[:, 0], file.times, atol=1e-3)
    assert found[:, 1:].shape == (10, carbons[0].size)
    assert np.abs(found[:, 1:] - carbons.reshape(10, -1)).max() < 2e-6  # of float32


def fitted_distance(a, b):
    """Root mean square distance after the best rotation (Kabsch)."""
    a, b = a - a.mean(0), b - b.mean(0)
    u, _, v = np.linalg.svd(a.T @ b)
    rotation = u @ np.diag([1, 1, np.sign(np.linalg.det(u @ v))]) @ v
    return np.sqrt(((a @ rotation - b) ** 2).sum(1).mean())


def test_rms(files, carbons):
    gmx(files, "trjconv", "-f", "run.xtc", "-s", GRO, "-o", "first.gro", "-dump", "0", groups="0\n")
    gmx(files, "rms", "-f", "run.xtc", "-s", "first.gro", "-o", "rms.xvg", "-nopbc", groups=2 * ALPHA_CARBONS)
    expected = [fitted_distance(frame, carbons[0]) for frame in carbons]
    assert max(expected) > 0.1
    np.testing.assert_allclose(numbers(files / "rms.xvg")[:, 1], expected, atol=2e-5)


def test_rdf(files, carbons):
    """Without a norm it is the number of atoms at a distance, divided by the width of the bins, which are around its multiples."""
    width, most = 0.1, 2.0
    selection = ("-ref", "name CA", "-sel", "name CA")
    gmx(files, "rdf", "-f", "run.xtc", "-s", GRO, *selection, "-nopbc", "-norm", "none", "-bin", width, "-rmax", most, "-o", "rdf.xvg")
    centres, found = numbers(files / "rdf.xvg")[:-1].T
    edges = np.append(centres - width / 2, centres[-1] + width / 2)
    counts = np.zeros(len(centres))
    for frame in carbons:
        distances = np.linalg.norm(frame[:, None] - frame[None], axis=2)
        counts += np.histogram(distances[~np.eye(len(frame), dtype=bool)], edges)[0]
    expected = counts / (len(carbons) * len(carbons[0]))
    assert expected.max() > 3
    # Three decimal places; and each distance is there twice, and may be at an edge.
    np.testing.assert_allclose(found * width, expected, atol=1e-3)


def test_trjconv_reads_and_writes(files, carbons):
    gmx(files, "trjconv", "-f", "run.xtc", "-s", GRO, "-o", "skipped.trr", "-skip", "3", groups=ALPHA_CARBONS)
    convert(files / "skipped.trr", files / "skipped.gpz", bound=1e-4)
    with gpz.open(files / "skipped.gpz") as file:
        assert len(file) == 4
        for frame, expected in zip(file, carbons[::3], strict=True):
            assert np.abs(frame.positions * NM - expected).max() < 1e-5 + 2e-6
