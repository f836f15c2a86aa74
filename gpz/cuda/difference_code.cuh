// The choice of a code for the residuals of one axis of a block, the same as on a CPU (docs/decisions/0010).
#pragma once

#include "gpz/core/residual.hpp"
#include "gpz/cuda/difference_steps.cuh"

namespace gpz::cuda {

// Sums over residuals that a lane has seen.
struct ResidualTotals {
  std::uint32_t rough = 0;
  std::uint32_t all = 0;  // joined by or
  std::uint32_t nonzero = 0;

  __device__ __forceinline__ void add(std::uint32_t u) {
    rough += static_cast<std::uint32_t>(core::rough_bits(u));
    all |= u;
    nonzero += u != 0 ? 1 : 0;
  }
};

struct ChosenCode {
  core::ResidualCode code;
  std::uint32_t cost;      // bits, as core counts them
  std::uint32_t row_bits;  // of unary codes, in the row of this lane
  bool counted;            // row_bits is known, and there are no exceptions
};

// The values of an axis as their row's lane sees them.
struct OwnRow {
  const std::uint32_t *u;
  std::uint32_t forced;  // those that are exceptions whatever the code
  int particles;

  __device__ __forceinline__ std::uint32_t operator[](int k) const {
    return (forced >> k & 1) != 0 ? core::widest_residual : u[k];
  }
};

class CodeChoice {
 public:
  __device__ CodeChoice(std::uint32_t n, std::uint32_t nonzero)
      : best_{{0, 1}, nonzero * core::exception_bits, 0, nonzero == 0}, n_(n) {}

  // All lanes, each with the bits of its row.
  __device__ __forceinline__ bool offer(core::ResidualCode code, std::uint32_t row_bits, bool counted) {
    const std::uint32_t cost = n_ * code.width + warp_sum(row_bits);
    if (cost >= best_.cost) return false;
    best_ = {code, cost, row_bits, counted};
    return true;
  }
  __device__ __forceinline__ bool attempt(core::ResidualCode code, const OwnRow &row, bool counted) {
    if (!core::is_valid(code)) return false;
    const int low = core::low_bits(code);
    const std::uint32_t end = core::head_end(code);
    std::uint32_t bits = 0;
#pragma unroll 4
    for (int k = 0; k < row.particles; ++k) bits += core::unary_cost(row[k], low, end);
    return offer(code, bits, counted);
  }
  __device__ const ChosenCode &best() const { return best_; }

 private:
  ChosenCode best_;
  std::uint32_t n_;
};

// All candidates at once, if none of them has an exception: five shifts of each value serve all nine.
__device__ __forceinline__ bool offer_candidates(CodeChoice &choice, const OwnRow &row, int typical) {
  constexpr int shifts = 5;
  int shift[shifts];
#pragma unroll
  for (int k = 0; k < shifts; ++k) shift[k] = max(typical + k - 2, 0);
  std::uint32_t bits[core::residual_candidates] = {};
#pragma unroll 8
  for (int k = 0; k < warp_size; ++k) {
    const std::uint32_t u = row.u[k];
    std::uint32_t h[shifts];
#pragma unroll
    for (int s = 0; s < shifts; ++s) h[s] = u >> shift[s];
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      bits[i] += h[i + 2];
      bits[3 + i] += max(h[i + 1], 2u);
      bits[6 + i] += max(h[i], 6u);
    }
  }
  bool at_end = false;
#pragma unroll
  for (int c = 0; c < core::residual_candidates; ++c) {
    const core::ResidualCode code = core::residual_candidate(c, typical);
    const std::uint32_t row_bits =
        c < 3 ? bits[c] + static_cast<std::uint32_t>(row.particles) : bits[c] - (c < 6 ? 2u : 6u) * warp_size;
    if (core::is_valid(code) && choice.offer(code, row_bits, true)) at_end = core::is_widest_candidate(c);
  }
  return at_end;
}

// Not inlined: only where there are exceptions, or numbers of very different sizes.
inline __device__ __noinline__ bool offer_any_candidates(CodeChoice &choice, const OwnRow &row, int typical) {
  bool at_end = false;
  for (int c = 0; c < core::residual_candidates; ++c)
    if (choice.attempt(core::residual_candidate(c, typical), row, false)) at_end = core::is_widest_candidate(c);
  return at_end;
}

// All lanes; u are n residuals in padded rows, zeros behind them; forced has a word for each row.
__device__ __forceinline__ ChosenCode choose_code(const std::uint32_t *u, const std::uint32_t *forced, bool any_forced,
                                                  std::uint32_t n, ResidualTotals totals) {
  const auto lane = this_lane();
  const OwnRow row{u + lane * padded_row, any_forced ? forced[lane] : 0, own_row_particles(n)};
  if (any_forced) {
    totals = {};
    for (int k = 0; k < row.particles; ++k) totals.add(row[k]);
  }
  const std::uint32_t all = warp_or(totals.all);
  if (all == 0) return {{0, 1}, 0, 0, true};
  const auto typical = static_cast<int>(warp_sum(totals.rough) / n);
  CodeChoice choice(n, warp_sum(totals.nonzero));
  const int widest = core::bit_length(all);
  if (widest <= core::max_residual_width) choice.offer({static_cast<std::uint8_t>(widest), 1}, 0, true);
  // Then the widest candidate has 31 bits, and no quotient reaches that of an exception.
  const bool usual =
      !any_forced && typical + 3 <= core::max_residual_width && all >> max(typical - 2, 0) < core::largest_quotient;
  bool at_end;
  if (usual) {
    at_end = offer_candidates(choice, row, typical);
  } else {
    CodeChoice copy = choice;  // so that the usual one stays in registers
    at_end = offer_any_candidates(copy, row, typical);
    choice = copy;
  }
  while (at_end) {
    const core::ResidualCode best = choice.best().code;
    at_end = choice.attempt({static_cast<std::uint8_t>(best.width + 1), best.head}, row, usual);
  }
  return choice.best();
}

}  // namespace gpz::cuda
