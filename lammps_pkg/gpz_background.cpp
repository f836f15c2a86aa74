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

#include "gpz_background.h"

#include <algorithm>
#include <exception>
#include <gpz/chunk.hpp>
#include <iterator>
#include <stdexcept>
#include <utility>

using namespace LAMMPS_NS;

GPZBackground::GPZBackground(gpz::Writer &writer) : writer_(&writer) { start_thread(); }

#ifndef MPI_STUBS
GPZBackground::GPZBackground(MPI_Comm group, const std::string &path) {
  MPI_Comm_dup(group, &group_);  // reports are exchanged while others communicate
  MPI_Comm_rank(group_, &me_);
  MPI_Comm_size(group_, &size_);
  if (me_ == 0)
    for (Frame &frame : spare_) frame.all.resize(static_cast<std::size_t>(size_));
  try {
    file_ = std::make_unique<GPZPlainFile>(path);
  } catch (const std::exception &e) {
    open_problem_ = e.what();
    return;
  }
  start_thread();
}
#else  // every group is one rank
GPZBackground::GPZBackground(MPI_Comm, const std::string &) {}
#endif

void GPZBackground::start_thread() {
  try {
    thread_ = std::make_unique<GPZWriterThread>();
  } catch (const std::exception &e) {
    open_problem_ = std::string("cannot start a thread that writes: ") + e.what();
  }
}

GPZBackground::~GPZBackground() {
  thread_.reset();
#ifndef MPI_STUBS
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!writer_ && !finalized) MPI_Comm_free(&group_);
#endif
}

std::string GPZBackground::problem() const { return thread_ ? thread_->problem() : open_problem_; }

int GPZBackground::next_buffer(int ahead) {
  const int submitted = nbuffers - ahead;  // of the frames that have the buffers
  if (in_flight_.size() >= static_cast<std::size_t>(submitted)) {
    // The frame that had the buffer. It is the first, unless a frame before it cannot be completed; then it is lost,
    // too, and settle() may need those before it.
    const auto had = std::prev(in_flight_.end(), submitted);
    bool has_ended = true;
    for (auto frame = in_flight_.begin(); frame != std::next(had); ++frame) has_ended = advance(*frame, true);
    if (had == in_flight_.begin() && has_ended)
      drop_first();
    else if (spare_.empty())
      spare_.splice(spare_.end(), in_flight_, had);
  }
  return static_cast<int>((frames_ + static_cast<std::uint64_t>(ahead)) % nbuffers);
}

std::uint64_t GPZBackground::submit(const gpz::FrameInfo &info, const std::vector<gpz::ChunkEntry> &entries,
                                    std::size_t before, std::uint64_t offset, std::uint64_t records, GPZChunk chunk) {
  // From here on the other ranks expect a report from this one.
  in_flight_.splice(in_flight_.end(), spare_, spare_.begin());
  Frame &frame = in_flight_.back();
  frame.offset = offset;
  frame.records = records;
  frame.length = 0;
  frame.chunk = std::move(chunk);
  frame.stage = Frame::WRITING;
  frame.written = frame.closed = {};
  frame.mine = {};
  frame.complete = false;
  ++frames_;

  // checksums, which are missing, change no length
  const gpz::FrameRecord record = gpz::frame_record(info, entries);
  std::uint64_t position = frame.begin() + record.prefix.size();
  for (std::size_t n = 0; n < before; ++n) position += entries[n].length;
  frame.info = info;
  frame.entries = entries;
  frame.length = record.length;
  if (!writer_) frame.record_bytes = frame.chunk.records.bytes();
  if (frame.chunk.size == 0) {
    frame.mine.written = 1;
    return record.length;
  }
  frame.mine.chunks = 1;
  frame.written = thread_->submit([this, &frame, position] {
    const std::uint8_t *bytes = frame.chunk.bytes();
    frame.mine.checksum = gpz::chunk_checksum(bytes, frame.chunk.size);
    if (writer_) {
      for (const gpz::StoredRecord &in_front : frame.chunk.records.list()) writer_->write(in_front);
      const gpz::ChunkView view{frame.chunk.particles, frame.mine.checksum, bytes, frame.chunk.size,
                                frame.chunk.largest_error};
      writer_->write(frame.info, std::vector<gpz::ChunkView>{view});
    } else {
      file_->write(position, bytes, frame.chunk.size);
    }
    frame.mine.written = 1;
  });
  return record.length;
}

