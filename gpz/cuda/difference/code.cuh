// SPDX-License-Identifier: BSD-3-Clause
// Chooses the code for the residuals of one axis of a block, exactly as a CPU does (docs/decisions/0010).
#pragma once

#include "gpz/core/residual.hpp"
#include "gpz/cuda/difference/steps.cuh"

namespace gpz::cuda {

// Sums over the residuals of one lane.
struct ResidualTotals {
  std::uint32_t rough = 0;
  std::uint32_t largest = 0;
  std::uint32_t nonzero = 0;

  __device__ __forceinline__ void add(std::uint32_t u) {
    rough += static_cast<std::uint32_t>(core::rough_bits(u));
    largest = max(largest, u);
    nonzero += u != 0 ? 1 : 0;
  }
};

struct ChosenCode {
  core::ResidualCode code;
  std::uint32_t cost;      // in bits, counted as in core
  std::uint32_t row_bits;  // bits of unary codes, in the row of this lane
  bool counted;            // row_bits is known and there are no exceptions
};

// The values of an axis as seen by the lane of their row.
struct OwnRow {
  static constexpr std::uint32_t exception_bits = core::exception_bits;

  const std::uint32_t *u;
  std::uint32_t forced;  // one bit per value: an exception with any code
  int particles;

  __device__ __forceinline__ std::uint32_t operator[](int k) const {
    return (forced >> k & 1) != 0 ? core::widest_residual : u[k];
  }
  // Requires that nothing is forced.
  __device__ __forceinline__ std::uint32_t plain(int k) const { return u[k]; }
};

class CodeChoice {
 public:
  // `all_exceptions` is the cost with a width of 0, if all nonzero values are exceptions.
  __device__ CodeChoice(std::uint32_t n, std::uint32_t all_exceptions)
      : best_{{0, 1}, all_exceptions, 0, false}, n_(n) {}

  // Called by all lanes, each with the bits of its row.
  __device__ __forceinline__ bool offer(core::ResidualCode code, std::uint32_t row_bits) {
    const std::uint32_t cost = n_ * code.width + warp_sum(row_bits);
    if (cost >= best_.cost) return false;
    best_ = {code, cost, row_bits, false};
    return true;
  }
  template <typename Row>
  __device__ __forceinline__ bool attempt(core::ResidualCode code, const Row &row) {
    if (!core::is_valid(code)) return false;
    const int low = core::low_bits(code);
    const std::uint32_t end = core::head_end(code);
    std::uint32_t bits = 0;
#pragma unroll 4
    for (int k = 0; k < row.particles; ++k) bits += core::unary_cost(row[k], low, end, Row::exception_bits);
    return offer(code, bits);
  }
  __device__ const ChosenCode &best() const { return best_; }

 private:
  ChosenCode best_;
  std::uint32_t n_;
};

// Above this, the candidates reach the largest width.
inline constexpr int most_typical = core::max_residual_width - 3;

// Offers all candidates at once: five shifts of each value serve all nine. With `Exceptions`, values may be too large
// for a code; without, no value is. Once unrolled, ends of heads and differences of shifts are constants.
template <bool Exceptions, typename Row>
__device__ __forceinline__ bool offer_candidates(CodeChoice &choice, const Row &row, int typical) {
  constexpr int shifts = 5;
  constexpr int least = -2;  // of the low bits of a candidate, minus `typical`
  const auto of_typical = [](int c) { return core::residual_candidate(c, -least); };
  int shift[shifts];
#pragma unroll
  for (int k = 0; k < shifts; ++k) shift[k] = max(typical + k + least, 0);
  std::uint32_t bits[core::residual_candidates] = {};
#pragma unroll 8
  for (int k = 0; k < warp_size; ++k) {
    const std::uint32_t u = Exceptions ? row[k] : row.plain(k);
    std::uint32_t h[shifts];
#pragma unroll
    for (int s = 0; s < shifts; ++s) h[s] = u >> shift[s];
#pragma unroll
    for (int c = 0; c < core::residual_candidates; ++c) {
      // core::unary_cost + end - 1
      const std::uint32_t end = core::head_end(of_typical(c));
      std::uint32_t cost = h[core::low_bits(of_typical(c))];
      if (Exceptions) cost = min(cost, end + Row::exception_bits);
      bits[c] += end == 0 ? cost : max(cost, end - 1);
    }
  }
  bool at_end = false;
#pragma unroll
  for (int c = 0; c < core::residual_candidates; ++c) {
    const std::uint32_t end = core::head_end(of_typical(c));
    const std::uint32_t row_bits =
        end == 0 ? bits[c] + static_cast<std::uint32_t>(row.particles) : bits[c] - (end - 1) * warp_size;
    const core::ResidualCode code = core::residual_candidate(c, typical);
    if (core::is_valid(code) && choice.offer(code, row_bits)) at_end = core::is_widest_candidate(c);
  }
  return at_end;
}

// Not inlined: needed only with exceptions or numbers of very different sizes.
template <typename Row>
__device__ __noinline__ bool offer_any_candidates(CodeChoice &choice, const Row &row, int typical) {
  if (typical <= most_typical) return offer_candidates<true>(choice, row, typical);
  bool at_end = false;
  for (int c = 0; c < core::residual_candidates; ++c)
    if (choice.attempt(core::residual_candidate(c, typical), row)) at_end = core::is_widest_candidate(c);
  return at_end;
}

// Called by all lanes. Values beyond the n-th must be zero.
template <typename Row>
__device__ __forceinline__ ChosenCode choose_code(const Row &row, bool any_forced, std::uint32_t n,
                                                  ResidualTotals totals) {
  if (any_forced) {
    totals = {};
    for (int k = 0; k < row.particles; ++k) totals.add(row[k]);
  }
  const std::uint32_t largest = warp_max(totals.largest);
  if (largest == 0) return {{0, 1}, 0, 0, true};
  const auto typical = static_cast<int>(warp_sum(totals.rough) / n);
  CodeChoice choice(n, warp_sum(totals.nonzero) * Row::exception_bits);
  const int widest = core::bit_length(largest);
  if (widest <= core::max_residual_width) choice.offer({static_cast<std::uint8_t>(widest), 1}, 0);
  bool at_end;
  if (!any_forced && typical <= most_typical && largest >> max(typical - 2, 0) < core::largest_quotient) {
    at_end = offer_candidates<false>(choice, row, typical);
  } else {
    CodeChoice copy = choice;  // keeps the original in registers
    at_end = offer_any_candidates(copy, row, typical);
    choice = copy;
  }
  while (at_end) {
    const core::ResidualCode best = choice.best().code;
    at_end = choice.attempt({static_cast<std::uint8_t>(best.width + 1), best.head}, row);
  }
  ChosenCode chosen = choice.best();
  const core::ResidualCode code = chosen.code;
  chosen.counted = !any_forced && largest >> core::low_bits(code) < core::head_end(code) + core::quotient_end(code);
  return chosen;
}

}  // namespace gpz::cuda
