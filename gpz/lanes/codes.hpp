// SPDX-License-Identifier: BSD-3-Clause
// Frequencies of tokens and sides, as they are stored and as decoders look them up (docs/format.md, section 9d).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/core/steps.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/kernels/step_kernels.hpp"
#include "gpz/lanes/shape.hpp"

namespace gpz::lanes {

class Codes {
 public:
  Codes();

  // Encoder: the best tables for these numbers.
  void choose(const std::vector<ContextCounts> &counts,
              const std::array<std::array<std::uint32_t, 2>, core::step_side_levels> &sides);
  // Bits that numbers take; a token without a share is an escape.
  double cost_of(const std::vector<ContextCounts> &counts,
                 const std::array<std::array<std::uint32_t, 2>, core::step_side_levels> &sides) const;

  void append(std::vector<std::uint8_t> &bytes) const;
  // Throws corrupt; the tables are unspecified then.
  std::size_t read(const std::uint8_t *bytes, std::size_t size);

  const ContextCodes &codes_of(std::size_t context) const { return contexts_[context]; }
  std::uint32_t near(std::size_t level) const { return sides_[level]; }
  // Requires tables that were read.
  codec::StepCodes for_kernels() const { return {entries_.data(), sides_.data()}; }
  std::size_t memory_usage() const;

 private:
  // Levels of a kind whose tables follow from its shape.
  struct Levels {
    std::uint32_t first = 0, count = 0;

    bool has(unsigned level) const { return level >= first && level < first + count; }
    void take(unsigned level) {
      const std::uint32_t end = count == 0 ? level + 1 : std::max(first + count, level + 1);
      first = count == 0 ? level : std::min(first, level);
      count = end - first;
    }
  };

  void derive();
  void fill();

  std::array<Shape, core::step_numbers> shapes_;
  std::array<Levels, core::step_numbers> levels_{};
  std::vector<ContextCodes> contexts_;
  std::vector<bool> is_stored_;  // others follow from the shapes, or are empty
  std::array<std::uint32_t, core::step_side_levels> sides_{};
  format::Column<std::uint32_t> entries_;  // empty in encoders, which need no decoding tables
  std::vector<bool> is_filled_;            // with other entries than escapes
};

}  // namespace gpz::lanes
