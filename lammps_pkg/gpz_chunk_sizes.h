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

#ifndef LMP_GPZ_CHUNK_SIZES_H
#define LMP_GPZ_CHUNK_SIZES_H

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <gpz/chunk.hpp>
#include <gpz/container.hpp>
#include <gpz/frame.hpp>
#include <vector>

namespace LAMMPS_NS {

// The sizes and checksums of chunks that the ranks of a group exchange for a frame.
class GPZChunkSizes {
 public:
  // Tells the others of this rank's chunk, whose bytes are not read, and waits for theirs. A chunk of size 0 is none.
  // `records`: the length of the records that this rank puts in front of the frame, bytes. `good`: this rank has no
  // problem. Collective over `group`.
  void exchange(MPI_Comm group, std::size_t fields, const gpz::ChunkView &chunk, std::uint64_t records, bool good);
  // As exchange(), but does not wait for the others.
  void start(MPI_Comm group, std::size_t fields, const gpz::ChunkView &chunk, std::uint64_t records, bool good);
  // Have all told since start()? With `wait` always.
  bool have_come(bool wait);
  // Then: are all of them good? Sets particles and largest errors of `info` to those of the group, and fills `entries`
  // with its chunks. `before`: how many of them stand before this rank's.
  bool read(gpz::FrameInfo &info, std::vector<gpz::ChunkEntry> &entries, std::size_t &before) const;
  // The length of the records in front of the frame, bytes.
  std::uint64_t records() const;

 private:
  int me_ = 0;
  std::size_t width_ = 0;                  // words of a rank: good, particles, size, checksum, records, largest errors
  std::vector<std::uint64_t> mine_, all_;  // in the order of ranks
  MPI_Request request_{};

  int set(MPI_Comm group, std::size_t fields, const gpz::ChunkView &chunk, std::uint64_t records, bool good);
};

}  // namespace LAMMPS_NS

#endif
