// SPDX-License-Identifier: BSD-3-Clause
// Blocks of difference sections: one warp a block reads its payload and its history, writes the values and the history
// after the frame. Value i of a block is in row i / 32 of lane i % 32.
#include <type_traits>

#include "gpz/cuda/block/block_store.cuh"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/difference/kernels.hpp"
#include "gpz/cuda/difference/neighbours.cuh"
#include "gpz/cuda/difference/residual_reader.cuh"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

// Marks exceptions, and puts their indices in the place of the residuals. Returns bits of the status.
__device__ __noinline__ U32 place_indices(const U32 *words, U32 count, U32 n, int components, DecodeMemory &memory) {
  U32 status = 0;
  for (U32 e = this_lane(); e < count; e += warp_size) {
    const U32 i = words[e] & 0xFFFFu;
    const U32 d = words[e] >> 16;
    if (i >= n || d >= static_cast<U32>(components) || (e != 0 && words[e] <= words[e - 1])) {
      status |= section_damaged;
      continue;
    }
    const auto q = static_cast<std::int64_t>(word_pair(words + count + 2 * e));
    if (q <= -device_index_end || q >= device_index_end) status |= section_wide;
    memory.u[d][i / warp_size * padded_row + i % warp_size] = static_cast<U32>(q);
    atomicOr(&memory.exception[d][i / warp_size], 1u << i % warp_size);
  }
  __syncwarp();
  return warp_or(status);
}

// Which values are at their other image; false if there are more or fewer than flags.
__device__ __noinline__ bool read_flags(const DifferenceHistory &history, core::Predictor predictor, bool predict,
                                        U64 first, U32 n, int components, const core::ResidualRecord &record,
                                        const U32 *words, DecodeMemory &memory) {
  const U32 bit = 1u << this_lane();
  U32 count = 0;
  for (int d = 0; d < components; ++d) {
    const core::GridAxis &grid = history.axis[d].grid;
    for (int row = 0; row < difference_rows; ++row) {
      const U32 i = static_cast<U32>(row) * warp_size + this_lane();
      bool has_other = false;
      if (i < n) {
        const U64 slot = first + i;
        std::int64_t expected = history.last[d][slot];
        const std::int32_t step = expect_at(history, predictor, predict, d, slot);
        const U32 u = memory.u[d][row * padded_row + static_cast<int>(this_lane())];
        expected += std::int64_t{numbered_residual32(u, core::is_above(step))} + core::expected_step(step);
        expected = core::wrap(expected, grid);
        has_other = core::other_image(expected, grid, record.margin) != expected;
      }
      const U32 voters = __ballot_sync(full_mask, has_other);
      const U32 at = count + static_cast<U32>(__popc(voters & (bit - 1)));
      count += static_cast<U32>(__popc(voters));
      if (count > record.flags * 32) return false;
      const U32 there = __ballot_sync(full_mask, has_other && (words[at / 32] >> at % 32 & 1) != 0);
      if (this_lane() == 0) memory.elsewhere[d][row] = there;
    }
  }
  __syncwarp();
  return core::words_for_bits(count) == record.flags;
}

// The payload of a block; nullptr if the blocks, with the padding to 8 bytes, do not fill the section.
__device__ __forceinline__ const U32 *payload_of(const DifferenceDecode &params, U64 block) {
  const DifferenceLayout &layout = *params.layout;
  const U64 used = params.word_offsets[params.history.blocks];
  const U64 room = layout.end - layout.payload;
  if (used > room || room - used > 1 || (used != room && params.section[layout.end - 1] != 0)) return nullptr;
  return params.section + layout.payload + params.word_offsets[block];
}

