// SPDX-License-Identifier: BSD-3-Clause
// Encodes blocks of difference sections. One warp per block reads values and history once, and writes the new history,
// and the payload to staging. Value i of a block is in row i / 32 of lane i % 32.
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/difference/block_codes.cuh"
#include "gpz/cuda/difference/kernels.hpp"
#include "gpz/cuda/difference/triples.cuh"

namespace gpz::cuda {
namespace {

// Stores the record of a block and adds it to the totals of all blocks, on which the widths of the directory depend.
__device__ __forceinline__ void publish(const DifferenceEncode &params, std::uint64_t block, int components,
                                        const core::ResidualRecord &record, std::uint32_t words, std::uint64_t staged,
                                        double error) {
  const std::uint64_t largest = warp_max(core::bit_cast<std::uint64_t>(error));
  const auto lane = static_cast<int>(this_lane());
  if (lane == 0) {
    params.records[block] = record;
    params.words[block] = words;
    params.staged[block] = staged;
  }
  if (lane == warp_size - 1) {
    unsigned long long *all = &params.totals->error;
    if (largest > __ldcg(all)) atomicMax(all, static_cast<unsigned long long>(largest));
    return;
  }
  if (lane >= core::residual_items(components)) return;
  const std::uint32_t item = core::residual_item(record, components, lane);
  std::uint32_t *all = &params.totals->items[lane];
  if ((item & ~__ldcg(all)) != 0) atomicOr(all, item);
}

// Chooses the codes of all axes. Returns true if they are coded together.
template <int D>
__device__ __forceinline__ bool choose_codes(ResidualMemory &memory, std::uint32_t n, ResidualTotals (&totals)[D],
                                             ChosenCode (&chosen)[D]) {
  const bool any_forced = memory.any_forced != 0;
  std::uint32_t bits = 0;
  bool all_counted = true;
#pragma unroll 1
  for (int d = 0; d < D; ++d) {
    chosen[0] = choose_code(own_row(memory, d, n), any_forced, n, totals[0]);
    bits += chosen[0].cost;
    all_counted &= chosen[0].counted;
    rotate(chosen);
    rotate(totals);
  }
  if constexpr (D == core::max_components)
    if (bits <= core::most_triple_bits * n) {
      const ChosenCode together = choose_triples(memory, n, bits);
      if (together.cost < bits) {
        chosen[0] = together;
        chosen[1] = chosen[2] = {{0, 1}, 0, 0, true};
        return true;
      }
    }
  if (all_counted) return false;
#pragma unroll 1
  for (int d = 0; d < D; ++d) {
    if (!chosen[0].counted) find_exceptions(memory.u[d], memory.exception[d], n, chosen[0]);
    rotate(chosen);
  }
  return false;
}

template <int D>
__device__ __forceinline__ void write_block(const DifferenceEncode &params, std::uint64_t block, std::uint32_t n,
                                            ResidualMemory &memory, ChosenCode (&chosen)[D], bool triples,
                                            double error) {
  const std::uint64_t first = block * difference_block;
  const auto lane = this_lane();
  core::ResidualRecord record{};
  record.margin = memory.margin;
  record.triples = triples;
  std::uint32_t bit[D];  // start of the unary codes of the lane's row
  const std::uint32_t planes = count_codes(memory, n, chosen, bit, record);
  const RowMasks between = triples ? own_masks(memory.between) : RowMasks{};  // before flags overwrite them
  __syncwarp();
  if (record.margin != 0) record.flags = core::words_for_bits(write_flags(params.history, first, n, D, memory));
  const std::uint32_t words = planes + record.bitmap + record.flags + 3 * record.exceptions;

  unsigned long long staged = 0;
  if (lane == 0) staged = atomicAdd(&params.totals->staged, static_cast<unsigned long long>(words));
  staged = __shfl_sync(full_mask, staged, 0);
  publish(params, block, D, record, words, staged, error);
  if (staged + words > params.staging_words) return;  // the section does not fit either

  if (record.exceptions != 0) {
    for (int d = 0; d < D; ++d) clear_exceptions(memory.u[d], memory.exception[d][lane]);
    __syncwarp();
  }
  if (triples) place_ranks(memory, between, n);
  std::uint32_t *out = params.staging + staged;
  // Flags follow the bitmap, which is written later.
  std::uint32_t *behind = out + planes + record.bitmap;
  for (std::uint32_t w = lane; w < record.flags; w += warp_size) behind[w] = memory.flags[w];
  behind += record.flags;
  __syncwarp();
  write_codes(memory, n, record.bitmap, chosen, bit, out, out + planes);
  const auto index = [&](int d, std::uint32_t i) { return params.history.last[d][first + i]; };
  if (record.exceptions != 0) write_exceptions(D, memory, record.exceptions, index, behind);
}

// Compares the words of a block's particles.
__device__ __forceinline__ void compare_words(const DeviceComparison &comparison, std::uint64_t first,
                                              std::uint32_t n) {
  const std::uint32_t *now = comparison.now + first * comparison.words;
  const std::uint32_t *before = comparison.before + first * comparison.words;
  const std::uint32_t words = n * comparison.words;
  std::uint32_t differing = 0;
#pragma unroll 4
  for (std::uint32_t w = this_lane(); w < words / 4; w += warp_size) {
    const uint4 a = reinterpret_cast<const uint4 *>(now)[w];
    const uint4 b = reinterpret_cast<const uint4 *>(before)[w];
    differing |= (a.x ^ b.x) | (a.y ^ b.y) | (a.z ^ b.z) | (a.w ^ b.w);
  }
  for (std::uint32_t w = words / 4 * 4 + this_lane(); w < words; w += warp_size) differing |= now[w] ^ before[w];
  if (differing != 0) *comparison.changed = 1;
}

constexpr int resident_blocks = 15;  // in 228 KB of shared memory per multiprocessor, in units of 128 bytes
static_assert(((sizeof(ResidualMemory) + 127) / 128 * 128 + 1024) * resident_blocks <= 228 * 1024);

// One warp per thread block, so that addresses are uniform across the warp.
template <typename T, int D, Past past>
__global__ void __launch_bounds__(warp_size, resident_blocks)
    encode_blocks(const __grid_constant__ DifferenceEncode params) {
  __shared__ ResidualMemory memory;
  if (is_cancelled(params)) return;
  const std::uint64_t block = blockIdx.x;
  const std::uint32_t n = particles_of(params.history, block);
  ResidualTotals totals[D];
  double error;
  clear(memory);
#pragma unroll
  for (const DeviceComparison &comparison : params.comparison)
    if (comparison.words != 0) compare_words(comparison, block * difference_block, n);
  constexpr bool predictable = past == Past::moving;
  const core::Predictor predictor = predictable ? chosen_predictor(*params.fit) : core::Predictor{};
  if (predictable && predicts(predictor))
    error = find_residuals<T, D, past, predictable, true>(params, block, n, predictor, memory, totals);
  else
    error = find_residuals<T, D, past, false, true>(params, block, n, predictor, memory, totals);
  ChosenCode chosen[D];
  const bool triples = choose_codes(memory, n, totals, chosen);
  write_block(params, block, n, memory, chosen, triples, error);
}

template <typename T, int D>
void launch(const DifferenceEncode &params, cudaStream_t stream) {
  const auto ctas = static_cast<unsigned>(params.history.blocks);
  if constexpr (std::is_integral_v<T>)
    encode_blocks<T, D, Past::none><<<ctas, warp_size, 0, stream>>>(params);
  else if (params.history.at_rest)
    encode_blocks<T, D, Past::rest><<<ctas, warp_size, 0, stream>>>(params);
  else
    encode_blocks<T, D, Past::moving><<<ctas, warp_size, 0, stream>>>(params);
  check(cudaGetLastError(), "encoding of differences");
}

template <typename T>
void launch_for(const DifferenceEncode &params, int components, cudaStream_t stream) {
  if (components == 1) return launch<T, 1>(params, stream);
  if (components == 2) return launch<T, 2>(params, stream);
  launch<T, 3>(params, stream);
}

}  // namespace

void launch_encode_differences(const DifferenceEncode &params, int components, ConstArray::Type type,
                               cudaStream_t stream) {
  switch (type) {
    case ConstArray::Type::int32:
      return launch_for<std::int32_t>(params, components, stream);
    case ConstArray::Type::int64:
      return launch_for<std::int64_t>(params, components, stream);
    case ConstArray::Type::float32:
      return launch_for<float>(params, components, stream);
    case ConstArray::Type::float64:
      return launch_for<double>(params, components, stream);
  }
}

namespace {
const KernelFile kernels(reinterpret_cast<const void *>(encode_blocks<double, 3, Past::moving>));
}  // namespace

}  // namespace gpz::cuda
