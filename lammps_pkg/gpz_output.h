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

#ifndef LMP_GPZ_OUTPUT_H
#define LMP_GPZ_OUTPUT_H

#include <mpi.h>

#include <cstdint>
#include <gpz/chunk.hpp>
#include <gpz/container.hpp>
#include <gpz/frame.hpp>
#include <gpz/writer.hpp>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gpz_at_finalize.h"
#include "gpz_background.h"
#include "gpz_chunk_sizes.h"
#include "gpz_continued.h"
#include "gpz_frames_behind.h"
#include "gpz_shared_file.h"
#include "gpz_summary.h"

namespace LAMMPS_NS {

// An error, in words that name the file. Thrown on all ranks of `world` with the same text.
class GPZOutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The file that a group of ranks writes together: in the background (GPZBackground), or at once, through gpz::Writer if
// the group is one rank and through GPZSharedFile otherwise. `world` are all ranks of the simulation, `group` (a part
// of it) those that share a file. All functions are collective over `world`.
class GPZOutput {
 public:
  // Chunks of one rank that can be in flight at a time.
  static constexpr int nbuffers = GPZBackground::nbuffers;

  explicit GPZOutput(MPI_Comm world);
  // Closes without an index. Call close() first.
  ~GPZOutput();
  GPZOutput(const GPZOutput &) = delete;
  GPZOutput &operator=(const GPZOutput &) = delete;

  // The work that is done in the background.
  enum class Async { no, write, compress_and_write };

  // Nothing until this is called. Throws GPZOutputError.
  void set_async(Async async);
  // Are they? Not if `refusal` has a reason, the same on all ranks.
  bool in_background() const { return background_ != nullptr; }
  bool compresses_behind() const { return behind_ != nullptr; }
  const std::string &refusal() const { return refusal_; }

  // Creates the file, or continues an existing one after its last complete frame, if `append` is not null. `problem`:
  // why this rank must not do so, or empty. Throws GPZOutputError, before the file is touched if a rank has a problem
  // or the file is not what `append` says.
  void open(MPI_Comm group, const std::string &path, const gpz::Metadata &metadata, const GPZAppend *append,
            std::string problem);
  bool is_open() const { return open_; }
  // Another communicator of the group that the file was opened with.
  void set_group(MPI_Comm group) { group_ = group; }
  // Path of the file that is open or was open last; empty before the first one.
  const std::string &path() const { return path_; }

  // Longest box edge of the first frame of the continued files, distance units; 0 if there is none.
  double first_edge() const { return first_edge_; }
  // First and last timestep that the file had when it was opened for appending: of its last stretch of ascending steps,
  // i.e. since the last reset_timestep. first > last if it had no frame.
  std::int64_t first_step() const { return first_step_; }
  std::int64_t last_step() const { return last_step_; }

  // The required features of the file that is open (gpz::feature): of a new one those of its metadata.
  std::uint32_t features() const { return features_; }

  // Frames that were cut off when it was opened for appending, because not all groups had them: the most of any file.
  std::int64_t dropped() const { return dropped_; }

  // The buffer, of nbuffers, for the chunk of the next frame; waits until it is free. What GPZChunk::bytes gives must
  // stay there until the buffer is handed out again or drain() has returned. At once, not in the background: until
  // write() has returned.
  int next_buffer(GPZSummary &summary);
  // Adds a frame that consists of the chunks of the group's ranks, or no frame if `skip`. A chunk of size 0 is none:
  // this rank's atoms are in that of another. On the group's first rank, GPZChunk::records come before the frame.
  // `info` lacks particles, largest errors and, if it is no key frame, the
  // reference to the frame that was written before. `problem`: why this rank has no chunk, or empty. On failure, which
  // in the background is that of an earlier frame, the file is cut back to the last complete frame, closed, and
  // GPZOutputError is thrown.
  void write(const gpz::FrameInfo &info, GPZChunk chunk, std::string problem, bool skip, GPZSummary &summary);
  // A frame whose offset in the file is known.
  struct Placed {
    std::uint64_t bytes = 0;         // of the frame and its records in this group's file, on its first rank
    std::vector<gpz::Field> fields;  // with the group's largest errors
  };
  // Those since the last call.
  std::vector<Placed> take_placed() { return std::exchange(placed_, {}); }
  // Takes frames in the background on, without waiting. Not collective.
  void poll();
  // Returns when all frames are in the file; on failure as write().
  void drain(GPZSummary &summary);

  // Writes the index and closes. Throws GPZOutputError.
  void close();

 private:
  MPI_Comm world_, group_;
  int me_ = 0, nranks_ = 1;  // in world
  int group_me_ = 0, group_size_ = 1;
  Async async_ = Async::no;
  bool open_ = false;
  std::string path_, refusal_;
  std::unique_ptr<gpz::Writer> writer_;    // if the group is one rank
  std::unique_ptr<gpz::Writer> lock_;      // has opened the file on the first rank of a larger group: others must not
  std::unique_ptr<GPZSharedFile> shared_;  // if it is larger and writes at once
  std::unique_ptr<GPZBackground> background_;  // destroyed before writer_, which its thread uses
  std::unique_ptr<GPZFramesBehind> behind_;    // before background_, if frames are compressed in the background
  bool lost_ = false;                          // could a rank not compress a frame of behind_?
  std::vector<Placed> placed_;                 // that were not taken
  std::vector<gpz::IndexEntry> frames_;        // on the first rank of the group, if there is no writer
  std::uint64_t end_ = 0;                      // where the next record goes, if there is no writer
  std::uint64_t reference_ = 0;                // head checksum of the last frame that shared_ has written
  double first_edge_ = 0;
  std::int64_t first_step_ = 1, last_step_ = 0;
  std::int64_t dropped_ = 0;
  std::uint32_t features_ = 0;
  std::string problem_;  // to tell the others at the next opportunity
  GPZChunkSizes sizes_;  // of a frame that is not compressed in the background
  GPZAtFinalize at_finalize_;

  std::optional<GPZContinued> find_continued(const GPZAppend &append);
  std::string drop_incomplete(const std::optional<GPZContinued> &found);
  void open_first(const gpz::Metadata &metadata, const std::optional<GPZContinued> &found);
  void share_existing();
  std::string why_not_plain() const;
  std::string start();
  std::string stop();
  bool all_are(bool good) const;
  void compress_behind(const gpz::FrameInfo &info, GPZChunk chunk, bool skip, GPZSummary &summary);
  void write_behind(gpz::FrameInfo info, GPZChunk chunk, bool skip, GPZSummary &summary);
  void write_now(gpz::FrameInfo info, const GPZChunk &chunk, std::string problem, bool skip, GPZSummary &summary);
  bool place_first(bool wait);
  void place_all();
  void submit(const gpz::FrameInfo &info, const std::vector<gpz::ChunkEntry> &entries, std::size_t before,
              std::uint64_t records, GPZChunk chunk);
  std::string write_chunk(const gpz::FrameRecord &record, const std::vector<gpz::ChunkEntry> &entries,
                          std::size_t before, std::uint64_t begin, const gpz::ChunkView &chunk);
  void add(const gpz::FrameInfo &info, std::uint64_t records, std::uint64_t length);
  void settle();
  [[noreturn]] void fail(const std::string &problem, bool complete);
  void cut_unless(bool complete);
  std::string agree(const std::string &problem) const;
};

}  // namespace LAMMPS_NS

#endif
