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

#ifndef LMP_GPZ_FRAMES_BEHIND_H
#define LMP_GPZ_FRAMES_BEHIND_H

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <gpz/chunk.hpp>
#include <gpz/frame.hpp>
#include <memory>
#include <string>
#include <vector>

#include "gpz_background.h"
#include "gpz_chunk.h"
#include "gpz_chunk_sizes.h"
#include "gpz_writer_thread.h"

namespace LAMMPS_NS {

// Frames whose chunks are compressed while the simulation goes on, in a thread that never calls MPI. When a rank's
// chunk is compressed, the rank tells the others of its group the size. When all sizes are known, the offset of the
// frame in the file is known. Functions are called in the same order by all ranks of the group.
class GPZFramesBehind {
 public:
  // A frame whose offset is known, or that a rank could not compress.
  struct Frame {
    gpz::FrameInfo info;  // with particles and largest errors of the group
    GPZChunk chunk;       // of this rank
    std::vector<gpz::ChunkEntry> entries;
    std::size_t before = 0;     // entries before that of this rank
    std::uint64_t records = 0;  // length of the records in front of the frame, bytes
    bool good = false;          // on all ranks
    std::string problem;        // of this rank
  };

  // Collective.
  explicit GPZFramesBehind(MPI_Comm group);
  // Waits for the thread. Frames that are left are dropped.
  ~GPZFramesBehind();
  GPZFramesBehind(const GPZFramesBehind &) = delete;
  GPZFramesBehind &operator=(const GPZFramesBehind &) = delete;

  // Why there is no thread. Empty: there is one.
  const std::string &problem() const { return problem_; }
  // Frames that were added and not dropped.
  int size() const { return size_; }
  // Adds a frame; there must be fewer than GPZBackground::nbuffers.
  void add(const gpz::FrameInfo &info, GPZChunk chunk);
  // The oldest frame, if its offset is known; nullptr otherwise, or if there is none. With `wait` only if there is
  // none. `problem`: why this rank has to refuse the frame, or empty.
  Frame *first(bool wait, const std::string &problem);
  // Removes that frame.
  void drop_first();
  // Waits until nothing uses the buffers of the chunks.
  void drop_all();

  // Time that the thread has spent since this was last asked, when size() is 0.
  double take_seconds() { return thread_ ? thread_->take_seconds() : 0.0; }

 private:
  struct Work : Frame {
    bool compressed = false, telling = false;
    GPZWriterThread::Ticket ticket;
    GPZChunkSizes sizes;
  };

  MPI_Comm group_{};  // a copy of the group: sizes are exchanged while others communicate
  std::array<Work, GPZBackground::nbuffers> frames_;
  int begin_ = 0, size_ = 0;
  std::string problem_;
  std::unique_ptr<GPZWriterThread> thread_;  // last, because it uses the frames

  void tell(Work &frame, const std::string &problem);
};

}  // namespace LAMMPS_NS

#endif
