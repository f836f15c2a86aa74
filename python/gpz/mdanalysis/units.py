# SPDX-License-Identifier: BSD-3-Clause
"""What the units of LAMMPS are in those of MDAnalysis."""

from __future__ import annotations

from dataclasses import dataclass

from MDAnalysis.units import constants

from gpz._units import LENGTHS, TIMES

# In SI units, for what MDAnalysis has no constants of (CODATA 2010, as its own).
_AVOGADRO = constants["N_Avogadro"]  # 1/mol
_ELECTRON = constants["elementary_charge"]  # C
_DALTON = 1e-3 / _AVOGADRO  # kg
_HARTREE = 4.35974434e-18  # J
_STATCOULOMB = 0.1 / 299792458  # C

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


def _units(
    style: str,
    *,
    energy: float,
    mass: float = _DALTON,
    charge: float = _ELECTRON,
    names: tuple[str | None, str | None, str | None, str | None],
) -> Units:
    """The arguments are in SI units. A velocity is a length by a time, a force an energy by a length."""
    length, time = LENGTHS[style], TIMES[style]
    return Units(
        length=length * 1e10,
        time=time * 1e12,
        velocity=length / time * 1e-2,
        force=energy / length * _AVOGADRO * 1e-13,
        mass=mass / _DALTON,
        charge=charge / _ELECTRON,
        names=dict(zip(BASE_NAMES, names)),
    )


#: By the name in the LAMMPS command `units`. The style lj has no units.
STYLES = {
    "real": _units(
        "real",
        energy=constants["calorie"] * 1e3 / _AVOGADRO,
        names=("A", "fs", "A/fs", "kcal/(mol*Angstrom)"),
    ),
    "metal": _units("metal", energy=_ELECTRON, names=("A", "ps", "A/ps", None)),
    "si": _units("si", energy=1, mass=1, charge=1, names=(None, "s", "m/s", "N")),
    "cgs": _units("cgs", energy=1e-7, mass=1e-3, charge=_STATCOULOMB, names=(None, "s", None, None)),
    # The documentation of LAMMPS gives velocities in Bohr by 1.03275e-15 s. But positions advance by dt v, dt in fs.
    "electron": _units("electron", energy=_HARTREE, names=(None, "fs", None, None)),
    "micro": _units("micro", energy=1e-15, mass=1e-15, charge=1e-12, names=(None, "us", "m/s", None)),
    "nano": _units("nano", energy=1e-21, mass=1e-21, names=("nm", "ns", "m/s", None)),
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
