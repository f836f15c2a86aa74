// SPDX-License-Identifier: BSD-3-Clause
// Rows of whole molecules, from the vectors between particles and their parents.
#pragma once

#include "gpz/cuda/steps/step_rows.cuh"
#include "gpz/lanes/rows.hpp"

namespace gpz::cuda {

inline constexpr std::uint32_t no_particle = UINT32_MAX;

__device__ __forceinline__ void store_whole(std::int32_t *row, const lanes::GridVector &at, lanes::RowImage image) {
  store_row(row, {static_cast<std::int32_t>(at[0]), static_cast<std::int32_t>(at[1]), static_cast<std::int32_t>(at[2])},
            static_cast<std::int32_t>(image));
}

struct WholeRow {
  StepRow row;
  lanes::RowImage image;
};

// A warp adds to the rows of a block, which have the vector from their parent and its image, those of the parent. Calls
// found(row, image of its parent) for each particle that has one.
template <typename Found>
__device__ __forceinline__ void make_whole(const StepLayout &layout, std::int32_t *rows, std::uint32_t first,
                                           std::uint32_t end, const Found &found) {
  struct Own {
    bool is_used, is_root;
    std::uint32_t parent;
    FullRow vector;
  };
  const auto load = [&](std::uint32_t s) {
    const std::size_t slot = slot_of(min(s, end - 1));
    Own own{};
    const codec::Step step = layout.steps[min(s, end - 1)];
    own.is_used = this_lane() < step.lanes;
    own.is_root = step.kind == core::StepKind::root;
    own.parent = layout.parent[slot];
    if (own.is_used) own.vector = full_row(row_of_slot(rows, slot));
    return own;
  };
  if (first == end) return;
  StepPrefetch prefetch(end);
  prefetch.add(rows, row_integers * core::step_lanes * sizeof(std::int32_t));
  prefetch.add(layout.parent, core::step_lanes * sizeof(std::uint32_t));
  prefetch.add(layout.steps, sizeof(codec::Step));
  Own next = load(first);
  for (std::uint32_t s = first; s < end; ++s) {
    prefetch.before(s);
    const Own own = next;
    next = load(s + 1);
    if (own.is_used) {
      WholeRow whole{own.vector.row, static_cast<lanes::RowImage>(own.vector.image)};
      if (!own.is_root) {
        const FullRow parent = full_row(referred_row(rows, own.parent));
        whole.row = row_sum(whole.row, parent.row);
        whole.image = lanes::sum_of(static_cast<lanes::RowImage>(parent.image), lanes::image_of(whole.image));
        store_row(row_of_slot(rows, slot_of(s)), whole.row, static_cast<std::int32_t>(whole.image));
        found(whole, static_cast<lanes::RowImage>(parent.image));
      }
    }
    __syncwarp();
  }
}

}  // namespace gpz::cuda
