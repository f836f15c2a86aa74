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

// VerletKokkos copies all arrays of atoms to the host before it calls Output::write. Fix GPZ/STEP lets a dump call it
// before that, and KOKKOS then copies only what is read in host memory for the dump: class DumpGPZ, continued from
// dump_gpz.cpp.

#include <algorithm>
#include <cstring>

#include "comm.h"
#include "dump_gpz.h"
#include "fix.h"
#include "modify.h"
#include "output.h"
#include "timer.h"
#include "update.h"

using namespace LAMMPS_NS;

// Among the dumps that Output calls; -1 if it does not, because this is of the command write_dump.
int DumpGPZ::place_in_output() const {
  for (int place = 0; place < output->ndump; ++place)
    if (output->dump[place] == this) return place;
  return -1;
}

void DumpGPZ::print_device() {
  std::string text = fmt::format("Dump {} gpz: {}", id, backend_.text());
  if (place_in_output() >= 0 && backend_.device_atoms()) {
    const std::string obstacle = why_not_early();
    if (obstacle.empty()) {
      const std::string needs = host_needs().text();
      text += ", before KOKKOS copies them for other output";
      if (!needs.empty()) text += ", except " + needs;
    } else {
      text += ", at the time of other output, because " + obstacle;
    }
  }
  text += "\n";
  if (comm->me == 0 && text != backend_printed_) utils::logmesg(lmp, text);
  backend_printed_ = text;
}

// What stands against it in this run; empty: nothing.
std::string DumpGPZ::why_not_early() const {
  if (!direct_wanted_) return "of dump_modify direct no";
  if (update->whichflag != 1) return "only a run has steps";
  if (strcmp(update->integrate_style, "verlet/kk") != 0) return std::string("of run_style ") + update->integrate_style;
  return {};
}

// What write() reads of the atoms in host memory, and what Output::write reads for this dump.
GPZHostNeeds DumpGPZ::host_needs() {
  GPZHostNeeds needs(lmp);
  GPZDeviceAtoms *const resident = device_atoms();
  const std::vector<std::string> names = columns_->names();
  for (int n = 0; n < static_cast<int>(names.size()); ++n) {
    const GPZProperty *stored = columns_->property(n);
    const bool on_device = stored ? resident && resident->has(*stored) : custom_on_device(n).data != nullptr;
    if (!on_device) needs.add_attribute(names[n]);
  }
  for (const std::string &name : thresh_names_) needs.add_attribute(name);
  if (idregion) needs.add_region(idregion);
  if (igroup != 0 && (chosen_by_custom() || !resident)) needs.add_group();
  if (pbcflag) needs.add_wrapping();
  if (skipflag) needs.add_variable(skipvar, "dump_modify skip");
  if (refreshflag) needs.add_refresh();
  const int place = place_in_output();
  if (place >= 0 && output->var_dump[place]) needs.add_variable(output->var_dump[place], "dump_modify every");
  return needs;
}

// If so, what fixes compute from atoms makes no difference to a frame.
bool DumpGPZ::reads_stored_arrays_only() const {
  for (int n = 0; n < static_cast<int>(columns_->names().size()); ++n)
    if (!columns_->property(n) && pack_choice[n] != &DumpGPZ::pack_custom) return false;
  const int place = place_in_output();
  const bool variable_steps = place >= 0 && output->var_dump[place];
  return thresh_names_.empty() && !idregion && !pbcflag && !skipflag && !refreshflag && !variable_steps;
}

// KOKKOS's own copy of a column of fix property/atom; data nullptr: it has none, or the column is another one.
gpz::ConstArray DumpGPZ::custom_on_device(int column) {
  const bool vector = pack_choice[column] == &DumpGPZ::pack_custom && argindex[column] == 0;
  GPZDeviceAtoms *const resident = device_atoms();
  return vector && resident ? resident->find_custom(array_of(column).data) : gpz::ConstArray{};
}

// Of all output, would KOKKOS copy everything to the host for dumps of this style only?
bool DumpGPZ::nothing_else_is_due() const {
  const bigint step = update->ntimestep;
  if (output->next_thermo == step || output->next_restart == step) return false;
  for (int n = 0; n < output->ndump; ++n)
    if (output->next_dump[n] == step && !dynamic_cast<DumpGPZ *>(output->dump[n])) return false;
  return true;
}

// Nothing of the step is left to do except its output.
void DumpGPZ::step_is_over() {
  const int place = place_in_output();
  GPZDeviceAtoms *const resident = backend_.device_atoms();
  const bigint step = update->ntimestep;
  if (!resident || !resident->in_loop() || output->next != step || output->next_dump_any != step) return;
  if (place < 0 || output->next_dump[place] != step) return;
  if (why_not_early().empty()) {
    output_of_this_dump(place);
  } else if (nothing_else_is_due()) {
    resident->wait();
    step_over_ = MPI_Wtime();
  }
}

// Output::write as if nothing but this dump were due: it calls write() and keeps its books, whatever the steps of the
// dump depend on.
void DumpGPZ::output_of_this_dump(int place) {
  Output &all = *output;
  const bigint next_thermo = all.next_thermo, next_restart = all.next_restart;
  const std::vector<bigint> next_dump(all.next_dump, all.next_dump + all.ndump);
  for (int n = 0; n < all.ndump; ++n)
    if (n != place) all.next_dump[n] = MAXBIGINT;
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
    if (n != place) all.next_dump[n] = next_dump[n];
    all.next_dump_any = std::min(all.next_dump_any, all.next_dump[n]);
    if (all.mode_dump[n] && (all.dump[n]->clearstep || all.var_dump[n]))
      all.next_time_dump_any = std::min(all.next_time_dump_any, all.next_dump[n]);
  }
  all.next = std::min({all.next_dump_any, all.next_restart, all.next_thermo});
}

// To be called first at each frame: host memory gets what is read there.
void DumpGPZ::copy_to_host() {
  if (step_over_ > 0) summary_.copied(MPI_Wtime() - step_over_, "all arrays (because " + why_not_early() + ")");
  step_over_ = 0;
  if (!early_) return;
  const GPZHostNeeds needs = host_needs();
  if (needs.mask() == 0) return;
  summary_.copied(backend_.device_atoms()->sync_host(needs.mask()), needs.text());
  summary_.lap(GPZSummary::COPY);
}
