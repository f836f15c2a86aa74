// SPDX-License-Identifier: BSD-3-Clause
// Reads a block of a difference section with one warp: residuals, flags, exceptions. `Wide`: 64-bit indices
// (DifferenceHistory::keys); otherwise indices below 2^30.
#pragma once

#include "gpz/cuda/block/decode.cuh"
#include "gpz/cuda/difference/params.hpp"
#include "gpz/cuda/difference/residual_reader.cuh"

namespace gpz::cuda {

// Marks exceptions and replaces their residuals by their indices, or, if `Wide`, by the numbers of the exceptions.
// Returns bits of the status.
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

// Reads which values are at their other image. Returns false if the number of flags is wrong.
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

// Payload of a block. Null if the blocks, with padding to 8 bytes, do not fill the section exactly.
__device__ __forceinline__ const std::uint32_t *payload_of(const DifferenceDecode &params, std::uint64_t block) {
  const DifferenceLayout &layout = *params.layout;
  const std::uint64_t used = params.word_offsets[params.history.blocks];
  const std::uint64_t room = layout.end - layout.payload;
  if (used > room || room - used > 1 || (used != room && params.section[layout.end - 1] != 0)) return nullptr;
  return params.section + layout.payload + params.word_offsets[block];
}

// Reads the numbers of a block's residuals, or ranks of triples. `behind` becomes the words of its flags. Returns bits
// of the status.
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

// Reads flags and exceptions. If there are any, ranks are replaced by numbers, and `ranks` is cleared. Returns bits of
// the status.
template <int D, bool Wide>
__device__ __forceinline__ std::uint32_t read_rest(const DifferenceDecode &params, std::uint64_t block, std::uint32_t n,
                                                   const core::ResidualRecord &record, core::Predictor predictor,
                                                   bool predict, const std::uint32_t *behind, bool &ranks,
                                                   DecodeMemory &memory) {
  if ((record.margin | record.flags | record.exceptions) == 0) return 0;
  const std::uint64_t first = block * difference_block;
  if (D == core::max_components && ranks) separate_triples(params.history, predictor, predict, first, n, memory);
  ranks = false;
  // In this order: flags depend on residuals, which indices of exceptions overwrite.
  if (!read_flags<Wide>(params.history, predictor, predict, first, n, D, record, behind, memory))
    return section_damaged;
  return place_indices<Wide>(behind + record.flags, record.exceptions, n, D, memory);
}

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
