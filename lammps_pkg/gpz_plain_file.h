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

#ifndef LMP_GPZ_PLAIN_FILE_H
#define LMP_GPZ_PLAIN_FILE_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace LAMMPS_NS {

// An existing file that several processes write, each at offsets of its own, with the calls of the operating system.
// Functions throw std::runtime_error with the file's name and the reason.
class GPZPlainFile {
 public:
  explicit GPZPlainFile(const std::string &path);
  // Closes; errors are lost.
  ~GPZPlainFile();
  GPZPlainFile(const GPZPlainFile &) = delete;
  GPZPlainFile &operator=(const GPZPlainFile &) = delete;

  // When it returns, the operating system has accepted all bytes.
  void write(std::uint64_t offset, const void *bytes, std::size_t size);
  // Leaves at most `size` bytes.
  void cut(std::uint64_t size);
  // When it returns, the bytes are on the medium: also those that others wrote on this host.
  void sync();
  // The file is closed even if this throws.
  void close();

  // Do plain writes of several hosts into one block of this file leave each other's bytes alone?
  static bool takes_several_hosts(const std::string &path);

 private:
  std::string path_;
  int descriptor_;

  [[noreturn]] void fail(const char *what) const;
};

}  // namespace LAMMPS_NS

#endif
