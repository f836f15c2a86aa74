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

#include <algorithm>
#include <cstring>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "dump.h"
#include "error.h"
#include "gpz_step_observer.h"
#include "modify.h"
#include "output.h"

using namespace LAMMPS_NS;

namespace {

// Modify shows its lists to classes derived from it only.
struct ModifyLists : Modify {
  static int *of_final_integrate(Modify &modify) { return modify.*(&ModifyLists::list_final_integrate); }
  static int *of_end_of_step(Modify &modify) { return modify.*(&ModifyLists::list_end_of_step); }
  static int *intervals(Modify &modify) { return modify.*(&ModifyLists::end_of_step_every); }
};

bool is_ours(const Modify &modify, int fix) { return strcmp(modify.fix[fix]->style, "GPZ/STEP") == 0; }

// Fixes that act at the end of a step and leave atoms and box as they are: averages, which ask for values, and output.
bool only_reads(const Fix &fix) {
  return strncmp(fix.style, "ave/", 4) == 0 || strcmp(fix.style, "print") == 0 || strcmp(fix.style, "vector") == 0;
}

}  // namespace

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

GPZStepObserver *FixGPZStep::dump() const { return dynamic_cast<GPZStepObserver *>(output->get_dump_by_id(dump_id_)); }

// With an END_OF_STEP fix KOKKOS does not fuse steps, so this is one only if there is another one, which it has to
// follow.
void FixGPZStep::init() {
  bool others = false;
  int *mine = nullptr;
  for (int n = 0; n < modify->nfix; ++n) {
    if (modify->fix[n] == this) mine = &modify->fmask[n];
    if (!is_ours(*modify, n) && (modify->fmask[n] & FixConst::END_OF_STEP)) others = true;
  }
  if (!mine) return;
  *mine &= ~FixConst::END_OF_STEP;
  if (others && lmp->kokkos) *mine |= FixConst::END_OF_STEP;
}

bool FixGPZStep::may_follow(int fix) const {
  return is_ours(*modify, fix) || (before_readers_ && only_reads(*modify->fix[fix]));
}

// Does anything in the list follow this fix that has to come first? Or is this fix not in it?
bool FixGPZStep::all_that_follow_may(const int *list, int count) const {
  const int *const me = std::find_if(list, list + count, [&](int fix) { return modify->fix[fix] == this; });
  return me != list + count && std::all_of(me, list + count, [&](int fix) { return may_follow(fix); });
}

void FixGPZStep::move_in_lists(bool before_readers) {
  before_readers_ = before_readers;
  const auto is_me = [&](int fix) { return modify->fix[fix] == this; };
  int *const final_integrate = ModifyLists::of_final_integrate(*modify);
  std::stable_partition(final_integrate, final_integrate + modify->n_final_integrate, std::not_fn(is_me));

  int *const list = ModifyLists::of_end_of_step(*modify), *const every = ModifyLists::intervals(*modify);
  std::vector<std::pair<int, int>> entries;
  entries.reserve(modify->n_end_of_step);
  for (int n = 0; n < modify->n_end_of_step; ++n) entries.emplace_back(list[n], every[n]);
  const auto me = std::find_if(entries.begin(), entries.end(), [&](const auto &entry) { return is_me(entry.first); });
  if (me == entries.end()) return;
  const std::pair<int, int> mine = *me;
  entries.erase(me);
  const auto last_to_wait_for =
      std::find_if(entries.rbegin(), entries.rend(), [&](const auto &entry) { return !may_follow(entry.first); });
  entries.insert(before_readers ? last_to_wait_for.base() : entries.end(), mine);
  for (std::size_t n = 0; n < entries.size(); ++n) std::tie(list[n], every[n]) = entries[n];
}

void FixGPZStep::final_integrate() {
  poll();
  step_is_over(modify->n_end_of_step == 0 &&
               all_that_follow_may(ModifyLists::of_final_integrate(*modify), modify->n_final_integrate));
}

void FixGPZStep::end_of_step() {
  step_is_over(all_that_follow_may(ModifyLists::of_end_of_step(*modify), modify->n_end_of_step));
}

// If something follows, although move_in_lists() was called, the frame is left to Output.
void FixGPZStep::step_is_over(bool nothing_follows) {
  GPZStepObserver *writing = nothing_follows ? dump() : nullptr;
  if (writing) writing->step_is_over();
}

void FixGPZStep::poll() {
  if (GPZStepObserver *writing = dump()) writing->poll();
}

// LAMMPS calls this for every fix, whatever its mask.
void FixGPZStep::post_run() {
  if (GPZStepObserver *writing = dump()) writing->end_of_run();
}
