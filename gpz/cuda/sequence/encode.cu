// SPDX-License-Identifier: BSD-3-Clause
// Encodes the streams of a sequence chunk into pages. One warp codes each block, from the last row to the first, as
// asymmetric numeral systems require.
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/scan.cuh"
#include "gpz/cuda/common/warp.cuh"
#include "gpz/cuda/sequence/values.cuh"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr unsigned stream_threads = stream_warps * warp_size;

// Stream of a block, filled from its end on.
class PagedStream {
 public:
  __device__ PagedStream(const SequenceEncode &params, U64 block, U32 room)
      : params_(params), list_(params.page_lists + block * (room / page_words)), at_(room), begin_(room) {}

  // Called by all lanes; lanes with `mine` add a word. The words of a call are in the order of lanes.
  __device__ __forceinline__ void put(bool mine, U32 word, U32 lanes_before) {
    const U32 all = __ballot_sync(full_mask, mine);
    at_ -= static_cast<U32>(__popc(all));
    if (at_ < begin_) take_page();
    const U32 to = at_ + static_cast<U32>(__popc(all & lanes_before));
    if (mine)
      params_.pages[to + (to - begin_ < page_words ? shift_ : shift_before_)] = static_cast<std::uint16_t>(word);
  }
  __device__ U32 begin() const { return at_; }

 private:
  __device__ __forceinline__ void take_page() {
    shift_before_ = shift_;
    begin_ -= page_words;
    U32 page = 0;
    if (this_lane() == 0) {
      page = atomicAdd(&params_.report->pages, 1u);
      list_[begin_ / page_words] = page;
    }
    page = min(__shfl_sync(full_mask, page, 0), params_.pages_there);
    shift_ = page * page_words - begin_;
  }

  const SequenceEncode &params_;
  U32 *list_;
  U32 at_;
  U32 begin_;      // start of the first page
  U32 shift_ = 0;  // from words of the stream to words of the pages, modulo 2^32
  U32 shift_before_ = 0;
};

// core::ans_push by a 32-bit reciprocal, which is one instruction. States are below frequency * 2^20 before a step.
__device__ __forceinline__ U32 push(U32 state, U32 start, U32 frequency) {
  // The quotient is below 2^20, with a relative error below 2^-22. Subtracting a quarter keeps it from being too large.
  float reciprocal;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(__uint2float_rn(frequency)));
  const U32 quotient = __float2uint_rz(__fmaf_rn(__uint2float_rn(state), reciprocal, -0.25f));
  return core::ans_push(state, start, frequency, quotient);
}

