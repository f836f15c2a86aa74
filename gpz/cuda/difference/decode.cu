// SPDX-License-Identifier: BSD-3-Clause
// Blocks of difference sections: one warp a block reads its payload and its history, writes the values and the history
// after the frame. Value i of a block is in row i / 32 of lane i % 32.
#include <cuda_pipeline.h>

#include <type_traits>

#include "gpz/cuda/block/block_store.cuh"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/difference/kernels.hpp"
#include "gpz/cuda/difference/unary.cuh"
#include "gpz/cuda/difference/values.cuh"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

// Words a bitmap can have: beyond it the ones could not be counted in 32 bits, and there are 3,072 at most.
constexpr U32 longest_bitmap = 1u << 26;

// The plane of an axis on its way to where its values will be: word w of a lane in row w.
__device__ __forceinline__ void fetch_plane(const U32 *words, int width, U32 *u) {
  const auto lane = static_cast<int>(this_lane());
#pragma unroll 4
  for (int w = 0; w < width; ++w)
    __pipeline_memcpy_async(&u[w * padded_row + lane], &words[w * warp_size + lane], sizeof(U32));
}

// Values in place of the words. A lane takes its own, from the last one on: as they have less than 32 bits, nothing is
// written over before it was read.
__device__ __forceinline__ void unpack_plane(U32 *u, int width) {
  U32 *mine = u + this_lane();
  if (width == 0) {
#pragma unroll 8
    for (int row = 0; row < difference_rows; ++row) mine[row * padded_row] = 0;
    return;
  }
  const auto mask = static_cast<U32>(core::low_mask(width));
  constexpr int at_once = 8;
#pragma unroll 1
  for (int start = difference_rows - at_once; start >= 0; start -= at_once) {
    U32 value[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const auto bit = static_cast<U32>((start + k) * width);
      const auto word = static_cast<int>(bit / 32);
      const int behind = min(word + 1, difference_rows - 1);
      value[k] = __funnelshift_r(mine[word * padded_row], mine[behind * padded_row], bit) & mask;
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) mine[(start + k) * padded_row] = value[k];
  }
}

// A block that is not full has one lane.
__device__ __noinline__ void unpack_partial(const U32 *words, int width, U32 n, U32 *u) {
  for (U32 i = this_lane(); i < difference_block; i += warp_size)
    u[i / warp_size * padded_row + i % warp_size] =
        i < n ? static_cast<U32>(core::get_bits(words, U64{i} * static_cast<U32>(width), width)) : 0;
}

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

// Residuals of all axes; false if the bitmap is not that of these planes.
template <int D>
__device__ __forceinline__ bool read_residuals(const core::ResidualRecord &record, const U32 *words, U32 n,
                                               DecodeMemory &memory) {
  const U32 lane = this_lane();
  const bool full = n == difference_block;
  const U32 *bitmap = words;
#pragma unroll
  for (int d = 0; d < D; ++d) {
    if (full) fetch_plane(bitmap, record.code[d].width, memory.u[d]);
    bitmap += core::packed_words(n, record.code[d].width, core::lanes_of(n, difference_block));
  }
  if (record.bitmap > longest_bitmap) return false;
  const bool has_room = record.bitmap <= DecodeMemory::bitmap_room;
  for (U32 w = lane; has_room && w < record.bitmap; w += warp_size)
    __pipeline_memcpy_async(&memory.bitmap[w], &bitmap[w], sizeof(U32));
  __pipeline_commit();
#pragma unroll
  for (int d = 0; d < D; ++d) memory.exception[d][lane] = memory.elsewhere[d][lane] = 0;
  __pipeline_wait_prior(0);
  __syncwarp();
  const U32 *plane = words;
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
  U32 first[D];
  U32 count[D];
  U32 wanted = 0;
#pragma unroll
  for (int d = 0; d < D; ++d) {
    count[d] = count_unary(memory.u[d], record.code[d], n);
    U32 total;
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
  if (block >= params.history.blocks || *static_cast<volatile U32 *>(params.status) != 0) return;
  DecodeMemory &memory = all_memory[warp];
  const U32 n = particles_of(params.history, block);
  const core::ResidualRecord record = params.records[block];
  const U32 *words = payload_of(params, block);
  U32 status = words == nullptr || !read_residuals<D>(record, words, n, memory) ? section_damaged : 0;
  const core::Predictor predictor = params.layout->predictor;
  const bool predict = history && predicts(predictor);
  bool ranks = record.triples;
  if (status == 0 && ranks && !are_ranks(n, memory.u[0])) status = section_damaged;
  if (status == 0 && (record.margin | record.flags | record.exceptions) != 0) {
    if (D == core::max_components && ranks)
      separate_triples(params.history, predictor, predict, block * difference_block, n, memory);
    ranks = false;
    const U32 *behind = words + record.bitmap;
    for (int d = 0; d < D; ++d)
      behind += core::packed_words(n, record.code[d].width, core::lanes_of(n, difference_block));
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
