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

#include "fix_gpz_summary.h"

#include "dump_gpz.h"
#include "output.h"

using namespace LAMMPS_NS;

FixGPZSummary::FixGPZSummary(LAMMPS *lammps, int narg, char **arg) : Fix(lammps, narg, arg), dump_id_(arg[3]) {
  // reads and changes no data of atoms, so KOKKOS has nothing to copy for it
  datamask_read = datamask_modify = 0;
}

// LAMMPS calls this for every fix, whatever its mask.
void FixGPZSummary::post_run() {
  auto *dump = dynamic_cast<DumpGPZ *>(output->get_dump_by_id(dump_id_));
  if (dump) dump->end_of_run();
}
