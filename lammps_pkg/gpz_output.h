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
#include <stdexcept>
#include <string>
#include <vector>

#include "gpz_summary.h"

namespace LAMMPS_NS {

// The longest edge of a box, distance units.
double longest_edge(const gpz::Box &box);

// What went wrong, in words that name the file. Thrown on all ranks of `world` with the same text.
class GPZOutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The file that a group of ranks writes together: through gpz::Writer if the group is one rank, through MPI-IO
// otherwise. `world` are all ranks of the simulation, `group` (a part of it) those that share a file. All functions are
// collective over `world`.
class GPZOutput {
 public:
  explicit GPZOutput(MPI_Comm world);
  // Closes without an index. Call close() first.
  ~GPZOutput();
  GPZOutput(const GPZOutput &) = delete;
  GPZOutput &operator=(const GPZOutput &) = delete;

  // Creates the file, or continues an existing one behind its last complete frame. `problem`: why this rank must not
  // do so, or empty. Throws GPZOutputError, before the file is touched if a rank has a problem.
  void open(MPI_Comm group, const std::string &path, const gpz::Metadata &metadata, bool append, std::string problem);
  bool is_open() const { return open_; }
  // Of the file that is open or was open last; empty before the first one.
  const std::string &path() const { return path_; }

  // Longest box edge of the first frame of the continued files, distance units; 0 if there is none.
  double first_edge() const { return first_edge_; }
  // First and last timestep that the file had when it was opened for appending: of its last stretch of ascending steps,
  // i.e. since the last reset_timestep. first > last if it had no frame.
  std::int64_t first_step() const { return first_step_; }
  std::int64_t last_step() const { return last_step_; }

  // Adds a frame that consists of the chunks of all ranks of the group, each with one, or no frame if `skip`. `info`
  // lacks particles and largest errors. `problem`: why this rank has no chunk, or empty. Returns the bytes that this
  // rank's group added, on its first rank, and leaves the group's largest errors in `info`. On failure the file is cut
  // back to the last complete frame, closed, and GPZOutputError is thrown.
  std::uint64_t write(gpz::FrameInfo &info, const std::vector<gpz::EncodedChunk> &chunks, std::string problem,
                      bool skip, GPZSummary &summary);

  // Writes the index and closes. Throws GPZOutputError.
  void close();

 private:
  class SharedFile;

  MPI_Comm world_, group_;
  int me_ = 0, nranks_ = 1;  // in world
  int group_me_ = 0, group_size_ = 1;
  bool open_ = false;
  std::string path_;
  std::unique_ptr<gpz::Writer> writer_;  // group of one rank
  std::unique_ptr<SharedFile> shared_;   // group of several
  std::vector<gpz::IndexEntry> frames_;  // on the first rank of the group, if shared
  std::uint64_t end_ = 0;                // where the next record goes, if shared
  double first_edge_ = 0;
  std::int64_t first_step_ = 1, last_step_ = 0;
  std::vector<std::uint64_t> mine_, all_;  // what the ranks of the group tell each other about a frame

  void open_first(const gpz::Metadata &metadata, bool append);
  void share_existing();
  bool gather(gpz::FrameInfo &info, const gpz::EncodedChunk &chunk, bool encoded,
              std::vector<gpz::ChunkEntry> &entries);
  std::string write_chunk(const gpz::FrameRecord &record, const std::vector<gpz::ChunkEntry> &entries,
                          const gpz::Bytes &chunk);
  [[noreturn]] void fail(const std::string &problem, bool complete);
  void cut_unless(bool complete);
  std::string agree(const std::string &problem) const;
};

}  // namespace LAMMPS_NS

#endif
