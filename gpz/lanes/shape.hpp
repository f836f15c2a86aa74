// SPDX-License-Identifier: BSD-3-Clause
// How the numbers of a kind are distributed: the tables of contexts that are not stored (docs/format.md, section 9d).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/core/steps.hpp"

namespace gpz::lanes {

inline constexpr unsigned step_tokens = 2 * core::step_last_token + 1;
inline constexpr int lowest_token = -core::step_last_token;
inline constexpr std::size_t contexts_of_kind = core::step_contexts / core::step_numbers;
using ContextCounts = std::array<std::uint32_t, step_tokens + 1>;  // tokens from the lowest one on, then escapes
// Most contexts have none. A loop that is compiled to vectors.
inline bool has_numbers(const ContextCounts &counts) {
  std::uint32_t any = 0;
  for (const std::uint32_t count : counts) any |= count;
  return any != 0;
}

// Frequencies of neighbouring tokens. In place, because tables have hundreds of them.
class Frequencies {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::uint16_t operator[](std::size_t k) const { return of_[k]; }
  std::uint16_t front() const { return of_[0]; }
  std::uint16_t back() const { return of_[size_ - 1]; }
  std::uint16_t *begin() { return of_.data(); }
  std::uint16_t *end() { return of_.data() + size_; }
  const std::uint16_t *begin() const { return of_.data(); }
  const std::uint16_t *end() const { return of_.data() + size_; }

  void clear() { size_ = 0; }
  // At most step_tokens. New ones are unspecified.
  void resize(std::size_t size) { size_ = size; }
  template <typename From>
  void assign(From first, From last) {
    resize(static_cast<std::size_t>(last - first));
    std::transform(first, last, of_.begin(), [](auto f) { return static_cast<std::uint16_t>(f); });
  }
  friend bool operator==(const Frequencies &a, const Frequencies &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::array<std::uint16_t, step_tokens> of_{};
  std::size_t size_ = 0;
};

// Frequencies of tokens in one context. Tokens that are not in the range have frequency 0; the escape has the rest.
struct ContextCodes {
  std::int16_t first = 0;  // token
  Frequencies frequency;

  std::uint32_t of_escape() const;
  // Bits that these numbers take; a token without a share is an escape.
  double cost_of(const ContextCounts &counts) const;
};

// A sum of normal distributions in the units of a number's deviation. Their deviations are powers of the root of 2.
class Shape {
 public:
  static constexpr std::size_t normals = 10;
  static constexpr std::uint8_t most_weight = 255;

  // Encoder: from the counts in all contexts of a kind, most of which may be empty.
  void fit(const std::vector<ContextCounts> &counts, std::size_t kind);
  // Parts of the normal distributions. A shape without any has none of the tables.
  std::array<std::uint8_t, normals> &weights() { return weight_; }
  const std::array<std::uint8_t, normals> &weights() const { return weight_; }

  // The table of a context.
  ContextCodes codes_of(std::size_t context) const;
  // Encoder: the same where these numbers are known as well.
  ContextCodes codes_of(std::size_t context, const ContextCounts &counts) const;

 private:
  using Shares = std::array<double, step_tokens + 1>;

  void add_to(std::size_t context, double numbers, Shares &share) const;

  std::array<std::uint8_t, normals> weight_{};
};

}  // namespace gpz::lanes
