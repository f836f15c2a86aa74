// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/kernels/pair_kernels.hpp"

#include "gpz/core/config.hpp"
#include "gpz/core/machine.hpp"
#include "gpz/kernels/integer_lanes.hpp"

namespace gpz::codec {
namespace GPZ_ISA {
namespace {

constexpr std::int32_t far = 32768;  // clamp; beyond every cutoff, and its square fits in 32 bits

struct Own {
  std::int32_t at[core::max_components];
  std::int32_t period[core::max_components];  // 0: not periodic
};

// `Int` is a number or a vector of numbers.
template <bool shortest, typename Int>
Int separation_along(const Own &own, int d, Int other) {
  Int separation = own.at[d] - other;
  if (shortest && own.period[d] != 0) {
    const Int period = Int{} + own.period[d];
    const Int half = Int{} + own.period[d] / 2;
    separation -= separation > half ? period : separation < -half ? -period : Int{};
  }
  return separation;
}

template <typename Result, typename Int>
Result square(Int separation) {
  const Int most = Int{} + far;
  const Int below_most = most < separation ? most : separation;
  const auto near = core::bit_cast<Result>(below_most < -most ? -most : below_most);
  return near * near;
}

template <bool shortest>
std::uint32_t find(const Own &own, const PairCandidates &candidates, std::uint32_t count, std::uint32_t limit,
                   const PairList &list) {
  std::uint32_t found = 0;
  for (std::uint32_t k = 0; k < count; k += narrow_lanes) {
    Narrow separation[core::max_components];
    for (int d = 0; d < core::max_components; ++d)
      separation[d] = separation_along<shortest>(own, d, load_narrow(candidates.position[d] + k));
    const Unsigned squared =
        square<Unsigned>(separation[0]) + square<Unsigned>(separation[1]) + square<Unsigned>(separation[2]);
    const Selection selection(among(below(squared, limit), count - k));
    selection.store(list.partner + found, candidates.index + k);
    for (int d = 0; d < core::max_components; ++d) selection.store(list.separation[d] + found, separation[d]);
    found += selection.count();
  }
  return found;
}

// As above, for compilers that vectorise only simple loops.
template <bool shortest>
std::uint32_t find_in_two_passes(const Own &own, const PairCandidates &candidates, std::uint32_t count,
                                 std::uint32_t limit, const PairList &list) {
  const std::int32_t *const x = candidates.position[0];
  const std::int32_t *const y = candidates.position[1];
  const std::int32_t *const z = candidates.position[2];
  std::uint32_t *__restrict const distance = candidates.distance;
  // Runs in whole vectors. Distances beyond the last candidate are ignored below.
  const std::uint32_t padded = (count + PairKernels::padding - 1) / PairKernels::padding * PairKernels::padding;
  for (std::uint32_t k = 0; k < padded; ++k)
    distance[k] = square<std::uint32_t>(separation_along<shortest>(own, 0, x[k])) +
                  square<std::uint32_t>(separation_along<shortest>(own, 1, y[k])) +
                  square<std::uint32_t>(separation_along<shortest>(own, 2, z[k]));
  std::uint32_t *__restrict const partner = list.partner;
  std::uint32_t found = 0;
  for (std::uint32_t k = 0; k < count; ++k) {
    partner[found] = k;
    found += distance[k] < limit ? 1 : 0;
  }
  for (std::uint32_t i = 0; i < found; ++i) {
    const std::uint32_t k = partner[i];
    list.separation[0][i] = static_cast<std::int16_t>(separation_along<shortest>(own, 0, x[k]));
    list.separation[1][i] = static_cast<std::int16_t>(separation_along<shortest>(own, 1, y[k]));
    list.separation[2][i] = static_cast<std::int16_t>(separation_along<shortest>(own, 2, z[k]));
    partner[i] = candidates.index[k];
  }
  return found;
}

template <bool shortest>
std::uint32_t find_any(const Own &own, const PairCandidates &candidates, std::uint32_t count, std::uint32_t limit,
                       const PairList &list) {
  if constexpr (narrow_lanes == 1)
    return find_in_two_passes<shortest>(own, candidates, count, limit, list);
  else
    return find<shortest>(own, candidates, count, limit, list);
}

std::uint32_t find_near(const std::int32_t own[core::max_components], const PairCandidates &candidates,
                        std::uint32_t count, const std::int32_t period[core::max_components], std::uint32_t limit,
                        const PairList &list) {
  Own from;
  bool shortest = false;
  for (int d = 0; d < core::max_components; ++d) {
    from.at[d] = own[d];
    from.period[d] = period[d];
    shortest = shortest || period[d] != 0;
  }
  return shortest ? find_any<true>(from, candidates, count, limit, list)
                  : find_any<false>(from, candidates, count, limit, list);
}

void take_candidates(const std::int32_t *const at[core::max_components], const CandidateRun *runs, std::size_t count,
                     const PairCandidates &candidates) {
  Narrow lane{};
  for (std::uint32_t k = 0; k < narrow_lanes; ++k) set_lane(lane, k, static_cast<std::int32_t>(k));
  std::size_t to = 0;
  for (std::size_t r = 0; r < count; ++r) {
    const CandidateRun run = runs[r];
    // Copies whole vectors: elements beyond a run are overwritten by the next one.
    for (std::uint32_t i = run.begin; i < run.end; i += narrow_lanes) {
      const std::size_t k = to + (i - run.begin);
      for (int d = 0; d < core::max_components; ++d)
        store(candidates.position[d] + k, load_narrow(at[d] + i) + run.shift[d]);
      store(candidates.index + k, lane + static_cast<std::int32_t>(i));
    }
    to += run.end - run.begin;
  }
}

void find_directions(const std::int16_t *const separation[core::max_components], std::size_t count,
                     const std::int32_t *radii, std::size_t shells, PairDirection *directions) {
  constexpr std::size_t block = 256;
  constexpr int bits = PairKernels::direction_bits + 16;
  for (std::size_t first = 0; first < count; first += block) {
    const std::size_t n = core::min_of(block, count - first);
    const std::int16_t *const x = separation[0] + first;
    const std::int16_t *const y = separation[1] + first;
    const std::int16_t *const z = separation[2] + first;
    std::int32_t squared[block];
    std::int32_t inverse[block];
    std::int32_t shell[block];
    for (std::size_t k = 0; k < n; ++k) {
      squared[k] = x[k] * x[k] + y[k] * y[k] + z[k] * z[k];
      shell[k] = 0;
    }
    // Deterministic: IEEE 754 rounds roots and quotients correctly. A quotient that is not an integer is farther from
    // the next integer than rounding can move it.
    for (std::size_t k = 0; k < n; ++k) {
      const auto length = static_cast<std::int32_t>(__builtin_sqrt(static_cast<double>(squared[k])));
      inverse[k] = static_cast<std::int32_t>(static_cast<double>(1 << bits) / static_cast<double>(length + 1));
    }
    for (std::size_t s = 0; s + 1 < shells; ++s) {
      const std::int32_t radius = radii[s];
      for (std::size_t k = 0; k < n; ++k) shell[k] += squared[k] >= radius ? 1 : 0;
    }
    PairDirection *__restrict const to = directions + first;
    for (std::size_t k = 0; k < n; ++k) {
      to[k].along[0] = static_cast<std::int16_t>(x[k] * inverse[k] >> 16);
      to[k].along[1] = static_cast<std::int16_t>(y[k] * inverse[k] >> 16);
      to[k].along[2] = static_cast<std::int16_t>(z[k] * inverse[k] >> 16);
      to[k].shell = static_cast<std::int16_t>(shell[k]);
    }
  }
}

}  // namespace

constexpr PairKernels pair_kernels{take_candidates, find_near, find_directions};

}  // namespace GPZ_ISA
}  // namespace gpz::codec
