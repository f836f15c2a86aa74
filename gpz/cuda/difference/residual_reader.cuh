// SPDX-License-Identifier: BSD-3-Clause
// Reads the numbers of a block's residuals from its payload: planes and unary codes. All lanes of a warp call these
// functions together.
#pragma once

#include <cuda_pipeline.h>

#include "gpz/cuda/difference/unary.cuh"
#include "gpz/cuda/difference/values.cuh"

namespace gpz::cuda {

// Longest bitmap, in words, whose bits can be counted in 32 bits. A block has at most 3,072 ones.
inline constexpr std::uint32_t longest_bitmap = 1u << 26;

// Copies the plane of an axis to the memory of its values: word w of a lane goes to row w.
__device__ __forceinline__ void fetch_plane(const std::uint32_t *words, int width, std::uint32_t *u) {
  const auto lane = static_cast<int>(this_lane());
#pragma unroll 4
  for (int w = 0; w < width; ++w)
    __pipeline_memcpy_async(&u[w * padded_row + lane], &words[w * warp_size + lane], sizeof(std::uint32_t));
}

// Unpacks words to values in place. Each lane unpacks its own words, from the last value on: values have less than 32
// bits, so that no word is overwritten before it is read.
__device__ __forceinline__ void unpack_plane(std::uint32_t *u, int width) {
  std::uint32_t *mine = u + this_lane();
  if (width == 0) {
#pragma unroll 8
    for (int row = 0; row < difference_rows; ++row) mine[row * padded_row] = 0;
    return;
  }
  const auto mask = static_cast<std::uint32_t>(core::low_mask(width));
  constexpr int at_once = 8;
#pragma unroll 1
  for (int start = difference_rows - at_once; start >= 0; start -= at_once) {
    std::uint32_t value[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const auto bit = static_cast<std::uint32_t>((start + k) * width);
      const auto word = static_cast<int>(bit / 32);
      const int behind = min(word + 1, difference_rows - 1);
      value[k] = __funnelshift_r(mine[word * padded_row], mine[behind * padded_row], bit) & mask;
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) mine[(start + k) * padded_row] = value[k];
  }
}

// For blocks that are not full, whose planes have one lane.
inline __device__ __noinline__ void unpack_partial(const std::uint32_t *words, int width, std::uint32_t n,
                                                   std::uint32_t *u) {
  for (std::uint32_t i = this_lane(); i < difference_block; i += warp_size)
    u[i / warp_size * padded_row + i % warp_size] =
        i < n ? static_cast<std::uint32_t>(
                    core::get_bits(words, std::uint64_t{i} * static_cast<std::uint32_t>(width), width))
              : 0;
}

// Reads the residuals of all axes, for memory such as DecodeMemory. Returns false if the bitmap does not match the
// planes.
template <int D, typename Memory>
__device__ __forceinline__ bool read_residuals(const core::ResidualRecord &record, const std::uint32_t *words,
                                               std::uint32_t n, Memory &memory) {
  const std::uint32_t lane = this_lane();
  const bool full = n == difference_block;
  const std::uint32_t *bitmap = words;
#pragma unroll
  for (int d = 0; d < D; ++d) {
    if (full) fetch_plane(bitmap, record.code[d].width, memory.u[d]);
    bitmap += core::packed_words(n, record.code[d].width, core::lanes_of(n, difference_block));
  }
  if (record.bitmap > longest_bitmap) return false;
  const bool has_room = record.bitmap <= Memory::bitmap_room;
  for (std::uint32_t w = lane; has_room && w < record.bitmap; w += warp_size)
    __pipeline_memcpy_async(&memory.bitmap[w], &bitmap[w], sizeof(std::uint32_t));
  __pipeline_commit();
#pragma unroll
  for (int d = 0; d < D; ++d) memory.exception[d][lane] = memory.elsewhere[d][lane] = 0;
  __pipeline_wait_prior(0);
  __syncwarp();
  const std::uint32_t *plane = words;
#pragma unroll
  for (int d = 0; d < D; ++d) {
    const int width = record.code[d].width;
    if (full)
      unpack_plane(memory.u[d], width);
    else
      unpack_partial(plane, width, n, memory.u[d]);
    plane += core::packed_words(n, width, core::lanes_of(n, difference_block));
  }
  __syncwarp();
  const UnaryIndex index(has_room ? memory.bitmap : bitmap, record.bitmap);
  std::uint32_t first[D];
  std::uint32_t count[D];
  std::uint32_t wanted = 0;
#pragma unroll
  for (int d = 0; d < D; ++d) {
    count[d] = count_unary(memory.u[d], record.code[d], n);
    std::uint32_t total;
    first[d] = wanted + warp_exclusive_sum(count[d], &total);
    wanted += total;
  }
  if (wanted != index.total) return false;
#pragma unroll
  for (int d = 0; d < D; ++d) {
    const UnaryReader reader = index.from(first[d], count[d] != 0);
    if (count[d] != 0) add_unary(memory.u[d], record.code[d], n, reader);
  }
  __syncwarp();
  return true;
}

}  // namespace gpz::cuda
