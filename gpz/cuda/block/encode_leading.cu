// SPDX-License-Identifier: BSD-3-Clause
// Encodes the leading field (stages 1 to 3 of the paper) for any block: with exceptions, wide or not full. One thread
// block each.
#include "gpz/cuda/block/block_writer.cuh"
#include "gpz/cuda/block/kernels.cuh"
#include "gpz/cuda/common/chained.cuh"
#include "gpz/cuda/common/kernel_file.hpp"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

struct LeadingShared {
  PackShared pack;
  __align__(16) std::uint16_t start[max_segments + 8];  // number of particles of each segment, then its start
  // input indices by segment, in any order within a segment; later flags of exceptions
  std::uint16_t arrival[block_size];
  std::uint16_t order[block_size];  // order[j]: input index of stored particle j
  std::uint32_t bitmap[(max_segments + block_size) / 32];
};

// A sorted block, between choosing its coding and writing it.
struct SortedBlock {
  bool chosen = false;  // false: plain coding is smaller
  U32 words = 0;
  U32 order_words;
  int offset_width;
};

// Chooses the segment sizes with the smallest cost; of equal costs, the first candidate.
__device__ bool choose_segments(const BlockWriter &writer, core::BlockRecord &record, core::Segments &segments) {
  U64 best = ~U64{0};
  for (int c = static_cast<int>(threadIdx.x); c < core::shift_candidates; c += threads) {
    const core::ShiftCandidate candidate = core::shift_candidate(c, record.extent, writer.n);
    if (candidate.cost == core::no_candidate) continue;
    const U64 key = static_cast<U64>(candidate.cost) << 32 | static_cast<U32>(c) << 8 | candidate.shift[2];
    best = key < best ? key : best;
  }
  best = writer.all(best, Min{});
  if (best == ~U64{0}) return false;
  const core::ShiftChoice best_choice(static_cast<int>(best >> 8 & 0xFFFFFF));
  record.shift[0] = static_cast<std::uint8_t>(best_choice.shift(0, record.extent[0]));
  record.shift[1] = static_cast<std::uint8_t>(best_choice.shift(1, record.extent[1]));
  record.shift[2] = static_cast<std::uint8_t>(best & 0xFF);
  return core::make_segments(record.extent, record.shift, core::segment_limit(writer.n), segments);
}

// Stages 2 and 3: segments, counting sort, runs or bitmap (in shared.bitmap), offsets (given to the writer).
__device__ SortedBlock sort_block(BlockWriter &writer, LeadingShared &shared,
                                  const U64 (&delta)[core::max_components][items], U32 limit,
                                  core::BlockRecord &record) {
  SortedBlock sorted;
  core::Segments segments;
  if (!choose_segments(writer, record, segments)) return sorted;

  auto *counts = reinterpret_cast<U32 *>(shared.start);  // two 16-bit counts per word
  for (U32 w = threadIdx.x; w < max_segments / 2; w += threads) counts[w] = 0;
  for (U32 w = threadIdx.x; w < (max_segments + block_size) / 32; w += threads) shared.bitmap[w] = 0;
  __syncthreads();
  U32 rank[items];  // segment id in the low half; number of earlier particles of the segment in the high half
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const U32 id = segments.id(delta[0][k], delta[1][k], delta[2][k]);
    rank[k] = id;
    if (item_index(k) >= writer.n) continue;
    const int half = static_cast<int>(id % 2) * 16;
    rank[k] |= (atomicAdd(&counts[id / 2], 1u << half) >> half) << 16;
  }
  __syncthreads();

  // Each thread handles 16 consecutive segments, two in a word.
  const U32 first = threadIdx.x * segments_per_thread;
  U32 pair[segments_per_thread / 2];
#pragma unroll
  for (int w = 0; w < segments_per_thread / 8; ++w) {
    const uint4 four = reinterpret_cast<const uint4 *>(shared.start)[threadIdx.x * (segments_per_thread / 8) + w];
    pair[4 * w] = four.x;
    pair[4 * w + 1] = four.y;
    pair[4 * w + 2] = four.z;
    pair[4 * w + 3] = four.w;
  }
  const auto count = [&](int j) { return j % 2 == 0 ? pair[j / 2] & 0xFFFFu : pair[j / 2] >> 16; };
  U32 sum = 0;
  U32 runs = 0;
  U32 all_counts = 0;
  U32 last = 0;  // 1 + the last segment with particles
#pragma unroll
  for (int j = 0; j < segments_per_thread; ++j) {
    const U32 c = count(j);
    sum += c;
    runs += c != 0 ? 1 : 0;
    all_counts |= c != 0 ? c - 1 : 0;
    last = c != 0 ? first + j + 1 : last;
  }
  // One scan for the particles and runs of earlier threads: both sums stay below 2^16.
  const U32 both_before = writer.before(sum | runs << 16, Sum{});
  const U32 begin = both_before & 0xFFFFu;
  const U32 previous = writer.before(last, Max{});
  U32 all_gaps = 0;
  U32 next = previous;
