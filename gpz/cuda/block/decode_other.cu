// SPDX-License-Identifier: BSD-3-Clause
// Decodes the blocks that decode_full.cu leaves: wide or not full. One thread block each.
#include <type_traits>

#include "gpz/core/block.hpp"
#include "gpz/cuda/block/decode.cuh"
#include "gpz/cuda/block/device_block.cuh"
#include "gpz/cuda/common/kernel_file.hpp"

namespace gpz::cuda {

namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

struct DecodeShared {
  std::uint16_t segment[block_size];
  std::uint32_t slots[warps];
};

// Value i of a packed array, as from core::unpack. Full blocks have 32 lanes, which avoids a division.
__device__ U32 packed_value(const U32 *words, U32 i, int width, U32 lanes) {
  if (width == 0) return 0;
  const U32 bit = (lanes == core::warp_lanes ? i / core::warp_lanes : i) * static_cast<U32>(width);
  const U32 *word = words + (lanes == core::warp_lanes ? bit / 32 * core::warp_lanes + i % core::warp_lanes : bit / 32);
  const U32 shift = bit % 32;
  U32 value = word[0] >> shift;
  if (shift + static_cast<U32>(width) > 32) value |= word[lanes] << (32 - shift);
  return value & static_cast<U32>(core::low_mask(width));
}

__device__ U64 wide_value(const U32 *words, U32 n, U32 i, int width, U32 lanes) {
  if (width <= 32) return packed_value(words, i, width, lanes);
  const U32 low = packed_value(words, i, 32, lanes);
  return low | static_cast<U64>(packed_value(words + core::packed_words(n, 32, lanes), i, width - 32, lanes)) << 32;
}

// Reads sorted segment ids into shared memory. Returns false unless there are n ids below `segments`.
__device__ bool read_bitmap(const U32 *words, U32 n, U32 segments, DecodeShared &shared) {
  const U32 count = core::words_of_bitmap(n, segments);
  U32 bits = threadIdx.x < count ? words[threadIdx.x] : 0;
  U32 have = exclusive_scan(static_cast<U32>(__popc(bits)), 0u, Sum{}, shared.slots);
  bool good = have + __popc(bits) <= n;
  if (threadIdx.x == threads - 1) good &= have + __popc(bits) == n;
  if (good) {
    while (bits != 0) {
      const U32 id = threadIdx.x * 32 + static_cast<U32>(__ffs(static_cast<int>(bits))) - 1 - have;
      good &= id < segments;
      shared.segment[have++] = static_cast<std::uint16_t>(id);
      bits &= bits - 1;
    }
  }
  return __syncthreads_and(good) != 0;
}

__device__ bool read_runs(const core::BlockRecord &record, const U32 *words, U32 n, U32 segments,
                          DecodeShared &shared) {
  U32 next = 0;
  U32 have = 0;
  bool good = true;
  for (U32 first = 0; first < record.runs; first += threads) {
    const U32 k = first + threadIdx.x;
    const core::Run run = k < record.runs ? core::read_run(record, words, k) : core::Run{};
    const U32 ids = run.count != 0 ? run.gap + 1 : 0;
    const U32 id = next + exclusive_scan(ids, 0u, Sum{}, shared.slots) + ids - 1;
    const U32 at = have + exclusive_scan(run.count, 0u, Sum{}, shared.slots);
    if (run.count != 0) good &= id < segments && at <= n && run.count <= n - at;
    if (good)
      for (U32 i = 0; i < run.count; ++i) shared.segment[at + i] = static_cast<std::uint16_t>(id);
    next += reduce(ids, Sum{}, shared.slots);
    have += reduce(run.count, Sum{}, shared.slots);
  }
  return __syncthreads_and(good && have == n) != 0;
}

template <typename T>
__device__ void place_sorted(const DecodeField &field, const core::BlockRecord &record, const core::BlockLayout &layout,
                             const U32 *offsets, U64 first, U32 n, const DecodeShared &shared) {
  const core::Segments &segments = layout.segments;
  const core::CellFinder find(segments);
  double base[core::max_components];
  int at[core::max_components];
  int shift[core::max_components];
  U64 mask[core::max_components];
#pragma unroll
  for (int d = 0; d < core::max_components; ++d) {
    base[d] = d < field.components ? index_base(record, d) : 0;
    at[d] = segments.offset_at[d] & 63;
    shift[d] = segments.shift[d];
    mask[d] = core::low_mask(segments.offset_bits[d]);
  }
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const U32 i = static_cast<U32>(k) * threads + threadIdx.x;
    if (i >= n) continue;
    const U64 offset = wide_value(offsets, n, i, segments.offset_width, layout.lanes);
    U32 cell[core::max_components];
    find(shared.segment[i], cell);
#pragma unroll
    for (int d = 0; d < core::max_components; ++d) {
      if (d >= field.components || field.data[d] == nullptr) continue;
      const U64 delta = (static_cast<U64>(cell[d]) << shift[d]) + (offset >> at[d] & mask[d]);
      store(field, d, first + i, core::grid_value<T>(core::index_from(base[d], delta), field.step));
    }
  }
}

