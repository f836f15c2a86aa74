// SPDX-License-Identifier: BSD-3-Clause
// Decodes the common blocks: full, with differences of at most 31 bits. One warp per block; stored particle i is in row
// i / 32 of lane i % 32. All other blocks are left to decode_other.cu.
#include <cuda_pipeline.h>

#include <type_traits>

#include "gpz/core/block.hpp"
#include "gpz/core/keys.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/cuda/block/block_store.cuh"
#include "gpz/cuda/block/decode.cuh"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/common/warp.cuh"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr int rows = block_size / warp_size;
constexpr int decode_warps = 4;  // per thread block, each with its own block of particles

// Reads sorted segment ids from the Elias-Fano bitmap. Returns false unless there are n ids below `segments`. Each lane
// takes a word at a time, highest bit first.
__device__ __forceinline__ bool read_bitmap(const U32 *words, U32 segments, std::uint16_t *id) {
  const U32 count = core::words_of_bitmap(block_size, segments);
  constexpr int rounds = (max_segments + block_size) / 32 / warp_size;
  U32 word[rounds];  // all loads are in flight at once
#pragma unroll
  for (int r = 0; r < rounds; ++r) {
    const U32 w = static_cast<U32>(r) * warp_size + this_lane();
    word[r] = w < count ? words[w] : 0;
  }
  U32 have = 0;
#pragma unroll
  for (int r = 0; r < rounds; ++r) {
    U32 bits = word[r];
    const auto ones = static_cast<U32>(__popc(bits));
    U32 total;
    const U32 rank = have + warp_exclusive_sum(ones, &total) + ones;
    have += total;
    if (have > block_size) break;  // uniform across the warp
    U32 base = (static_cast<U32>(r) * warp_size + this_lane()) * 32 - rank;
    std::uint16_t *to = id + rank;
    while (bits != 0) {
      const U32 bit = 31u - static_cast<U32>(__clz(static_cast<int>(bits)));
      bits ^= 1u << bit;
      *--to = static_cast<std::uint16_t>(++base + bit);
    }
  }
  __syncwarp();
  return have == block_size && id[block_size - 1] < segments;  // ids ascend
}

// Reads sorted segment ids from the runs. Every run stores its id, plus one, at its first particle, and a running
// maximum fills in the rest.
__device__ __forceinline__ bool read_runs(const core::BlockRecord &record, const U32 *words, U32 segments,
                                          std::uint16_t *id) {
  const U32 lane = this_lane();
  for (int row = 0; row < rows; ++row) id[row * warp_size + static_cast<int>(lane)] = 0;
  __syncwarp();
  U32 next = 0;
  U32 have = 0;
  bool good = true;
  for (U32 first = 0; first < record.runs; first += warp_size) {
    const U32 k = first + lane;
    const core::Run run = k < record.runs ? core::read_run(record, words, k) : core::Run{};
    const U32 ids = run.count != 0 ? run.gap + 1 : 0;
    U32 gaps;
    U32 counts;
    const U32 end = next + warp_exclusive_sum(ids, &gaps) + ids;
    const U32 at = have + warp_exclusive_sum(run.count, &counts);
    if (run.count != 0) {
      good &= end <= segments && at < block_size;
      if (good) id[at] = static_cast<std::uint16_t>(end);
    }
    next += gaps;
    have += counts;
  }
  __syncwarp();
  U32 carried = 0;
  for (int row = 0; row < rows; ++row) {
    U32 value = id[row * warp_size + static_cast<int>(lane)];
    for (int offset = 1; offset < warp_size; offset *= 2)
      value = core::max_of(value, __shfl_up_sync(full_mask, value, static_cast<unsigned>(offset)));
    value = core::max_of(value, carried);
    carried = __shfl_sync(full_mask, value, warp_size - 1);
    id[row * warp_size + static_cast<int>(lane)] = static_cast<std::uint16_t>(value - 1);
  }
  __syncwarp();
  return __all_sync(full_mask, good) != 0 && have == block_size;
}

