// SPDX-License-Identifier: BSD-3-Clause
// The blocks of particles that are decoded, where not all have to be.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gpz/codec/target.hpp"
#include "gpz/core/block.hpp"
#include "gpz/format/budget.hpp"

namespace gpz::codec {

// Thrown if a difference chunk needs the history of all slots where only those of some blocks are followed. Reader
// catches it and follows all.
struct AllSlotsNeeded {};

class WantedBlocks {
 public:
  // All blocks.
  WantedBlocks() = default;
  // Those with a particle that the target writes, of n particles in blocks of `block_size`.
  WantedBlocks(const Target &target, std::size_t n, std::size_t block_size = core::default_block_size) {
    if (!target.is_partial) return;
    wanted_.resize((n + block_size - 1) / block_size);
    for (std::size_t b = 0; b < wanted_.size(); ++b) {
      const std::size_t first = b * block_size;
      if (target.from(first).skips(std::min(block_size, n - first))) continue;
      wanted_[b] = 1;
      numbers_.push_back(static_cast<std::uint32_t>(b));
    }
  }

  bool has(std::uint64_t block) const { return wanted_.empty() || wanted_[static_cast<std::size_t>(block)] != 0; }
  bool all() const { return wanted_.empty(); }
  // The wanted blocks, ascending. Of all blocks: nothing.
  const format::Column<std::uint32_t> &numbers() const { return numbers_; }

 private:
  format::Column<std::uint8_t> wanted_;  // empty: all
  format::Column<std::uint32_t> numbers_;
};

// Blocks of 1,024 slots of a chunk that are followed from frame to frame.
struct FollowedBlocks {
  const WantedBlocks &blocks;
  bool has_all;  // whether the other blocks have the history up to the last frame as well
};

}  // namespace gpz::codec
