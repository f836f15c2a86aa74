// SPDX-License-Identifier: BSD-3-Clause
// The bytes of an input as a list of decisions. Where there are no more, every decision is 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gpz::fuzz {

class Program {
 public:
  Program(const std::uint8_t *bytes, std::size_t size) : bytes_(bytes), size_(size) {}

  std::size_t left() const { return size_; }
  const std::uint8_t *rest() const { return bytes_; }

  template <typename T>
  T number() {
    T value{};
    const std::size_t taken = std::min(sizeof value, size_);
    if (taken != 0) std::memcpy(&value, bytes_, taken);
    skip(taken);
    return value;
  }
  // Below `count`, which is at most 256.
  std::size_t choice(std::size_t count) { return number<std::uint8_t>() % count; }
  bool flag() { return choice(2) == 1; }
  template <typename T, std::size_t N>
  T one_of(const T (&values)[N]) {
    return values[choice(N)];
  }
  // The next bytes as a program of their own.
  Program part(std::size_t size) {
    const Program taken(bytes_, std::min(size, size_));
    skip(taken.size_);
    return taken;
  }

 private:
  void skip(std::size_t size) {
    bytes_ += size;
    size_ -= size;
  }

  const std::uint8_t *bytes_;
  std::size_t size_;
};

}  // namespace gpz::fuzz
