// SPDX-License-Identifier: BSD-3-Clause
// Decodes the streams of a sequence chunk to steps, and sums these to values. One warp decodes each block, one warp
// sums up each lane. In between, steps are in the arrays of the values.
#include "gpz/chunk.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/cuda/block/block_store.cuh"
#include "gpz/cuda/block/exact_values.cuh"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/warp.cuh"
#include "gpz/cuda/sequence/params.hpp"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr unsigned step_threads = 1024;
constexpr unsigned sum_threads = core::sequence_lanes * warp_size;
constexpr unsigned exact_threads = 256;
constexpr unsigned exact_ctas = 64;
static_assert(core::sequence_block_size == sum_threads * tile_rows);

__device__ void fail(const SequenceDecode &params, U32 how) { atomicMax(&params.report->failed, how); }

__device__ __forceinline__ std::int32_t &step_at(const StepArray &steps, U64 block, U32 particle) {
  return *reinterpret_cast<std::int32_t *>(steps.data + static_cast<std::int64_t>(block) * steps.block_bytes +
                                           static_cast<std::int64_t>(particle) * steps.stride);
}

// Reads the low bits of a lane, row after row. All lanes have equal widths and take words together. With 32 lanes and
// words of 32 bits, the bits that a lane has passed are also the words that all lanes have passed.
class LaneReader {
 public:
  // `first` is the first word of the lane; the words of all lanes end at `end`.
  __device__ LaneReader(const U32 *block, U32 first, U32 end) {
    static_assert(warp_size == 32);
    if (first < end) word_ = block[first];
    if (first + warp_size < end) next_ = block[first + warp_size];
  }
  LaneReader() = default;
  __device__ __forceinline__ U32 next(const U32 *block, U32 first, U32 end, U32 width) {
    if (width == 0) return 0;
    const U32 value = __funnelshift_r(word_, next_, bits_) & ((1u << width) - 1);
    bits_ += width;
    if (bits_ % 32 < width) {
      const U32 at = first + bits_ / 32 * 32 + warp_size;
      word_ = next_;
      if (at < end) next_ = block[at];
    }
    return value;
  }

 private:
  U32 bits_ = 0;  // passed so far
  U32 word_ = 0;
  U32 next_ = 0;
};

// Positions of the first few escapes of a lane.
class EscapeIndices {
 public:
  static constexpr U32 most = 7;
  __device__ __forceinline__ void add(U32 row, int d) {
    if (count_ < most) packed_ |= U64{row << 2 | static_cast<U32>(d)} << (bits * count_);
    ++count_;
  }
  __device__ U32 count() const { return count_; }
  __device__ U32 row(U32 k) const { return static_cast<U32>(packed_ >> (bits * k) & mask) >> 2; }
  __device__ U32 component(U32 k) const { return static_cast<U32>(packed_ >> (bits * k)) & 3; }

 private:
  static constexpr U32 bits = 9;
  static constexpr U32 mask = (1u << bits) - 1;
  U64 packed_ = 0;
  U32 count_ = 0;
};
static_assert(core::sequence_block_size / core::sequence_lanes <= 128 && core::max_components <= 4);

constexpr std::int32_t escaped = INT32_MIN;  // never the step of a symbol

// Tables in shared memory, accessed by shared addresses.
class Tables {
 public:
  __device__ Tables(const U32 *entries, const std::uint16_t *quick)
      : entries_(static_cast<U32>(__cvta_generic_to_shared(entries))),
        quick_(static_cast<U32>(__cvta_generic_to_shared(quick))) {}

  // Returns the entry of a slot. `end` becomes the first slot of the next entry.
  __device__ __forceinline__ U32 find(U32 table, U32 slot, U32 &end) const {
    std::uint16_t first;
    asm("ld.shared.u16 %0, [%1];" : "=h"(first) : "r"(quick_ + 2 * (table * quick_stride + slot / quick_slots)));
    U32 at = entries_ + 4 * first;
    U32 entry = load(at);
    for (;;) {
      at += 4;
      const U32 next = load(at);
      end = start_of(next);
      if (end > slot) return entry;
      entry = next;
    }
  }
  static __device__ __forceinline__ U32 start_of(U32 entry) { return entry & (2 * core::ans_total - 1); }