#pragma unroll
  for (int j = 0; j < segments_per_thread; ++j) {
    if (count(j) == 0) continue;
    all_gaps |= first + j - next;
    next = first + j + 1;
  }
  // Gaps are below 2^12, counts below 2^11, and there are at most 2^10 runs.
  const U32 widths = writer.all(all_gaps << 16 | all_counts, Or{});
  const U32 total_runs = writer.all(runs, Sum{});
  const int gap_width = core::bit_length(widths >> 16);
  const int count_width = core::bit_length(widths & 0xFFFFu);
  const U32 run_words = core::runs_may_win(total_runs, writer.n, segments.count)
                            ? core::words_of_runs(total_runs, gap_width, count_width)
                            : ~0u;
  const U32 bitmap_words = core::words_of_bitmap(writer.n, segments.count);
  sorted.offset_width = segments.offset_width;
  sorted.order_words = run_words < bitmap_words ? run_words : bitmap_words;
  const U32 words = sorted.order_words + core::packed_words(writer.n, segments.offset_width, writer.lanes);
  if (words > limit) return sorted;
  sorted.chosen = true;
  sorted.words = words;

  if (run_words <= bitmap_words) {
    record.mode = core::Mode::runs;
    record.runs = total_runs;
    record.gap_width = static_cast<std::uint8_t>(gap_width);
    record.count_width = static_cast<std::uint8_t>(count_width);
    const auto width = static_cast<U32>(gap_width + count_width);
    U32 bit = (both_before >> 16) * width;
    next = previous;
    for (int j = 0; j < segments_per_thread && width != 0; ++j) {
      const U32 c = first + j < segments.count ? shared.start[first + j] : 0;
      if (c == 0) continue;
      put_run(shared.bitmap, bit, {first + j - next, c}, gap_width, width);
      bit += width;
      next = first + j + 1;
    }
    __syncthreads();
  } else {
    record.mode = core::Mode::elias_fano;
  }
  U32 at = begin;
#pragma unroll
  for (int w = 0; w < segments_per_thread / 2; ++w) {
    const U32 low = pair[w] & 0xFFFFu;
    const U32 high = pair[w] >> 16;
    counts[threadIdx.x * (segments_per_thread / 2) + w] = at | (at + low) << 16;
    at += low + high;
  }
  if (threadIdx.x == threads - 1) shared.start[max_segments] = static_cast<std::uint16_t>(at);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < items; ++k)
    if (item_index(k) < writer.n)
      shared.arrival[shared.start[rank[k] & 0xFFFFu] + (rank[k] >> 16)] = static_cast<std::uint16_t>(item_index(k));
  __syncthreads();
  // Particles arrive in a segment in any order. Each one counts the particles of its segment that precede it in the
  // input.
  const bool fill_bitmap = record.mode == core::Mode::elias_fano;
  const auto mask_x = core::low_mask(segments.shift[0]);
  const auto mask_y = core::low_mask(segments.shift[1]);
  const auto mask_z = core::low_mask(segments.shift[2]);
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const U32 i = item_index(k);
    if (i >= writer.n) continue;
    const U32 id = rank[k] & 0xFFFFu;
    const U32 from = shared.start[id];
    const U32 to = shared.start[id + 1];
    U32 stored = from;
    if (to - from > 1)
      for (U32 j = from; j < to; ++j) stored += shared.arrival[j] < i ? 1 : 0;
    writer.put(stored, (delta[0][k] & mask_x) | (delta[1][k] & mask_y) << (segments.offset_at[1] & 63) |
                           (delta[2][k] & mask_z) << (segments.offset_at[2] & 63));
    shared.order[stored] = static_cast<std::uint16_t>(i);
    if (fill_bitmap) {
      const U32 bit = id + stored;
      atomicOr(&shared.bitmap[bit / 32], 1u << bit % 32);
    }
  }
  __syncthreads();
  return sorted;
}