template <typename T>
__device__ bool decode_block(const DecodeParams &params, const DecodeField &field, const core::BlockRecord &record,
                             const U32 *words, U64 block, DecodeShared &shared) {
  const U32 n = particles_of(params, block);
  const U64 first = (block - params.first_block) * params.block_size;
  core::BlockLayout layout;
  if (!core::block_layout(record, field.components, field.value, n, params.block_size, layout)) return false;
  if (core::is_sorted(record.mode)) {
    if constexpr (!std::is_same_v<T, std::int64_t>) {
      const core::Segments &segments = layout.segments;
      if (record.mode == core::Mode::runs ? !read_runs(record, words, n, segments.count, shared)
                                          : !read_bitmap(words, n, segments.count, shared))
        return false;
      const U32 *offsets = words + layout.order_words;
      place_sorted<T>(field, record, layout, offsets, first, n, shared);
    }
  } else {
    const U32 *at = words;
    for (int d = 0; d < field.components; ++d) {
      const int width = core::bit_length(record.extent[d]);
      for (U32 i = threadIdx.x; field.data[d] != nullptr && i < n; i += threads) {
        const U64 key = record.min[d] + wide_value(at, n, i, width, layout.lanes);
        if (record.mode == core::Mode::exact) {
          store(field, d, first + i, core::value_of<T>(key));
        } else if constexpr (!std::is_same_v<T, std::int64_t>) {
          store(field, d, first + i,
                core::grid_value<T>(core::index_from(index_base(record, d), key - record.min[d]), field.step));
        }
      }
      at += core::packed_words(n, width, layout.lanes);
    }
  }
  if constexpr (!std::is_same_v<T, std::int64_t>) {
    __syncthreads();
    place_exceptions<T>(params, field, record, words + layout.order_words + layout.value_words, block, threadIdx.x,
                        threads);
  }
  return true;
}

}  // namespace

__global__ void __launch_bounds__(threads) decode_other(const __grid_constant__ DecodeParams params) {
  // All threads decide together: another thread block may report damage at any time.
  if (__syncthreads_or(*static_cast<volatile U32 *>(params.damaged) != 0) != 0) return;
  __shared__ DecodeShared shared;
  const U32 count = *params.other_count;
  for (U32 k = blockIdx.x; k < count; k += gridDim.x) {
    const U64 slot = params.other_slots[k];
    const auto f = static_cast<int>(slot / params.blocks);
    const U64 block = slot % params.blocks;
    const DecodeField &field = params.field[f];
    const core::BlockRecord &record = params.records[slot];
    const U32 *words = payload_of(params, f, block);
    const bool good =
        words != nullptr &&
        (field.value == core::Value::integer   ? decode_block<std::int64_t>(params, field, record, words, block, shared)
         : field.value == core::Value::float32 ? decode_block<float>(params, field, record, words, block, shared)
                                               : decode_block<double>(params, field, record, words, block, shared));
    if (!good && threadIdx.x == 0) *params.damaged = chunk_damaged;
    __syncthreads();
  }
}

namespace {
const KernelFile kernels(reinterpret_cast<const void *>(decode_other));
}  // namespace

}  // namespace gpz::cuda