 private:
  static __device__ __forceinline__ U32 load(U32 address) {
    U32 word;
    asm("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address));
    return word;
  }
  U32 entries_;
  U32 quick_;
};

// Stores the steps of eight rows of a lane; the rows `first` were held back. Adjacent lanes write 32 bytes together:
// first the rows of the even lane, then those of the odd lane.
__device__ __forceinline__ void store_pairs(std::int32_t *even_lane, const std::int32_t (&first)[tile_rows],
                                            const std::int32_t (&second)[tile_rows]) {
  const bool odd = this_lane() % 2 != 0;
  std::int32_t of_even[tile_rows];
  std::int32_t of_odd[tile_rows];
#pragma unroll
  for (U32 k = 0; k < tile_rows; ++k) {
    const std::int32_t other = __shfl_xor_sync(full_mask, odd ? first[k] : second[k], 1);
    of_even[k] = odd ? other : first[k];
    of_odd[k] = odd ? second[k] : other;
  }
  auto *const to = reinterpret_cast<int4 *>(even_lane + (odd ? tile_rows : 0));
  to[0] = make_int4(of_even[0], of_even[1], of_even[2], of_even[3]);
  to[core::sequence_block_size / core::sequence_lanes / tile_rows] =
      make_int4(of_odd[0], of_odd[1], of_odd[2], of_odd[3]);
}

// Prefetches words to the L2 cache, without waiting.
__device__ __forceinline__ void prefetch(const U32 *words, U32 count) {
  constexpr U32 line = 128 / sizeof(U32);
  for (U32 k = this_lane() * line; k < count; k += warp_size * line)
    asm volatile("prefetch.global.L2 [%0];" : : "l"(__cvta_generic_to_global(words + k)));
}

// Decodes a block. `Whole`: it has core::sequence_block_size particles.
template <int D, bool Whole>
__device__ __forceinline__ void decode_block(const SequenceDecode &params, U64 b, const Tables &tables,
                                             const U32 (&shift)[D], const U32 *words) {
  const SequenceRun run(params.particles, b, this_lane());
  const U32 rows = Whole ? core::sequence_block_size / core::sequence_lanes : run.rows;
  const U32 mine = Whole ? rows : run.mine;
  const core::SequenceRecord &record = params.records[b];
  const U32 stream_words = record.stream;
  const core::SequenceLayout layout(params.tables->axis, D, run.n, record);
  prefetch(words, layout.total);
  LaneReader low[D];
  U32 low_at[D + 1] = {};
#pragma unroll
  for (int d = 0; d < D; ++d) {
    low_at[d + 1] = low_at[d] + layout.low_words[d];
    low[d] = LaneReader(words, low_at[d] + this_lane(), low_at[d + 1]);
  }
  U32 state = words[layout.states_at + this_lane()];
  const auto *const stream = reinterpret_cast<const std::uint16_t *>(words + layout.stream_at);
  bool good = state >= core::ans_low;
  U32 seen = 0;  // bits of all entries, joined
  U32 taken = 0;
  EscapeIndices escapes;
  core::SequenceContext context;
  const U32 lanes_before = (1u << this_lane()) - 1;
  // Damaged bytes may request words beyond the stream: they get its last word. An empty stream is preceded by the
  // states.
  const auto last_word = static_cast<std::int32_t>(stream_words) - 1;
  std::int32_t held[D][tile_rows] = {};
#pragma unroll 1
  for (U32 first = 0; first < rows; first += tile_rows) {
    std::int32_t steps[D][tile_rows] = {};
#pragma unroll
    for (U32 k = 0; k < tile_rows; ++k) {
      const bool active = Whole || first + k < mine;
      if (!Whole && first + k >= rows) break;
#pragma unroll
      for (int d = 0; d < D; ++d) {
        U32 entry = 1u << entry_symbol_bit;
        if (active) {
          const U32 slot = state % core::ans_total;
          U32 end;
          entry = tables.find(context.table(d), slot, end);
          const U32 start = Tables::start_of(entry);
          state = core::ans_pop(state, start, end - start);
        }
        const bool wants = state < core::ans_low && active;
        const U32 all_want = __ballot_sync(full_mask, wants);
        const U32 at = taken + static_cast<U32>(__popc(all_want & lanes_before));
        if (wants) state = state << 16 | stream[min(static_cast<std::int32_t>(at), last_word)];
        taken += static_cast<U32>(__popc(all_want));
        const U32 below = low[d].next(words, low_at[d] + this_lane(), low_at[d + 1], shift[d]);
        const U32 symbol = entry >> entry_symbol_bit & (core::sequence_symbols - 1);
        seen |= entry;
        steps[d][k] = core::step_of_symbol(symbol, below, shift[d]);
        if (symbol == 0) {
          escapes.add(first + k, d);
          steps[d][k] = escaped;
        }
        context.take_class(d, entry >> entry_class_bit & 3);
      }
    }
#pragma unroll
    for (int d = 0; d < D; ++d) {
      const StepArray &to = params.steps[d];
      if (Whole && to.side_by_side) {
        const bool second = (first % (2 * tile_rows) != 0) != to.halfway;
        if (second && first != 0)
          store_pairs(&step_at(to, b, (this_lane() & ~1u) * rows + first - tile_rows), held[d], steps[d]);
        else if (to.halfway && (first == 0 || first + tile_rows == rows))
          *reinterpret_cast<int4 *>(&step_at(to, b, run.from + first)) =
              make_int4(steps[d][0], steps[d][1], steps[d][2], steps[d][3]);
#pragma unroll
        for (U32 k = 0; k < tile_rows; ++k) held[d][k] = steps[d][k];
        continue;
      }
#pragma unroll
      for (U32 k = 0; k < tile_rows; ++k)
        if (first + k < mine) step_at(to, b, run.from + first + k) = steps[d][k];
    }
  }
  U32 all_escapes;
  U32 escape = warp_exclusive_sum(escapes.count(), &all_escapes);
  good &= state == core::ans_low && taken == stream_words && (seen & no_table) == 0;
  good &= stream_words % 2 == 0 || stream[stream_words] == 0;
  good &= all_escapes == record.escapes;
  if (!__all_sync(full_mask, good)) {
    if (this_lane() == 0) fail(params, chunk_damaged);
    return;
  }
  if (all_escapes == 0) return;
  __syncwarp();  // lanes have written steps for each other
  const U32 *const values = words + layout.escapes_at + escape;
  if (escapes.count() <= EscapeIndices::most) {
    for (U32 k = 0; k < escapes.count(); ++k)
      step_at(params.steps[escapes.component(k)], b, run.from + escapes.row(k)) = static_cast<std::int32_t>(values[k]);
    return;
  }
  U32 k = 0;
  for (U32 row = 0; row < mine; ++row)
#pragma unroll
    for (int d = 0; d < D; ++d) {
      std::int32_t &step = step_at(params.steps[d], b, run.from + row);
      if (step == escaped) step = static_cast<std::int32_t>(values[k++]);
    }
}

// Warps of a thread block take consecutive blocks, whose arrays are in few pages of memory.
template <int D>
__global__ void __launch_bounds__(step_threads, 1) decode_steps(const __grid_constant__ SequenceDecode params) {
  extern __shared__ __align__(16) U32 entries[];  // then the quick tables
  auto *const quick = reinterpret_cast<std::uint16_t *>(entries + D * core::sequence_contexts * entry_stride);
  if (params.report->failed != 0) return;
  for (U32 t = threadIdx.x / warp_size; t < D * core::sequence_contexts; t += step_threads / warp_size)
    for (U32 k = this_lane(); k <= params.used[t]; k += warp_size)
      entries[t * entry_stride + k] = params.entries[t * entry_stride + k];
  constexpr U32 quick_words = D * core::sequence_contexts * quick_stride / 8;
  for (U32 k = threadIdx.x; k < quick_words; k += step_threads)
    reinterpret_cast<uint4 *>(quick)[k] = reinterpret_cast<const uint4 *>(params.quick)[k];
  U32 shift[D];
#pragma unroll
  for (int d = 0; d < D; ++d) shift[d] = params.tables->axis[d].shift;
  __syncthreads();
  const Tables tables(entries, quick);
  const U32 *const payload = params.chunk + sequence_payload(*params.tables, D, params.blocks) / 4;
  const BlockShare share(params.blocks, blockIdx.x, gridDim.x);
  for (U64 b = share.first + threadIdx.x / warp_size; b < share.end; b += step_threads / warp_size) {
    const U32 *const words = payload + params.word_offsets[b];
    if (sequence_block_particles(params.particles, b) == core::sequence_block_size)
      decode_block<D, true>(params, b, tables, shift, words);
    else
      decode_block<D, false>(params, b, tables, shift, words);
  }
}

// Sums the steps of a warp's lane before this thread, and all of them. Sums must fit into `I`.
template <typename I>
__device__ __forceinline__ I sum_before(const std::int32_t (&step)[tile_rows], I &all) {
  I sum = 0;
#pragma unroll
  for (U32 k = 0; k < tile_rows; ++k) sum += step[k];
  return warp_exclusive_sum(sum, &all);
}

// One thread block per block of particles. Each warp takes the particles that one lane decoded.
template <typename T, int D>
__global__ void __launch_bounds__(sum_threads, 2) sum_steps(const __grid_constant__ SequenceDecode params) {
  __shared__ std::int64_t sums[D][core::sequence_lanes];
  const U64 b = blockIdx.x;
  const U32 lane = threadIdx.x / warp_size;
  const SequenceRun run(params.particles, b, lane);
  const U32 row = this_lane() * tile_rows;
  const U32 count = row >= run.mine ? 0 : min(tile_rows, run.mine - row);
  const bool whole = run.n == core::sequence_block_size;
  std::int32_t step[D][tile_rows] = {};
#pragma unroll
  for (int d = 0; d < D; ++d) {
    if (params.field.data[d] == nullptr) continue;
    if (whole && params.steps[d].side_by_side) {
      const int4 four = *reinterpret_cast<const int4 *>(&step_at(params.steps[d], b, run.from + row));
      step[d][0] = four.x;
      step[d][1] = four.y;
      step[d][2] = four.z;
      step[d][3] = four.w;
    } else {
#pragma unroll
      for (U32 k = 0; k < tile_rows; ++k)
        if (k < count) step[d][k] = step_at(params.steps[d], b, run.from + row + k);
    }
  }
  const core::SequenceRecord record = params.records[b];
  if (params.report->failed != 0) return;
  std::int64_t index[D];
#pragma unroll
  for (int d = 0; d < D; ++d) {
    // Without escapes, sums of a lane are below 2^(9 + shift + 7).
    std::int64_t all;
    if (record.escapes == 0 && params.tables->axis[d].shift < 15) {
      std::int32_t all_of_lane;
      index[d] = sum_before<std::int32_t>(step[d], all_of_lane);
      all = all_of_lane;
    } else {
      index[d] = sum_before<std::int64_t>(step[d], all);
    }
    if (this_lane() == 0) sums[d][lane] = all;
  }
  __syncthreads();  // all steps must be read before any value is written
  const U64 first = run.first + run.from + row;
#pragma unroll
  for (int d = 0; d < D; ++d) {
    if (params.field.data[d] == nullptr) continue;
    std::int64_t before = this_lane() < lane ? sums[d][this_lane()] : 0;
#pragma unroll
    for (int offset = warp_size / 2; offset > 0; offset /= 2) before += __shfl_xor_sync(full_mask, before, offset);
    std::int64_t at = core::sum_of(core::sum_of(record.first[d], before), index[d]);
    T value[tile_rows];
#pragma unroll
    for (U32 k = 0; k < tile_rows; ++k) {
      at = core::sum_of(at, step[d][k]);
      value[k] = core::grid_value<T>(static_cast<double>(at), params.field.step);
    }
    if constexpr (sizeof(T) == 4) {
      if (whole && params.steps[d].side_by_side && params.field.stride[d] == sizeof(T)) {
        *reinterpret_cast<float4 *>(params.field.data[d] + first * sizeof(T)) =
            make_float4(value[0], value[1], value[2], value[3]);
        continue;
      }
    }
#pragma unroll
    for (U32 k = 0; k < tile_rows; ++k)
      if (k < count) store<T>(params.field, d, first + k, value[k]);
  }
}

template <typename T>
__global__ void __launch_bounds__(exact_threads) write_exact(const __grid_constant__ SequenceDecode params) {
  if (params.report->failed != 0) return;
  const auto *const exact = reinterpret_cast<const U64 *>(params.chunk + sequence_start / 4);
  const U64 count = params.tables->exact;
  for (U64 k = U64{blockIdx.x} * exact_threads + threadIdx.x; k < count; k += U64{exact_ctas} * exact_threads)
    if (!store_exact<T>(exact + 2 * k, params.field, params.particles, [](U64 row) { return row; }))
      fail(params, chunk_damaged);
}

template <typename T, int D>
void launch_sums(const SequenceDecode &params, cudaStream_t stream) {
  sum_steps<T, D><<<static_cast<unsigned>(params.blocks), sum_threads, 0, stream>>>(params);
  write_exact<T><<<exact_ctas, exact_threads, 0, stream>>>(params);
}

template <int D>
void launch(const SequenceDecode &params, cudaStream_t stream) {
  constexpr std::size_t shared = decode_shared(D);
  check(cudaFuncSetAttribute(decode_steps<D>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
        "shared memory");
  const auto grid = core::min_of(params.blocks, U64{params.processors});
  decode_steps<D><<<static_cast<unsigned>(grid), step_threads, shared, stream>>>(params);
  if (params.field.value == core::Value::float32)
    launch_sums<float, D>(params, stream);
  else
    launch_sums<double, D>(params, stream);
}

}  // namespace

void decode_sequence(const SequenceDecode &params, cudaStream_t stream) {
  if (params.field.components == 1)
    launch<1>(params, stream);
  else if (params.field.components == 2)
    launch<2>(params, stream);
  else
    launch<3>(params, stream);
  check(cudaGetLastError(), "launch");
}

}  // namespace gpz::cuda
