// SPDX-License-Identifier: BSD-3-Clause
// Little-endian numbers in bytes: a writer that appends, and a reader that checks its range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "gpz/error.hpp"

namespace gpz::format {

template <class T>
T load_little(const std::uint8_t *bytes) {
  static_assert(std::is_unsigned_v<T>);
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value = static_cast<T>(value | static_cast<T>(bytes[i]) << (8 * i));
  return value;
}

template <class T>
void store_little(std::uint8_t *bytes, T value) {
  static_assert(std::is_unsigned_v<T>);
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

constexpr std::uint64_t round_up_8(std::uint64_t size) { return (size + 7) & ~std::uint64_t{7}; }

class ByteWriter {
 public:
  explicit ByteWriter(std::vector<std::uint8_t> &bytes) : bytes_(bytes) {}

  void u8(std::uint8_t value) { bytes_.push_back(value); }
  void u16(std::uint16_t value) { little(value); }
  void u32(std::uint32_t value) { little(value); }
  void u64(std::uint64_t value) { little(value); }
  void i64(std::int64_t value) { little(static_cast<std::uint64_t>(value)); }
  void f64(double value) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    little(bits);
  }
  void raw(const void *data, std::size_t size) {
    const auto *first = static_cast<const std::uint8_t *>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }
  void pad_to_8() { bytes_.resize(round_up_8(bytes_.size())); }

 private:
  template <class T>
  void little(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }

  std::vector<std::uint8_t> &bytes_;
};

// Throws corrupt at the first read past the end. Callers must provide the whole range, so that such a read means that a
// length inside the range is wrong.
class ByteReader {
 public:
  ByteReader(const std::uint8_t *bytes, std::size_t size) : bytes_(bytes), size_(size) {}

  std::size_t position() const { return position_; }
  std::size_t left() const { return size_ - position_; }

  const std::uint8_t *take(std::size_t count) {
    if (count > left()) throw Error(Status::corrupt, "a length is larger than what holds it", {}, position_);
    const std::uint8_t *start = bytes_ + position_;
    position_ += count;
    return start;
  }
  std::uint8_t u8() { return *take(1); }
  std::uint16_t u16() { return load_little<std::uint16_t>(take(2)); }
  std::uint32_t u32() { return load_little<std::uint32_t>(take(4)); }
  std::uint64_t u64() { return load_little<std::uint64_t>(take(8)); }
  std::int64_t i64() { return static_cast<std::int64_t>(u64()); }
  double f64() {
    const std::uint64_t bits = u64();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  std::string text(std::size_t length) {
    const std::uint8_t *start = take(length);
    return std::string(reinterpret_cast<const char *>(start), length);
  }

 private:
  const std::uint8_t *bytes_;
  std::size_t size_;
  std::size_t position_ = 0;
};

}  // namespace gpz::format
