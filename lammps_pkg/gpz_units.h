// SPDX-License-Identifier: GPL-2.0-only
/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   Copyright (2003) Sandia Corporation.  Under the terms of Contract
   DE-AC04-94AL85000 with Sandia Corporation, the U.S. Government retains
   certain rights in this software.  This software is distributed under
   the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_GPZ_UNITS_H
#define LMP_GPZ_UNITS_H

namespace LAMMPS_NS {

// Units of a unit style, in the words of LAMMPS's page of the command units. Empty where that page has none: everything
// in lj units.
struct GPZUnits {
  const char *style;
  const char *mass, *length, *time, *energy, *force, *temperature, *pressure, *charge;
  const char *density;  // without the power of the length: "g/cm"
};

// Of lj if there is no such style.
const GPZUnits &gpz_units(const char *style);

}  // namespace LAMMPS_NS

#endif
