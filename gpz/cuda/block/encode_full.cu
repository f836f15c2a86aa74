// SPDX-License-Identifier: BSD-3-Clause
// Encodes the leading field (stages 1 to 3 of the paper) for the common blocks: full, every value on the grid,
// differences of at most 31 bits. One warp per block, as in the paper; particle i is in row i / 32 of lane i % 32. All
// other blocks are left to encode_leading.cu.
#include "gpz/core/block.hpp"
#include "gpz/core/keys.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/cuda/block/block_load.cuh"
#include "gpz/cuda/block/full_indices.cuh"
#include "gpz/cuda/block/kernels.cuh"
#include "gpz/cuda/block/lane_packer.cuh"
#include "gpz/cuda/block/publish.cuh"
#include "gpz/cuda/block/segment_counters.cuh"
#include "gpz/cuda/common/chained.cuh"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/common/warp.cuh"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

// Target of the launch bounds: registers hold the indices of 32 particles, and each scheduler has 4 warps (floats) or 3
// (doubles).
template <typename T>
constexpr int warps_per_multiprocessor = sizeof(T) == 4 ? 16 : 12;

// True if statistics are read early and blocks without offsets have a code path of their own. For doubles, both
// together cost 3 to 12 %.
template <typename T>
constexpr bool spare_registers = sizeof(T) == 4;

struct Sorted {
  U32 before[4];        // the last one is 0, so that each key has a predecessor
  U32 key[block_size];  // segment id in the bits above the input index
  U32 offset[block_size];
};

// Used in turn: for the values, the counters (then starts) of segments, and the sorted particles.
template <std::size_t StagedBytes>
union FullMemory {
  __align__(16) unsigned char values[StagedBytes];
  __align__(16) U32 start[max_counters];
  Sorted sorted;
};

struct FullShared {
  U32 *start;
  Sorted *sorted;
  U32 *order;           // (max_segments + block_size) / 32 words of runs or bitmap
  StagedBlock *staged;  // filled by lane 0
};

// Chooses the segment sizes with the smallest cost; of equal costs, the first candidate.
__device__ __forceinline__ bool choose_segments(const U32 (&extent)[core::max_components], core::Segments &segments) {
  U32 cost = core::no_candidate;
  U32 choice = ~0u;
#pragma unroll
  for (int first = 0; first < core::shift_candidates; first += warp_size) {
    const int c = min(first + static_cast<int>(threadIdx.x), core::shift_candidates - 1);
    const core::ShiftCandidate candidate = core::shift_candidate(c, extent, block_size);
    choice = candidate.cost < cost ? static_cast<U32>(c) << 8 | candidate.shift[2] : choice;
    cost = min(cost, candidate.cost);
  }
  const U32 best = warp_min(cost);
  choice = warp_min(cost == best ? choice : ~0u);
  if (best == core::no_candidate) return false;
  const core::ShiftChoice best_choice(static_cast<int>(choice >> 8));
  const std::uint8_t shift[core::max_components] = {static_cast<std::uint8_t>(best_choice.shift(0, extent[0])),
                                                    static_cast<std::uint8_t>(best_choice.shift(1, extent[1])),
                                                    static_cast<std::uint8_t>(choice & 0xFF)};
  return core::make_segments(extent, shift, core::segment_limit(block_size), segments) && segments.offset_width <= 32;
}

// Stage 3 (a), section 4.3 of the paper: writes run lengths and gaps to shared.order if they take at most bitmap_words.
// Returns their words, which may be more than bitmap_words.
__device__ __forceinline__ U32 encode_runs(const FullShared &shared, const SegmentShare &share, U32 bitmap_words) {
  U32 runs = 0;
  U32 largest = 0;
  U32 last = 0;  // 1 + the last segment with particles
  share.for_each(shared.start, [&](U32 segment, U32 count) {
    runs += min(count, 1u);
    largest = max(largest, count);
    last = count != 0 ? segment + 1 : last;
  });
  const U32 next_of_lane = warp_exclusive_max(last);
  U32 next = next_of_lane;
  U32 gaps = 0;
  share.for_each(shared.start, [&](U32 segment, U32 count) {
    if (count == 0) return;
    gaps |= segment - next;
    next = segment + 1;
  });
  const int count_width = core::bit_length(warp_max(largest) - 1);
  const int gap_width = core::bit_length(warp_or(gaps));
  const auto width = static_cast<U32>(gap_width + count_width);
  U32 all_runs;
  U32 bit = warp_exclusive_sum(runs, &all_runs) * width;
  const U32 words = core::words_of_runs(all_runs, gap_width, count_width);
  if (words > bitmap_words) return words;
  if (threadIdx.x == 0) {
    core::BlockRecord &record = shared.staged->record;
    record.runs = all_runs;
    record.gap_width = static_cast<std::uint8_t>(gap_width);
    record.count_width = static_cast<std::uint8_t>(count_width);
  }
  if (width == 0) return words;
  next = next_of_lane;
  share.for_each(shared.start, [&](U32 segment, U32 count) {
    if (count == 0) return;
    put_run(shared.order, bit, {segment - next, count}, gap_width, width);
    bit += width;
    next = segment + 1;
  });
  return words;
}

