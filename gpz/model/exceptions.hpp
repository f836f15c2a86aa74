// SPDX-License-Identifier: BSD-3-Clause
// Exceptions: indices too far from their prediction for a residual. Modelled sections store them in the order of their
// pass (docs/format.md, section 9a).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::model {

inline void append_exceptions(const std::vector<std::int64_t> &indices, format::ByteWriter &out) {
  out.u64(indices.size());
  for (const std::int64_t index : indices) out.i64(index);
}

// The bytes must outlive the reader. All functions throw corrupt.
class ExceptionReader {
 public:
  // Takes all exceptions from `in`.
  explicit ExceptionReader(format::ByteReader &in) : left_(in.u64()) {
    if (left_ > in.left() / sizeof(std::int64_t)) format::corrupt("number of exceptions", in.position());
    next_ = in.take(static_cast<std::size_t>(left_) * sizeof(std::int64_t));
  }

  std::int64_t next() {
    if (left_ == 0) format::corrupt("more exceptions than the section has");
    --left_;
    const auto index = static_cast<std::int64_t>(format::load_little<std::uint64_t>(next_));
    next_ += sizeof(std::int64_t);
    return index;
  }
  // Call after the last number of the section. Throws if exceptions are left over.
  void end() const {
    if (left_ != 0) format::corrupt("fewer exceptions than the section has");
  }

 private:
  std::uint64_t left_;
  const std::uint8_t *next_;
};

}  // namespace gpz::model
