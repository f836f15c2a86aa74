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

#ifndef LMP_GPZ_RERUN_ORIGIN_H
#define LMP_GPZ_RERUN_ORIGIN_H

#include <gpz/frame.hpp>
#include <map>
#include <string>

#include "gpz_columns.h"
#include "pointers.h"

namespace LAMMPS_NS {

// How far the positions of a frame are from the original ones before a dump quantizes them.
struct GPZPositionOrigin {
  double bound = 0;  // in the files that they come from, distance units; 0: nothing is known to be between
  std::string path;  // of the file with that bound
  double least = 0;  // the bound that the columns need for it, distance units: more if they are rotated, or fractions
  double rounding = 0;  // that the arithmetic of LAMMPS adds, distance units
  // With the rounding.
  GPZColumns::Before distance;  // of coordinates, distance units
  GPZColumns::Before fraction;  // of fractions of the box edges
};

// A rerun of .gpz files, for as long as the object lives: its readers tell what positions are worth, and dumps ask.
// Between two reruns nobody knows whether atoms have moved.
class GPZRerunOrigin : protected Pointers {
 public:
  // path: of the first file; with several for one step, a pattern with "%". Collective.
  GPZRerunOrigin(LAMMPS *lammps, std::string path);
  ~GPZRerunOrigin();
  GPZRerunOrigin(const GPZRerunOrigin &) = delete;
  GPZRerunOrigin &operator=(const GPZRerunOrigin &) = delete;

  // The rerun in progress; nullptr if there is none.
  static GPZRerunOrigin *active(const LAMMPS *lammps);

  // Origin of the positions in a frame of a file.
  struct Frame {
    std::string path;
    double bound = 0, largest_error = 0;  // in units of the columns
    bool are_fractions = false;           // of the edges of `box`
    gpz::Box box;
  };
  // The reader has begun a frame, which replaces its frame before. Not collective.
  void read(const void *reader, const Frame &frame) { frames_[reader] = frame; }
  // Origin of the positions that the simulation has. general: the columns of the dump are rotated into a general
  // triclinic box; fractions: some are fractions of the box edges. Collective.
  GPZPositionOrigin positions(bool general, bool fractions) const;
  // A file of this rerun has positions with respect to what the first file says.
  void describe(gpz::Metadata &metadata) const;

 private:
  GPZRerunOrigin *before_;
  std::map<const void *, Frame> frames_;  // by reader; on ranks that read
  gpz::Metadata first_;                   // reference and reference_grid

  std::string path_of(double bound) const;
};

}  // namespace LAMMPS_NS

#endif
