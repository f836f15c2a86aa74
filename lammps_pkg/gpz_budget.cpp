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
#include "gpz_budget.h"

#include <algorithm>
#include <gpz/choices.hpp>

#include "fmt/format.h"

using namespace LAMMPS_NS;

namespace {

// Frames that are measured before an effort is judged: the first ones of a run take longer.
constexpr int fewest_frames = 5;
// Decisions until an effort that took too long is tried again: simulations change.
constexpr int patience = 20;

}  // namespace

void GPZBudget::set(double share, gpz::Effort largest) {
  if (share == limit_ && largest == largest_) return;
  limit_ = share;
  largest_ = largest;
  effort_ = std::min(gpz::default_effort, largest);
  shares_ = {};
  busy_ = elapsed_ = last_end_ = 0;
  frames_ = decisions_ = 0;
}

void GPZBudget::change(int step) { effort_ = static_cast<gpz::Effort>(index() + step); }

bool GPZBudget::next_frame(MPI_Comm world, bool key) {
  // The rank that takes longest decides, and all decide the same.
  double mine[2] = {elapsed_ > 0 ? busy_ / elapsed_ : 0.0, key ? 1.0 : 0.0};
  double all[2];
  MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, world);
  const double share = all[0];
  const bool is_key = all[1] > 0;
  const bool is_trial = !shares_[index()];
  const bool too_much = share > limit_;
  const bool decides = frames_ >= fewest_frames && (is_key || (is_trial && too_much));
  bool changed = false;
  if (decides) {
    shares_[index()] = share;
    busy_ = elapsed_ = 0;
    frames_ = 0;
    const int stronger = index() + 1;
    if (++decisions_ > patience && stronger < nefforts) {
      shares_[stronger].reset();
      decisions_ = 0;
    }
    if (too_much && index() > 0) {
      change(-1);
      decisions_ = 0;
      changed = true;
    } else if (!too_much && stronger <= static_cast<int>(largest_) && shares_[stronger].value_or(0.0) <= limit_) {
      change(1);
      changed = true;
    }
  }
  ++written_[index()];
  return changed;
}

void GPZBudget::work(double begin, double end, bool in_loop) {
  if (in_loop && last_end_ > 0) {
    busy_ += end - begin;
    elapsed_ += end - last_end_;
    ++frames_;
  }
  last_end_ = end;
}

std::string GPZBudget::report() {
  std::string text;
  for (int e = 0; e < nefforts; ++e) {
    if (!written_[e] && !shares_[e]) continue;
    text += fmt::format("{}{} in {} frame{}", text.empty() ? "" : ", ",
                        gpz::name_of(gpz::effort_names, static_cast<gpz::Effort>(e)), written_[e],
                        written_[e] == 1 ? "" : "s");
    if (shares_[e]) text += fmt::format(" ({:.2g} % of the loop)", 100.0 * *shares_[e]);
  }
  written_ = {};
  return text.empty() ? text : fmt::format("budget {:g} %: effort {}", 100.0 * limit_, text);
}
