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

#ifndef LMP_GPZ_BUDGET_H
#define LMP_GPZ_BUDGET_H

#include <mpi.h>

#include <array>
#include <cstdint>
#include <gpz/trajectory.hpp>
#include <optional>
#include <string>

namespace LAMMPS_NS {

// The strongest effort whose share of the loop stays below a limit: dump_modify budget. It is measured, and changes at
// key frames.
class GPZBudget {
 public:
  // `share`: the limit, a fraction of the time of the loop; 0: none. `largest`: no effort beyond it.
  void set(double share, gpz::Effort largest);
  bool is_set() const { return limit_ > 0; }
  gpz::Effort largest() const { return largest_; }
  gpz::Effort effort() const { return effort_; }
  // The time until the next frame is not that of a loop.
  void restart() { last_end_ = 0; }

  // In front of a frame, which is a key frame in any case if `key` says so on a rank. Returns whether the effort has
  // changed: the frame has to be a key frame then. Collective over `world`.
  bool next_frame(MPI_Comm world, bool key);
  // The work of the dump for a frame begins and ends, at those times in seconds. in_loop: it is in a loop that LAMMPS
  // times.
  void work(double begin, double end, bool in_loop);

  // What was measured and chosen since the last call, for the log; empty: nothing.
  std::string report();

 private:
  static constexpr int nefforts = 3;
  using Shares = std::array<std::optional<double>, nefforts>;

  double limit_ = 0;
  gpz::Effort effort_ = gpz::default_effort, largest_ = gpz::Effort::dense;
  Shares shares_;                                 // as last measured
  int decisions_ = 0;                             // since an effort was too strong
  double busy_ = 0, elapsed_ = 0, last_end_ = 0;  // seconds, of this rank, since the last decision
  int frames_ = 0;                                // in these
  std::array<std::uint64_t, nefforts> written_{};

  int index() const { return static_cast<int>(effort_); }
  void change(int step);
};

}  // namespace LAMMPS_NS

#endif
