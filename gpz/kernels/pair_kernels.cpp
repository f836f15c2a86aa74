// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/kernels/pair_kernels.hpp"

#include "gpz/core/config.hpp"
#include "gpz/core/machine.hpp"

namespace gpz::codec {
namespace GPZ_ISA {
namespace {

constexpr std::int32_t far = 32768;  // clamp; beyond every cutoff, and its square fits in 32 bits

struct Own {
  std::int32_t at[core::max_components];
  std::int32_t period[core::max_components];  // 0: not periodic
};

template <bool shortest>
std::int32_t way_along(const Own &own, int d, std::int32_t other) {
  std::int32_t way = own.at[d] - other;
  if (shortest && own.period[d] != 0) {
    const std::int32_t half = own.period[d] / 2;
    way -= way > half ? own.period[d] : way < -half ? -own.period[d] : 0;
  }
  return way;
}

std::uint32_t square(std::int32_t way) {
  const std::int32_t near = core::max_of(core::min_of(way, far), -far);
  return static_cast<std::uint32_t>(near * near);
}

template <bool shortest>
std::uint32_t find(const Own &own, const PairCandidates &candidates, std::uint32_t count, std::uint32_t limit,
                   const PairList &list) {
  const std::int32_t *const x = candidates.position[0];
  const std::int32_t *const y = candidates.position[1];
  const std::int32_t *const z = candidates.position[2];
  std::uint32_t *__restrict const distance = candidates.distance;
  // Runs in whole vectors. Distances beyond the last candidate are ignored below.
  const std::uint32_t padded = (count + PairKernels::padding - 1) / PairKernels::padding * PairKernels::padding;
  for (std::uint32_t k = 0; k < padded; ++k)
    distance[k] = square(way_along<shortest>(own, 0, x[k])) + square(way_along<shortest>(own, 1, y[k])) +
                  square(way_along<shortest>(own, 2, z[k]));
  std::uint32_t *__restrict const partner = list.partner;
  std::uint32_t found = 0;
  for (std::uint32_t k = 0; k < count; ++k) {
    partner[found] = k;
    found += distance[k] < limit ? 1 : 0;
  }
  for (std::uint32_t i = 0; i < found; ++i) {
    const std::uint32_t k = partner[i];
    list.way[0][i] = static_cast<std::int16_t>(way_along<shortest>(own, 0, x[k]));
    list.way[1][i] = static_cast<std::int16_t>(way_along<shortest>(own, 1, y[k]));
    list.way[2][i] = static_cast<std::int16_t>(way_along<shortest>(own, 2, z[k]));
    partner[i] = candidates.place[k];
  }
  return found;
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
  return shortest ? find<true>(from, candidates, count, limit, list)
                  : find<false>(from, candidates, count, limit, list);
}

}  // namespace

constexpr PairKernels pair_kernels{find_near};

}  // namespace GPZ_ISA
}  // namespace gpz::codec
