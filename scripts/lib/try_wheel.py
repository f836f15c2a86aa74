# SPDX-License-Identifier: BSD-3-Clause
"""Tries an installed gpz-md: writes and reads a file, runs the program, and decodes every golden file by the program and by the package.

    try_wheel.py FOLDER             the folder that has the package gpz_reference
    try_wheel.py files              only writes and reads a file, which takes no other program
    try_wheel.py decode IN OUT      decodes a file by the package, in the form `columns` of gpz_reference.conformance
"""

import pathlib
import platform
import shlex
import subprocess
import sys
import sysconfig
import tempfile

import gpz
import numpy as np


def decode(source, output):
    with gpz.open(source, order="stored") as trajectory, open(output, "wb") as stream:
        for i, frame in enumerate(trajectory):
            for name, column in frame.column_info.items():
                dtype = column.dtype if column.dtype.kind == "f" else None
                stream.write(trajectory.read(i, [name], dtype=dtype)[name].tobytes())


def write_and_read(path):
    """Particles in another order than that of their ids, in three frames."""
    places = np.random.default_rng(1).random((1000, 3)) * 10
    with gpz.Writer(path, units="lj", bound=1e-3) as writer:
        for step in range(3):
            writer.write(positions=places + 0.01 * step, ids=np.arange(1000, 0, -1), box=[10, 10, 10], timestep=step)
    with gpz.open(path) as trajectory:
        assert list(trajectory.timesteps) == [0, 1, 2]
        for step, frame in enumerate(trajectory):
            assert np.abs(frame.positions - (places[::-1] + 0.01 * step)).max() <= 1e-3


def conforms(reference, *arguments):
    command = [sys.executable, "-m", "gpz_reference.conformance", *arguments]
    return subprocess.run(command, cwd=reference, check=False).returncode == 0


def describe():
    return f"gpz {gpz.__version__}, NumPy {np.__version__}, Python {platform.python_version()}, {platform.machine()}, {' '.join(platform.libc_ver())}"


def try_all(reference, path):
    program = str(pathlib.Path(sysconfig.get_path("scripts")) / "gpz")
    subprocess.run([program, "verify", path], check=True)
    by_program = f"{shlex.quote(program)} decode {{input}} -o {{output}} --format lammps --sort none --exact"
    by_package = f"{shlex.join([sys.executable, __file__])} decode {{input}} {{output}}"
    good = conforms(reference, "--form", "lammps", "--decoder", by_program) and conforms(reference, "--decoder", by_package)
    print(f"{describe()}: {'good' if good else 'FAILED'}")
    return 0 if good else 1


def main(what):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "file.gpz"
        write_and_read(path)
        if what != "files":
            return try_all(what, path)
    print(describe())
    return 0


if sys.argv[1] == "decode":
    decode(*sys.argv[2:])
else:
    sys.exit(main(sys.argv[1]))
