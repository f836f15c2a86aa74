// SPDX-License-Identifier: BSD-3-Clause
// The streams of a sequence chunk to steps, and these to values: one warp a block decodes, one warp a lane sums up. In
// between, steps are in the arrays that the values go to.
#include "gpz/chunk.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/cuda/block/block_store.cuh"
#include "gpz/cuda/block/exact_values.cuh"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/warp.cuh"
#include "gpz/cuda/sequence/record.cuh"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr unsigned step_threads = 1024;
constexpr unsigned sum_threads = core::sequence_lanes * warp_size;
constexpr unsigned exact_threads = 256;
constexpr unsigned exact_ctas = 64;
constexpr U32 tile_rows = 4;  // whose steps a lane writes at once: lanes lie far apart
static_assert(core::sequence_block_size == sum_threads * tile_rows);

__device__ __forceinline__ std::int32_t &step_at(const StepArray &steps, U64 block, U32 particle) {
  return *reinterpret_cast<std::int32_t *>(steps.data + static_cast<std::int64_t>(block) * steps.block_bytes +
                                           static_cast<std::int64_t>(particle) * steps.stride);
}

// Low bits of one lane, from the first row on.
class LaneReader {
 public:
  LaneReader() = default;
  // A word is read ahead; behind the low bits of a block there are the states.
  __device__ LaneReader(const U32 *words, U32 width) : at_(words + this_lane()), ahead_(width == 0 ? 0 : *at_) {}
  __device__ __forceinline__ U32 next(U32 width) {
    if (width == 0) return 0;
    if (have_ < width) {
      buffer_ |= U64{ahead_} << have_;
      at_ += warp_size;
      ahead_ = *at_;
      have_ += 32;
    }
    const auto value = static_cast<U32>(buffer_) & ((1u << width) - 1);
    buffer_ >>= width;
    have_ -= width;
    return value;
  }

 private:
  const U32 *at_ = nullptr;
  U32 ahead_ = 0;
  U64 buffer_ = 0;
  U32 have_ = 0;
};

// Where a lane has escapes: the first few.
class EscapePlaces {
 public:
  static constexpr U32 most = 7;
  __device__ __forceinline__ void add(U32 row, int d) {
    if (count_ < most) places_ |= U64{row << 2 | static_cast<U32>(d)} << (bits * count_);
    ++count_;
  }
  __device__ U32 count() const { return count_; }
  __device__ U32 row(U32 k) const { return static_cast<U32>(places_ >> (bits * k) & mask) >> 2; }
  __device__ U32 component(U32 k) const { return static_cast<U32>(places_ >> (bits * k)) & 3; }

 private:
  static constexpr U32 bits = 9;
  static constexpr U32 mask = (1u << bits) - 1;
  U64 places_ = 0;
  U32 count_ = 0;
};
static_assert(core::sequence_block_size / core::sequence_lanes <= 128 && core::max_components <= 4);

constexpr std::int32_t escaped = INT32_MIN;  // no step of a symbol