// Copies the packed values of a block to shared memory in the background, which hides the latency. The extra words at
// the end are read by row() but not used.
struct Packed {
  U32 words[block_size + warp_size];

  __device__ __forceinline__ void fetch(const U32 *from, int width) {
    for (int w = 0; w < width; ++w)
      __pipeline_memcpy_async(&words[w * warp_size + static_cast<int>(this_lane())],
                              &from[w * warp_size + static_cast<int>(this_lane())], sizeof(U32));
    __pipeline_commit();
  }
  __device__ __forceinline__ void wait() {
    __pipeline_wait_prior(0);
    __syncwarp();
  }
  // One row of values of `width` <= 32 bits; the low `width` bits of `mask` are set. Each lane reads only words that it
  // fetched.
  __device__ __forceinline__ U32 row(int row, int width, U32 mask) const {
    const U32 bit = static_cast<U32>(row * width);
    const U32 *word = words + (bit & ~31u) + this_lane();
    return __funnelshift_r(word[0], word[warp_size], bit) & mask;
  }
};

template <typename T, typename Store>
__device__ __forceinline__ bool decode_sorted(const DecodeField &field, const core::BlockRecord &record,
                                              const U32 *words, std::uint16_t *id, Packed &packed, Store &store) {
  core::Segments segments;
  U32 extent[core::max_components];
  for (int d = 0; d < core::max_components; ++d) extent[d] = static_cast<U32>(record.extent[d]);
  core::make_segments(extent, record.shift, 2 * block_size, segments);  // read_records has checked that this succeeds
  const bool as_runs = record.mode == core::Mode::runs;
  const U32 order_words = as_runs ? core::words_of_runs(record.runs, record.gap_width, record.count_width)
                                  : core::words_of_bitmap(block_size, segments.count);
  const int width = segments.offset_width;
  packed.fetch(words + order_words, width);
  if (as_runs ? !read_runs(record, words, segments.count, id) : !read_bitmap(words, segments.count, id)) return false;

  const core::CellFinder find(segments);
  double min[core::max_components];
  U32 mask[core::max_components];
#pragma unroll
  for (int d = 0; d < core::max_components; ++d) {
    min[d] = index_base(record, d);
    mask[d] = static_cast<U32>(core::low_mask(segments.offset_bits[d]));
  }
  const auto all = static_cast<U32>(core::low_mask(width));
  packed.wait();
#pragma unroll 8
  for (int row = 0; row < rows; ++row) {
    const U32 offset = packed.row(row, width, all);
    U32 cell[core::max_components];
    find(id[row * warp_size + static_cast<int>(this_lane())], cell);
    T value[core::max_components];
#pragma unroll
    for (int d = 0; d < core::max_components; ++d) {
      const U32 delta = (cell[d] << segments.shift[d]) + (offset >> (segments.offset_at[d] & 31) & mask[d]);
      value[d] = core::grid_value<T>(core::index_from(min[d], delta), field.step);
    }
    store.put(row, value);
  }
  return true;
}

// Decodes modes plain and exact, component by component.
template <typename T, typename Store>
__device__ __forceinline__ void decode_packed(const DecodeField &field, const core::BlockRecord &record,
                                              const U32 *words, Packed &packed, Store &store) {
  const bool exact = record.mode == core::Mode::exact;
  for (int d = 0; d < field.components; ++d) {
    const int width = core::bit_length(static_cast<U32>(record.extent[d]));
    const auto mask = static_cast<U32>(core::low_mask(width));
    packed.fetch(words, width);
    double min = 0;
    if constexpr (!std::is_same_v<T, std::int64_t>) min = index_base(record, d);
    packed.wait();
#pragma unroll 8
    for (int row = 0; row < rows; ++row) {
      const U32 delta = packed.row(row, width, mask);
      T value;
      if constexpr (std::is_same_v<T, std::int64_t>)
        value = core::value_of<T>(record.min[d] + delta);
      else
        value = exact ? core::value_of<T>(record.min[d] + delta)
                      : core::grid_value<T>(core::index_from(min, delta), field.step);
      store.put_component(d, row, value);
    }
    words += width * warp_size;
    __syncwarp();
  }
}

