// SPDX-License-Identifier: BSD-3-Clause
// How the numbers of a kind are distributed: the tables of places that are not stored (docs/format.md, section 9d).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/core/steps.hpp"

namespace gpz::lanes {

inline constexpr unsigned step_tokens = 2 * core::step_last_token + 1;
inline constexpr int lowest_token = -core::step_last_token;
inline constexpr std::size_t places_of_kind = core::step_places / core::step_numbers;
using PlaceCounts = std::array<std::uint32_t, step_tokens + 1>;  // tokens from the lowest one on, then escapes

// Of one place. Tokens that are not in the range have frequency 0; the escape has the rest.
struct PlaceCodes {
  std::int16_t first = 0;  // token
  std::vector<std::uint16_t> frequency;

  std::uint32_t of_escape() const;
  // Bits that these numbers take; a token without a share is an escape.
  double cost_of(const PlaceCounts &counts) const;
};

// A sum of normal distributions in the units of a number's deviation. Their deviations are powers of the root of 2.
class Shape {
 public:
  static constexpr std::size_t normals = 10;
  static constexpr std::uint8_t most_weight = 255;

  // Encoder: from the numbers of all places of a kind, of which few are known.
  void fit(const std::vector<PlaceCounts> &counts, std::size_t kind);
  // Parts of the normal distributions. A shape without any has none of the tables.
  std::array<std::uint8_t, normals> &weights() { return weight_; }
  const std::array<std::uint8_t, normals> &weights() const { return weight_; }

  // The table of a place.
  PlaceCodes codes_of(std::size_t place) const;
  // Encoder: the same where these numbers are known as well.
  PlaceCodes codes_of(std::size_t place, const PlaceCounts &counts) const;

 private:
  using Shares = std::array<double, step_tokens + 1>;

  void add_to(std::size_t place, double numbers, Shares &share) const;

  std::array<std::uint8_t, normals> weight_{};
};

}  // namespace gpz::lanes
