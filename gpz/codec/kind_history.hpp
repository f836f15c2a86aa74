// SPDX-License-Identifier: BSD-3-Clause
// Predicts the kinds of successive particles from repeating molecules (docs/format.md, section 9d).
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpz::codec {

// Predicts the kind that last followed the same preceding kinds.
class KindHistory {
 public:
  // Kind that followed the last twelve kinds, or the last five if the twelve are new.
  std::uint8_t expected() const { return expected_; }
  // Context of the prediction's reliability.
  unsigned context() const { return (known_ != 0 ? 8u : 0u) + hits_; }
  static constexpr unsigned contexts = 16;
  // 0 for the predicted kind. Other kinds are numbered as if it did not exist.
  std::uint32_t number_of(std::uint8_t kind) const {
    const std::uint8_t known = expected();
    return kind == known ? 0u : kind < known ? kind + 1u : kind;
  }
  std::uint32_t kind_of(std::uint32_t number) const {
    const std::uint8_t known = expected();
    return number == 0 ? known : number <= known ? number - 1 : number;
  }

  void add(std::uint8_t kind) {
    hits_ = (hits_ << 1 | (kind == expected_ ? 1 : 0)) & 7;
    next_[after_five_] = kind;
    after_[after_twelve_] = static_cast<std::uint8_t>(kind + 1);
    older_ = older_ << 6 | (last_ >> 30 & 63);
    last_ = last_ << 6 | kind;
    after_five_ = bucket(last_ & mask(5), 0);
    after_twelve_ = bucket(last_ & mask(6), older_ & mask(6));
    known_ = after_[after_twelve_];
    expected_ = known_ != 0 ? static_cast<std::uint8_t>(known_ - 1) : next_[after_five_];
  }

 private:
  static constexpr int bits = 12;
  static constexpr std::uint64_t mask(int kinds) { return (std::uint64_t{1} << 6 * kinds) - 1; }
  static std::size_t bucket(std::uint64_t low, std::uint64_t high) {
    return static_cast<std::size_t>((low * 0x9E3779B97F4A7C15u ^ high * 0xC2B2AE3D27D4EB4Fu) >> (64 - bits));
  }

  std::uint8_t next_[1 << bits] = {};
  std::uint8_t after_[1 << bits] = {};  // 1 + kind; 0: unknown
  std::uint64_t last_ = 0;              // last kinds, six bits each
  std::uint64_t older_ = 0;             // kinds before those of last_
  unsigned hits_ = 0;                   // bits: hits of the last three
  // Buckets of the last five and twelve kinds, and the predictions from them.
  std::size_t after_five_ = 0;
  std::size_t after_twelve_ = 0;
  std::uint8_t known_ = 0;  // of after_
  std::uint8_t expected_ = 0;
};

}  // namespace gpz::codec
