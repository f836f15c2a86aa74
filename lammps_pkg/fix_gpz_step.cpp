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

#include "fix_gpz_step.h"

#include "dump_gpz.h"
#include "error.h"
#include "output.h"

using namespace LAMMPS_NS;

FixGPZStep::FixGPZStep(LAMMPS *lammps, int narg, char **arg) : Fix(lammps, narg, arg) {
  if (narg != 4) error->all(FLERR, "Fix GPZ/STEP is internal to dump gpz");
  dump_id_ = arg[3];
  // reads and changes no data of atoms, so KOKKOS has nothing to copy for it
  datamask_read = datamask_modify = 0;
  kokkosable = lmp->kokkos ? 1 : 0;  // LAMMPS refuses it where KOKKOS is not enabled
  // KOKKOS does the second half of a step and the first of the next one at once, unless a fix objects; an END_OF_STEP
  // one always does
  fuse_integrate_flag = 1;
}

int FixGPZStep::setmask() {
  return FixConst::FINAL_INTEGRATE | FixConst::FINAL_INTEGRATE_RESPA | FixConst::MIN_POST_FORCE;
}

DumpGPZ *FixGPZStep::dump() const { return dynamic_cast<DumpGPZ *>(output->get_dump_by_id(dump_id_)); }

// Positions are those of the step from its first half on.
void FixGPZStep::final_integrate() {
  DumpGPZ *writing = dump();
  if (!writing) return;
  writing->poll();
  writing->positions_are_final();
}

void FixGPZStep::poll() {
  if (DumpGPZ *writing = dump()) writing->poll();
}

// LAMMPS calls this for every fix, whatever its mask.
void FixGPZStep::post_run() {
  if (DumpGPZ *writing = dump()) writing->end_of_run();
}
