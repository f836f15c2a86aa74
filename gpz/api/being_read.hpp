// SPDX-License-Identifier: BSD-3-Clause
// Files that readers of this process have open. Writers of this process must not truncate them.
#pragma once

#include <sys/stat.h>

#include <memory>

namespace gpz::api {

struct FilesBeingRead;

// Marks a file as being read during its lifetime.
class BeingRead {
 public:
  explicit BeingRead(const struct stat &facts);
  ~BeingRead();
  BeingRead(const BeingRead &) = delete;
  BeingRead &operator=(const BeingRead &) = delete;

 private:
  std::shared_ptr<FilesBeingRead> files_;  // keeps the registry for readers with static lifetime
  dev_t device_;
  ino_t inode_;
};

// Whether the file is being read, possibly under another name.
bool is_being_read(const struct stat &facts);

}  // namespace gpz::api
