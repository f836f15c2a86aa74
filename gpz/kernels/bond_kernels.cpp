// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/kernels/bond_kernels.hpp"

#include "gpz/kernels/lanes.hpp"

namespace gpz::codec {
namespace GPZ_ISA {
namespace {

constexpr auto at_once = static_cast<std::size_t>(lanes);

double lesser(double a, double b) { return b < a ? b : a; }
double greater(double a, double b) { return a < b ? b : a; }

void square_distances(const std::int64_t *const q[core::max_components], std::size_t slot, std::size_t count,
                      const core::GridBox &box, double *__restrict squared) {
  const std::int64_t *const x = q[0] + (slot - count);
  const std::int64_t *const y = q[1] + (slot - count);
  const std::int64_t *const z = q[2] + (slot - count);
  const core::GridBox axes = box;
  const std::int64_t own[core::max_components] = {q[0][slot], q[1][slot], q[2][slot]};
  for (std::size_t k = 0; k < count; ++k) {
    const auto a = static_cast<double>(core::displacement(own[0], x[k], axes[0]));
    const auto b = static_cast<double>(core::displacement(own[1], y[k], axes[1]));
    const auto c = static_cast<double>(core::displacement(own[2], z[k], axes[2]));
    squared[k] = a * a + b * b + c * c;
  }
}

void lower(const double *other, std::size_t count, double *number) {
  std::size_t k = 0;
  for (; k + at_once <= count; k += at_once) store(number + k, min(load(number + k), load(other + k)));
  for (; k < count; ++k) number[k] = lesser(number[k], other[k]);
}

double least(const double *number, std::size_t count) {
  double found = number[0];
  std::size_t k = 0;
  if (count >= at_once) {
    Real of_lanes = load(number);
    for (k = at_once; k + at_once <= count; k += at_once) of_lanes = min(of_lanes, load(number + k));
    for (int l = 0; l < lanes; ++l) found = lesser(found, of_lanes[l]);
  }
  for (; k < count; ++k) found = lesser(found, number[k]);
  return found;
}

std::uint64_t find_short(const double *squared, std::size_t count, double own_nearest, const double *nearest,
                         const BondLimits &limits) {
  std::uint64_t found = 0;
  const auto find = [&](std::size_t k) {
    const double most = lesser(limits.factor * greater(own_nearest, nearest[k]), limits.longest);
    if (squared[k] <= limits.margin * most * most) found |= std::uint64_t{1} << k;
  };
  std::size_t k = 0;
  for (; k + at_once <= count; k += at_once) {
    const Real most = min(all(limits.factor) * max(all(own_nearest), load(nearest + k)), all(limits.longest));
    // Most pairs are much too long.
    if (!any(no(less(all(limits.margin) * most * most, load(squared + k))))) continue;
    for (std::size_t l = 0; l < at_once; ++l) find(k + l);
  }
  for (; k < count; ++k) find(k);
  return found;
}

}  // namespace

constexpr BondKernels bond_kernels{square_distances, lower, least, find_short};

}  // namespace GPZ_ISA
}  // namespace gpz::codec
