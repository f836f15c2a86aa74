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

#ifndef LMP_GPZ_FRAME_MAKER_H
#define LMP_GPZ_FRAME_MAKER_H

#include <mpi.h>

#include <gpz/frame.hpp>
#include <gpz/trajectory.hpp>
#include <string>

#include "gpz_chunk.h"
#include "gpz_lossless.h"
#include "gpz_share.h"

namespace LAMMPS_NS {
class GPZBackend;
class GPZSource;
class GPZSummary;

// Makes frames of the atoms of a GPZSource: chooses the key frames, and the ranks that make chunks.
class GPZFrameMaker {
 public:
  GPZFrameMaker(LAMMPS *lmp, GPZSource &source, GPZBackend &backend)
      : source_(source), backend_(backend), share_(lmp) {}

  // dump_modify key, dump_modify share. Each makes the next frame a key frame.
  void set_key_interval(unsigned frames);
  void set_share(int atoms);
  // The next frame is a key frame, because the frame before is another one, or none.
  void begin_interval() { schedule_.restart(); }
  // So it is, and the ranks or what they have may be others.
  void restart();

  // The chunk of this rank for a frame of `group`, which shares a file, in the buffer of that number; of size 0 if
  // another rank makes it. `behind`: as in GPZCompressor::compress. `problem`: why there is none, or empty. Collective
  // over `group`.
  GPZChunk make(MPI_Comm group, int buffer, bool behind, GPZSummary &summary, std::string &problem);
  // The head of that frame, for the file to complete.
  gpz::FrameInfo &head() { return head_; }
  // The share of the frames that columns without a bound take.
  GPZLossless &lossless() { return lossless_; }
  // Call when that frame is in the file.
  void written() { schedule_.written(head_); }

  // How the ranks share chunks, for the log.
  std::string text() const { return share_.text(); }
  double memory_usage() const { return share_.memory_usage(); }

 private:
  GPZSource &source_;
  GPZBackend &backend_;
  GPZShare share_;
  gpz::KeySchedule schedule_;
  gpz::FrameInfo head_;
  GPZLossless lossless_;

  void describe();
};

}  // namespace LAMMPS_NS

#endif
