// SPDX-License-Identifier: BSD-3-Clause
// What a block of a difference section stores, read by its warp: residuals, flags, exceptions. Wide: of 64-bit
// indices, DifferenceHistory::keys; otherwise of those below 2^30.
#pragma once

#include <cuda_pipeline.h>

#include "gpz/cuda/block/decode.cuh"
#include "gpz/cuda/difference/params.hpp"
#include "gpz/cuda/difference/unary.cuh"
#include "gpz/cuda/difference/values.cuh"

namespace gpz::cuda {

// Words a bitmap can have: beyond it the ones could not be counted in 32 bits, and there are 3,072 at most.
inline constexpr std::uint32_t longest_bitmap = 1u << 26;

// The plane of an axis on its way to where its values will be: word w of a lane in row w.
__device__ __forceinline__ void fetch_plane(const std::uint32_t *words, int width, std::uint32_t *u) {
  const auto lane = static_cast<int>(this_lane());
#pragma unroll 4
  for (int w = 0; w < width; ++w)
    __pipeline_memcpy_async(&u[w * padded_row + lane], &words[w * warp_size + lane], sizeof(std::uint32_t));
}

// Values in place of the words. A lane takes its own, from the last one on: as they have less than 32 bits, nothing is
// written over before it was read.
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

// A block that is not full has one lane.
inline __device__ __noinline__ void unpack_partial(const std::uint32_t *words, int width, std::uint32_t n,
                                                   std::uint32_t *u) {
  for (std::uint32_t i = this_lane(); i < difference_block; i += warp_size)
    u[i / warp_size * padded_row + i % warp_size] =
        i < n ? static_cast<std::uint32_t>(
                    core::get_bits(words, std::uint64_t{i} * static_cast<std::uint32_t>(width), width))
              : 0;
}

// Marks exceptions, and puts their indices in the place of the residuals; Wide: their numbers. Returns bits of the
// status.
template <bool Wide>
inline __device__ __noinline__ std::uint32_t place_indices(const std::uint32_t *words, std::uint32_t count,
                                                           std::uint32_t n, int components, DecodeMemory &memory) {
  std::uint32_t status = 0;
  for (std::uint32_t e = this_lane(); e < count; e += warp_size) {
    const std::uint32_t i = words[e] & 0xFFFFu;
    const std::uint32_t d = words[e] >> 16;
    if (i >= n || d >= static_cast<std::uint32_t>(components) || (e != 0 && words[e] <= words[e - 1])) {
      status |= section_damaged;
      continue;
    }
    const auto q = static_cast<std::int64_t>(word_pair(words + count + 2 * e));
    if (!Wide && (q <= -device_index_end || q >= device_index_end)) status |= section_wide;
    memory.u[d][i / warp_size * padded_row + i % warp_size] = Wide ? e : static_cast<std::uint32_t>(q);
    atomicOr(&memory.exception[d][i / warp_size], 1u << i % warp_size);
  }
  __syncwarp();
  return warp_or(status);
}

// Which values are at their other image; false if there are more or fewer than flags.
template <bool Wide>
inline __device__ __noinline__ bool read_flags(const DifferenceHistory &history, core::Predictor predictor,
                                               bool predict, std::uint64_t first, std::uint32_t n, int components,
                                               const core::ResidualRecord &record, const std::uint32_t *words,
                                               DecodeMemory &memory) {
  const std::uint32_t bit = 1u << this_lane();
  std::uint32_t count = 0;
  for (int d = 0; d < components; ++d) {
    const core::GridAxis &grid = history.axis[d].grid;
    for (int row = 0; row < difference_rows; ++row) {
      const std::uint32_t i = static_cast<std::uint32_t>(row) * warp_size + this_lane();
      bool has_other = false;
      if (i < n) {
        const std::uint64_t slot = first + i;
        const std::int64_t last = Wide ? history.keys[d][slot] : history.last[d][slot];
        const std::int32_t step = expect_at(history, predictor, predict, d, slot);
        const std::uint32_t u = memory.u[d][row * padded_row + static_cast<int>(this_lane())];
        const std::int64_t moved =
            std::int64_t{numbered_residual32(u, core::is_above(step))} + core::expected_step(step);
        const std::int64_t expected = core::wrap(core::sum_of(last, moved), grid);
        has_other = core::other_image(expected, grid, record.margin) != expected;
      }
      const std::uint32_t voters = __ballot_sync(full_mask, has_other);
      const std::uint32_t at = count + static_cast<std::uint32_t>(__popc(voters & (bit - 1)));
      count += static_cast<std::uint32_t>(__popc(voters));
      if (count > record.flags * 32) return false;
      const std::uint32_t there = __ballot_sync(full_mask, has_other && (words[at / 32] >> at % 32 & 1) != 0);
      if (this_lane() == 0) memory.elsewhere[d][row] = there;
    }
  }
  __syncwarp();
  return core::words_for_bits(count) == record.flags;
}

// Residuals of all axes, for memory such as DecodeMemory; false if the bitmap is not that of these planes.
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

// The payload of a block; nullptr if the blocks, with the padding to 8 bytes, do not fill the section.
__device__ __forceinline__ const std::uint32_t *payload_of(const DifferenceDecode &params, std::uint64_t block) {
  const DifferenceLayout &layout = *params.layout;
  const std::uint64_t used = params.word_offsets[params.history.blocks];
  const std::uint64_t room = layout.end - layout.payload;
  if (used > room || room - used > 1 || (used != room && params.section[layout.end - 1] != 0)) return nullptr;
  return params.section + layout.payload + params.word_offsets[block];
}

// The numbers of residuals of a block, or ranks of triples; `behind` becomes the words of its flags. Returns bits of
// the status.
template <int D>
__device__ __forceinline__ std::uint32_t read_numbers(const DifferenceDecode &params, std::uint64_t block,
                                                      std::uint32_t n, const core::ResidualRecord &record,
                                                      const std::uint32_t *&behind, DecodeMemory &memory) {
  const std::uint32_t *words = payload_of(params, block);
  if (words == nullptr || !read_residuals<D>(record, words, n, memory)) return section_damaged;
  behind = words + record.bitmap;
  for (int d = 0; d < D; ++d)
    behind += core::packed_words(n, record.code[d].width, core::lanes_of(n, difference_block));
  return record.triples && !are_ranks(n, memory.u[0]) ? section_damaged : 0;
}

// Indices of exceptions, and which values are at their other image. In place of ranks, as long as `ranks` is set, come
// numbers if any of that is there. Returns bits of the status.
template <int D, bool Wide>
__device__ __forceinline__ std::uint32_t read_rest(const DifferenceDecode &params, std::uint64_t block, std::uint32_t n,
                                                   const core::ResidualRecord &record, core::Predictor predictor,
                                                   bool predict, const std::uint32_t *behind, bool &ranks,
                                                   DecodeMemory &memory) {
  if ((record.margin | record.flags | record.exceptions) == 0) return 0;
  const std::uint64_t first = block * difference_block;
  if (D == core::max_components && ranks) separate_triples(params.history, predictor, predict, first, n, memory);
  ranks = false;
  // In this order: where a particle is expected follows from residuals, whose place the indices take.
  if (!read_flags<Wide>(params.history, predictor, predict, first, n, D, record, behind, memory))
    return section_damaged;
  return place_indices<Wide>(behind + record.flags, record.exceptions, n, D, memory);
}

// Both of it.
template <int D, bool Wide>
__device__ __forceinline__ std::uint32_t read_block(const DifferenceDecode &params, std::uint64_t block,
                                                    std::uint32_t n, const core::ResidualRecord &record,
                                                    core::Predictor predictor, bool predict, bool &ranks,
                                                    DecodeMemory &memory) {
  const std::uint32_t *behind = nullptr;
  const std::uint32_t status = read_numbers<D>(params, block, n, record, behind, memory);
  if (status != 0) return status;
  return read_rest<D, Wide>(params, block, n, record, predictor, predict, behind, ranks, memory);
}

}  // namespace gpz::cuda
