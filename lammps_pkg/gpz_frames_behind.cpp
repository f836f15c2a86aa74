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

#include "gpz_frames_behind.h"

#include <exception>
#include <utility>

using namespace LAMMPS_NS;

GPZFramesBehind::GPZFramesBehind(MPI_Comm group) {
#ifndef MPI_STUBS
  MPI_Comm_dup(group, &group_);
#else
  group_ = group;
#endif
  try {
    thread_ = std::make_unique<GPZWriterThread>();
  } catch (const std::exception &e) {
    problem_ = std::string("cannot start a thread that compresses: ") + e.what();
  }
}

GPZFramesBehind::~GPZFramesBehind() {
  thread_.reset();
#ifndef MPI_STUBS
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized) MPI_Comm_free(&group_);
#endif
}

void GPZFramesBehind::add(const gpz::FrameInfo &info, GPZChunk chunk) {
  // From here on the other ranks expect the size of this rank's chunk, whatever fails.
  Work &frame = frames_[(begin_ + size_++) % GPZBackground::nbuffers];
  frame.compressed = frame.telling = false;
  frame.ticket = {};
  frame.problem.clear();
  try {
    frame.chunk = std::move(chunk);
    frame.info = info;
    frame.compressed = !frame.chunk.compress;
    if (frame.compressed) return;
    frame.ticket = thread_->submit([&frame] {
      const auto compress = std::move(frame.chunk.compress);
      compress(frame.chunk);
      frame.compressed = true;
    });
  } catch (const std::exception &e) {
    frame.problem = e.what();
  }
}

// When the chunk is compressed, or could not be.
void GPZFramesBehind::tell(Work &frame, const std::string &problem) {
  if (frame.problem.empty() && !frame.compressed) frame.problem = "cannot compress: " + thread_->problem();
  if (frame.problem.empty()) frame.problem = problem;
  const GPZChunk &chunk = frame.chunk;
  frame.sizes.start(group_, frame.info.fields.size(), {chunk.particles, 0, nullptr, chunk.size, chunk.largest_error},
                    chunk.records.length(), frame.problem.empty());
  frame.telling = true;
}

GPZFramesBehind::Frame *GPZFramesBehind::first(bool wait, const std::string &problem) {
  if (size_ == 0) return nullptr;
  Work &frame = frames_[begin_];
  if (!frame.telling) {
    if (wait) thread_->wait(frame.ticket);
    if (!thread_->ended(frame.ticket)) return nullptr;
    tell(frame, problem);
  }
  if (!frame.sizes.have_come(wait)) return nullptr;
  frame.good = frame.sizes.read(frame.info, frame.entries, frame.before);
  frame.records = frame.sizes.records();
  return &frame;
}

void GPZFramesBehind::drop_first() {
  begin_ = (begin_ + 1) % GPZBackground::nbuffers;
  --size_;
}

void GPZFramesBehind::drop_all() {
  thread_->wait_all();
  size_ = 0;
}
