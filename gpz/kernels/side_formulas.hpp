// SPDX-License-Identifier: BSD-3-Clause
// The side of a bond vector that an encoder stores (docs/format.md, section 9c), for vectors of particles on CPUs and
// for one particle of a GPU's thread. Needs what gpz/kernels/way_formulas.hpp needs.
#pragma once

#include <cstddef>

#include "gpz/core/config.hpp"
#include "gpz/kernels/way_batch.hpp"

namespace gpz::codec {
namespace GPZ_ISA {
namespace {

// Whether a bond vector, which is in `way`, lies on the other side than the expected one.
template <typename Batch>
GPZ_HD Mask is_other_side(const Batch &b) {
  const auto component = [&](std::size_t step) {
    const Real axis = load(b.axis[step].of.data());
    const Real x = load(b.way[0].of.data());
    const Real y = load(b.way[1].of.data());
    const Real z = load(b.way[2].of.data());
    return select(equal(axis, all(0)), x, select(equal(axis, all(1)), y, z));
  };
  const Real second = component(1);
  const Real third = component(2);
  const auto off = [&](std::size_t k) {
    return magnitude(load(b.y[k].of.data()) - second) + magnitude(load(b.z[k].of.data()) - third);
  };
  const Real first_off = off(0);
  const Real second_off = off(1);
  const Mask is_first_near = equal(load(b.near.of.data()), all(0));
  const Mask of_circle =
      less(select(is_first_near, second_off, first_off), select(is_first_near, first_off, second_off));
  const Mask of_sphere = less(third * load(b.side.of.data()), all(0));
  const Mask has_circle = no(equal(load(b.framed.of.data()), all(0)));
  return either(both(has_circle, of_circle), both(no(has_circle), of_sphere));
}

}  // namespace
}  // namespace GPZ_ISA
}  // namespace gpz::codec
