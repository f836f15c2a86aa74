// SPDX-License-Identifier: BSD-3-Clause
// Writes the exact values of a section to the caller's arrays (docs/format.md, section 8, coding 1).
#pragma once

#include <cstdint>

#include "gpz/core/config.hpp"
#include "gpz/cuda/block/block_store.cuh"
#include "gpz/format/section_head.hpp"

namespace gpz::cuda {

// Stores one value, given as an index followed by bits, at row_of(row). Returns false if the index is beyond `rows`
// rows or beyond the components.
template <typename T, typename RowOf>
__device__ __forceinline__ bool store_exact(const std::uint64_t *exact, const DecodeField &to, std::uint64_t rows,
                                            const RowOf &row_of) {
  const std::uint64_t d = exact[0] >> format::exact_component_shift;
  const std::uint64_t i = exact[0] & format::exact_row_mask;
  if (d >= static_cast<std::uint64_t>(to.components) || i >= rows) return false;
  if (to.data[d] == nullptr) return true;
  T value;
  if constexpr (sizeof(T) == 4)
    value = core::bit_cast<T>(static_cast<std::uint32_t>(exact[1]));
  else
    value = core::bit_cast<T>(exact[1]);
  store(to, static_cast<int>(d), row_of(i), value);
  return true;
}

}  // namespace gpz::cuda