template <typename T>
__device__ void encode_block(const EncodeParams &params, LeadingShared &shared, U64 block) {
  const FieldParams &field = params.field[0];
  BlockWriter writer(params, shared.pack, block);
  core::BlockRecord record;

  // Stage 1: grid indices.
  U64 delta[core::max_components][items];
  U32 missed = 0;  // one bit per item and component: the value is not on the grid
  double error = 0;
  std::int64_t low[core::max_components];
  std::int64_t high[core::max_components];
#pragma unroll
  for (int d = 0; d < core::max_components; ++d) {
    low[d] = INT64_MAX;
    high[d] = INT64_MIN;
    // All loads are in flight at once. Items beyond the end load the last particle and are ignored.
    T x[items];
#pragma unroll
    for (int k = 0; k < items; ++k)
      x[k] = d < field.components
                 ? load<T>(field.array[d], params.rows, block * block_size + min(item_index(k), writer.n - 1))
                 : T{0};
#pragma unroll
    for (int k = 0; k < items; ++k) {
      const core::Quantized<T> q = core::quantize(x[k], field.grid);
      const bool used = d < field.components && item_index(k) < writer.n;
      const bool on_grid = used && q.valid;
      missed |= (used && !q.valid ? 1u : 0u) << (d * items + k);
      error = on_grid ? core::max_of(error, static_cast<double>(q.error)) : error;
      delta[d][k] = on_grid ? static_cast<U64>(q.index) : 0;
      low[d] = on_grid ? core::min_of(low[d], q.index) : low[d];
      high[d] = on_grid ? core::max_of(high[d], q.index) : high[d];
    }
  }
  U32 plain_words = 0;
#pragma unroll
  for (int d = 0; d < core::max_components; ++d) {
    if (d >= field.components) continue;
    low[d] = writer.all(low[d], Min{});
    high[d] = writer.all(high[d], Max{});
    if (low[d] > high[d]) low[d] = high[d] = 0;  // no value of the block is on the grid
    record.min[d] = core::key_of(low[d]);
    record.extent[d] = static_cast<U64>(high[d]) - static_cast<U64>(low[d]);
    plain_words += core::packed_words(writer.n, core::bit_length(record.extent[d]), writer.lanes);
#pragma unroll
    for (int k = 0; k < items; ++k)
      delta[d][k] = (missed >> (d * items + k) & 1) != 0 ? 0 : delta[d][k] - static_cast<U64>(low[d]);
  }
  const U64 error_bits = writer.all(core::bit_cast<U64>(error), Max{});
  record.exceptions = writer.all(static_cast<U32>(__popc(missed)), Sum{});
  if (core::exact_is_smaller(plain_words, record.exceptions, writer.n, field.components, field.value, writer.lanes)) {
    writer.encode_exact<T>(0, [&](U32 j) { return block * block_size + j; });
    return;
  }

  SortedBlock sorted;
  if (plain_words != 0) sorted = sort_block(writer, shared, delta, plain_words, record);
  U32 *out = writer.output(field);
  U32 words = sorted.words;
  if (sorted.chosen) {
    for (U32 w = threadIdx.x; w < sorted.order_words; w += threads) out[w] = shared.bitmap[w];
    writer.pack(sorted.offset_width, out + sorted.order_words);
    if (params.fields > 1)
      for (U32 j = threadIdx.x; j < writer.n; j += threads) params.order[block * block_size + j] = shared.order[j];
  } else {
    record.mode = core::Mode::plain;
    for (auto &shift : record.shift) shift = 0;
#pragma unroll
    for (int d = 0; d < core::max_components; ++d) {
      if (d >= field.components) continue;
      __syncthreads();
#pragma unroll
      for (int k = 0; k < items; ++k)
        if (item_index(k) < writer.n) writer.put(item_index(k), delta[d][k]);
      __syncthreads();
      const int width = core::bit_length(record.extent[d]);
      writer.pack(width, out + words);
      words += core::packed_words(writer.n, width, writer.lanes);
    }
  }
  if (record.exceptions != 0) {
    const auto input = [&](U32 j) { return sorted.chosen ? shared.order[j] : j; };
    // Flags of exceptions, one bit per component, in shared.arrival by input index.
    __syncthreads();
#pragma unroll
    for (int k = 0; k < items; ++k) {
      U32 flags = 0;
#pragma unroll
      for (int d = 0; d < core::max_components; ++d) flags |= (missed >> (d * items + k) & 1) << d;
      if (item_index(k) < writer.n) shared.arrival[item_index(k)] = static_cast<std::uint16_t>(flags);
    }
    __syncthreads();
    writer.write_exceptions<T>(
        field.components, record.exceptions, out + words,
        [&](int d, U32 j) { return (shared.arrival[input(j)] >> d & 1) != 0; },
        [&](int d, U32 j) { return load<T>(field.array[d], params.rows, block * block_size + input(j)); });
    words += core::words_of_exceptions(record.exceptions, field.value);
  }
  writer.finish(0, record, words, error_bits);
}

}  // namespace

namespace {

template <typename T>
__global__ void __launch_bounds__(threads) encode_leading(const __grid_constant__ EncodeParams params) {
  __shared__ LeadingShared shared;
  wait_in_chain();
  const U32 count = *params.other_count;
  for (U32 w = blockIdx.x; w < count; w += gridDim.x) {
    encode_block<T>(params, shared, params.other_blocks[w]);
    __syncthreads();
  }
}

}  // namespace

void launch_encode_leading(const EncodeParams &params, cudaStream_t stream) {
  const auto ctas = static_cast<U32>(params.blocks < 512 ? params.blocks : 512);
  if (params.field[0].value == core::Value::float32)
    launch_chained(encode_leading<float>, ctas, threads, 0, stream, params);
  else
    launch_chained(encode_leading<double>, ctas, threads, 0, stream, params);
}

namespace {
const KernelFile kernels(reinterpret_cast<const void *>(encode_leading<double>));
}  // namespace

}  // namespace gpz::cuda
