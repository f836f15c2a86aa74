// SPDX-License-Identifier: BSD-3-Clause
// Decodes blocks predicted from neighbours (docs/decisions/0013). Each particle depends on the previous one, but axes
// and blocks are independent. One lane follows the particles of an axis of a block. One warp has all such lanes of a
// thread block, while all warps do the work before and after, row by row.
#pragma once

#include "gpz/core/neighbours.hpp"
#include "gpz/cuda/difference/values.cuh"

namespace gpz::cuda {

// Warps per thread block, each with its own block of particles, and thread blocks per multiprocessor.
inline constexpr int neighbour_warps = 4;
inline constexpr int neighbour_ctas = 3;

// Input of a chain for one particle.
struct NeighbourValue {
  std::int32_t expected;  // from the history; later also from neighbours
  std::int32_t residual;  // before its sign is known; limited, but far beyond neighbour_limit
};
inline constexpr std::int32_t chain_limit = 1 << 30;

// Exceptions and ranks of a block of particles.
struct NeighbourExceptions {
  const std::uint32_t *indices;
  std::uint32_t count;
  bool ranks;  // ranks replace the numbers of the first component
  std::uint64_t first;
};

// Shared memory of a thread block.
struct NeighbourMemory {
  int4 weight[core::max_neighbour_levels];
  NeighbourValue row[neighbour_warps][core::max_components][warp_size + 1];  // padded: chains do not share banks
  NeighbourExceptions exceptions[neighbour_warps];
};

// Marks the exceptions of a block, whose indices must ascend. Returns bits of the status.
inline __device__ __noinline__ std::uint32_t mark_exceptions(const std::uint32_t *indices, std::uint32_t count,
                                                             std::uint32_t n, int components, DecodeMemory &memory) {
  bool damaged = false;
  for (std::uint32_t e = this_lane(); e < count; e += warp_size) {
    const std::uint32_t i = indices[e] & 0xFFFFu;
    const std::uint32_t d = indices[e] >> 16;
    if (i >= n || d >= static_cast<std::uint32_t>(components) || (e != 0 && indices[e] <= indices[e - 1]))
      damaged = true;
    else
      atomicOr(&memory.exception[d][i / warp_size], 1u << i % warp_size);
  }
  return __any_sync(full_mask, damaged) != 0 ? section_damaged : 0;
}

// Index of an exception that is marked.
__device__ __forceinline__ std::int64_t exception_index(const NeighbourExceptions &all, std::uint32_t index) {
  std::uint32_t at = 0;
  for (std::uint32_t end = all.count; at < end;) {
    const std::uint32_t middle = (at + end) / 2;
    if (all.indices[middle] < index)
      at = middle + 1;
    else
      end = middle;
  }
  return static_cast<std::int64_t>(word_pair(all.indices + all.count + 2 * at));
}

// Remainder of an exception after temporal prediction, limited.
inline __device__ __noinline__ std::int32_t known_remainder(const DifferenceHistory &history,
                                                            const NeighbourExceptions &own, std::uint32_t i, int d,
                                                            std::int32_t expected) {
  const std::int64_t q = exception_index(own, i | static_cast<std::uint32_t>(d) << 16);
  return core::limit_remainder(core::remainder_of(q, history.last[d][own.first + i], expected, history.axis[d].grid));
}

// The particles of one axis of one block, followed by one lane.
class NeighbourChain {
 public:
  __device__ __forceinline__ NeighbourChain(const DifferenceHistory &history, std::uint32_t levels,
                                            NeighbourMemory &shared, DecodeMemory *all_memory, int components, int lane)
      : history_(history),
        shared_(shared),
        warp_(lane / components),
        d_(lane % components),
        components_(components),
        memory_(all_memory[warp_]),
        levels_(levels),
        level_(static_cast<std::uint32_t>(shared.exceptions[warp_].first % levels)) {}

  // `mask` has the lanes that follow chains. `Unusual`: their rows have exceptions or ranks.
  template <bool Unusual>
  __device__ __forceinline__ void follow(int row, std::uint32_t mask) {
    NeighbourValue *const values = shared_.row[warp_][d_];
    const NeighbourExceptions &own = shared_.exceptions[warp_];
    const std::uint32_t exceptions = Unusual ? memory_.exception[d_][row] : 0;
    NeighbourValue next = values[0];
    int4 next_weight = shared_.weight[level_];
#pragma unroll 8
    for (int k = 0; k < warp_size; ++k) {
      // Load the next values before storing.
      const NeighbourValue value = next;
      const int4 weight = next_weight;
      level_ = level_ + 1 == levels_ ? 0 : level_ + 1;
      next = values[k + 1];
      next_weight = shared_.weight[level_];
      const std::int32_t alone = core::expected_step(value.expected);
      const std::int32_t others = value.expected + weight.w * near_[3] + weight.z * near_[2] + weight.y * near_[1];
      const std::int32_t expected = others + weight.x * near_[0];
      std::int32_t residual = value.residual;
      if constexpr (Unusual) residual = separated(row, k, expected, residual, own.ranks, mask);
      // Compute both signs before the last neighbour is known.
      const std::int32_t below = residual - alone;
      const std::int32_t above = -residual - alone;
      const std::int32_t left = (core::is_above(expected) ? above : below) + core::expected_step(expected);
      std::int32_t near = max(min(left, core::neighbour_limit), -core::neighbour_limit);
      if (Unusual && (exceptions >> k & 1) != 0)
        near = known_remainder(history_, own, static_cast<std::uint32_t>(row * warp_size + k), d_, value.expected);
      values[k].expected = expected;
      near_[3] = near_[2];
      near_[2] = near_[1];
      near_[1] = near_[0];
      near_[0] = near;
    }
  }

