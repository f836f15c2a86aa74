// SPDX-License-Identifier: BSD-3-Clause
// Frequencies of tokens and sides, as they are stored and as decoders look them up (docs/format.md, section 9d).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/core/steps.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/kernels/step_kernels.hpp"

namespace gpz::lanes {

inline constexpr unsigned step_tokens = 2 * core::step_last_token + 1;
inline constexpr int lowest_token = -core::step_last_token;
using PlaceCounts = std::array<std::uint32_t, step_tokens + 1>;  // tokens from the lowest one on, then escapes

// Of one place. Tokens that are not in the range have frequency 0; the escape has the rest.
struct PlaceCodes {
  std::int16_t first = 0;  // token
  std::vector<std::uint16_t> frequency;

  std::uint32_t of_escape() const;
};

class Codes {
 public:
  Codes();

  // Encoder: the best tables for these numbers.
  void choose(const std::vector<PlaceCounts> &counts,
              const std::array<std::array<std::uint32_t, 2>, core::step_side_levels> &sides);
  // Bits that numbers take; a token without a share is an escape.
  double cost_of(const std::vector<PlaceCounts> &counts,
                 const std::array<std::array<std::uint32_t, 2>, core::step_side_levels> &sides) const;

  void append(std::vector<std::uint8_t> &bytes) const;
  // Throws corrupt; the tables are unspecified then.
  std::size_t read(const std::uint8_t *bytes, std::size_t size);

  const PlaceCodes &of(std::size_t place) const { return places_[place]; }
  std::uint32_t near(std::size_t level) const { return sides_[level]; }
  codec::StepCodes for_kernels() const { return {entries_.data(), sides_.data()}; }
  std::size_t memory_usage() const;

 private:
  void fill();

  std::vector<PlaceCodes> places_;
  std::array<std::uint32_t, core::step_side_levels> sides_{};
  format::Column<std::uint32_t> entries_;
  std::vector<bool> is_filled_;  // with other entries than escapes
};

}  // namespace gpz::lanes
