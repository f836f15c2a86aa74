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

#include "gpz_output.h"

#include <cerrno>
#include <exception>
#include <filesystem>
#include <gpz/error.hpp>
#include <gpz/write_lock.hpp>
#include <limits>
#include <optional>
#include <utility>

#include "gpz_plain_file.h"

using namespace LAMMPS_NS;

// --- opening ---

// If LAMMPS ends with an error, the frames in flight still get into the file.
GPZOutput::GPZOutput(MPI_Comm world)
    : world_(world), group_(world), at_finalize_([this] {
        place_all();
        if (background_) background_->settle();
      }) {
  MPI_Comm_rank(world_, &me_);
  MPI_Comm_size(world_, &nranks_);
}

GPZOutput::~GPZOutput() = default;

void GPZOutput::open(MPI_Comm group, const std::string &path, const gpz::Metadata &metadata, const GPZAppend *append,
                     std::string problem) {
  group_ = group;
  frames_.clear();
  first_edge_ = 0;
  first_step_ = 1;
  last_step_ = 0;
  MPI_Comm_rank(group_, &group_me_);
  MPI_Comm_size(group_, &group_size_);

  problem = agree(problem);
  if (!problem.empty()) throw GPZOutputError(problem);
  path_ = path;
  dropped_ = 0;
  const std::optional<GPZContinued> found = append ? find_continued(*append) : std::nullopt;
  if (append && group_size_ < nranks_) {
    problem = agree(drop_incomplete(found));
    if (!problem.empty()) throw GPZOutputError(problem);
  }
  if (group_me_ == 0) {
    try {
      open_first(metadata, found);
    } catch (const std::exception &e) {
      problem = e.what();
    }
  }
  problem = agree(problem);
  if (!problem.empty()) throw GPZOutputError(problem);
  share_existing();
  problem = agree(start());
  if (!problem.empty()) fail(problem, true);
  open_ = true;
}

// The state of the group's file, on its first rank. The file stays unchanged: every error that can be found is found
// here.
std::optional<GPZContinued> GPZOutput::find_continued(const GPZAppend &append) {
  std::optional<GPZContinued> found;
  std::string problem, last;
  if (group_me_ == 0) {
    try {
      found = GPZContinued::find(path_, append.given);
      if (found) last = found->last_frame();
    } catch (const std::exception &e) {
      problem = e.what();
    }
  }
  problem = agree(problem);
  if (!problem.empty()) throw GPZOutputError(problem);

  double mine = found ? found->first_edge() : 0.0;
  MPI_Allreduce(&mine, &first_edge_, 1, MPI_DOUBLE, MPI_MAX, world_);
  last = agree(last);
  if (last.empty()) return found;
  try {
    const gpz::FrameInfo next = append.next(GPZContinued::frame_of(last), first_edge_);
    if (found) found->require_next(next);
  } catch (const std::exception &e) {
    problem = e.what();
  }
  problem = agree(problem);
  if (!problem.empty()) throw GPZOutputError(problem);
  return found;
}

// The death of a run may leave a frame in the files of some groups only. The run that continues them has other atoms on
// each rank: the other part of such a frame would lack atoms or have them twice. So each file is cut after the last
// frame that all have. Files of different frames stay. So do those that are joined by new ones, because there shall be
// more of them, unless these files have no more frames than can be in flight: then the run died in its first one.
std::string GPZOutput::drop_incomplete(const std::optional<GPZContinued> &found) {
  std::vector<gpz::IndexEntry> frames;
  if (found) frames = found->scan().frames;

  // Only the first rank of each group has a say.
  constexpr long long most = std::numeric_limits<long long>::max();
  const auto smallest = [&](long long mine) {
    long long value = group_me_ == 0 ? mine : most, result = 0;
    MPI_Allreduce(&value, &result, 1, MPI_LONG_LONG, MPI_MIN, world_);
    return result;
  };
  const auto count = static_cast<long long>(frames.size());
  const long long common = smallest(count), largest = -smallest(-count);
  if (largest == common || (common == 0 && largest > nbuffers + 1)) return {};
  const std::size_t keep = group_me_ == 0 ? static_cast<std::size_t>(common) : 0;
  const long long step = keep > 0 ? frames[keep - 1].timestep : 0;
  if (smallest(step) != -smallest(-step)) return {};
  dropped_ = largest - common;
  if (keep == frames.size()) return {};

  try {
    const gpz::WriteLock not_being_written(path_);
  } catch (const std::exception &e) {
    return e.what();
  }
  std::error_code failed;
  // Records in front of a frame go with it.
  const std::uint64_t end = keep > 0 ? frames[keep - 1].offset + frames[keep - 1].length : found->scan().frames_begin;
  std::filesystem::resize_file(path_, end, failed);
  return failed ? path_ + ": cannot cut: " + failed.message() : std::string();
}

// The first rank of the group creates the file, or cuts an existing one after its last complete frame, before others
// open it. If a rank writes alone, gpz::Writer does so at its first frame.
void GPZOutput::open_first(const gpz::Metadata &metadata, const std::optional<GPZContinued> &found) {
  features_ = found ? found->scan().metadata.features : metadata.features;
  writer_ = found ? std::make_unique<gpz::Writer>(path_, gpz::Metadata(), gpz::Writer::Mode::append)
                  : std::make_unique<gpz::Writer>(path_, metadata, gpz::Writer::Mode::create);
  frames_ = writer_->frames();
  end_ = writer_->size();
  if (!found || group_size_ == 1) return;
  GPZPlainFile file(path_);
  file.cut(end_);
  file.close();
}

