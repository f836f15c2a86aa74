# SPDX-License-Identifier: BSD-3-Clause
"""Numbers of streams in units of the file."""

from __future__ import annotations

import numpy as np

from gpz import _units

# IMD, version 3: Å, ps, Å/ps, kJ/mol, kJ/(mol Å), which are those of metal but for energies and forces.
STYLE_OF_STREAMS = "metal"
# LAMMPS's names of what imdclient calls its energies.
NAMES = {
    "temperature": "Temp",
    "total_energy": "TotEng",
    "potential_energy": "PotEng",
    "van_der_walls_energy": "E_vdwl",
    "coulomb_energy": "E_coul",
    "bonds_energy": "E_bond",
    "angles_energy": "E_angle",
    "dihedrals_energy": "E_dihed",
    "improper_dihedrals_energy": "E_impro",
}


class Units:
    """given: the LAMMPS style whose numbers the engine sends, as LAMMPS itself does; they go into the file as they are. None: the
    engine sends what the protocol says."""

    def __init__(self, given: str | None):
        self.style = STYLE_OF_STREAMS if given is None else given
        self._kilojoule = 1.0 if given is not None else 1 / _units.energy_factor(self.style, _units.KILOJOULE_PER_MOLE)
        self._energy = "eV" if given is None else ""

    def forces(self, values: np.ndarray) -> np.ndarray:
        """(N, 3) float32: rounded once where they are converted."""
        return values if self._kilojoule == 1 else (values * np.float64(self._kilojoule)).astype(np.float32)

    def observables(self, energies: dict[str, float]) -> dict[str, tuple[float, str]]:
        """Numbers and their units, by LAMMPS's names."""
        found = {}
        for name, of_lammps in NAMES.items():
            is_energy = name != "temperature"
            factor, unit = (self._kilojoule, self._energy) if is_energy else (1.0, "Kelvin")
            found[of_lammps] = energies[name] * factor, unit
        return found