 private:
  // Residual of a triple, now that its rank can be resolved. Without ranks, returns `residual`.
  __device__ __forceinline__ std::int32_t separated(int row, int k, std::int32_t expected, std::int32_t residual,
                                                    bool ranks, std::uint32_t mask) {
    const std::uint32_t between = __ballot_sync(mask, core::is_between(expected));
    std::uint32_t u = memory_.u[0][row * padded_row + k];
    __syncwarp(mask);  // before ranks are overwritten
    if (!ranks) return residual;
    const std::uint32_t table = between >> warp_ * components_ & 7;
    u = core::number_of(triple_ranks.triple[table][u], d_);
    memory_.u[d_][row * padded_row + k] = u;
    return static_cast<std::int32_t>(core::unzigzag(u));
  }

  const DifferenceHistory &history_;
  NeighbourMemory &shared_;
  int warp_;
  int d_;
  int components_;
  DecodeMemory &memory_;
  std::uint32_t levels_;
  std::uint32_t level_;
  std::int32_t near_[core::max_neighbour_lags] = {};  // remainders of the previous particles, limited
};

// Replaces the numbers (or ranks) of a block's residuals by the numbers that residuals would have without prediction.
// `behind` are the words of its flags. Called by all threads of a thread block, even by warps without a block or with a
// damaged one (n is 0 then). Returns bits of the status of the warp's block.
template <int D>
__device__ __forceinline__ std::uint32_t undo_neighbours(const DifferenceDecode &params, std::uint64_t block,
                                                         std::uint32_t n, const core::ResidualRecord &record,
                                                         const std::uint32_t *behind, DecodeMemory *all_memory,
                                                         NeighbourMemory &shared) {
  const auto warp = static_cast<int>(threadIdx.x / warp_size);
  const auto lane = static_cast<int>(this_lane());
  DecodeMemory &memory = all_memory[warp];
  const DifferenceHistory &history = params.history;
  const core::Neighbours &neighbours = params.layout->neighbours;
  const core::Predictor predictor = params.layout->predictor;
  const std::uint64_t first = block * difference_block;
  const std::uint32_t exceptions = n != 0 ? record.exceptions : 0;
  const std::uint32_t *const indices = behind + record.flags;
  std::uint32_t status = 0;
  if (exceptions != 0) status = mark_exceptions(indices, exceptions, n, D, memory);
  const bool is_good = n != 0 && status == 0;
  if (!is_good)  // Stale memory must not be taken for exceptions.
    for (int d = 0; d < D; ++d) memory.exception[d][lane] = 0;
  const bool ranks = is_good && record.triples;
  for (auto level = threadIdx.x; level < core::max_neighbour_levels; level += neighbour_warps * warp_size) {
    const std::int8_t *weight = neighbours.weight[level];
    shared.weight[level] = {weight[0], weight[1], weight[2], weight[3]};
  }
  if (lane == 0) shared.exceptions[warp] = {indices, is_good ? exceptions : 0, ranks, first};
  const bool any_unusual = __syncthreads_or(ranks || (is_good && exceptions != 0)) != 0;

  constexpr int chains = neighbour_warps * D;
  constexpr std::uint32_t chain_mask = (1u << chains) - 1;
  const bool follows = warp == 0 && lane < chains;
  NeighbourChain chain(history, neighbours.levels, shared, all_memory, D, follows ? lane : 0);
  const bool predict = predicts(predictor);
  bool wide = false;
  HistoryRows<D, 1, true, true> next{};
  const auto fetch = [&](int row) {
    if (n != 0 && predict)
      next.fetch(0, history, first, min(static_cast<std::uint32_t>(row * warp_size + lane), n - 1));
  };
  fetch(0);
#pragma unroll 1
  for (int row = 0; row < difference_rows; ++row) {
    NeighbourValue *const values = &shared.row[warp][0][lane];
#pragma unroll
    for (int d = 0; d < D; ++d) {
      const std::int32_t expected = predict ? next.expect(0, d, predictor, history.reciprocal) : nothing_expected;
      const auto residual = static_cast<std::int32_t>(core::unzigzag(memory.u[d][row * padded_row + lane]));
      values[d * (warp_size + 1)] = {expected, max(min(residual, chain_limit), -chain_limit)};
    }
    if (row + 1 < difference_rows) fetch(row + 1);
    __syncthreads();
    if (follows) {
      if (any_unusual)
        chain.template follow<true>(row, chain_mask);
      else
        chain.template follow<false>(row, chain_mask);
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < D; ++d) {
      const std::int32_t expected = values[d * (warp_size + 1)].expected;
      std::uint32_t &u = memory.u[d][row * padded_row + lane];
      const std::int64_t moved =
          std::int64_t{numbered_residual32(u, core::is_above(expected))} + core::expected_step(expected);
      wide |= moved != static_cast<std::int32_t>(moved) && static_cast<std::uint32_t>(row * warp_size + lane) < n;
      u = residual_number32(static_cast<std::int32_t>(moved), nothing_expected);
    }
  }
  __syncwarp();
  if (__any_sync(full_mask, wide) != 0) status |= section_wide;
  return status;
}

}  // namespace gpz::cuda
