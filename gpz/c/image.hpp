// SPDX-License-Identifier: BSD-3-Clause
// A .gpz file in memory that C callers free with free().
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpz/sink.hpp"

namespace gpz::c {

class Image final : public Sink {
 public:
  ~Image() override;

  const std::string &name() const override { return name_; }
  // Throws std::bad_alloc.
  void write(const std::vector<Span> &pieces) override;
  void cut(std::uint64_t size) override { size_ = static_cast<std::size_t>(size); }

  std::size_t size() const { return size_; }
  // Passes ownership of the bytes to the caller, for std::free. The image is empty afterwards.
  void *release();

 private:
  std::string name_ = "memory";
  unsigned char *bytes_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace gpz::c
