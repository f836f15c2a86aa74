# SPDX-License-Identifier: BSD-3-Clause
"""A reporter of OpenMM that writes .gpz files.

    from gpz.openmm import GPZReporter

    simulation.reporters.append(GPZReporter("traj.gpz", 1000, eb=0.0005))   # within 0.0005 nm
    simulation.step(1_000_000)

It takes the place of DCDReporter or XTCReporter, whose arguments it has. Arguments are in OpenMM's units (nm, ps, kJ/mol), or
quantities of openmm.unit. The file is in LAMMPS's units `real`: Å, fs, kcal/mol.
"""

from gpz.openmm.reporter import GPZReporter

__all__ = ["GPZReporter"]
