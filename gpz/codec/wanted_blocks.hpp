// SPDX-License-Identifier: BSD-3-Clause
// The blocks that are decoded of a section whose blocks do not depend on each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gpz/codec/target.hpp"
#include "gpz/core/block.hpp"
#include "gpz/format/budget.hpp"

namespace gpz::codec {

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
      wanted_[b] = target.from(first).skips(std::min(block_size, n - first)) ? 0 : 1;
    }
  }

  bool has(std::uint64_t block) const { return wanted_.empty() || wanted_[static_cast<std::size_t>(block)] != 0; }
  bool all() const { return wanted_.empty(); }

 private:
  format::Column<std::uint8_t> wanted_;  // empty: all
};

}  // namespace gpz::codec
