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

#ifndef LMP_GPZ_SHARE_H
#define LMP_GPZ_SHARE_H

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <gpz/frame.hpp>
#include <string>
#include <vector>

#include "gpz_row_layout.h"
#include "gpz_rows.h"

namespace LAMMPS_NS {
class LAMMPS;

// Ranks with few atoms make a chunk together: the first of them, their leader, gets the atoms of all. Heads and ids of
// small chunks take more bits an atom, and so does each atom that goes to another chunk.
class GPZShare {
 public:
  // Atoms of a chunk that ranks make together, until set_target() is called. A rank with half as many makes its own.
  static constexpr int default_target = 16384;
  // The largest: the atoms of a chunk are counted with an int, and a leader has memory for them.
  static constexpr int largest_target = 1 << 24;

  explicit GPZShare(LAMMPS *lmp) : lmp_(lmp) {}
  ~GPZShare();
  GPZShare(const GPZShare &) = delete;
  GPZShare &operator=(const GPZShare &) = delete;

  // Atoms of a chunk; 0: every rank makes its own. The next frame must be a key frame.
  void set_target(int atoms);
  // The ranks, or what they have, may be others from now on. The next frame must be a key frame.
  void restart() { chosen_ = false; }
  // Can the frame that comes be a difference frame? Not if atoms on a GPU take the place of those in host memory.
  bool keeps(bool in_host) const { return in_host || !shares_; }

  // Before a frame of `group`, which shares a file: chooses the ranks of each chunk, if it is a key frame and there is
  // a reason to. `particles`: of this rank in the frame. `in_host`: its columns are in host memory, which is what this
  // needs. Collective over `group`.
  void prepare(MPI_Comm group, bool key, std::uint64_t particles, bool in_host);
  // On the first rank of the file, what was chosen, for the log; empty: every rank makes its own chunk.
  std::string text() const;

  // Takes the atoms of all ranks of a chunk to their leader, in the order of ranks, where they replace its own.
  // `problem`: why this rank has none, or empty; it may get one. Does this rank make a chunk, of what is in `atoms`
  // then? It does not if another rank of the chunk has a problem. Collective over the ranks of the chunk.
  bool gather(GPZRows &atoms, std::string &problem);

  double memory_usage() const;

 private:
  LAMMPS *lmp_;
  int target_ = default_target;
  bool chosen_ = false, shares_ = false;  // have the ranks of some chunks been chosen?
  MPI_Comm ranks_{};                      // of this chunk, if there are several
  int me_ = 0, size_ = 1;
  int writers_ = 0, chunks_ = 0;  // on the first rank of the file: what was chosen; 0: nothing
  static constexpr double unknown = -1;
  double particles_ = 0;               // of this chunk in the last frame
  double chosen_particles_ = unknown;  // in the frame for which it was chosen

  GPZRowLayout layout_;
  std::vector<GPZRowLayout::Word> mine_, all_;
  std::vector<int> counts_, sizes_, displacements_;  // of each rank: particles; words, and where they begin
  std::size_t room_ = 0;                             // of all_ on the leader, words

  bool is_due() const;
  void choose(MPI_Comm group, double particles);
  void leave();
  void pack(const GPZRows &atoms);
  bool make_room(std::size_t words, std::string &problem);
};

}  // namespace LAMMPS_NS

#endif
