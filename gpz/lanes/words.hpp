// SPDX-License-Identifier: BSD-3-Clause
// Encoder: numbers of a block as the words of its states (docs/format.md, section 9d).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/kernels/kernels.hpp"
#include "gpz/kernels/step_kernels.hpp"
#include "gpz/lanes/codes.hpp"

namespace gpz::lanes {

// Counts of the numbers of a frame.
struct Counts {
  std::vector<ContextCounts> contexts = std::vector<ContextCounts>(core::step_contexts);
  std::array<std::array<std::uint32_t, 2>, core::step_side_levels> sides{};

  void add(const codec::StepItems *items, std::size_t count);
  void add(const Counts &other);
};

// How all tokens are coded, for the encoder.
class Shares {
 public:
  explicit Shares(const Codes &codes);
  // Words of a block of `steps`: states, then the words in the order in which they are read.
  void encode(std::size_t steps, const codec::StepItems *items, std::size_t count, std::vector<std::uint16_t> &words,
              const codec::StepKernels &kernels = codec::kernels().steps) const;
  codec::StepShares for_kernels() const { return {entries_.data(), near_.data()}; }

 private:
  std::vector<std::uint32_t> entries_;
  std::array<std::uint32_t, core::step_side_levels> near_{};
};

}  // namespace gpz::lanes
