// SPDX-License-Identifier: BSD-3-Clause
// Number contexts of a section of molecules: by the variance of what is expected (docs/format.md, section 9c).
#pragma once

#include <cstdint>

#include "gpz/core/residual.hpp"
#include "gpz/molecule/expected_way.hpp"

namespace gpz::molecule {

// Components that are known from others, others, and those of which little is known, resemble each other.
enum class Group : std::uint8_t { usual, last, wide };

struct Contexts {
  static constexpr unsigned most_levels = 40;
  static constexpr unsigned parts = 4;  // of a grid step, where the variance is small
  static constexpr unsigned fine = 8;   // levels below this one have them

  unsigned base = 0;  // the first level
  unsigned levels = 1;

  // Octaves of the variance, from an eighth of a square step on.
  static unsigned level_of(double variance) {
    const auto exponent = static_cast<int>(core::bit_cast<std::uint64_t>(variance) >> 52 & 2047);
    const int level = exponent - 1020;
    return level < 0 ? 0 : core::min_of(static_cast<unsigned>(level), most_levels - 1);
  }
  // How far it is from what is expected, in 1/64 and plus a half, to the next grid point.
  static unsigned part_of(std::int64_t expected) {
    const auto fraction = static_cast<unsigned>(expected & 63);
    return (fraction < 32 ? 31 - fraction : fraction - 32) >> 3;
  }

  unsigned of(Group group, unsigned level, unsigned part) const {
    const unsigned at = level <= base ? 0 : core::min_of(level - base, levels - 1);
    if (group == Group::wide) return 2 * of_group() + at;
    const unsigned first = group == Group::last ? of_group() : 0;
    return first + (at < fine_levels() ? parts * at + part : at + (parts - 1) * fine_levels());
  }
  unsigned of_side(unsigned level) const { return first_side() + level; }
  unsigned of_image(bool is_root, bool differs) const {
    return first_side() + ExpectedWay::side_levels + (is_root ? 0 : 2) + (differs ? 1 : 0);
  }
  unsigned count() const { return first_side() + ExpectedWay::side_levels + 4; }

 private:
  unsigned fine_levels() const { return base >= fine ? 0 : core::min_of(fine - base, levels); }
  unsigned of_group() const { return levels + (parts - 1) * fine_levels(); }
  unsigned first_side() const { return 2 * of_group() + levels; }
};

}  // namespace gpz::molecule