// Stage 3 (b), Elias-Fano: sets the bits id + j of four particles, stored from j on. They nearly always lie within 32
// bits. Lanes next to each other share words, so joining bits within a lane avoids colliding atomics.
__device__ __forceinline__ void set_bits(U32 *bitmap, const uint4 &key, U32 j) {
  const U32 id = key.x >> 18;
  const U32 y = (key.y >> 18) - id;
  const U32 z = (key.z >> 18) - id;
  const U32 w = (key.w >> 18) - id;
  const U32 bit = id + j;
  if (w < 32 - 3) {
    const U32 bits = 1u | 2u << y | 4u << z | 8u << w;
    atomicOr(&bitmap[bit / 32], bits << bit % 32);
    const U32 rest = __funnelshift_l(bits, 0, bit);
    if (rest != 0) atomicOr(&bitmap[bit / 32 + 1], rest);
  } else {
    const U32 others[] = {bit, bit + y + 1, bit + z + 2, bit + w + 3};
    for (const U32 other : others) atomicOr(&bitmap[other / 32], 1u << other % 32);
  }
}

// Visits the stored particles and writes the bitmap, unless it is null. Returns false unless keys ascend, by segment,
// then by input index. This check is needed because hardware serves colliding atomics of a warp in the order of the
// lanes, but no document guarantees it.
__device__ __forceinline__ bool finish_order(const U32 *key, U32 *bitmap) {
  bool ascends = true;
#pragma unroll 2
  for (U32 chunk = 0; chunk < block_size; chunk += 4 * warp_size) {
    const U32 j = chunk + 4 * threadIdx.x;
    const uint4 four = *reinterpret_cast<const uint4 *>(&key[j]);
    ascends &= key[static_cast<int>(j) - 1] <= four.x && four.x < four.y && four.y < four.z && four.z < four.w;
    if (bitmap != nullptr) set_bits(bitmap, four, j);
  }
  return __all_sync(full_mask, ascends);
}

// Writes the input indices of the stored particles.
__device__ __forceinline__ void write_order(const U32 *key, std::uint16_t *order) {
#pragma unroll 2
  for (U32 j = 4 * threadIdx.x; j < block_size; j += 4 * warp_size) {
    const uint4 four = *reinterpret_cast<const uint4 *>(&key[j]);
    *reinterpret_cast<uint2 *>(&order[j]) =
        make_uint2((four.x & 0x3FFu) | (four.y & 0x3FFu) << 16, (four.z & 0x3FFu) | (four.w & 0x3FFu) << 16);
  }
}

// Packs values[0 .. 1024) of `width` bits, 0 < width <= 32.
__device__ __forceinline__ void pack_block(const U32 *values, int width, U32 *out) {
  LanePacker packer(out);
#pragma unroll 4
  for (int row = 0; row < rows; ++row) packer.put(values[row * warp_size + static_cast<int>(threadIdx.x)], width);
}

// Hides from the compiler that a factor is a power of two. Otherwise it would shift and add, which takes two
// instructions in place of one multiply-add.
__device__ __forceinline__ U32 as_factor(U32 power) {
  asm("mov.u32 %0, %0;" : "+r"(power));
  return power;
}

// Packs the values of a block in input order. Loads and quantises the values again, which is rare.
template <typename T, typename Load>
__device__ __forceinline__ void encode_plain(const FullShared &shared, const FieldParams &field, const Load &load,
                                             U32 *out) {
  __syncwarp();
  load.fetch();
  const core::BlockRecord &record = shared.staged->record;
  for (int d = 0; d < field.components; ++d) {
    const int width = core::bit_length(record.extent[d]);
    if (width == 0) continue;
    const auto min = static_cast<U32>(record.min[d]);
    LanePacker packer(out);
#pragma unroll 4
    for (int row = 0; row < rows; ++row)
      packer.put(static_cast<U32>(core::quantize(load(d, row), field.grid).index) - min, width);
    out += width * warp_size;
  }
}

