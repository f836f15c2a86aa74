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

#ifndef LMP_GPZ_SHARED_FILE_H
#define LMP_GPZ_SHARED_FILE_H

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "gpz_plain_file.h"

namespace LAMMPS_NS {

// An existing file that the ranks of a group write, each at offsets of its own. Functions return what went wrong, or
// nothing.
class GPZSharedFile {
 public:
  // How: with the calls of the operating system, or, where several hosts would then undo each other's writes, with
  // MPI-IO.
  enum class Method { plain, mpi_io };

  // Collective over `group`.
  GPZSharedFile(MPI_Comm group, const std::string &path, Method method);
  ~GPZSharedFile();
  GPZSharedFile(const GPZSharedFile &) = delete;
  GPZSharedFile &operator=(const GPZSharedFile &) = delete;

  // The error of opening; empty if there was none.
  const std::string &problem() const { return problem_; }

  // Not collective.
  std::string write(std::uint64_t offset, const std::uint8_t *bytes, std::size_t size);
  // Collective.
  void truncate(std::uint64_t size);
  std::string close();

 private:
  std::string path_, problem_;
  std::unique_ptr<GPZPlainFile> plain_;  // with MPI-IO it only tries to open, and syncs
  bool first_ = true;                    // is this rank the group's first one?
#ifndef MPI_STUBS
  MPI_File file_ = MPI_FILE_NULL;

  void open_with_mpi(MPI_Comm group);
  std::string write_with_mpi(std::uint64_t offset, const std::uint8_t *bytes, std::size_t size);
  std::string failure(const char *what, int code, int system_error = 0) const;
#endif
};

}  // namespace LAMMPS_NS

#endif
