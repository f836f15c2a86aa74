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

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <gpz/error.hpp>
#include <gpz/reader.hpp>

using namespace LAMMPS_NS;

double LAMMPS_NS::longest_edge(const gpz::Box &box) {
  const auto edges = box.edges();
  return *std::max_element(edges.begin(), edges.begin() + box.dimension);
}

// --- a file that several ranks write ---

#ifndef MPI_STUBS
class GPZOutput::SharedFile {
 public:
  // Collective over `group`; the file exists.
  SharedFile(MPI_Comm group, const std::string &path) : path_(path) {
    char *name = const_cast<char *>(path.c_str());  // MPI 2 had no const
    const int code = MPI_File_open(group, name, MPI_MODE_WRONLY, MPI_INFO_NULL, &file_);
    if (code == MPI_SUCCESS) return;
    problem_ = failure("cannot open", code);
    file_ = MPI_FILE_NULL;
  }
  ~SharedFile() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (file_ != MPI_FILE_NULL && !finalized) MPI_File_close(&file_);
  }

  const std::string &problem() const { return problem_; }

  // Not collective. Returns what went wrong, or nothing.
  std::string write(std::uint64_t offset, const gpz::Bytes &bytes) {
    constexpr std::size_t largest_piece = std::size_t{1} << 30;  // MPI counts with an int
    std::size_t done = 0;
    while (done < bytes.size()) {
      const int wanted = static_cast<int>(std::min(bytes.size() - done, largest_piece));
      MPI_Status status;
      int written = 0;
      errno = 0;
      const int code = MPI_File_write_at(file_, static_cast<MPI_Offset>(offset + done),
                                         const_cast<std::uint8_t *>(bytes.data()) + done, wanted, MPI_BYTE, &status);
      const int system_error = errno;
      if (code != MPI_SUCCESS) return failure("cannot write", code, system_error);
      // On a full disk, OpenMPI returns success with a smaller count: 0 is the only sign that there is no room.
      MPI_Get_count(&status, MPI_BYTE, &written);
      if (written <= 0) return failure("cannot write", code, system_error ? system_error : ENOSPC);
      done += static_cast<std::size_t>(written);
    }
    return {};
  }

  // Collective.
  void truncate(std::uint64_t size) { MPI_File_set_size(file_, static_cast<MPI_Offset>(size)); }

  // Collective. Returns what went wrong, or nothing.
  std::string close() {
    const int code = MPI_File_close(&file_);
    return code == MPI_SUCCESS ? std::string() : failure("cannot close", code);
  }

 private:
  std::string path_, problem_;
  MPI_File file_ = MPI_FILE_NULL;

  // system_error: errno, if it is known; it says more than MPI does.
  std::string failure(const char *what, int code, int system_error = 0) const {
    char reason[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, reason, &length);
    return path_ + ": " + what + ": " + (system_error ? std::strerror(system_error) : reason);
  }
};
#else
class GPZOutput::SharedFile {  // without MPI every group is one rank, and this is never used
 public:
  SharedFile(MPI_Comm, const std::string &) {}
  std::string problem() const { return {}; }
  std::string write(std::uint64_t, const gpz::Bytes &) { return {}; }
  void truncate(std::uint64_t) {}
  std::string close() { return {}; }
};
#endif

// --- opening ---

GPZOutput::GPZOutput(MPI_Comm world) : world_(world), group_(world) {
  MPI_Comm_rank(world_, &me_);
  MPI_Comm_size(world_, &nranks_);
}

GPZOutput::~GPZOutput() = default;

void GPZOutput::open(MPI_Comm group, const std::string &path, const gpz::Metadata &metadata, bool append,
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
  if (group_me_ == 0) {
    try {
      open_first(metadata, append);
    } catch (const std::exception &e) {
      problem = e.what();
    }
  }
  problem = agree(problem);
  if (!problem.empty()) throw GPZOutputError(problem);
  share_existing();
  if (group_size_ > 1) {
    shared_ = std::make_unique<SharedFile>(group_, path_);
    problem = shared_->problem();
  }
  problem = agree(problem);
  if (!problem.empty()) throw GPZOutputError(problem);
  open_ = true;
}

namespace {

void check_same(const std::string &path, const char *what, bool same) {
  if (!same)
    throw gpz::Error(gpz::Status::invalid_argument,
                     std::string("cannot append: the file has other ") + what + " than the dump", path);
}

// Does the file hold anything to continue? A file that ends inside its header holds no frame.
bool has_frames(const std::string &path, const gpz::Metadata &metadata) {
  try {
    const gpz::FileScan scan = gpz::scan_file(path);
    check_same(path, "columns", scan.metadata.columns == metadata.columns);
    check_same(path, "units", scan.metadata.units == metadata.units);
    check_same(path, "element names", scan.metadata.elements == metadata.elements);
    check_same(path, "type labels", scan.metadata.type_labels == metadata.type_labels);
    return true;
  } catch (const gpz::Error &e) {
    if (e.status() == gpz::Status::truncated || e.system_error() == ENOENT) return false;
    throw;
  }
}

}  // namespace

// The first rank of the group creates the file, or cuts an existing one behind its last complete frame, before others
// open it.
void GPZOutput::open_first(const gpz::Metadata &metadata, bool append) {
  append = append && has_frames(path_, metadata);
  writer_ =
      std::make_unique<gpz::Writer>(path_, metadata, append ? gpz::Writer::Mode::append : gpz::Writer::Mode::create);
  frames_ = writer_->frames();
  end_ = writer_->size();
  if (!frames_.empty()) first_edge_ = longest_edge(gpz::Reader(path_).info(0).box);
}