// Returns false if encode_leading.cu has to code the block.
template <typename T, int Components, typename Load>
__device__ __forceinline__ bool encode_full_block(const EncodeParams &params, const FullShared &shared,
                                                  const Load &load, U64 block) {
  const FieldParams &field = params.field[0];
  const U32 lane = threadIdx.x;
  double known_error = 0;
  U32 known_reach = 0;
  if constexpr (sizeof(T) == 4) {
    known_error = core::bit_cast<double>(__ldcg(&params.stats[0].largest[of_error]));
    known_reach = __ldcg(params.reach);
  }
  load.fetch();

  // Stage 1: low words of grid indices, as differences from the smallest index.
  Indices indices;
  T error = 0;
  bool good = true;
  bool quick = false;
  if constexpr (sizeof(T) == 4) {
    quick = find_quick_indices<Components>(field.grid, load, known_error, known_reach + known_reach / 8, indices, error,
                                           *shared.staged);
  }
  if (!quick) good = find_indices<T, Components>(field.grid, load, indices, error, *shared.staged);
  if (sizeof(T) == 4 && lane == 0 && indices.reach > known_reach &&
      indices.reach <= static_cast<U32>(core::quick_reach))
    atomicMax(params.reach, indices.reach);
  U32 plain_words = 0;
#pragma unroll
  for (int d = 0; d < core::max_components; ++d) {
    if (d >= Components) {
      indices.extent[d] = 0;
#pragma unroll
      for (int row = 0; row < rows; ++row) indices.delta[d][row] = 0;
    }
    plain_words += warp_size * static_cast<U32>(core::bit_length(indices.extent[d]));
    if (lane == 0) shared.staged->record.extent[d] = indices.extent[d];
  }
  const auto &delta = indices.delta;
  const auto &extent = indices.extent;
  // 31 bits, so that a shift by the whole width is smaller than the width of the type. NaN compares false.
  good &= static_cast<double>(error) < field.grid.bound && (extent[0] | extent[1] | extent[2]) <= 0x7FFFFFFFu;
  if (!__all_sync(full_mask, good)) return false;
  const U64 known = spare_registers<T> ? known_statistic(params, 0) : 0;
  const U64 error_bits = warp_max(core::bit_cast<U64>(static_cast<double>(error)));
  if (lane == 0) shared.staged->error_bits = error_bits;

  U32 *out = staged_payload(params, field, block);
  const auto finish = [&](core::Mode mode, U32 words) {
    if (lane == 0) {
      core::BlockRecord &record = shared.staged->record;
      record.mode = mode;
      record.exceptions = 0;
      if (mode != core::Mode::runs) record.runs = record.gap_width = record.count_width = 0;
      if (mode == core::Mode::plain)
        for (auto &shift : record.shift) shift = 0;
      shared.staged->words = words;
    }
    __syncwarp();
    publish(params, 0, block, *shared.staged, spare_registers<T> ? known : known_statistic(params, 0));
    return true;
  };
  const auto plain = [&] {
    encode_plain<T>(shared, field, load, out);
    return finish(core::Mode::plain, plain_words);
  };
  core::Segments segments;
  if (plain_words == 0) return plain();
  if (!choose_segments(extent, segments)) return false;
  if (lane == 0)
    for (int d = 0; d < core::max_components; ++d)
      shared.staged->record.shift[d] = static_cast<std::uint8_t>(segments.shift[d]);

  // Stage 2: counting sort by segment. The counters take the memory of the values.
  __syncwarp();
  const SegmentShare share(segments.count);
  for (U32 i = lane; i < share.per * (warp_size / 4); i += warp_size)
    reinterpret_cast<uint4 *>(shared.start)[i] = make_uint4(0, 0, 0, 0);
  const U32 bitmap_words = core::words_of_bitmap(block_size, segments.count);
  for (U32 w = lane; w < bitmap_words; w += warp_size) shared.order[w] = 0;
  __syncwarp();
  // Bits from 18 on: segment id. Lower bits: number of earlier particles in the segment, times `counted`.
  U32 rank[rows];
  U32 offset[rows];
  const bool offsets = !spare_registers<T> || segments.offset_width != 0;
  const auto find_rank = [&](int row) {
    const U32 bytes = segments.id(delta[0][row], delta[1][row], delta[2][row], sizeof(U32));
    U32 *counter = at_byte(shared.start, bytes);
    rank[row] = bytes * 0x10000u + atomicAdd(counter, counted);
  };
  if (offsets) {
    const auto mask_x = static_cast<U32>(core::low_mask(segments.shift[0]));
    const auto mask_y = static_cast<U32>(core::low_mask(segments.shift[1]));
    const auto mask_z = static_cast<U32>(core::low_mask(segments.shift[2]));
    const U32 factor_y = as_factor(1u << (segments.offset_at[1] & 31));
    const U32 factor_z = as_factor(1u << (segments.offset_at[2] & 31));
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      find_rank(row);
      // If an offset fills 32 bits, the following axes have no bits.
      offset[row] =
          (delta[0][row] & mask_x) + (delta[1][row] & mask_y) * factor_y + (delta[2][row] & mask_z) * factor_z;
    }
  } else {
#pragma unroll
    for (int row = 0; row < rows; ++row) find_rank(row);
  }
  __syncwarp();

  const Totals totals = totals_of(shared.start, share);

  // Stage 3: the smaller of runs and bitmap, unless plain coding is smaller than both.
  const U32 run_words = core::runs_may_win(warp_sum(totals.runs), block_size, segments.count)
                            ? encode_runs(shared, share, bitmap_words)
                            : ~0u;
  const bool as_runs = run_words <= bitmap_words;
  const U32 order_words = as_runs ? run_words : bitmap_words;
  const U32 words = order_words + warp_size * static_cast<U32>(segments.offset_width);
  if (words > plain_words) return plain();
  __syncwarp();
  sum_up(shared.start, share, warp_exclusive_sum(totals.particles));
  __syncwarp();
