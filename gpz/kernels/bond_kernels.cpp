// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/kernels/bond_kernels.hpp"

#include <limits>

#include "gpz/kernels/float_lanes.hpp"

namespace gpz::codec {
namespace GPZ_ISA {
namespace {

constexpr auto at_once = static_cast<std::size_t>(float_lanes);

float measure(const BondPositions &positions, std::size_t slot, std::size_t count, BondRow &squared, float *nearest) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Floats least{infinity};
  for (std::size_t k = 0; k < bond_row; k += at_once) {
    Floats sum{infinity};
    if (k < count) {
      sum = Floats{0.0F};
      for (std::size_t d = 0; d < core::max_components; ++d) {
        const std::int32_t *const q = positions.q[d] + slot;
        const Integers half{positions.half[d]}, period{positions.period[d]}, none{0};
        Integers way = Integers{*q} - load_integers(q - count + k);
        way = way - select(more(way, half), period, none) + select(more(none - half, way), period, none);
        sum = sum + real_of(way) * real_of(way);
      }
      const Choice is_before = more(Integers{static_cast<std::int32_t>(count - k)}, counted());
      sum = select(is_before, sum, Floats{infinity});
    }
    store(squared.data() + k, sum);
    store(nearest + k, smaller(sum, load_floats(nearest + k)));
    least = smaller(sum, least);
  }
  float found = infinity;
  for (int l = 0; l < float_lanes; ++l) found = least.v[l] < found ? least.v[l] : found;
  return found;
}

std::uint64_t find_short(const BondRow &squared, float own_nearest, const float *nearest, const BondLimits &limits) {
  const Floats own{own_nearest}, factor{limits.factor}, longest{limits.longest};
  std::uint64_t found = 0;
  for (std::size_t k = 0; k < bond_row; k += at_once) {
    const Floats most = smaller(factor * larger(own, load_floats(nearest + k)), longest);
    const Choice is_long = less(most, load_floats(squared.data() + k));
    found |= (~std::uint64_t{bits_of(is_long)} & ((std::uint64_t{1} << float_lanes) - 1)) << k;
  }
  return found;
}

}  // namespace

constexpr BondKernels bond_kernels{measure, find_short};

}  // namespace GPZ_ISA
}  // namespace gpz::codec