template <int D>
__global__ void __launch_bounds__(step_threads, 1) decode_steps(const __grid_constant__ SequenceDecode params) {
  extern __shared__ U32 entries[];  // then the quick ones
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
  const U64 payload = sequence_payload(*params.tables, D, params.blocks) / 4;
  const U64 warps = U64{gridDim.x} * (step_threads / warp_size);
  for (U64 b = blockIdx.x + U64{gridDim.x} * (threadIdx.x / warp_size); b < params.blocks; b += warps) {
    const SequenceRun run(params.particles, b, this_lane());
    const core::SequenceRecord record = record_of(params, b);
    const core::SequenceLayout layout(params.tables->axis, D, run.n, record);
    const U32 *const words = params.chunk + payload + params.word_offsets[b];
    LaneReader low[D];
    {
      const U32 *at = words;
#pragma unroll
      for (int d = 0; d < D; ++d) {
        low[d] = LaneReader(at, shift[d]);
        at += layout.low_words[d];
      }
    }
    U32 state = words[layout.states_at + this_lane()];
    const auto *const stream = reinterpret_cast<const std::uint16_t *>(words + layout.stream_at);
    bool good = state >= core::ans_low;
    U32 seen = 0;  // bits of all entries
    U32 taken = 0;
    EscapePlaces escapes;
    core::SequenceContext context;
    const U32 lanes_before = (1u << this_lane()) - 1;
    for (U32 first = 0; first < run.rows; first += tile_rows) {
      std::int32_t steps[D][tile_rows] = {};
#pragma unroll
      for (U32 k = 0; k < tile_rows; ++k) {
        const bool active = first + k < run.mine;
        if (first + k >= run.rows) break;
#pragma unroll
        for (int d = 0; d < D; ++d) {
          U32 entry = 0;
          if (active) {
            const U32 slot = state % core::ans_total;
            U32 at = quick[context.table(d) * quick_stride + slot / quick_slots];
            entry = entries[at];
            U32 next = entries[++at];
            while ((next & (2 * core::ans_total - 1)) <= slot) {
              entry = next;
              next = entries[++at];
            }
            const U32 start = entry & (2 * core::ans_total - 1);
            state = core::ans_pop(state, start, (next & (2 * core::ans_total - 1)) - start);
          }
          const bool wants = state < core::ans_low && active;
          const U32 all_want = __ballot_sync(full_mask, wants);
          if (wants) {
            const U32 at = taken + static_cast<U32>(__popc(all_want & lanes_before));
            state = state << 16 | (at < record.stream ? stream[at] : 0);
          }
          taken += static_cast<U32>(__popc(all_want));
          const U32 below = low[d].next(shift[d]);
          const U32 symbol = entry >> entry_symbol_bit & (core::sequence_symbols - 1);
          if (active) {
            seen |= entry;
            if (symbol == 0) escapes.add(first + k, d);
            steps[d][k] = symbol == 0 ? escaped : core::step_of_symbol(symbol, below, shift[d]);
            context.take_class(d, entry >> entry_class_bit & 3);
          }
        }
      }
#pragma unroll
      for (int d = 0; d < D; ++d) {
        if (params.steps[d].side_by_side && run.n == core::sequence_block_size)
          *reinterpret_cast<int4 *>(&step_at(params.steps[d], b, run.from + first)) =
              make_int4(steps[d][0], steps[d][1], steps[d][2], steps[d][3]);
        else
#pragma unroll
          for (U32 k = 0; k < tile_rows; ++k)
            if (first + k < run.mine) step_at(params.steps[d], b, run.from + first + k) = steps[d][k];
      }
    }
    U32 all_escapes;
    U32 escape = warp_exclusive_sum(escapes.count(), &all_escapes);
    good &= state == core::ans_low && taken == record.stream && (seen & no_table) == 0;
    good &= record.stream % 2 == 0 || stream[record.stream] == 0;
    good &= all_escapes == record.escapes;
    if (!__all_sync(full_mask, good)) {
      if (this_lane() == 0) fail(params, chunk_damaged);
      continue;
    }
    const U32 *const values = words + layout.escapes_at + escape;
    if (escapes.count() <= EscapePlaces::most) {
      for (U32 k = 0; k < escapes.count(); ++k)
        step_at(params.steps[escapes.component(k)], b, run.from + escapes.row(k)) =
            static_cast<std::int32_t>(values[k]);
      continue;
    }
    U32 k = 0;
    for (U32 row = 0; row < run.mine; ++row)
#pragma unroll
      for (int d = 0; d < D; ++d) {
        std::int32_t &step = step_at(params.steps[d], b, run.from + row);
        if (step == escaped) step = static_cast<std::int32_t>(values[k++]);
      }
  }
}

// Sums of the steps of a warp's lane up to those of this thread, and of all of it. I holds them.
template <typename I>
__device__ __forceinline__ I sum_before(const std::int32_t (&step)[tile_rows], I &all) {
  I sum = 0;
#pragma unroll
  for (U32 k = 0; k < tile_rows; ++k) sum += step[k];
  return warp_exclusive_sum(sum, &all);
}

