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
#include <exception>
#include <gpz/error.hpp>
#include <utility>

#include "gpz_output.h"
#include "gpz_plain_file.h"

using namespace LAMMPS_NS;

int GPZOutput::next_buffer(GPZSummary &summary) {
  if (!background_) return 0;
  int ahead = 0;
  if (behind_) {
    while (behind_->size() == nbuffers) place_first(true);
    ahead = behind_->size();
  }
  const int buffer = background_->next_buffer(ahead);
  summary.lap(GPZSummary::WAIT);
  return buffer;
}

void GPZOutput::write(const gpz::FrameInfo &info, GPZChunk chunk, std::string problem, bool skip, GPZSummary &summary) {
  if (!open_) throw GPZOutputError(path_ + ": closed by an earlier error");  // which a program has caught
  if (!background_) {
    write_now(info, chunk, std::move(problem), skip, summary);
    return;
  }
  poll();
  if (problem_.empty()) problem_ = problem.empty() ? background_->problem() : problem;
  if (behind_)
    compress_behind(info, std::move(chunk), skip, summary);
  else
    write_behind(info, std::move(chunk), skip, summary);
}

bool GPZOutput::all_are(bool good) const {
  int mine = good, all = good;
  if (nranks_ > 1) MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, world_);
  return all;
}

// Communicates once; chunk sizes follow in the background.
void GPZOutput::compress_behind(const gpz::FrameInfo &info, GPZChunk chunk, bool skip, GPZSummary &summary) {
  const bool good = all_are(problem_.empty() && !lost_);
  summary.lap(GPZSummary::COMMUNICATE);
  if (!good) settle();
  if (!skip) behind_->add(info, std::move(chunk));
  summary.lap(GPZSummary::WAIT);
}

// Communicates once, or twice if there are several groups of several ranks.
void GPZOutput::write_behind(gpz::FrameInfo info, GPZChunk chunk, bool skip, GPZSummary &summary) {
  bool good = problem_.empty();
  std::vector<gpz::ChunkEntry> entries;
  std::size_t before = 0;
  if (!skip) {
    sizes_.exchange(group_, info.fields.size(), {chunk.particles, 0, nullptr, chunk.size, chunk.largest_error},
                    chunk.records.length(), good);
    good = sizes_.read(info, entries, before);
  }
  if (skip || group_size_ < nranks_) good = all_are(good);
  summary.lap(GPZSummary::COMMUNICATE);
  if (!good) settle();
  if (!skip) submit(info, entries, before, sizes_.records(), std::move(chunk));
  summary.lap(GPZSummary::WAIT);
}

// Writes the oldest frame that is compressed in the background, if its offset in the file is known, or with `wait`.
// Returns whether there was one. If a rank of the group could not compress it, all ranks drop it and the later ones.
bool GPZOutput::place_first(bool wait) {
  GPZFramesBehind::Frame *const frame = behind_ ? behind_->first(wait, problem_) : nullptr;
  if (!frame) return false;
  if (problem_.empty() && !frame->problem.empty()) problem_ = path_ + ": " + frame->problem;
  if (frame->good) {
    submit(frame->info, frame->entries, frame->before, frame->records, std::move(frame->chunk));
    behind_->drop_first();
  } else {
    lost_ = true;
    behind_->drop_all();
  }
  return frame->good;
}

void GPZOutput::place_all() {
  while (place_first(true)) {
  }
}

void GPZOutput::submit(const gpz::FrameInfo &info, const std::vector<gpz::ChunkEntry> &entries, std::size_t before,
                       std::uint64_t records, GPZChunk chunk) {
  try {
    add(info, records, background_->submit(info, entries, before, end_, records, std::move(chunk)));
  } catch (const std::exception &e) {
    problem_ = path_ + ": " + e.what();
  }
}

void GPZOutput::write_now(gpz::FrameInfo info, const GPZChunk &chunk, std::string problem, bool skip,
                          GPZSummary &summary) {
  std::uint64_t length = 0;
  gpz::Bytes leading;         // on the first rank of the group
  std::uint64_t records = 0;  // its length, on all ranks
  gpz::FrameRecord record;
  bool complete = true;  // no frame was begun without its trailer
  if (!skip) {
    gpz::ChunkView view{chunk.particles, 0, nullptr, chunk.size, chunk.largest_error};
    try {
      leading = chunk.records.bytes();
      if (problem.empty() && chunk.size > 0) {
        view.data = chunk.bytes();
        view.checksum = gpz::chunk_checksum(view.data, view.size);
      }
    } catch (const std::exception &e) {
      problem = path_ + ": " + e.what();
    }
    summary.lap(GPZSummary::COMPRESS);
    std::vector<gpz::ChunkEntry> entries;
    std::size_t before = 0;
    sizes_.exchange(group_, info.fields.size(), view, chunk.records.length(), problem.empty());
    const bool all_good = sizes_.read(info, entries, before);
    records = sizes_.records();
    summary.lap(GPZSummary::COMMUNICATE);
    try {
      if (all_good && writer_) {
        for (const gpz::StoredRecord &in_front : chunk.records.list()) writer_->write(in_front);
        writer_->write(info, std::vector<gpz::ChunkView>{view});
        length = writer_->frames().back().length;
      }
      if (all_good && shared_) {
        info.reference = reference_;
        record = gpz::frame_record(info, entries);
        length = record.length;
        reference_ = record.checksum;
        complete = false;
        if (group_me_ == 0) problem = shared_->write(end_, leading.data(), leading.size());
        if (problem.empty()) problem = write_chunk(record, entries, before, end_ + records, view);
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
    problem = shared_->write(end_ + records + record.length - record.trailer.size(), record.trailer.data(),
                             record.trailer.size());
    complete = problem.empty();
    summary.lap(GPZSummary::WRITE);
  }
  problem = agree(problem);
  summary.lap(GPZSummary::COMMUNICATE);
  if (!problem.empty()) fail(problem, complete);

  if (!skip) add(info, records, length);
}

// The frame is in the file, or in flight, after its records. A gpz::Writer keeps account of its frames itself.
void GPZOutput::add(const gpz::FrameInfo &info, std::uint64_t records, std::uint64_t length) {
  placed_.push_back({group_me_ == 0 ? records + length : 0, info.fields});
  if (writer_) return;
  if (group_me_ == 0) frames_.push_back({end_ + records, length, info.timestep, info.time, info.particles});
  end_ += records + length;
}

// Writes the bytes before the chunks of the frame at offset `begin`, and this rank's chunk.
std::string GPZOutput::write_chunk(const gpz::FrameRecord &record, const std::vector<gpz::ChunkEntry> &entries,
                                   std::size_t before, std::uint64_t begin, const gpz::ChunkView &chunk) {
  std::uint64_t offset = begin + record.prefix.size();
  for (std::size_t n = 0; n < before; ++n) offset += entries[n].length;
  std::string problem;
  if (group_me_ == 0) problem = shared_->write(begin, record.prefix.data(), record.prefix.size());
  return problem.empty() && chunk.size > 0 ? shared_->write(offset, chunk.data, chunk.size) : problem;
}