void GPZBackground::drop_first() { spare_.splice(spare_.end(), in_flight_, in_flight_.begin()); }

void GPZBackground::poll() {
  while (!in_flight_.empty() && advance(in_flight_.front(), false)) drop_first();
}

// Takes a frame as far on as it can be. Has this rank nothing left to do for it?
bool GPZBackground::advance(Frame &frame, bool wait) {
  const auto ended = [&](GPZWriterThread::Ticket ticket) {
    if (wait) thread_->wait(ticket);
    return thread_->ended(ticket);
  };
  if (frame.stage == Frame::WRITING) {
    if (!ended(frame.written)) return false;
    if (writer_) return true;
    start_report(frame);
    frame.stage = Frame::REPORTING;
  }
  if (frame.stage == Frame::REPORTING) {
    if (!reported(frame, wait)) return false;
    if (me_ != 0) return true;
    const bool everywhere =
        std::all_of(frame.all.begin(), frame.all.end(), [](const Report &report) { return report.written; });
    frame.stage = everywhere ? Frame::CLOSING : Frame::LOST;
    // before the chunks of later frames, which are larger and can wait
    if (everywhere) frame.closed = thread_->submit_first([this, &frame] { complete(frame); });
  }
  return frame.stage == Frame::CLOSING && ended(frame.closed) && frame.complete;
}

// All ranks report the frames in the same order.
#ifndef MPI_STUBS
void GPZBackground::start_report(Frame &frame) {
  MPI_Igather(&frame.mine, sizeof(Report), MPI_BYTE, frame.all.data(), sizeof(Report), MPI_BYTE, 0, group_,
              &frame.request);
}

bool GPZBackground::reported(Frame &frame, bool wait) {
  int done = 1;
  if (wait)
    MPI_Wait(&frame.request, MPI_STATUS_IGNORE);
  else
    MPI_Test(&frame.request, &done, MPI_STATUS_IGNORE);
  return done;
}
#else  // every group is one rank
void GPZBackground::start_report(Frame &) {}
bool GPZBackground::reported(Frame &, bool) { return true; }
#endif

// On the first rank, when all chunks are in the file.
void GPZBackground::complete(Frame &frame) {
  auto entry = frame.entries.begin();
  for (const Report &report : frame.all)
    if (report.chunks > 0) (entry++)->checksum = report.checksum;
  frame.info.reference = reference_;
  const gpz::FrameRecord record = gpz::frame_record(frame.info, frame.entries);
  file_->write(frame.offset, frame.record_bytes.data(), frame.record_bytes.size());
  file_->write(frame.begin(), record.prefix.data(), record.prefix.size());
  file_->write(frame.end() - record.trailer.size(), record.trailer.data(), record.trailer.size());
  frame.complete = true;
  reference_ = record.checksum;
}

std::string GPZBackground::settle() {
  if (!thread_) return problem();
  // A frame that cannot be completed stays, and every later one with it.
  for (Frame &frame : in_flight_) advance(frame, true);
  if (file_ && me_ == 0) rescue();
  spare_.splice(spare_.end(), in_flight_);
  return problem();
}

// The threads of all ranks have come to rest. What is missing of the frames whose chunks are all there is small, but on
// a full disk the chunks of later ones have taken the space. If that fails again, the thread's problem says why; if the
// file cannot be cut, it ends in a torn frame, which readers and appending writers know.
void GPZBackground::rescue() {
  auto frame = std::find_if(in_flight_.begin(), in_flight_.end(), [](const Frame &f) { return !f.complete; });
  if (frame == in_flight_.end()) return;
  const auto lost = std::find_if(frame, in_flight_.end(), [](const Frame &f) { return f.stage == Frame::LOST; });
  std::uint64_t end = frame->offset;
  try {
    if (frame != lost) file_->cut(std::prev(lost)->end());
    for (; frame != lost; ++frame) {
      complete(*frame);
      end = frame->end();
    }
  } catch (const std::runtime_error &) {
  }
  try {
    file_->cut(end);
  } catch (const std::runtime_error &) {
  }
}

void GPZBackground::append(std::uint64_t offset, const gpz::Bytes &record) {
  try {
    file_->write(offset, record.data(), record.size());
  } catch (const std::exception &) {
    file_->cut(offset);
    throw;
  }
}

void GPZBackground::close() {
  if (file_) file_->close();
}
