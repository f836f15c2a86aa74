// SPDX-License-Identifier: BSD-3-Clause
// The streams of a sequence chunk: one warp codes each block, from the last row on as the states want it, into pages.
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/scan.cuh"
#include "gpz/cuda/common/warp.cuh"
#include "gpz/cuda/sequence/values.cuh"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr unsigned stream_threads = 1024;

// A block's stream, which is filled from its end on.
class PagedStream {
 public:
  __device__ PagedStream(const SequenceEncode &params, U64 block, U32 room)
      : params_(params), list_(params.page_lists + block * (room / page_words)), at_(room), begin_(room) {}

  // All lanes call it; those with a word give one. Words of a call are in the order of lanes.
  __device__ __forceinline__ void put(bool mine, U32 word) {
    const U32 all = __ballot_sync(full_mask, mine);
    at_ -= static_cast<U32>(__popc(all));
    if (at_ < begin_) take_page();
    if (!mine) return;
    const U32 to = at_ + static_cast<U32>(__popc(all & ((1u << this_lane()) - 1)));
    const U32 page = to < begin_ + page_words ? page_ : page_before_;
    if (page < params_.pages_there)
      params_.pages[U64{page} * page_words + to % page_words] = static_cast<std::uint16_t>(word);
  }
  __device__ U32 begin() const { return at_; }

 private:
  __device__ __forceinline__ void take_page() {
    page_before_ = page_;
    begin_ -= page_words;
    U32 page = 0;
    if (this_lane() == 0) {
      page = atomicAdd(&params_.report->pages, 1u);
      list_[begin_ / page_words] = page;
    }
    page_ = __shfl_sync(full_mask, page, 0);
  }

  const SequenceEncode &params_;
  U32 *list_;
  U32 at_;
  U32 begin_;  // of the first page
  U32 page_ = 0;
  U32 page_before_ = 0;
};

// Symbols of all components of a particle, ten bits each, and their classes.
template <int D>
struct Symbols {
  U32 packed = 0;
  __device__ __forceinline__ void set(int d, U32 symbol) { packed |= symbol << (10 * d); }
  __device__ __forceinline__ U32 get(int d) const { return packed >> (10 * d) % 32 & (core::sequence_symbols - 1); }
};
static_assert(core::sequence_symbols == 1024);