// Finds what is coded for some rows of all lanes of a block, as [row][component][lane]. `Whole`: the block has
// core::sequence_block_size particles.
template <typename T, int D, bool Plain, bool Whole>
__device__ __forceinline__ void find_symbols(const SequenceEncode &params, const ChunkValues<T, D, Plain> &values,
                                             U64 b, const core::SequenceAxis (&axis)[D], U32 first_row,
                                             CodedValue *coded) {
  // Adjacent threads have consecutive rows, so that 64 bytes of a lane are read together.
  constexpr U32 threads = coded_rows / tile_rows;  // per lane
  const U32 row = first_row + this_lane() % threads * tile_rows;
#pragma unroll 1
  for (U32 lane = this_lane() / threads; lane < core::sequence_lanes; lane += warp_size / threads) {
    const SequenceRun run(params.particles, b, lane);
    const U32 count = row >= run.mine ? 0 : min(tile_rows, run.mine - row);
    const U64 at = run.first + run.from + row;
    // The two rows before belong to the previous thread, or must be read.
    const bool reads = this_lane() % threads == 0 && (Whole || count != 0);
    U32 symbol[tile_rows][D];
    core::SequenceContext context;
    Tile<T> tile[D];
#pragma unroll
    for (int d = 0; d < D; ++d) tile[d] = values.template load<Whole>(d, at, count);
#pragma unroll
    for (int d = 0; d < D; ++d) {
      const auto symbol_of = [&](U32 now, U32 last) {
        return core::symbol_of_step(static_cast<std::int32_t>(now - last), axis[d].shift);
      };
      U32 index[tile_rows];
      values.indices(d, at, tile[d], count, index);
      U32 before = __shfl_up_sync(full_mask, index[tile_rows - 1], 1);
      U32 two_before = 0;
      if (reads) {
        before = run.from + row == 0 ? index[0] : static_cast<U32>(values.index(d, at - 1));
        if (row != 0) two_before = static_cast<U32>(values.index(d, at - 2));
      }
      const U32 symbol_before = symbol_of(before, two_before);
#pragma unroll
      for (U32 k = 0; k < tile_rows; ++k) {
        symbol[k][d] = symbol_of(index[k], before);
        before = index[k];
      }
      const U32 last_class = __shfl_up_sync(full_mask, core::class_of_symbol(symbol[tile_rows - 1][d], axis[d]), 1);
      context.own[d] = reads ? core::class_of_symbol(symbol_before, axis[d]) : last_class;
    }
    context.last = context.own[D - 1];
    if (row == 0) context = {};
#pragma unroll
    for (U32 k = 0; k < tile_rows; ++k)
#pragma unroll
      for (int d = 0; d < D; ++d) {
        coded[((row - first_row + k) * D + static_cast<U32>(d)) * core::sequence_lanes + lane] =
            static_cast<CodedValue>(context.table(d) * core::sequence_symbols + symbol[k][d]);
        context.take(d, symbol[k][d], axis[d]);
      }
  }
}

// Codes a block. Returns its record, without the indices of its first particle.
template <typename T, int D, bool Plain, bool Whole>
__device__ __forceinline__ core::SequenceRecord encode_block(const SequenceEncode &params,
                                                             const ChunkValues<T, D, Plain> &values, U64 b,
                                                             const core::SequenceAxis (&axis)[D],
                                                             const PackedShare *shares, CodedValue *coded) {
  const SequenceRun run(params.particles, b, this_lane());
  const U32 rows = Whole ? core::sequence_block_size / core::sequence_lanes : run.rows;
  const U32 lanes_before = (1u << this_lane()) - 1;
  PagedStream stream(params, b, core::stream_room(D));
  U32 state = core::ans_low;
  U32 escapes = 0;
  U32 first_row = (rows - 1) / coded_rows * coded_rows;
  for (;; first_row -= coded_rows) {
    find_symbols<T, D, Plain, Whole>(params, values, b, axis, first_row, coded);
    __syncwarp();
#pragma unroll 1
    for (U32 k = Whole ? coded_rows : min(coded_rows, rows - first_row); k-- > 0;) {
      const bool active = Whole || first_row + k < run.mine;
      U32 value[D];
      PackedShare share[D];
#pragma unroll
      for (int d = 0; d < D; ++d) {
        value[d] = coded[(k * D + static_cast<U32>(d)) * core::sequence_lanes + this_lane()];
        share[d] = active ? shares[value[d]] : core::ans_total << packed_start_bits;
      }
#pragma unroll
      for (int d = D - 1; d >= 0; --d) {
        const U32 frequency = share[d] >> packed_start_bits;
        const bool full = active && core::ans_is_full(state, frequency);
        stream.put(full, state, lanes_before);
        if (full) state >>= 16;
        if (active) {
          state = push(state, share[d] & (core::ans_total - 1), frequency);
          escapes += value[d] % core::sequence_symbols == 0 ? 1 : 0;
        }
      }
    }
    if (first_row == 0) break;
    __syncwarp();
  }
  params.states[b * core::sequence_lanes + this_lane()] = state;
  params.lane_escapes[b * core::sequence_lanes + this_lane()] = static_cast<std::uint16_t>(escapes);
  core::SequenceRecord record;
  record.stream = core::stream_room(D) - stream.begin();
  record.escapes = warp_sum(escapes);
  return record;
}

