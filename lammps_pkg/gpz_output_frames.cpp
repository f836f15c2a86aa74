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

// The frames of an output: from the chunks of all ranks to the file.
#include <algorithm>
#include <cstring>
#include <exception>
#include <gpz/error.hpp>
#include <utility>

#include "gpz_output.h"
#include "gpz_plain_file.h"

using namespace LAMMPS_NS;

int GPZOutput::next_buffer(GPZSummary &summary) {
  if (!background_) return 0;
  const int buffer = background_->next_buffer();
  summary.lap(GPZSummary::WAIT);
  return buffer;
}

std::uint64_t GPZOutput::write(gpz::FrameInfo &info, GPZChunk chunk, std::string problem, bool skip,
                               GPZSummary &summary) {
  if (!open_) throw GPZOutputError(path_ + ": closed by an earlier error");  // which a program has caught
  if (background_) return write_behind(info, std::move(chunk), problem, skip, summary);
  return write_now(info, chunk, std::move(problem), skip, summary);
}

// Communicates once, or twice if there are several groups of several ranks.
std::uint64_t GPZOutput::write_behind(gpz::FrameInfo &info, GPZChunk chunk, const std::string &problem, bool skip,
                                      GPZSummary &summary) {
  background_->poll();
  if (problem_.empty()) problem_ = problem.empty() ? background_->problem() : problem;
  int good = problem_.empty();
  std::vector<gpz::ChunkEntry> entries;
  if (!skip) good = gather(info, {chunk.particles, 0, nullptr, chunk.size, chunk.largest_error}, good, entries);
  if (skip || group_size_ < nranks_) {
    int mine = good;
    MPI_Allreduce(&mine, &good, 1, MPI_INT, MPI_MIN, world_);
  }
  summary.lap(GPZSummary::COMMUNICATE);
  if (!good) settle(problem_);

  std::uint64_t length = 0;
  try {
    if (!skip) {
      length = background_->submit(info, entries, chunks_before_, end_, std::move(chunk));
      add(info, length);
    }
  } catch (const std::exception &e) {
    problem_ = path_ + ": " + e.what();
  }
  summary.lap(GPZSummary::WAIT);
  return group_me_ == 0 ? length : 0;
}

std::uint64_t GPZOutput::write_now(gpz::FrameInfo &info, const GPZChunk &chunk, std::string problem, bool skip,
                                   GPZSummary &summary) {
  std::uint64_t length = 0;
  gpz::FrameRecord record;
  bool complete = true;  // no frame was begun without its trailer
  if (!skip) {
    gpz::ChunkView view{chunk.particles, 0, nullptr, chunk.size, chunk.largest_error};
    try {
      if (problem.empty() && chunk.size > 0) {
        view.data = chunk.bytes();
        view.checksum = gpz::chunk_checksum(view.data, view.size);
      }
    } catch (const std::exception &e) {
      problem = path_ + ": " + e.what();
    }
    summary.lap(GPZSummary::COMPRESS);
    std::vector<gpz::ChunkEntry> entries;
    const bool all_good = gather(info, view, problem.empty(), entries);
    summary.lap(GPZSummary::COMMUNICATE);
    try {
      if (all_good && writer_) {
        writer_->write(info, std::vector<gpz::ChunkView>{view});
        length = writer_->frames().back().length;
      }
      if (all_good && shared_) {
        info.reference = reference_;
        record = gpz::frame_record(info, entries);
        reference_ = record.checksum;
        complete = false;
        problem = write_chunk(record, entries, view);
      }
    } catch (const std::exception &e) {
      problem = e.what();
    }
    summary.lap(GPZSummary::WRITE);
  }
  problem = agree(problem);
  summary.lap(GPZSummary::COMMUNICATE);
  if (!problem.empty()) fail(problem, complete);

  // The trailer makes the frame count: it is written when everything else is.
  if (!complete && group_me_ == 0) {
    problem =
        shared_->write(end_ + record.length - record.trailer.size(), record.trailer.data(), record.trailer.size());
    complete = problem.empty();
    summary.lap(GPZSummary::WRITE);
  }
  problem = agree(problem);
  summary.lap(GPZSummary::COMMUNICATE);
  if (!problem.empty()) fail(problem, complete);

  if (shared_ && !skip) {
    add(info, record.length);
    if (group_me_ == 0) length = record.length;
  }
  return length;
}

// The frame is in the file, or on its way. A gpz::Writer keeps account itself.
void GPZOutput::add(const gpz::FrameInfo &info, std::uint64_t length) {
  if (writer_) return;
  if (group_me_ == 0) frames_.push_back({end_, length, info.timestep, info.time, info.particles});
  end_ += length;
}

// What comes before the chunks, and this rank's chunk.
std::string GPZOutput::write_chunk(const gpz::FrameRecord &record, const std::vector<gpz::ChunkEntry> &entries,
                                   const gpz::ChunkView &chunk) {
  std::uint64_t offset = end_ + record.prefix.size();
  for (std::size_t n = 0; n < chunks_before_; ++n) offset += entries[n].length;
  std::string problem;
  if (group_me_ == 0) problem = shared_->write(end_, record.prefix.data(), record.prefix.size());
  return problem.empty() && chunk.size > 0 ? shared_->write(offset, chunk.data, chunk.size) : problem;
}

// Every rank of the group learns of the others' chunks and largest errors. Are all of them `good`?
bool GPZOutput::gather(gpz::FrameInfo &info, const gpz::ChunkView &chunk, bool good,
                       std::vector<gpz::ChunkEntry> &entries) {
  const std::size_t width = 4 + info.fields.size();
  mine_.assign(width, 0);
  mine_[0] = good;
  if (good && chunk.size > 0) {
    mine_[1] = chunk.particles;
    mine_[2] = chunk.size;
    mine_[3] = chunk.checksum;
    std::memcpy(&mine_[4], chunk.largest_error.data(), info.fields.size() * sizeof(double));
  }
  if (group_size_ > 1) {
    const int bytes = static_cast<int>(width * sizeof(mine_[0]));
    all_.resize(width * static_cast<std::size_t>(group_size_));
    MPI_Allgather(mine_.data(), bytes, MPI_BYTE, all_.data(), bytes, MPI_BYTE, group_);
  } else {
    all_ = mine_;
  }

  bool all_good = true;
  info.particles = 0;
  for (gpz::Field &field : info.fields) field.largest_error = 0;
  for (std::size_t at = 0; at < all_.size(); at += width) {
    const std::uint64_t *rank = &all_[at];
    all_good = all_good && rank[0];
    if (at == width * static_cast<std::size_t>(group_me_)) chunks_before_ = entries.size();
    if (rank[2] > 0) entries.push_back({rank[1], rank[2], rank[3]});
    info.particles += rank[1];
    for (std::size_t f = 0; f < info.fields.size(); ++f) {
      double error;
      std::memcpy(&error, &rank[4 + f], sizeof(double));
      info.fields[f].largest_error = std::max(info.fields[f].largest_error, error);
    }
  }
  return all_good;
}
