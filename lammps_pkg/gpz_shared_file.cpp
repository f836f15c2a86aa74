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

#include "gpz_shared_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>

using namespace LAMMPS_NS;

namespace {

// Calls what throws; returns what it says.
template <class F>
std::string problem_of(F &&call) {
  try {
    call();
  } catch (const std::exception &e) {
    return e.what();
  }
  return {};
}

}  // namespace

#ifndef MPI_STUBS

GPZSharedFile::GPZSharedFile(MPI_Comm group, const std::string &path, Method method) : path_(path) {
  int me = 0;
  MPI_Comm_rank(group, &me);
  first_ = me == 0;
  problem_ = problem_of([&] { plain_ = std::make_unique<GPZPlainFile>(path); });
  if (method == Method::mpi_io) open_with_mpi(group);
}

// Open MPI waits for ever if it cannot open the file on some ranks only. That they can has just been tried.
void GPZSharedFile::open_with_mpi(MPI_Comm group) {
  int good = problem_.empty(), all_good = 0;
  MPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_MIN, group);
  if (!all_good) return;

  char *name = const_cast<char *>(path_.c_str());  // MPI 2 had no const
  const int code = MPI_File_open(group, name, MPI_MODE_WRONLY, MPI_INFO_NULL, &file_);
  if (code != MPI_SUCCESS) problem_ = failure("cannot open", code);
  good = code == MPI_SUCCESS;
  MPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_MIN, group);
  if (!all_good) file_ = MPI_FILE_NULL;  // to close it would take all ranks
}

GPZSharedFile::~GPZSharedFile() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (file_ != MPI_FILE_NULL && !finalized) MPI_File_close(&file_);
}

std::string GPZSharedFile::write(std::uint64_t offset, const std::uint8_t *bytes, std::size_t size) {
  if (file_ != MPI_FILE_NULL) return write_with_mpi(offset, bytes, size);
  return problem_of([&] { plain_->write(offset, bytes, size); });
}

std::string GPZSharedFile::write_with_mpi(std::uint64_t offset, const std::uint8_t *bytes, std::size_t size) {
  constexpr std::size_t largest_piece = std::size_t{1} << 30;  // MPI counts with an int
  std::size_t done = 0;
  while (done < size) {
    const int wanted = static_cast<int>(std::min(size - done, largest_piece));
    MPI_Status status;
    int written = 0;
    errno = 0;
    const int code = MPI_File_write_at(file_, static_cast<MPI_Offset>(offset) + static_cast<MPI_Offset>(done),
                                       const_cast<std::uint8_t *>(bytes) + done, wanted, MPI_BYTE, &status);
    const int system_error = errno;
    // OpenMPI returns success with a smaller count if a signal interrupts it, or on a full disk, where 0 is the only
    // sign that there is no room.
    if (code == MPI_SUCCESS) MPI_Get_count(&status, MPI_BYTE, &written);
    if (written <= 0 && system_error == EINTR) continue;
    if (code != MPI_SUCCESS) return failure("cannot write", code, system_error);
    if (written <= 0) return failure("cannot write", code, system_error ? system_error : ENOSPC);
    done += static_cast<std::size_t>(written);
  }
  return {};
}

void GPZSharedFile::truncate(std::uint64_t size) {
  if (file_ != MPI_FILE_NULL)
    MPI_File_set_size(file_, static_cast<MPI_Offset>(size));
  else if (first_ && plain_)
    problem_of([&] { plain_->cut(size); });  // if it fails, the file ends with a torn frame, which readers know
}

std::string GPZSharedFile::close() {
  if (!plain_) return {};
  const bool with_mpi = file_ != MPI_FILE_NULL;
  const int code = with_mpi ? MPI_File_close(&file_) : MPI_SUCCESS;
  std::string problem = code == MPI_SUCCESS ? std::string() : failure("cannot close", code);
  const std::string plain_problem = problem_of([&] {
    if (with_mpi) plain_->sync();  // Open MPI does not tell of errors in closing
    plain_->close();
  });
  plain_.reset();
  return problem.empty() ? plain_problem : problem;
}

// system_error: errno, if it is known; it says more than MPI does.
std::string GPZSharedFile::failure(const char *what, int code, int system_error) const {
  char reason[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, reason, &length);
  return path_ + ": " + what + ": " + (system_error ? std::strerror(system_error) : reason);
}

#else  // without MPI every group is one rank, and this is never used

GPZSharedFile::GPZSharedFile(MPI_Comm, const std::string &, Method) {}
GPZSharedFile::~GPZSharedFile() = default;
std::string GPZSharedFile::write(std::uint64_t, const std::uint8_t *, std::size_t) { return {}; }
void GPZSharedFile::truncate(std::uint64_t) {}
std::string GPZSharedFile::close() { return {}; }

#endif
