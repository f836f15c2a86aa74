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

#include "gpz_partition.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

using namespace LAMMPS_NS;

namespace {

// Recursive coordinate bisection.
class Bisection {
 public:
  Bisection(const std::vector<GPZRankPart> &ranks, std::vector<int> &chunk_of, int chunks)
      : ranks_(ranks), chunk_of_(chunk_of), chunks_(chunks) {}

  using RankIterator = std::vector<int>::iterator;  // of rank numbers

  void split(RankIterator first, RankIterator last, int chunks) {
    chunks = std::min(chunks, static_cast<int>(last - first));
    if (chunks <= 1) {
      for (RankIterator rank = first; rank != last; ++rank) chunk_of_[*rank] = chunks_;
      ++chunks_;
      return;
    }
    const int axis = widest(first, last);
    std::sort(first, last, [&](int a, int b) {
      const double here = center(a, axis), there = center(b, axis);
      return here != there ? here < there : a < b;
    });
    const RankIterator middle = cut(first, last, axis, chunks);
    split(first, middle, chunks / 2);
    split(middle, last, chunks - chunks / 2);
  }

 private:
  const std::vector<GPZRankPart> &ranks_;
  std::vector<int> &chunk_of_;
  int chunks_;

  double center(int rank, int axis) const { return ranks_[rank].lo[axis] + ranks_[rank].hi[axis]; }

  int widest(RankIterator first, RankIterator last) const {
    int axis = 0;
    double width = -1;
    for (int d = 0; d < 3; ++d) {
      double lo = ranks_[*first].lo[d], hi = ranks_[*first].hi[d];
      for (RankIterator rank = first; rank != last; ++rank) {
        lo = std::min(lo, ranks_[*rank].lo[d]);
        hi = std::max(hi, ranks_[*rank].hi[d]);
      }
      if (hi - lo <= width) continue;
      axis = d;
      width = hi - lo;
    }
    return axis;
  }

  // Where the first half of the chunks ends. If a boundary between two layers of ranks is near, the cut is there: its
  // surface is smaller.
  RankIterator cut(RankIterator first, RankIterator last, int axis, int chunks) const {
    double all = 0;
    for (RankIterator rank = first; rank != last; ++rank) all += ranks_[*rank].particles;
    const int before_cut = chunks / 2;
    const double wanted = all * before_cut / chunks, near = all / chunks / 4;
    RankIterator nearest = first + 1, plane = last;
    double before = 0, nearest_off = 0, plane_off = 0;
    for (RankIterator next = first + 1; next != last; ++next) {
      before += ranks_[*(next - 1)].particles;
      const double off = std::abs(before - wanted);
      if (next == first + 1 || off < nearest_off) {
        nearest = next;
        nearest_off = off;
      }
      if (off <= near && center(*(next - 1), axis) < center(*next, axis) && (plane == last || off < plane_off)) {
        plane = next;
        plane_off = off;
      }
    }
    return plane == last ? nearest : plane;
  }
};

}  // namespace

std::vector<int> LAMMPS_NS::gpz_partition(const std::vector<GPZRankPart> &ranks, double target) {
  std::vector<int> chunk_of(ranks.size(), -1), few;
  int chunks = 0;
  double particles = 0;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (2 * ranks[rank].particles >= target) {
      chunk_of[rank] = chunks++;
    } else {
      few.push_back(static_cast<int>(rank));
      particles += ranks[rank].particles;
    }
  }
  if (few.empty()) return chunk_of;
  Bisection(ranks, chunk_of, chunks).split(few.begin(), few.end(), static_cast<int>(std::lround(particles / target)));
  return chunk_of;
}
