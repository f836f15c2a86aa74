// SPDX-License-Identifier: BSD-3-Clause
// Encoder only: large sections end the contests between codings after clear results (docs/decisions/0042-molecules.md).
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpz::model {

// Particles of a large section. There, one contest between codings takes as long as several frames.
constexpr std::size_t large_section = 262144;

// True if a section of `size` bytes is smaller than another by more than a 128th of the other. `other`: SIZE_MAX if
// no other coding could code the section.
constexpr bool is_clear_win(std::size_t size, std::size_t other) {
  constexpr std::size_t part = 128;
  return size < other && other - size > other / part;
}

// Clear wins in a row of one of two sides.
class ClearWins {
 public:
  // Call after each contest.
  void decided(bool is_clear, bool same_side_won) {
    if (!same_side_won) wins_ = 0;
    wins_ = is_clear ? wins_ + 1 : 0;
  }
  bool end_contests() const { return wins_ >= enough; }

 private:
  static constexpr unsigned enough = 2;

  unsigned wins_ = 0;
};

}  // namespace gpz::model
