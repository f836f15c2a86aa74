# SPDX-License-Identifier: BSD-3-Clause
"""The units of LAMMPS in those of MDAnalysis."""

from __future__ import annotations

from dataclasses import dataclass

from gpz._quantities import UNITS, factor

BASE_NAMES = {"length": "A", "time": "ps", "velocity": "A/ps", "force": "kJ/(mol*Angstrom)"}
UNKNOWN_NAMES = dict.fromkeys(BASE_NAMES)


@dataclass(frozen=True)
class Units:
    """One unit of a LAMMPS style in the units of MDAnalysis, by which a number of the file is multiplied.

    `names` are what MDAnalysis calls the units of the style, None where it has no name for one.
    """

    length: float  # in A
    time: float  # in ps
    velocity: float  # in A/ps
    force: float  # in kJ/(mol A)
    mass: float  # in u
    charge: float  # in e
    names: dict[str, str | None]


# What MDAnalysis calls length, time, velocity and force of a style; None where it has no name.
_NAMES = {
    "real": ("A", "fs", "A/fs", "kcal/(mol*Angstrom)"),
    "metal": ("A", "ps", "A/ps", None),
    "si": (None, "s", "m/s", "N"),
    "cgs": (None, "s", None, None),
    "electron": (None, "fs", None, None),
    "micro": (None, "us", "m/s", None),
    "nano": ("nm", "ns", "m/s", None),
}

#: By the name in the LAMMPS command `units`. The style lj has no units.
#: The documentation of LAMMPS gives velocities of "electron" in Bohr by 1.03275e-15 s. But positions advance by dt v, dt in fs.
STYLES = {
    style: Units(
        **{quantity: factor(quantity, style, "MDAnalysis") for quantity in UNITS["MDAnalysis"]},
        names=dict(zip(BASE_NAMES, names)),
    )
    for style, names in _NAMES.items()
}
STYLES["lj"] = Units(1.0, 1.0, 1.0, 1.0, 1.0, 1.0, UNKNOWN_NAMES)


def units_of(style: str | None) -> Units:
    """The units of a LAMMPS style; those of lj, which are left as they are, for a file that names none.

    Raises ValueError for a name that LAMMPS does not have.
    """
    try:
        return STYLES[style or "lj"]
    except KeyError:
        raise ValueError(f"LAMMPS has no units {style!r}: it has {', '.join(STYLES)}") from None
