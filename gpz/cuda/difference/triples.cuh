// SPDX-License-Identifier: BSD-3-Clause
// Blocks whose three components are coded together (gpz/core/triples.hpp). All lanes of a warp call these functions
// together.
#pragma once

#include "gpz/cuda/difference/rank_tables.cuh"
#include "gpz/cuda/difference/residuals.cuh"

namespace gpz::cuda {

// For each component, one bit per particle of the lane's row.
struct RowMasks {
  std::uint32_t of[core::max_components];
};
__device__ __forceinline__ RowMasks own_masks(const std::uint32_t (&masks)[core::max_components][difference_rows]) {
  return {{masks[0][this_lane()], masks[1][this_lane()], masks[2][this_lane()]}};
}

// Ranks of the particles of a row. Residuals that are not part of a triple count as 0.
struct RankRow {
  static constexpr std::uint32_t exception_bits = core::rank_exception_bits;

  const std::uint32_t *u[core::max_components];
  RowMasks between;
  RowMasks exception;
  int particles;

  __device__ __forceinline__ RankRow(const ResidualMemory &memory, const RowMasks &all_between, const RowMasks &forced,
                                     std::uint32_t n)
      : between(all_between), exception(forced), particles(own_row_particles(n)) {
#pragma unroll
    for (int d = 0; d < core::max_components; ++d) {
      u[d] = memory.u[d] + this_lane() * padded_row;
      for (int k = 0; k < particles; ++k) exception.of[d] |= u[d][k] >= core::triple_values ? 1u << k : 0;
    }
  }

  __device__ __forceinline__ std::uint32_t operator[](int k) const {
    if (k >= particles) return 0;
    std::uint32_t triple = 0;
    std::uint32_t table = 0;
#pragma unroll
    for (int d = 0; d < core::max_components; ++d) {
      triple = core::with_number(triple, (exception.of[d] >> k & 1) != 0 ? 0 : u[d][k]);
      table |= (between.of[d] >> k & 1) << d;
    }
    return triple_ranks.rank[table][triple];
  }
  __device__ __forceinline__ std::uint32_t plain(int k) const { return (*this)[k]; }
};

// Removes residuals from a triple until its rank is below `end`: the largest first, and the first among equals.
__device__ __forceinline__ void shorten(RankRow &row, int k, std::uint32_t end) {
  while (row[k] >= end) {
    int at = -1;
    std::uint32_t largest = 0;
    for (int d = 0; d < core::max_components; ++d) {
      if ((row.exception.of[d] >> k & 1) != 0 || (at >= 0 && row.u[d][k] <= largest)) continue;
      at = d;
      largest = row.u[d][k];
    }
    for (int d = 0; d < core::max_components; ++d) row.exception.of[d] |= d == at ? 1u << k : 0;
  }
}

__device__ __forceinline__ std::uint32_t count_exceptions(const RankRow &row) {
  std::uint32_t count = 0;
  for (const std::uint32_t mask : row.exception.of) count += static_cast<std::uint32_t>(__popc(mask));
  return warp_sum(count);
}

// Chooses the code of the ranks. `cost` includes exceptions for residuals that are not part of a triple; they are
// marked if the cost is below `bits`. Works on copies, so that the other codes stay in registers.
inline __device__ __noinline__ ChosenCode choose_triples(ResidualMemory &memory, std::uint32_t n, std::uint32_t bits) {
  RankRow row(memory, own_masks(memory.between), own_masks(memory.exception), n);
  ResidualTotals totals;
  for (int k = 0; k < row.particles; ++k) totals.add(row[k]);
  ChosenCode code = choose_code(row, false, n, totals);
  code.cost += count_exceptions(row) * core::exception_bits;
  if (code.cost >= bits) return code;
  if (!code.counted) {  // counts for ranks that are too long were estimates
    const std::uint32_t end = core::rank_end(code.code);
    code.row_bits = 0;
    for (int k = 0; k < row.particles; ++k) {
      shorten(row, k, end);
      if (code.code.head != 1)
        code.row_bits += core::unary_cost(row[k], core::low_bits(code.code), core::head_end(code.code));
    }
    code.cost = n * code.code.width + warp_sum(code.row_bits) + count_exceptions(row) * core::exception_bits;
    if (code.cost >= bits) return code;
  }
  code.counted = count_exceptions(row) == 0;
  for (int d = 0; d < core::max_components; ++d) memory.exception[d][this_lane()] = row.exception.of[d];
  return code;
}

// Stores ranks in place of the first component. Residuals of exceptions must be 0.
inline __device__ __noinline__ void place_ranks(ResidualMemory &memory, const RowMasks &between, std::uint32_t n) {
  const RankRow row(memory, between, {}, n);
  for (int k = 0; k < row.particles; ++k) memory.u[0][this_lane() * padded_row + static_cast<unsigned>(k)] = row[k];
}

}  // namespace gpz::cuda
