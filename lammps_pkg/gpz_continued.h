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
#ifndef LMP_GPZ_CONTINUED_H
#define LMP_GPZ_CONTINUED_H

#include <functional>
#include <gpz/container.hpp>
#include <gpz/frame.hpp>
#include <optional>
#include <string>

namespace LAMMPS_NS {

// The properties of a dump that a continued file must match: dump_modify append.
struct GPZAppend {
  // The given metadata and the columns, which must be those of the file.
  gpz::Metadata given;
  // Called on all ranks with the last frame of the file, of which fields and box count, and the longest box edge of its
  // first one. Takes from them what was not given; returns the fields and the box of the frame that follows.
  std::function<gpz::FrameInfo(const gpz::FrameInfo &last, double first_edge)> next;
};

// A file that is to be continued. Functions throw gpz::Error.
class GPZContinued {
 public:
  // Nothing if it does not exist or ends inside its header. Throws invalid_argument if it does not fit to `given`.
  static std::optional<GPZContinued> find(const std::string &path, const gpz::Metadata &given);

  const gpz::FileScan &scan() const { return scan_; }
  // Longest box edge of the first frame, distance units; 0 if there is none.
  double first_edge() const { return first_edge_; }
  // The head of its last frame as bytes, for other ranks; empty if there is none.
  std::string last_frame() const;
  static gpz::FrameInfo frame_of(const std::string &last_frame);
  // Throws invalid_argument unless `next` may follow the last frame.
  void require_next(const gpz::FrameInfo &next) const;

 private:
  std::string path_;
  gpz::FileScan scan_;
  std::optional<gpz::FrameInfo> last_;
  double first_edge_ = 0;
};

}  // namespace LAMMPS_NS

#endif