template <typename T, int D, bool Plain>
__global__ void __launch_bounds__(stream_threads, 1) encode_blocks(const __grid_constant__ SequenceEncode params) {
  extern __shared__ __align__(16) PackedShare shares[];  // then the coded values of each warp
  constexpr U32 all = D * core::sequence_contexts * core::sequence_symbols;
  if (params.report->failed != 0) return;
  for (U32 k = threadIdx.x; k < all / 4; k += stream_threads)
    reinterpret_cast<uint4 *>(shares)[k] = reinterpret_cast<const uint4 *>(params.shares)[k];
  __syncthreads();
  core::SequenceAxis axis[D];
#pragma unroll
  for (int d = 0; d < D; ++d) axis[d] = params.tables->axis[d];
  const U32 warp = threadIdx.x / warp_size;
  auto *const coded = reinterpret_cast<CodedValue *>(shares + all) + warp * (coded_rows * D * core::sequence_lanes);
  const ChunkValues<T, D, Plain> values(params);
  // Warps of a thread block take consecutive blocks, whose arrays are in few pages of memory.
  const BlockShare part(params.blocks, blockIdx.x, gridDim.x);
  for (U64 b = part.first + warp; b < part.end; b += stream_warps) {
    const U32 n = sequence_block_particles(params.particles, b);
    core::SequenceRecord record = n == core::sequence_block_size
                                      ? encode_block<T, D, Plain, true>(params, values, b, axis, shares, coded)
                                      : encode_block<T, D, Plain, false>(params, values, b, axis, shares, coded);
    if (this_lane() == 0) {
#pragma unroll
      for (int d = 0; d < D; ++d) record.first[d] = values.index(d, b * core::sequence_block_size);
      params.records[b] = record;
      const core::SequenceLayout layout(axis, D, n, record);
      if (layout.stream_at > core::sequence_room(D)) params.report->failed = 1;
      params.words[b] = layout.total;
    }
    __syncwarp();
  }
}

// Computes the offsets of the strings of frequencies, which are not written yet, and the length of the chunk. Runs in
// one warp.
__global__ void measure(const __grid_constant__ SequenceEncode params) {
  if (params.report->failed != 0) return;
  const int components = params.field.components;
  const U32 tables = core::sequence_tables(components);
  SequenceTables &all = *params.tables;
  static_assert(max_sequence_tables < warp_size);
  U32 sum;
  const U32 before = warp_exclusive_sum(this_lane() < tables ? core::words_of_table(all.table[this_lane()]) : 0, &sum);
  if (this_lane() <= tables) all.words_before[this_lane()] = before;
  __syncwarp();
  if (this_lane() == 0)
    params.report->bytes =
        core::round_up_to_8(sequence_payload(all, components, params.blocks) + params.word_offsets[params.blocks] * 4);
}

template <typename T, int D, bool Plain>
void launch(const SequenceEncode &params, cudaStream_t stream) {
  constexpr std::size_t shared = encode_shared(D);
  check(cudaFuncSetAttribute(encode_blocks<T, D, Plain>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shared)),
        "shared memory");
  const auto grid = core::min_of(params.blocks, U64{params.processors});
  encode_blocks<T, D, Plain><<<static_cast<unsigned>(grid), stream_threads, shared, stream>>>(params);
}

}  // namespace

void encode_streams(const SequenceEncode &params, cudaStream_t stream) {
  with_form(params.field, [&](auto value, auto components) {
    using T = decltype(value);
    constexpr int D = decltype(components)::value;
    if (params.plain)
      launch<T, D, true>(params, stream);
    else
      launch<T, D, false>(params, stream);
  });
  std::size_t bytes = params.scan_bytes;
  check(exclusive_sum(params.scan, bytes, params.words, params.word_offsets, params.blocks + 1, stream), "scan");
  measure<<<1, warp_size, 0, stream>>>(params);
  check(cudaGetLastError(), "launch");
}

}  // namespace gpz::cuda