template <typename T, typename Store>
__global__ void __launch_bounds__(decode_warps *warp_size)
    decode_full(const __grid_constant__ DecodeParams params, int f) {
  __shared__ std::uint16_t id[decode_warps][block_size];
  __shared__ Packed packed[decode_warps];
  __shared__ typename Store::Shared buffer[decode_warps];
  const U32 warp = threadIdx.x / warp_size;
  const U64 block = params.first_block + static_cast<U64>(blockIdx.x) * decode_warps + warp;
  if (block >= params.end_block) return;
  const DecodeField &field = params.field[f];
  const U64 slot = static_cast<U64>(f) * params.blocks + block;
  const U32 damaged = *static_cast<volatile U32 *>(params.damaged);
  const core::BlockRecord &record = params.records[slot];
  const U32 *words = payload_of(params, f, block);
  if (damaged != 0) return;
  const U64 extents = record.extent[0] | record.extent[1] | record.extent[2];
  const bool sorted = core::is_sorted(record.mode);
  const U64 last = static_cast<U64>(block + 1) * params.block_size;
  bool left = extents > 0x7FFFFFFFu || last > params.particles || params.block_size != block_size;
  if (sorted) {
    int offset_width = 0;
    for (int d = 0; d < core::max_components; ++d)
      offset_width += core::offset_bits_along(record.extent[d], record.shift[d]);
    left |= offset_width > 32;
  }
  if (left) {
    if (this_lane() == 0) params.other_slots[atomicAdd(params.other_count, 1u)] = slot;
    return;
  }
  if (words == nullptr) {
    if (this_lane() == 0) *params.damaged = chunk_damaged;
    return;
  }
  Store store(field, block - params.first_block, buffer[warp]);
  if (sorted) {
    if constexpr (!std::is_same_v<T, std::int64_t>) {
      if (!decode_sorted<T>(field, record, words, id[warp], packed[warp], store) && this_lane() == 0)
        *params.damaged = chunk_damaged;
    }
  } else {
    decode_packed<T>(field, record, words, packed[warp], store);
  }
  if constexpr (!std::is_same_v<T, std::int64_t>) {
    if (record.exceptions == 0) return;
    __syncwarp();
    const U32 exception_words = core::words_of_exceptions(record.exceptions, field.value);
    const U64 length = params.word_offsets[slot + 1] - params.word_offsets[slot];
    place_exceptions<T>(params, field, record, words + length - exception_words, block, this_lane(), warp_size);
  }
}

template <typename T, typename Store>
void launch(const DecodeParams &params, int f, cudaStream_t stream) {
  const auto ctas = static_cast<U32>((params.end_block - params.first_block + decode_warps - 1) / decode_warps);
  decode_full<T, Store><<<ctas, decode_warps * warp_size, 0, stream>>>(params, f);
}

}  // namespace

void launch_decode_full(const DecodeParams &params, int f, cudaStream_t stream) {
  const DecodeField &field = params.field[f];
  const Layout layout = layout_of(field);
  switch (field.value) {
    case core::Value::integer:
      return launch<std::int64_t, AnyStore<std::int64_t>>(params, f, stream);
    case core::Value::float32:
      if (layout == Layout::separate) return launch<float, SeparateStore<float>>(params, f, stream);
      if (layout == Layout::interleaved) return launch<float, InterleavedStore<float>>(params, f, stream);
      if (layout == Layout::indices) return launch<float, IndexStore<float>>(params, f, stream);
      return launch<float, AnyStore<float>>(params, f, stream);
    case core::Value::float64:
      if (layout == Layout::separate) return launch<double, SeparateStore<double>>(params, f, stream);
      if (layout == Layout::interleaved) return launch<double, InterleavedStore<double>>(params, f, stream);
      if (layout == Layout::indices) return launch<double, IndexStore<double>>(params, f, stream);
      return launch<double, AnyStore<double>>(params, f, stream);
  }
}

namespace {
const KernelFile kernels(reinterpret_cast<const void *>(decode_full<double, IndexStore<double>>));
}  // namespace

}  // namespace gpz::cuda
