// SPDX-License-Identifier: BSD-3-Clause
// Classes of particles, which share constants (docs/format.md, section 9d).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/codec/memory.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/molecule/tree.hpp"

namespace gpz::lanes {

inline constexpr std::size_t max_classes = 256;

// Particles with a single bond that is short, as those of hydrogen are.
class ShortBonds {
 public:
  ShortBonds() = default;
  // Encoder: q tells short bonds from long ones.
  ShortBonds(const molecule::Tree &tree, const codec::IndexColumns &q, const molecule::Cell &cell);

  bool has(std::size_t particle) const { return is_short_[particle] != 0; }
  friend bool operator==(const ShortBonds &a, const ShortBonds &b) { return a.is_short_ == b.is_short_; }

  std::size_t memory_usage() const { return codec::memory_of(is_short_); }

  void append(const molecule::Tree &tree, std::vector<std::uint8_t> &bytes) const;
  // Throws corrupt.
  std::size_t read(const molecule::Tree &tree, const std::uint8_t *bytes, std::size_t size);

 private:
  format::Column<std::uint8_t> is_short_;
};

// Classes by the bonds of a particle and of its references, as far as they are frequent. Returns how many classes
// there are.
std::size_t classify(const molecule::Tree &tree, const ShortBonds &bonds, format::Column<std::uint8_t> &of_class);

}  // namespace gpz::lanes
