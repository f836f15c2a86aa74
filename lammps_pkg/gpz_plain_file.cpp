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

#include "gpz_plain_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#ifdef __linux__
#include <sys/vfs.h>
#endif

using namespace LAMMPS_NS;

namespace {

// Repeats a call that a signal interrupted.
template <class F>
auto retry(F &&call) -> decltype(call()) {
  for (;;) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

}  // namespace

GPZPlainFile::GPZPlainFile(const std::string &path) : path_(path) {
  descriptor_ = retry([&] { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC); });
  if (descriptor_ < 0) fail("cannot open");
}

GPZPlainFile::~GPZPlainFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void GPZPlainFile::fail(const char *what) const {
  throw std::runtime_error(path_ + ": " + what + ": " + std::generic_category().message(errno));
}

void GPZPlainFile::write(std::uint64_t offset, const void *bytes, std::size_t size) {
  constexpr std::size_t largest_piece = std::size_t{1} << 30;  // not every system takes more at once
  const auto *next = static_cast<const char *>(bytes);
  while (size > 0) {
    const ssize_t put =
        retry([&] { return ::pwrite(descriptor_, next, std::min(size, largest_piece), static_cast<off_t>(offset)); });
    if (put == 0) errno = EIO;
    if (put <= 0) fail("cannot write");
    next += put;
    offset += static_cast<std::uint64_t>(put);
    size -= static_cast<std::size_t>(put);
  }
}

void GPZPlainFile::cut(std::uint64_t size) {
  struct stat facts {};
  if (::fstat(descriptor_, &facts) != 0) fail("cannot examine");
  if (static_cast<std::uint64_t>(facts.st_size) <= size) return;
  if (retry([&] { return ::ftruncate(descriptor_, static_cast<off_t>(size)); }) != 0) fail("cannot cut");
}

void GPZPlainFile::sync() {
  if (retry([&] { return ::fsync(descriptor_); }) != 0) fail("cannot sync");
}

void GPZPlainFile::close() {
  // Not repeated when interrupted: the descriptor is released already and may belong to someone else by then.
  const int result = ::close(descriptor_);
  descriptor_ = -1;
  if (result != 0 && errno != EINTR) fail("cannot close");
}

// Parallel file systems do. NFS, SMB and what passes through FUSE may write back whole pages of a host's cache, and so
// undo what another host has written to the rest of the page.
bool GPZPlainFile::takes_several_hosts(const std::string &path) {
#ifdef __linux__
  struct statfs facts {};
  if (retry([&] { return ::statfs(path.c_str(), &facts); }) != 0) return false;
  switch (static_cast<std::uint32_t>(facts.f_type)) {
    case 0x0BD00BD0:  // Lustre
    case 0x47504653:  // Spectrum Scale (GPFS)
    case 0x19830326:  // BeeGFS
    case 0x00C36400:  // Ceph
    case 0xAAD7AAEA:  // PanFS
    case 0x20030528:  // OrangeFS
    case 0x01161970:  // GFS2
    case 0x7461636F:  // OCFS2
      return true;
    default:
      return false;
  }
#else
  static_cast<void>(path);
  return false;
#endif
}