// Tells the other ranks of the group what the file has.
void GPZOutput::share_existing() {
  auto stretch = frames_.end();
  while (stretch != frames_.begin() && (stretch == frames_.end() || (stretch - 1)->timestep < stretch->timestep))
    --stretch;
  if (!frames_.empty()) {
    first_step_ = stretch->timestep;
    last_step_ = frames_.back().timestep;
  }

  if (group_size_ > 1) {
    std::int64_t facts[4] = {first_step_, last_step_, static_cast<std::int64_t>(end_), features_};
    MPI_Bcast(facts, sizeof(facts), MPI_BYTE, 0, group_);
    first_step_ = facts[0];
    last_step_ = facts[1];
    end_ = static_cast<std::uint64_t>(facts[2]);
    features_ = static_cast<std::uint32_t>(facts[3]);
    lock_ = std::move(writer_);  // writes nothing any more
  }
}

// --- how to write ---

void GPZOutput::set_async(Async async) {
  if (async == async_) return;
  async_ = async;
  if (!open_) return;
  if (background_) settle();
  std::string problem = agree(stop());
  if (problem.empty()) problem = agree(start());
  if (!problem.empty()) fail(problem, true);
}

// Why the ranks of the group must not write the file with the calls of the operating system; empty if they may. MPI-IO
// is for what several hosts do to one file.
std::string GPZOutput::why_not_plain() const {
#ifndef MPI_STUBS
  if (group_size_ == 1) return {};
  MPI_Comm host;
  MPI_Comm_split_type(group_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  int on_host = 1;
  MPI_Comm_size(host, &on_host);
  MPI_Comm_free(&host);
  if (on_host == group_size_) return {};
  int safe = group_me_ == 0 && GPZPlainFile::takes_several_hosts(path_);
  MPI_Bcast(&safe, 1, MPI_INT, 0, group_);
  if (!safe) return "ranks of several hosts write this file, and it is not on a parallel file system that is known";
#endif
  return {};
}

// Collective, as stop(). If one group must not write in the background, none does: they would communicate differently.
std::string GPZOutput::start() {
  const std::string not_plain = why_not_plain();
  const bool async = async_ != Async::no;
  refusal_ = async ? agree(not_plain) : std::string();
  if (async && refusal_.empty()) {
    background_ = writer_ ? std::make_unique<GPZBackground>(*writer_) : std::make_unique<GPZBackground>(group_, path_);
    if (async_ == Async::compress_and_write) behind_ = std::make_unique<GPZFramesBehind>(group_);
    const std::string problem = background_->problem();
    return problem.empty() && behind_ ? behind_->problem() : problem;
  }
  if (writer_) return {};
  using Method = GPZSharedFile::Method;
  shared_ = std::make_unique<GPZSharedFile>(group_, path_, not_plain.empty() ? Method::plain : Method::mpi_io);
  return shared_->problem();
}

std::string GPZOutput::stop() {
  std::string problem;
  if (background_) {
    problem = background_->settle();
    try {
      background_->close();
    } catch (const std::exception &e) {
      if (problem.empty()) problem = e.what();
    }
  }
  if (shared_) problem = shared_->close();
  behind_.reset();
  background_.reset();
  shared_.reset();
  return problem;
}

// --- waiting and closing ---

void GPZOutput::poll() {
  while (place_first(false)) {
  }
  if (background_) background_->poll();
}

void GPZOutput::drain(GPZSummary &summary) {
  if (!background_) return;
  settle();
  summary.in_background(background_->take_seconds(), behind_ ? behind_->take_seconds() : 0.0);
  summary.lap(GPZSummary::WAIT);
}

void GPZOutput::settle() {
  place_all();
  const std::string settled = background_->settle();
  const std::string worst = agree(problem_.empty() ? settled : problem_);
  if (!worst.empty()) fail(worst, true);
}

// Cuts off the frame that was begun, unless the group's first rank says that it is complete. gpz::Writer and
// GPZBackground do so themselves.
void GPZOutput::fail(const std::string &problem, bool complete) {
  if (shared_) cut_unless(complete);
  stop();
  writer_.reset();
  lock_.reset();
  problem_.clear();
  lost_ = false;
  open_ = false;
  throw GPZOutputError(problem);
}

void GPZOutput::cut_unless(bool complete) {
  int keep = complete;
  MPI_Bcast(&keep, 1, MPI_INT, 0, group_);
  if (!keep) shared_->truncate(end_);
}

void GPZOutput::close() {
  if (background_) settle();
  std::string problem;
  try {
    if (background_ && !writer_ && group_me_ == 0) background_->append(end_, gpz::index_record(frames_));
    if (writer_) writer_->close();
    if (shared_ && group_me_ == 0) {
      const gpz::Bytes index = gpz::index_record(frames_);
      problem = shared_->write(end_, index.data(), index.size());
    }
  } catch (const std::exception &e) {
    problem = e.what();
  }
  if (shared_) cut_unless(problem.empty());
  lock_.reset();  // all is written; whether the file can be closed, stop() says
  const std::string stop_problem = stop();
  if (problem.empty()) problem = stop_problem;
  writer_.reset();
  open_ = false;
  problem = agree(problem);
  if (!problem.empty()) throw GPZOutputError(problem);
}

// The text (mostly a problem) of the lowest rank that has one, on all ranks; empty if none has.
std::string GPZOutput::agree(const std::string &problem) const {
  if (nranks_ == 1) return problem;
  int mine = problem.empty() ? nranks_ : me_, rank = nranks_;
  MPI_Allreduce(&mine, &rank, 1, MPI_INT, MPI_MIN, world_);
  if (rank == nranks_) return {};
  int length = static_cast<int>(problem.size());
  MPI_Bcast(&length, 1, MPI_INT, rank, world_);
  std::string text = problem;
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(&text[0], length, MPI_CHAR, rank, world_);
  return text;
}
