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

#ifndef LMP_GPZ_PROVENANCE_H
#define LMP_GPZ_PROVENANCE_H

#include <gpz/tables.hpp>
#include <string>

namespace LAMMPS_NS {
class LAMMPS;

// The table provenance: how the simulation is made. Names of users and hosts are not looked up, and of files in other
// folders only the name stays. The same on all ranks; collective.
gpz::Table gpz_provenance(LAMMPS *lmp);

// The text without folders: "read_data /home/me/data.rhodo" becomes "read_data data.rhodo". `relative`: also folders
// that are relative to the working folder, in words that name an existing file.
std::string gpz_without_folders(const std::string &text, bool relative);

}  // namespace LAMMPS_NS

#endif