#pragma unroll
  for (int row = 0; row < rows; ++row) rank[row] += *at_byte(shared.start, rank[row] >> 16);
  __syncwarp();
#pragma unroll
  for (int row = 0; row < rows; ++row) {
    const U32 stored = rank[row] & (block_size * counted - 1);
    *at_byte(shared.sorted->key, stored) = (rank[row] & ~0x3FFFFu) | load.particle(row);
    if (offsets) *at_byte(shared.sorted->offset, stored) = offset[row];
  }
  if (lane == 0) shared.sorted->before[3] = 0;
  __syncwarp();
  if (!finish_order(shared.sorted->key, as_runs ? nullptr : shared.order)) return false;
  if (params.fields > 1) write_order(shared.sorted->key, params.order + block * block_size);
  __syncwarp();
  for (U32 w = lane; w < order_words; w += warp_size) out[w] = shared.order[w];
  if (segments.offset_width != 0) pack_block(shared.sorted->offset, segments.offset_width, out + order_words);
  return finish(as_runs ? core::Mode::runs : core::Mode::elias_fano, words);
}

template <typename T, int Components, typename Load>
__global__ void __launch_bounds__(warp_size, warps_per_multiprocessor<T>)
    encode_full(const __grid_constant__ EncodeParams params) {
  __shared__ FullMemory<Load::staging_bytes> memory;
  __shared__ U32 order[(max_segments + block_size) / 32];
  __shared__ StagedBlock staged;
  wait_in_chain();
  const FullShared shared{memory.start, &memory.sorted, order, &staged};
  const Load load(params.field[0], params.rows, blockIdx.x, memory.values);
  const bool done = encode_full_block<T, Components>(params, shared, load, blockIdx.x);
  if (!done && threadIdx.x == 0) params.other_blocks[atomicAdd(params.other_count, 1u)] = blockIdx.x;
}

template <typename T, int Components, typename Load>
void launch(const EncodeParams &params, cudaStream_t stream) {
  const auto blocks = static_cast<U32>(params.particles / block_size);
  if (blocks != 0) launch_chained(encode_full<T, Components, Load>, blocks, warp_size, 0, stream, params);
}

// Three components in common layouts have kernels of their own; everything else uses general ones.
template <typename T>
void launch_for(const EncodeParams &params, cudaStream_t stream) {
  const FieldParams &field = params.field[0];
  const int stride = common_stride(field, params.rows);
  if (field.components == 1) return launch<T, 1, BlockLoad<T, any_stride>>(params, stream);
  if (field.components == 2)
    return stride == 1 ? launch<T, 2, BlockLoad<T, 1>>(params, stream)
                       : launch<T, 2, BlockLoad<T, any_stride>>(params, stream);
  if constexpr (sizeof(T) == 4) {  // doubles would take too much shared memory
    const bool staged = can_be_staged(field);
    if (staged && stride == 1) return launch<T, 3, StagedLoad<T, 1>>(params, stream);
    if (staged && stride == 3) return launch<T, 3, StagedLoad<T, 3>>(params, stream);
  }
  if constexpr (sizeof(T) == 8) {
    if (stride == 1) return launch<T, 3, BlockLoad<T, 1>>(params, stream);
    if (stride == 3) return launch<T, 3, BlockLoad<T, 3>>(params, stream);
  }
  launch<T, 3, BlockLoad<T, any_stride>>(params, stream);
}

}  // namespace

void launch_encode_full(const EncodeParams &params, cudaStream_t stream) {
  if (params.field[0].value == core::Value::float32)
    launch_for<float>(params, stream);
  else
    launch_for<double>(params, stream);
}

namespace {
const KernelFile kernels(reinterpret_cast<const void *>(encode_full<double, 3, BlockLoad<double, 3>>));
}  // namespace

}  // namespace gpz::cuda
