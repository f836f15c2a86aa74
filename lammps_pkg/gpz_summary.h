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

#ifndef LMP_GPZ_SUMMARY_H
#define LMP_GPZ_SUMMARY_H

#include <mpi.h>

#include <array>
#include <cstdint>
#include <gpz/frame.hpp>
#include <string>
#include <vector>

namespace LAMMPS_NS {

// Where the time of a dump goes, how much it writes, and how large the errors are: counted from one report to the next.
class GPZSummary {
 public:
  // COPY: arrays that KOKKOS copies to the host for the dump. WAIT: for what is written in the background.
  enum Phase { GATHER, COPY, COMPRESS, COMMUNICATE, WRITE, WAIT };
  // Parts of a run: before, inside and after the loop that LAMMPS times.
  enum Part { BEFORE, INSIDE, AFTER };

  // The following work belongs to that part of the run.
  void begin(Part part);
  // The work since the last lap (or begin) belongs to `phase`.
  void lap(Phase phase);
  // KOKKOS has copied `arrays` to the host for one frame, which took so long: in no phase if it did so by itself.
  void copied(double seconds, const std::string &arrays) {
    ++copies_;
    copy_seconds_ += seconds;
    copied_ = arrays;
  }
  // How the frames of this run were written. An earlier run may have left another setting.
  void set_mode(bool written_in_background, bool compressed_there) {
    background_ = written_in_background;
    behind_ = compressed_there;
  }
  // The threads of this rank that write in the background and compress there were busy for so long.
  void in_background(double write_seconds, double compress_seconds) {
    background_seconds_ += write_seconds;
    behind_seconds_ += compress_seconds;
  }
  // The frame is in the file, or in flight.
  void end_frame(std::uint64_t local_atoms, std::size_t columns);
  // The offset of a frame in the file is known. `bytes`: size of its record and of the records in front of it, on the
  // rank that counts for its file, otherwise 0. `fields` have their bounds and largest errors in this frame.
  void placed(std::uint64_t bytes, const std::vector<gpz::Field> &fields);
  // The frame was left out, because the file that is continued goes beyond it.
  void skip_frame() { ++skipped_; }

  bool empty() const { return frames_ + skipped_ == 0; }
  // Some lines on what was counted. Collective. `chunks`: who makes them, or empty. loop_seconds: 0 if there was no
  // loop.
  std::string report(MPI_Comm world, const std::string &title, const std::string &chunks,
                     const std::vector<gpz::FieldInput> &fields, double loop_seconds) const;

 private:
  static constexpr int nphases = 6, nparts = 3;

  using Seconds = std::array<double, nphases>;

  Part part_ = BEFORE;
  double last_ = 0;
  std::array<Seconds, nparts> seconds_{};
  bool background_ = false, behind_ = false;
  double background_seconds_ = 0, behind_seconds_ = 0;
  std::uint64_t frames_ = 0, skipped_ = 0, copies_ = 0;
  double copy_seconds_ = 0;
  std::string copied_;
  std::array<double, 3> totals_{};                     // of this rank: bytes in files, values, atoms
  std::vector<double> largest_error_, largest_bound_;  // per field, of all frames

  std::string time(MPI_Comm world, double loop_seconds) const;
};

}  // namespace LAMMPS_NS

#endif
