// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/being_read.hpp"

#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

namespace gpz::api {
namespace {

struct Files {
  std::mutex mutex;
  std::map<std::pair<dev_t, ino_t>, std::size_t> readers;
};

// Never destroyed: readers may be static objects.
Files &files() {
  static Files *const all = new Files;
  return *all;
}

}  // namespace

BeingRead::BeingRead(const struct stat &facts) : device_(facts.st_dev), inode_(facts.st_ino) {
  const std::lock_guard<std::mutex> lock(files().mutex);
  ++files().readers[{device_, inode_}];
}

BeingRead::~BeingRead() {
  const std::lock_guard<std::mutex> lock(files().mutex);
  const auto found = files().readers.find({device_, inode_});
  if (--found->second == 0) files().readers.erase(found);
}

bool is_being_read(const struct stat &facts) {
  const std::lock_guard<std::mutex> lock(files().mutex);
  return files().readers.count({facts.st_dev, facts.st_ino}) > 0;
}

}  // namespace gpz::api
