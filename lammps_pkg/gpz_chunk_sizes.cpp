// SPDX-License-Identifier: GPL-2.0-only
/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   Copyright (2003) Sandia Corporation.  Under the terms of Contract
   DE-AC04-94AL85000 with Sandia Corporation, the U.S. Government retains
   certain rights in this software.  This software is distributed under
   the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "gpz_chunk_sizes.h"

#include <algorithm>
#include <cstring>

using namespace LAMMPS_NS;

namespace {

enum { GOOD, PARTICLES, SIZE, CHECKSUM, RECORDS, ERRORS };

}  // namespace

// Returns the bytes of each rank, or 0 if there is no other rank.
int GPZChunkSizes::set(MPI_Comm group, std::size_t fields, const gpz::ChunkView &chunk, std::uint64_t records,
                       bool good) {
  width_ = ERRORS + fields;
  mine_.assign(width_, 0);
  mine_[GOOD] = good;
  mine_[RECORDS] = good ? records : 0;
  if (good && chunk.size > 0) {
    mine_[PARTICLES] = chunk.particles;
    mine_[SIZE] = chunk.size;
    mine_[CHECKSUM] = chunk.checksum;
    std::memcpy(&mine_[ERRORS], chunk.largest_error.data(), fields * sizeof(double));
  }
  int size = 1;
  MPI_Comm_rank(group, &me_);
  MPI_Comm_size(group, &size);
  all_ = mine_;
  all_.resize(width_ * static_cast<std::size_t>(size));
  return size > 1 ? static_cast<int>(width_ * sizeof(mine_[0])) : 0;
}

void GPZChunkSizes::exchange(MPI_Comm group, std::size_t fields, const gpz::ChunkView &chunk, std::uint64_t records,
                             bool good) {
  const int bytes = set(group, fields, chunk, records, good);
  if (bytes > 0) MPI_Allgather(mine_.data(), bytes, MPI_BYTE, all_.data(), bytes, MPI_BYTE, group);
}

#ifndef MPI_STUBS
void GPZChunkSizes::start(MPI_Comm group, std::size_t fields, const gpz::ChunkView &chunk, std::uint64_t records,
                          bool good) {
  const int bytes = set(group, fields, chunk, records, good);
  request_ = MPI_REQUEST_NULL;
  if (bytes > 0) MPI_Iallgather(mine_.data(), bytes, MPI_BYTE, all_.data(), bytes, MPI_BYTE, group, &request_);
}

bool GPZChunkSizes::have_come(bool wait) {
  int done = 1;
  if (wait)
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
  else
    MPI_Test(&request_, &done, MPI_STATUS_IGNORE);
  return done;
}
#else  // every group is one rank
void GPZChunkSizes::start(MPI_Comm group, std::size_t fields, const gpz::ChunkView &chunk, std::uint64_t records,
                          bool good) {
  exchange(group, fields, chunk, records, good);
}

bool GPZChunkSizes::have_come(bool) { return true; }
#endif

bool GPZChunkSizes::read(gpz::FrameInfo &info, std::vector<gpz::ChunkEntry> &entries, std::size_t &before) const {
  bool all_good = true;
  entries.clear();
  info.particles = 0;
  for (gpz::Field &field : info.fields) field.largest_error = 0;
  for (std::size_t at = 0; at < all_.size(); at += width_) {
    const std::uint64_t *rank = &all_[at];
    all_good = all_good && rank[GOOD];
    if (at == width_ * static_cast<std::size_t>(me_)) before = entries.size();
    if (rank[SIZE] > 0) entries.push_back({rank[PARTICLES], rank[SIZE], rank[CHECKSUM]});
    info.particles += rank[PARTICLES];
    for (std::size_t f = 0; f < info.fields.size(); ++f) {
      double error;
      std::memcpy(&error, &rank[ERRORS + f], sizeof(double));
      info.fields[f].largest_error = std::max(info.fields[f].largest_error, error);
    }
  }
  return all_good;
}

std::uint64_t GPZChunkSizes::records() const {
  std::uint64_t sum = 0;
  for (std::size_t at = RECORDS; at < all_.size(); at += width_) sum += all_[at];
  return sum;
}