// A thread block a component of a block of particles.
template <typename T>
__global__ void __launch_bounds__(sum_threads) sum_steps(const __grid_constant__ SequenceDecode params, int d) {
  __shared__ std::int64_t sums[core::sequence_lanes];
  if (params.report->failed != 0) return;
  const U64 b = blockIdx.x;
  const U32 lane = threadIdx.x / warp_size;  // of the warp that coded the block
  const SequenceRun run(params.particles, b, lane);
  const U32 row = this_lane() * tile_rows;
  const U32 count = row >= run.mine ? 0 : min(tile_rows, run.mine - row);
  std::int32_t step[tile_rows] = {};
  const bool whole = run.n == core::sequence_block_size;
  if (whole && params.steps[d].side_by_side) {
    const int4 four = *reinterpret_cast<const int4 *>(&step_at(params.steps[d], b, run.from + row));
    step[0] = four.x;
    step[1] = four.y;
    step[2] = four.z;
    step[3] = four.w;
  } else {
#pragma unroll
    for (U32 k = 0; k < tile_rows; ++k)
      if (k < count) step[k] = step_at(params.steps[d], b, run.from + row + k);
  }
  const core::SequenceRecord record = record_of(params, b);
  // Sums of a lane are below 2^(9 + shift + 7) where there are no escapes.
  const bool narrow = record.escapes == 0 && params.tables->axis[d].shift < 15;
  std::int64_t all;
  std::int64_t index;
  if (narrow) {
    std::int32_t all_of_lane;
    index = sum_before<std::int32_t>(step, all_of_lane);
    all = all_of_lane;
  } else {
    index = sum_before<std::int64_t>(step, all);
  }
  if (this_lane() == 0) sums[lane] = all;
  __syncthreads();  // no value is written before all steps were read
  std::int64_t before = this_lane() < lane ? sums[this_lane()] : 0;
#pragma unroll
  for (int offset = warp_size / 2; offset > 0; offset /= 2) before += __shfl_xor_sync(full_mask, before, offset);
  index = core::sum_of(core::sum_of(record.first[d], before), index);
  T value[tile_rows];
#pragma unroll
  for (U32 k = 0; k < tile_rows; ++k) {
    index = core::sum_of(index, step[k]);
    value[k] = core::grid_value<T>(static_cast<double>(index), params.field.step);
  }
  const U64 first = run.first + run.from + row;
  if constexpr (sizeof(T) == 4) {
    if (whole && params.steps[d].side_by_side && params.field.stride[d] == sizeof(T)) {
      *reinterpret_cast<float4 *>(params.field.data[d] + first * sizeof(T)) =
          make_float4(value[0], value[1], value[2], value[3]);
      return;
    }
  }
#pragma unroll
  for (U32 k = 0; k < tile_rows; ++k)
    if (k < count) store<T>(params.field, d, first + k, value[k]);
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

template <int D>
void launch_steps(const SequenceDecode &params, cudaStream_t stream) {
  int device = 0;
  int processors = 0;
  check(cudaGetDevice(&device), "device");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "device");
  constexpr std::size_t shared = decode_shared(D);
  check(cudaFuncSetAttribute(decode_steps<D>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
        "shared memory");
  const auto grid = core::min_of(params.blocks, static_cast<U64>(processors));
  decode_steps<D><<<static_cast<unsigned>(grid), step_threads, shared, stream>>>(params);
}

template <typename T>
void launch_sums(const SequenceDecode &params, cudaStream_t stream) {
  for (int d = 0; d < params.field.components; ++d)
    if (params.field.data[d] != nullptr)
      sum_steps<T><<<static_cast<unsigned>(params.blocks), sum_threads, 0, stream>>>(params, d);
  write_exact<T><<<exact_ctas, exact_threads, 0, stream>>>(params);
}

}  // namespace

void decode_sequence(const SequenceDecode &params, cudaStream_t stream) {
  if (params.field.components == 1)
    launch_steps<1>(params, stream);
  else if (params.field.components == 2)
    launch_steps<2>(params, stream);
  else
    launch_steps<3>(params, stream);
  if (params.field.value == core::Value::float32)
    launch_sums<float>(params, stream);
  else
    launch_sums<double>(params, stream);
  check(cudaGetLastError(), "launch");
}

}  // namespace gpz::cuda