template <typename T, int D>
__global__ void __launch_bounds__(stream_threads, 1) encode_blocks(const __grid_constant__ SequenceEncode params) {
  extern __shared__ PackedShare shares[];
  constexpr U32 all = D * core::sequence_contexts * core::sequence_symbols;
  if (params.report->failed != 0) return;
  for (U32 k = threadIdx.x; k < all / 4; k += stream_threads)
    reinterpret_cast<uint4 *>(shares)[k] = reinterpret_cast<const uint4 *>(params.shares)[k];
  __syncthreads();
  core::SequenceAxis axis[D];
#pragma unroll
  for (int d = 0; d < D; ++d) axis[d] = params.tables->axis[d];
  const SequenceValues<T, D> values(params, params.report->exact != 0);
  // Warps of a thread block take blocks that follow each other: their arrays are in few pages of memory.
  const BlockShare part(params.blocks, blockIdx.x, gridDim.x);
  for (U64 b = part.first + threadIdx.x / warp_size; b < part.end; b += stream_threads / warp_size) {
    const SequenceRun run(params.particles, b, this_lane());
    const U64 first = run.first + run.from;
    const auto load = [&](Tile<T>(&tile)[D], U32 row) {
      const U32 count = row >= run.mine ? 0 : min(tile_rows, run.mine - row);
#pragma unroll
      for (int d = 0; d < D; ++d) tile[d] = values.load(d, first + row, count);
    };
    // Indices, modulo 2^32, of a tile; behind the lane's last row they do not matter.
    const auto indices = [&](const Tile<T>(&tile)[D], U32 row, U32(&index)[tile_rows][D]) {
#pragma unroll
      for (int d = 0; d < D; ++d)
#pragma unroll
        for (U32 k = 0; k < tile_rows; ++k)
          index[k][d] = row + k < run.mine ? static_cast<U32>(values.index(d, first + row + k, tile[d].x[k])) : 0;
    };
    PagedStream stream(params, b, core::stream_room(D));
    U32 state = core::ans_low;
    U32 escapes = 0;
    U32 before[tile_rows][D];  // of the tile before the one that is coded
    Tile<T> ahead[D];
    U32 row = (run.rows - 1) / tile_rows * tile_rows;
    load(ahead, row);
    indices(ahead, row, before);
    if (row != 0) load(ahead, row - tile_rows);
    for (;; row -= tile_rows) {
      U32 index[tile_rows][D];
#pragma unroll
      for (U32 k = 0; k < tile_rows; ++k)
#pragma unroll
        for (int d = 0; d < D; ++d) index[k][d] = before[k][d];
      Symbols<D> symbols[tile_rows + 1];  // the first ones are of the row before
      if (row != 0) {
        indices(ahead, row - tile_rows, before);
        if (row != tile_rows) load(ahead, row - 2 * tile_rows);
      } else if (run.mine != 0) {
#pragma unroll
        for (int d = 0; d < D; ++d)
          before[tile_rows - 1][d] = run.from == 0 ? index[0][d] : static_cast<U32>(values.index(d, first - 1));
      }
#pragma unroll
      for (int d = 0; d < D; ++d) {
        const auto symbol_of = [&](U32 now, U32 last) {
          return core::symbol_of_step(static_cast<std::int32_t>(now - last), axis[d].shift);
        };
        symbols[0].set(d, symbol_of(before[tile_rows - 1][d], before[tile_rows - 2][d]));
        symbols[1].set(d, symbol_of(index[0][d], before[tile_rows - 1][d]));
#pragma unroll
        for (U32 k = 1; k < tile_rows; ++k) symbols[k + 1].set(d, symbol_of(index[k][d], index[k - 1][d]));
      }
#pragma unroll
      for (U32 k = tile_rows; k-- > 0;) {
        const bool active = row + k < run.mine;
        core::SequenceContext context;
        if (row + k != 0)
#pragma unroll
          for (int d = 0; d < D; ++d) context.take(d, symbols[k].get(d), axis[d]);
        U32 table[D];
#pragma unroll
        for (int d = 0; d < D; ++d) {
          table[d] = context.table(d);
          context.take(d, symbols[k + 1].get(d), axis[d]);
        }
#pragma unroll
        for (int d = D - 1; d >= 0; --d) {
          const U32 symbol = symbols[k + 1].get(d);
          const PackedShare share = shares[table[d] * core::sequence_symbols + symbol];
          const U32 frequency = active ? share >> packed_start_bits : core::ans_total;
          const bool full = active && core::ans_is_full(state, frequency);
          stream.put(full, state);
          if (full) state >>= 16;
          if (active) {
            state = core::ans_push(state, share & (core::ans_total - 1), frequency);
            escapes += symbol == 0 ? 1 : 0;
          }
        }
      }
      if (row == 0) break;
    }
    params.states[b * core::sequence_lanes + this_lane()] = state;
    params.lane_escapes[b * core::sequence_lanes + this_lane()] = static_cast<std::uint16_t>(escapes);
    const U32 all_escapes = warp_sum(escapes);
    if (this_lane() != 0) continue;
    core::SequenceRecord record;
    record.stream = core::stream_room(D) - stream.begin();
    record.escapes = all_escapes;
#pragma unroll
    for (int d = 0; d < D; ++d) record.first[d] = values.index(d, run.first);
    params.records[b] = record;
    const core::SequenceLayout layout(axis, D, run.n, record);
    if (layout.stream_at > core::sequence_room(D)) params.report->failed = 1;
    params.words[b] = layout.total;
  }
}

// Of a chunk without strings of frequencies yet: where they will be, and the length of the chunk.
__global__ void measure(const __grid_constant__ SequenceEncode params) {
  if (params.report->failed != 0) return;
  const int components = params.field.components;
  const U32 tables = core::sequence_tables(components);
  SequenceTables &all = *params.tables;
  U32 sum = 0;
  for (U32 t = 0; t < tables; ++t) {
    all.words_before[t] = sum;
    sum += core::words_of_table(all.table[t]);
  }
  all.words_before[tables] = sum;
  params.report->bytes =
      core::round_up_to_8(sequence_payload(all, components, params.blocks) + params.word_offsets[params.blocks] * 4);
}

template <typename T, int D>
void launch(const SequenceEncode &params, cudaStream_t stream) {
  int device = 0;
  int processors = 0;
  check(cudaGetDevice(&device), "device");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "device");
  constexpr std::size_t shared = encode_shared(D);
  check(
      cudaFuncSetAttribute(encode_blocks<T, D>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
      "shared memory");
  const auto grid = core::min_of(params.blocks, static_cast<U64>(processors));
  encode_blocks<T, D><<<static_cast<unsigned>(grid), stream_threads, shared, stream>>>(params);
}

template <typename T>
void launch(const SequenceEncode &params, cudaStream_t stream) {
  if (params.field.components == 1) return launch<T, 1>(params, stream);
  if (params.field.components == 2) return launch<T, 2>(params, stream);
  launch<T, 3>(params, stream);
}

}  // namespace

void encode_streams(const SequenceEncode &params, void *scan, std::size_t scan_bytes, cudaStream_t stream) {
  if (params.field.value == core::Value::float32)
    launch<float>(params, stream);
  else
    launch<double>(params, stream);
  check(exclusive_sum(scan, scan_bytes, params.words, params.word_offsets, params.blocks + 1, stream), "scan");
  measure<<<1, 1, 0, stream>>>(params);
  check(cudaGetLastError(), "launch");
}

}  // namespace gpz::cuda