// Tells the other ranks of the group what the file has, and all ranks how large the box was.
void GPZOutput::share_existing() {
  auto stretch = frames_.end();
  while (stretch != frames_.begin() && (stretch == frames_.end() || (stretch - 1)->timestep < stretch->timestep))
    --stretch;
  if (!frames_.empty()) {
    first_step_ = stretch->timestep;
    last_step_ = frames_.back().timestep;
  }

  if (group_size_ > 1) {
    std::int64_t facts[3] = {first_step_, last_step_, static_cast<std::int64_t>(end_)};
    MPI_Bcast(facts, sizeof(facts), MPI_BYTE, 0, group_);
    first_step_ = facts[0];
    last_step_ = facts[1];
    end_ = static_cast<std::uint64_t>(facts[2]);
    writer_.reset();  // closes without an index
  }
  double mine = first_edge_;
  MPI_Allreduce(&mine, &first_edge_, 1, MPI_DOUBLE, MPI_MAX, world_);
}

// --- frames ---

std::uint64_t GPZOutput::write(gpz::FrameInfo &info, const std::vector<gpz::EncodedChunk> &chunks, std::string problem,
                               bool skip, GPZSummary &summary) {
  std::uint64_t length = 0;
  gpz::FrameRecord record;
  bool complete = true;  // no frame was begun without its trailer
  if (!skip) {
    std::vector<gpz::ChunkEntry> entries;
    const bool all_encoded = gather(info, chunks[0], problem.empty(), entries);
    summary.lap(GPZSummary::COMMUNICATE);
    try {
      if (all_encoded && writer_) {
        writer_->write(info, chunks);
        length = writer_->frames().back().length;
      }
      if (all_encoded && shared_) {
        record = gpz::frame_record(info, entries);
        complete = false;
        problem = write_chunk(record, entries, chunks[0].bytes);
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
    problem = shared_->write(end_ + record.length - record.trailer.size(), record.trailer);
    complete = problem.empty();
    summary.lap(GPZSummary::WRITE);
  }
  problem = agree(problem);
  summary.lap(GPZSummary::COMMUNICATE);
  if (!problem.empty()) fail(problem, complete);

  if (shared_ && !skip) {
    if (group_me_ == 0) {
      frames_.push_back({end_, record.length, info.timestep, info.time, info.particles});
      length = record.length;
    }
    end_ += record.length;
  }
  return length;
}

// What comes before the chunks, and this rank's chunk.
std::string GPZOutput::write_chunk(const gpz::FrameRecord &record, const std::vector<gpz::ChunkEntry> &entries,
                                   const gpz::Bytes &chunk) {
  std::uint64_t offset = end_ + record.prefix.size();
  for (int rank = 0; rank < group_me_; ++rank) offset += entries[rank].length;
  const std::string problem = group_me_ == 0 ? shared_->write(end_, record.prefix) : std::string();
  return problem.empty() ? shared_->write(offset, chunk) : problem;
}

// Every rank of the group learns of the others' chunks and largest errors. Has every rank a chunk?
bool GPZOutput::gather(gpz::FrameInfo &info, const gpz::EncodedChunk &chunk, bool encoded,
                       std::vector<gpz::ChunkEntry> &entries) {
  const std::size_t width = 4 + info.fields.size();
  mine_.assign(width, 0);
  mine_[0] = encoded;
  if (encoded) {
    mine_[1] = chunk.particles;
    mine_[2] = chunk.bytes.size();
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

  bool all_encoded = true;
  info.particles = 0;
  for (gpz::Field &field : info.fields) field.largest_error = 0;
  for (std::size_t at = 0; at < all_.size(); at += width) {
    const std::uint64_t *rank = &all_[at];
    all_encoded = all_encoded && rank[0];
    entries.push_back({rank[1], rank[2], rank[3]});
    info.particles += rank[1];
    for (std::size_t f = 0; f < info.fields.size(); ++f) {
      double error;
      std::memcpy(&error, &rank[4 + f], sizeof(double));
      info.fields[f].largest_error = std::max(info.fields[f].largest_error, error);
    }
  }
  return all_encoded;
}

// Cuts off the frame that was begun, unless the group's first rank says that it is complete. gpz::Writer does so
// itself.
void GPZOutput::fail(const std::string &problem, bool complete) {
  if (shared_) {
    cut_unless(complete);
    shared_->close();
  }
  shared_.reset();
  writer_.reset();
  open_ = false;
  throw GPZOutputError(problem);
}

void GPZOutput::cut_unless(bool complete) {
  int keep = complete;
  MPI_Bcast(&keep, 1, MPI_INT, 0, group_);
  if (!keep) shared_->truncate(end_);
}

void GPZOutput::close() {
  std::string problem;
  try {
    if (writer_) writer_->close();
    if (shared_ && group_me_ == 0) problem = shared_->write(end_, gpz::index_record(frames_));
  } catch (const std::exception &e) {
    problem = e.what();
  }
  if (shared_) {
    cut_unless(problem.empty());
    const std::string close_problem = shared_->close();
    if (problem.empty()) problem = close_problem;
  }
  shared_.reset();
  writer_.reset();
  open_ = false;
  problem = agree(problem);
  if (!problem.empty()) throw GPZOutputError(problem);
}

// The problem of the lowest rank that has one, on all ranks; empty if none has.
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
