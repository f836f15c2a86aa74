// SPDX-License-Identifier: BSD-3-Clause
// Files that readers of this process have open. Writers of the process must not empty them.
#pragma once

#include <sys/stat.h>

#include <memory>

namespace gpz::api {

struct FilesBeingRead;

// A file counts as being read while such an object for it exists.
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

// Whether the file is being read, under any name.
bool is_being_read(const struct stat &facts);

}  // namespace gpz::api
