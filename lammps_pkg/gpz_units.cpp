// SPDX-License-Identifier: GPL-2.0-only
/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   Copyright (2003) Sandia Corporation.  Under the terms of Contract
   DE-AC04-94AL85000 with Sandia Corporation, the U.S. Government retains
   certain rights in this software.  This software is distributed under
   the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "gpz_units.h"

#include <cstring>

using namespace LAMMPS_NS;

namespace {

const GPZUnits styles[] = {
    {"lj", "", "", "", "", "", "", "", "", ""},
    {"real", "grams/mole", "Angstroms", "femtoseconds", "kcal/mol", "(kcal/mol)/Angstrom", "Kelvin", "atmospheres",
     "electron charge", "g/cm"},
    {"metal", "grams/mole", "Angstroms", "picoseconds", "eV", "eV/Angstrom", "Kelvin", "bars", "electron charge",
     "g/cm"},
    {"si", "kilograms", "meters", "seconds", "Joules", "Newtons", "Kelvin", "Pascals", "Coulombs", "kilograms/meter"},
    {"cgs", "grams", "centimeters", "seconds", "ergs", "dynes", "Kelvin", "dyne/cm^2", "statcoulombs", "grams/cm"},
    {"electron", "atomic mass units", "Bohr", "femtoseconds", "Hartrees", "Hartrees/Bohr", "Kelvin", "Pascals",
     "electron charge", ""},
    {"micro", "picograms", "micrometers", "microseconds", "picogram-micrometer^2/microsecond^2",
     "picogram-micrometer/microsecond^2", "Kelvin", "picogram/(micrometer-microsecond^2)", "picocoulombs",
     "picograms/micrometer"},
    {"nano", "attograms", "nanometers", "nanoseconds", "attogram-nanometer^2/nanosecond^2",
     "attogram-nanometer/nanosecond^2", "Kelvin", "attogram/(nanometer-nanosecond^2)", "electron charge",
     "attograms/nanometer"},
};

}  // namespace

const GPZUnits &LAMMPS_NS::gpz_units(const char *style) {
  for (const GPZUnits &units : styles)
    if (strcmp(units.style, style) == 0) return units;
  return styles[0];
}
