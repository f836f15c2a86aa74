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

#include "gpz_direct.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "dump.h"
#include "gpz_gpu.h"
#include "gpz_summary.h"
#include "output.h"
#include "timer.h"
#include "update.h"

using namespace LAMMPS_NS;

int GPZDirect::dump_index() const {
  for (int index = 0; index < output->ndump; ++index)
    if (output->dump[index] == dump_) return index;
  return -1;
}

const char *GPZDirect::step_variable() const {
  const int mine = dump_index();
  return mine >= 0 ? output->var_dump[mine] : nullptr;
}

std::string GPZDirect::obstacle() const {
  if (!wanted_) return "of dump_modify direct no";
  if (update->whichflag != 1) return "only a run has steps";
  if (strcmp(update->integrate_style, "verlet/kk") != 0) return std::string("of run_style ") + update->integrate_style;
  return {};
}

// True if dumps of this style are the only output for which KOKKOS would copy everything to the host.
bool GPZDirect::nothing_else_is_due() const {
  const bigint step = update->ntimestep;
  if (output->next_thermo == step || output->next_restart == step) return false;
  for (int n = 0; n < output->ndump; ++n)
    if (output->next_dump[n] == step && strcmp(output->dump[n]->style, dump_->style) != 0) return false;
  return true;
}

void GPZDirect::step_is_over(GPZDeviceAtoms *atoms) {
  const int mine = dump_index();
  const bigint step = update->ntimestep;
  if (!atoms || !atoms->in_loop() || output->next != step || output->next_dump_any != step) return;
  if (mine < 0 || output->next_dump[mine] != step) return;
  if (obstacle().empty()) {
    output_of_this_dump();
  } else if (nothing_else_is_due()) {
    atoms->wait();
    step_over_ = MPI_Wtime();
  }
}

// Output::write as if nothing but this dump were due: it calls write() and keeps its books, whatever the steps of the
// dump depend on.
void GPZDirect::output_of_this_dump() {
  Output &all = *output;
  const int mine = dump_index();
  const bigint next_thermo = all.next_thermo, next_restart = all.next_restart;
  const std::vector<bigint> next_dump(all.next_dump, all.next_dump + all.ndump);
  for (int n = 0; n < all.ndump; ++n)
    if (n != mine) all.next_dump[n] = MAXBIGINT;
  all.next_thermo = all.next_restart = MAXBIGINT;
  all.next_dump_any = update->ntimestep;

  early_ = true;
  timer->stamp(Timer::MODIFY);
  all.write(update->ntimestep);
  timer->stamp(Timer::OUTPUT);
  early_ = false;

  all.next_thermo = next_thermo;
  all.next_restart = next_restart;
  all.next_dump_any = all.next_time_dump_any = MAXBIGINT;
  for (int n = 0; n < all.ndump; ++n) {
    if (n != mine) all.next_dump[n] = next_dump[n];
    all.next_dump_any = std::min(all.next_dump_any, all.next_dump[n]);
    if (all.mode_dump[n] && (all.dump[n]->clearstep || all.var_dump[n]))
      all.next_time_dump_any = std::min(all.next_time_dump_any, all.next_dump[n]);
  }
  all.next = std::min({all.next_dump_any, all.next_restart, all.next_thermo});
}

void GPZDirect::report_copies(GPZSummary &summary) {
  if (step_over_ > 0) summary.copied(MPI_Wtime() - step_over_, "all arrays (because " + obstacle() + ")");
  step_over_ = 0;
}
