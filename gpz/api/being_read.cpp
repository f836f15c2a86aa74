// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/being_read.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace gpz::api {

struct FilesBeingRead {
  std::mutex mutex;
  std::map<std::pair<dev_t, ino_t>, std::size_t> readers;
};

namespace {

const std::shared_ptr<FilesBeingRead> &files() {
  static const auto all = std::make_shared<FilesBeingRead>();
  return all;
}

}  // namespace

BeingRead::BeingRead(const struct stat &facts) : files_(files()), device_(facts.st_dev), inode_(facts.st_ino) {
  const std::lock_guard<std::mutex> lock(files_->mutex);
  ++files_->readers[{device_, inode_}];
}

BeingRead::~BeingRead() {
  const std::lock_guard<std::mutex> lock(files_->mutex);
  const auto found = files_->readers.find({device_, inode_});
  if (--found->second == 0) files_->readers.erase(found);
}

bool is_being_read(const struct stat &facts) {
  const std::lock_guard<std::mutex> lock(files()->mutex);
  return files()->readers.count({facts.st_dev, facts.st_ino}) > 0;
}

}  // namespace gpz::api
