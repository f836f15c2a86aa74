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

#include "gpz_metadata.h"

#include <gpz/version.h>

#include <string>
#include <vector>

#include "atom.h"
#include "label_map.h"
#include "lammps.h"
#include "update.h"

using namespace LAMMPS_NS;

namespace {

// LabelMap shows its labels to the dump styles of LAMMPS only.
struct Labels : LabelMap {
  static const std::vector<std::string> &of(const LabelMap &map) { return map.*(&Labels::typelabel); }
};

}  // namespace

gpz::Metadata LAMMPS_NS::gpz_metadata(LAMMPS *lmp) {
  gpz::Metadata facts;
  facts.generator = std::string("gpz " GPZ_VERSION_STRING ", LAMMPS ") + lmp->version;
  facts.units = lmp->update->unit_style;
  facts.atom_style = lmp->atom->atom_style;
  const std::size_t suffix = facts.atom_style.rfind("/kk");  // says where LAMMPS computes, not what atoms are
  if (suffix != std::string::npos) facts.atom_style.resize(suffix);
  if (lmp->atom->labelmapflag) facts.type_labels = Labels::of(*lmp->atom->lmap);
  facts.timestep_size = lmp->update->dt;
  facts.reference = "values of LAMMPS in memory";
  return facts;
}
