// SPDX-License-Identifier: BSD-3-Clause
// Cuts one piece of memory into arrays, each aligned to 256 bytes. With a null base, it only measures.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpz::cuda {

class Carver {
 public:
  explicit Carver(void *base) : base_(static_cast<char *>(base)) {}
  template <typename T>
  T *take(std::uint64_t count) {
    const std::size_t at = used_;
    used_ += (count * sizeof(T) + 255) / 256 * 256;
    return base_ == nullptr ? nullptr : reinterpret_cast<T *>(base_ + at);
  }
  std::size_t used() const { return used_; }

 private:
  char *base_;
  std::size_t used_ = 0;
};

}  // namespace gpz::cuda
