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

#ifndef LMP_GPZ_BACKGROUND_H
#define LMP_GPZ_BACKGROUND_H

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <gpz/container.hpp>
#include <gpz/frame.hpp>
#include <gpz/writer.hpp>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "gpz_chunk.h"
#include "gpz_plain_file.h"
#include "gpz_writer_thread.h"

namespace LAMMPS_NS {

// Writes frames while the simulation goes on, in a thread that never calls MPI. In a group of one rank that thread
// writes whole frames with gpz::Writer. In a larger one, the thread of every rank writes that rank's chunk; when it
// has, the rank tells the group's first one the checksum, whose thread then writes what surrounds the chunks. The
// trailer, last of all, makes the frame count. Functions are called in the same order by all ranks of the group.
class GPZBackground {
 public:
  // Frames that can be in flight at a time.
  static constexpr int nbuffers = 3;

  // For a group of one rank. Between the first submit() and the end of settle(), `writer` is the thread's.
  explicit GPZBackground(gpz::Writer &writer);
  // For a larger group. Collective.
  GPZBackground(MPI_Comm group, const std::string &path);
  // Returns when the jobs of the thread have ended. Call settle() and close() first.
  ~GPZBackground();
  GPZBackground(const GPZBackground &) = delete;
  GPZBackground &operator=(const GPZBackground &) = delete;

  // The error on this rank, in the constructor or in the thread; empty if there was none.
  std::string problem() const;

  // The buffer, of nbuffers, for the chunk of the frame after the next `ahead`, which are not submitted yet and fewer
  // than nbuffers. Waits until the frame that had it is in the file.
  int next_buffer(int ahead = 0);
  // Queues a frame. `entries`: the chunks of the group, without checksums; `before`: how many of them stand before this
  // rank's; `offset`: where the frame begins, with `records` bytes of records in front of it. Returns the length of the
  // frame's own record, bytes. Where it throws, perhaps on this rank only, the frame is one whose chunk this rank could
  // not write.
  std::uint64_t submit(const gpz::FrameInfo &info, const std::vector<gpz::ChunkEntry> &entries, std::size_t before,
                       std::uint64_t offset, std::uint64_t records, GPZChunk chunk);
  // Takes frames on as far as that is possible without waiting: the more often it is called, the sooner a frame of
  // several ranks is complete.
  void poll();
  // Returns when all frames are in the file, or cannot get there: if one of the group's ranks has a problem, the file
  // is cut after the last frame that is complete. Returns problem().
  std::string settle();

  // For a larger group, after settle(). They throw as GPZPlainFile does.
  void append(std::uint64_t offset, const gpz::Bytes &record);  // on its first rank: all of it or nothing
  void close();

  // Time that the thread has spent since this was last asked; after settle().
  double take_seconds() { return thread_ ? thread_->take_seconds() : 0.0; }

 private:
  // A rank's report about its chunk. Written: the chunk is in the file, or the rank has none.
  struct Report {
    std::uint64_t written = 0, chunks = 0, checksum = 0;
  };
  struct Frame {
    gpz::FrameInfo info;
    std::vector<gpz::ChunkEntry> entries;
    std::uint64_t offset = 0, records = 0, length = 0;  // of its record, without those in front of it
    gpz::Bytes record_bytes;                            // those, on the first rank
    GPZChunk chunk;
    enum { WRITING, REPORTING, CLOSING, LOST } stage = WRITING;
    GPZWriterThread::Ticket written, closed;
    Report mine;
    std::vector<Report> all;  // on the first rank
    MPI_Request request{};
    bool complete = false;  // with its trailer

    std::uint64_t begin() const { return offset + records; }  // of its record
    std::uint64_t end() const { return begin() + length; }
  };

  gpz::Writer *writer_ = nullptr;
  MPI_Comm group_{};  // a copy of the group, if it is larger
  int me_ = 0, size_ = 1;
  std::string open_problem_;
  std::unique_ptr<GPZPlainFile> file_;                       // if the group is larger
  std::uint64_t frames_ = 0;                                 // submitted so far
  std::uint64_t reference_ = 0;                              // head checksum of the last frame that is complete
  std::list<Frame> in_flight_;                               // oldest first
  std::list<Frame> spare_ = std::list<Frame>(2 * nbuffers);  // all ranks count the same frames, even without memory
  std::unique_ptr<GPZWriterThread> thread_;

  void start_thread();
  void drop_first();
  bool advance(Frame &frame, bool wait);
  void start_report(Frame &frame);
  bool reported(Frame &frame, bool wait);
  void complete(Frame &frame);
  void rescue();
};

}  // namespace LAMMPS_NS

#endif
