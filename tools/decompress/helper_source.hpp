// SPDX-License-Identifier: BSD-3-Clause
// A remote file, whose bytes the program gpz-source of the Python package reads for this one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "gpz/source.hpp"

namespace gpz::tool {

// Starts gpz-source, and talks to it over two pipes; python/gpz/programs/source.py describes the messages. One request
// at a time.
class HelperSource final : public Source {
 public:
  // Throws Error: that of the helper, or io_error if it cannot be started or does not answer as it should. Failure
  // (usage) if there is no gpz-source.
  explicit HelperSource(const std::string &url);
  // Ends the helper.
  ~HelperSource() override;

  const std::string &name() const override { return name_; }
  std::uint64_t size() const override { return size_; }
  void read_at(std::uint64_t position, void *data, std::size_t size) const override {
    read_pieces({{position, data, size}});
  }
  void read_pieces(const std::vector<Piece> &pieces) const override;

 private:
  void start(const std::string &program, const std::string &url);
  void end();
  void take_opened();
  void send(const std::vector<std::uint8_t> &bytes) const;
  void take(void *data, std::size_t size) const;
  std::uint32_t take_kind() const;
  std::uint32_t take_u32() const;
  std::string take_text() const;
  [[noreturn]] void take_failure() const;
  [[noreturn]] void fail(const std::string &cause) const;

  std::string name_;
  std::uint64_t size_ = 0;
  pid_t process_ = -1;
  int requests_ = -1, answers_ = -1;  // descriptors
  mutable std::mutex mutex_;
  mutable std::string failure_;  // why the helper cannot be used any more
};

}  // namespace gpz::tool
