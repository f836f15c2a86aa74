// SPDX-License-Identifier: BSD-3-Clause
// Shared by the kernels that decode blocks of ordered sections: memory of a warp, payload, exceptions, flags, and
// output of values.
#pragma once

#include "gpz/core/quantize.hpp"
#include "gpz/cuda/block/block_store.cuh"
#include "gpz/cuda/block/decode.cuh"
#include "gpz/cuda/difference/read_block.cuh"
#include "gpz/cuda/ordered/params.hpp"

namespace gpz::cuda {

// Memory of a warp.
struct OrderedMemory {
  static constexpr std::uint32_t bitmap_room = difference_block;
  // Used in turn: for the bitmap, for ids less the first id, and for values to be written to memory.
  __align__(16) std::uint32_t bitmap[bitmap_room];
  std::uint32_t u[core::max_components][padded_block];
  std::uint32_t exception[core::max_components][difference_rows];  // one word per row, as in elsewhere
  std::uint32_t elsewhere[core::max_components][difference_rows];  // the value is at its other image
};

__device__ __forceinline__ std::uint32_t padded_index(std::uint32_t i) {
  return i / warp_size * padded_row + i % warp_size;
}

// Parts of a block's payload after its planes and its bitmap.
struct OrderedPayload {
  const std::uint32_t *flags;
  const std::uint32_t *indices;  // of exceptions
  std::uint32_t exceptions;

  __device__ __forceinline__ OrderedPayload(const core::ResidualRecord &record, const std::uint32_t *words,
                                            int components, std::uint32_t n)
      : flags(words + record.bitmap), exceptions(record.exceptions) {
    for (int d = 0; d < components; ++d)
      flags += core::packed_words(n, record.code[d].width, core::lanes_of(n, difference_block));
    indices = flags + record.flags;
  }

  __device__ __forceinline__ std::uint32_t index(std::uint32_t e) const { return indices[e] & 0xFFFFu; }
  __device__ __forceinline__ int component(std::uint32_t e) const { return static_cast<int>(indices[e] >> 16); }
  __device__ __forceinline__ std::int64_t value(std::uint32_t e) const {
    return static_cast<std::int64_t>(word_pair(indices + exceptions + 2 * e));
  }
  // True if exception e has a valid index, after that of the previous exception.
  __device__ __forceinline__ bool is_valid(std::uint32_t e, int components, std::uint32_t n) const {
    return index(e) < n && component(e) < components && (e == 0 || indices[e] > indices[e - 1]);
  }
};

// Payload of a block. Null if the blocks, with padding to 8 bytes, do not fill the section exactly.
__device__ __forceinline__ const std::uint32_t *payload_of(const OrderedDecode &params, std::uint64_t block) {
  const OrderedLayout &layout = *params.layout;
  const std::uint64_t used = params.word_offsets[params.blocks];
  const std::uint64_t room = layout.end - layout.payload;
  if (used > room || room - used > 1 || (used != room && params.section[layout.end - 1] != 0)) return nullptr;
  return params.section + layout.payload + params.word_offsets[block];
}

// Reads which values are at their other image. Returns false if the number of flags is wrong. position(d, row) is the
// position of this lane's value. Called by all lanes.
template <typename Position>
__device__ __forceinline__ bool read_flags(const OrderedLayout &layout, const core::ResidualRecord &record,
                                           const std::uint32_t *flags, int components, std::uint32_t n,
                                           const Position &position, OrderedMemory &memory) {
  const std::uint32_t bit = 1u << this_lane();
  std::uint32_t count = 0;
  for (int d = 0; d < components && record.margin != 0; ++d) {
    const core::GridAxis axis = layout.axis[d];
    for (int row = 0; row < difference_rows; ++row) {
      const std::uint32_t i = static_cast<std::uint32_t>(row) * warp_size + this_lane();
      bool has_other = false;
      if (i < n) {
        const std::int64_t here = position(d, row);
        has_other = core::other_image(here, axis, record.margin) != here;
      }
      const std::uint32_t voters = __ballot_sync(full_mask, has_other);
      const std::uint32_t at = count + static_cast<std::uint32_t>(__popc(voters & (bit - 1)));
      count += static_cast<std::uint32_t>(__popc(voters));
      if (count > record.flags * 32) return false;
      const std::uint32_t there = __ballot_sync(full_mask, has_other && (flags[at / 32] >> at % 32 & 1) != 0);
      if (this_lane() == 0) memory.elsewhere[d][row] = there;
    }
  }
  __syncwarp();
  return core::words_for_bits(count) == record.flags;
}

template <typename T>
__device__ __forceinline__ T ordered_value(std::int64_t q, double step) {
  if constexpr (std::is_same_v<T, std::int64_t>)
    return q;
  else
    return core::grid_value<T>(static_cast<double>(q), step);
}

// Writes the values of a block. position(d, row) is as in read_flags. Called by all lanes.
template <typename T, typename Store, int D, typename Position>
__device__ __forceinline__ void place_values(const DecodeField &field, const OrderedLayout &layout,
                                             const core::ResidualRecord &record, const OrderedPayload &payload,
                                             std::uint64_t block, std::uint32_t n, const Position &position,
                                             const OrderedMemory &memory, Store &store) {
  const std::uint64_t first = block * difference_block;
  const bool full = n == difference_block;
#pragma unroll 2
  for (int row = 0; row < difference_rows; ++row) {
    const std::uint32_t i = static_cast<std::uint32_t>(row) * warp_size + this_lane();
    T value[core::max_components] = {};
#pragma unroll
    for (int d = 0; d < D; ++d) {
      std::int64_t q = position(d, row);
      if (record.flags != 0 && (memory.elsewhere[d][row] >> this_lane() & 1) != 0)
        q = core::other_image(q, layout.axis[d], record.margin);
      value[d] = ordered_value<T>(q, field.step);
    }
    if (full) {
      store.put(row, value);
    } else if (i < n) {
#pragma unroll
      for (int d = 0; d < D; ++d)
        if (field.data[d] != nullptr) gpz::cuda::store(field, d, first + i, value[d]);
    }
  }
  if (payload.exceptions == 0) return;
  __syncwarp();
  for (std::uint32_t e = this_lane(); e < payload.exceptions; e += warp_size) {
    const int d = payload.component(e);
    if (field.data[d] != nullptr)
      gpz::cuda::store(field, d, first + payload.index(e), ordered_value<T>(payload.value(e), field.step));
  }
}

}  // namespace gpz::cuda
