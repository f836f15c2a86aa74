// SPDX-License-Identifier: BSD-3-Clause
// Small tables of a section as a number stream after its length (docs/format.md, sections 9d and 10a).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/number_coder.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::lanes {

class NumberWriter {
 public:
  explicit NumberWriter(unsigned contexts) : numbers_(contexts) {}

  void put(unsigned context, std::uint32_t number) { numbers_.put(context, number); }
  void put_signed(unsigned context, std::int32_t number) {
    const auto bits = static_cast<std::uint32_t>(number);
    put(context, bits << 1 ^ (number < 0 ? UINT32_MAX : 0));
  }
  // Appends a multiple of 8 bytes.
  void append(std::vector<std::uint8_t> &bytes) {
    std::vector<std::uint8_t> stream;
    numbers_.finish(stream);
    format::ByteWriter(bytes).u64(stream.size());
    bytes.insert(bytes.end(), stream.begin(), stream.end());
  }

 private:
  codec::NumberEncoder numbers_;
};

class NumberReader {
 public:
  // From the start of `bytes`. Throws corrupt.
  NumberReader(const std::uint8_t *bytes, std::size_t size, unsigned contexts)
      : size_(length(bytes, size)), numbers_(bytes + sizeof(std::uint64_t), size_, contexts) {}

  // Throws corrupt if the number is above `most`.
  std::uint32_t get(unsigned context, std::uint32_t most) {
    const std::uint32_t number = numbers_.get(context);
    if (number > most) format::corrupt("a number of a table of steps", 0);
    return number;
  }
  std::int32_t get_signed(unsigned context, std::int32_t least, std::int32_t most) {
    const std::uint32_t bits = numbers_.get(context);
    const auto number = static_cast<std::int32_t>(bits >> 1 ^ (0U - (bits & 1)));
    if (number < least || number > most) format::corrupt("a number of a table of steps", 0);
    return number;
  }
  // Bytes of the stream and its length. Throws corrupt unless all numbers were read.
  std::size_t end() const {
    numbers_.end();
    return sizeof(std::uint64_t) + size_;
  }

 private:
  static std::size_t length(const std::uint8_t *bytes, std::size_t size) {
    const std::uint64_t length = format::ByteReader(bytes, size).u64();
    if (length > size - sizeof length || length % 8 != 0) format::corrupt("length of a table of steps", 0);
    return static_cast<std::size_t>(length);
  }

  std::size_t size_;
  codec::NumberDecoder numbers_;
};

}  // namespace gpz::lanes