template <typename T, typename Store, int D>
__global__ void __launch_bounds__(difference_warps *warp_size, 7)
    decode_blocks(const __grid_constant__ DifferenceDecode params) {
  constexpr bool history = !std::is_same_v<T, std::int64_t>;
  __shared__ DecodeMemory all_memory[difference_warps];
  static_assert(sizeof(typename Store::Shared) <= sizeof(DecodeMemory::bitmap));
  const U32 warp = threadIdx.x / warp_size;
  const U64 block = static_cast<U64>(blockIdx.x) * difference_warps + warp;
  if (*static_cast<volatile U32 *>(params.status) != 0) return;
  const bool has_neighbours = history && params.layout->neighbours.levels != 0;
  const bool exists = block < params.history.blocks;
  if (!exists && !has_neighbours) return;
  DecodeMemory &memory = all_memory[warp];
  const U32 n = exists ? particles_of(params.history, block) : 0;
  const core::ResidualRecord record = exists ? params.records[block] : core::ResidualRecord{};
  const U32 *words = exists ? payload_of(params, block) : nullptr;
  U32 status = words == nullptr || !read_residuals<D>(record, words, n, memory) ? section_damaged : 0;
  const core::Predictor predictor = params.layout->predictor;
  bool predict = history && predicts(predictor);
  bool ranks = record.triples;
  if (status == 0 && ranks && !are_ranks(n, memory.u[0])) status = section_damaged;
  const U32 *behind = words + record.bitmap;
  for (int d = 0; d < D; ++d)
    behind += core::packed_words(n, record.code[d].width, core::lanes_of(n, difference_block));
  if constexpr (history)
    if (has_neighbours) {
      const bool good = status == 0;
      status |= undo_neighbours<D>(params, block, good ? n : 0, good && ranks, behind + record.flags,
                                   good ? record.exceptions : 0, all_memory);
      if (!exists) return;
      predict = ranks = false;
    }
  if (status == 0 && (record.margin | record.flags | record.exceptions) != 0) {
    if (D == core::max_components && ranks)
      separate_triples(params.history, predictor, predict, block * difference_block, n, memory);
    ranks = false;
    // In this order: where a particle is expected follows from residuals, whose place the indices take.
    if (!read_flags(params.history, predictor, predict, block * difference_block, n, D, record, behind, memory))
      status = section_damaged;
    else
      status = place_indices(behind + record.flags, record.exceptions, n, D, memory);
  }
  if (status == 0) {
    __syncwarp();
    Store store(params.field, block, *reinterpret_cast<typename Store::Shared *>(memory.bitmap));
    if (predict)
      status = place_values<T, Store, D, history, history>(params, block, n, predictor, record, ranks, memory, store);
    else
      status = place_values<T, Store, D, history, false>(params, block, n, predictor, record, ranks, memory, store);
  }
  if (status != 0) atomicOr(params.status, status);
}

template <typename T, typename Store, int D>
void launch(const DifferenceDecode &params, cudaStream_t stream) {
  const auto ctas = static_cast<unsigned>((params.history.blocks + difference_warps - 1) / difference_warps);
  decode_blocks<T, Store, D><<<ctas, difference_warps * warp_size, 0, stream>>>(params);
  check(cudaGetLastError(), "decoding of differences");
}

template <typename T>
void launch_for(const DifferenceDecode &params, cudaStream_t stream) {
  const DecodeField &field = params.field;
  if (field.components == 1) return launch<T, AnyStore<T>, 1>(params, stream);
  if (field.components == 2) return launch<T, AnyStore<T>, 2>(params, stream);
  if constexpr (!std::is_same_v<T, std::int64_t>) {
    const Layout layout = layout_of(field);
    if (layout == Layout::separate) return launch<T, SeparateStore<T>, 3>(params, stream);
    if (layout == Layout::interleaved) return launch<T, InterleavedStore<T>, 3>(params, stream);
  }
  launch<T, AnyStore<T>, 3>(params, stream);
}

}  // namespace

void launch_decode_differences(const DifferenceDecode &params, cudaStream_t stream) {
  switch (params.field.value) {
    case core::Value::integer:
      return launch_for<std::int64_t>(params, stream);
    case core::Value::float32:
      return launch_for<float>(params, stream);
    case core::Value::float64:
      return launch_for<double>(params, stream);
  }
}

}  // namespace gpz::cuda
