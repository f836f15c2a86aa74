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

#ifndef LMP_GPZ_PARTITION_H
#define LMP_GPZ_PARTITION_H

#include <vector>

namespace LAMMPS_NS {

// A rank and its part of the box: particles of a frame, edges (any units, the same for all ranks).
struct GPZRankPart {
  double particles, lo[3], hi[3];
};

// Which ranks make a chunk together: the number of the chunk of each, from 0 on. A rank with at least half of `target`
// particles makes its own. The others are put together with those near them: their chunks have about `target` each,
// or all that there are. An atom that goes to a rank of another chunk costs more than one that stays.
std::vector<int> gpz_partition(const std::vector<GPZRankPart> &ranks, double target);

}  // namespace LAMMPS_NS

#endif
