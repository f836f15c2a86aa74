// SPDX-License-Identifier: BSD-3-Clause
// A file in memory, for functions that take a path or a descriptor.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "support.hpp"

namespace gpz::fuzz {

class MemoryFile {
 public:
  MemoryFile()
      : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(descriptor_)) {
    require(descriptor_ >= 0, "no file in memory");
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  // The file then has these bytes; the descriptor is at the first one.
  void fill(const std::uint8_t *bytes, std::size_t size) {
    require(::ftruncate(descriptor_, 0) == 0 && ::lseek(descriptor_, 0, SEEK_SET) == 0, "cannot empty a file");
    require(::write(descriptor_, bytes, size) == static_cast<ssize_t>(size), "cannot fill a file");
    require(::lseek(descriptor_, 0, SEEK_SET) == 0, "cannot go to the start of a file");
  }

  int descriptor() const { return descriptor_; }
  // Opens the file at its start, as often as wanted.
  const std::string &path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

}  // namespace gpz::fuzz
