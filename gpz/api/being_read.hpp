// SPDX-License-Identifier: BSD-3-Clause
// Which files the readers of this process have open, so that no writer of the process empties what is still to be read.
#pragma once

#include <sys/stat.h>

namespace gpz::api {

// A file is being read while objects for it live.
class BeingRead {
 public:
  explicit BeingRead(const struct stat &facts);
  ~BeingRead();
  BeingRead(const BeingRead &) = delete;
  BeingRead &operator=(const BeingRead &) = delete;

 private:
  dev_t device_;
  ino_t inode_;
};

// Whether the file is being read, by whatever name.
bool is_being_read(const struct stat &facts);

}  // namespace gpz::api
