// SPDX-License-Identifier: BSD-3-Clause
// Which files the readers of this process have open, so that no writer of the process empties what is still to be read.
#pragma once

#include <sys/stat.h>

#include <memory>

namespace gpz::api {

struct FilesBeingRead;

// A file is being read while objects for it live.
class BeingRead {
 public:
  explicit BeingRead(const struct stat &facts);
  ~BeingRead();
  BeingRead(const BeingRead &) = delete;
  BeingRead &operator=(const BeingRead &) = delete;

 private:
  std::shared_ptr<FilesBeingRead> files_;  // static readers may outlive the pointer of this library
  dev_t device_;
  ino_t inode_;
};

// Whether the file is being read, by whatever name.
bool is_being_read(const struct stat &facts);

}  // namespace gpz::api
