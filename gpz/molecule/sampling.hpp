// SPDX-License-Identifier: BSD-3-Clause
// Roots and samples of the pass over molecules (docs/format.md, section 9c). CPUs predict roots in lanes: the formulas
// of roots must agree with those of gpz/kernels/way_formulas.hpp.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "gpz/molecule/class_fit.hpp"
#include "gpz/molecule/memory.hpp"

namespace gpz::molecule {

// Fits use a sample of about 256 particles of each class and frame.
GPZ_HD bool is_sampled(std::size_t slot, std::size_t members) {
  constexpr std::uint64_t enough = 256;
  if (members <= enough) return true;
  return (slot * 0x9E3779B1u & 0xFFFFFFFFu) * members < enough << 32;
}

// Expected displacement of a root, and the variance of its components, in grid steps.
struct ExpectedMove {
  Vector3 step{};
  double variance = 0;
};
GPZ_HD ExpectedMove expect_move(const ClassFit &fit, const std::array<Vector3, motion_features> &motion,
                                const Particle &last) {
  ExpectedMove expected;
  for (std::size_t k = 0; k < motion.size(); ++k) expected.step = expected.step + fit.motion[k] * motion[k];
  const double deviation = static_cast<double>(last.scale) * fit.length_deviation;
  expected.variance = deviation * deviation + 1.0 / 6;
  return expected;
}

// Mean distance of a component of a root's displacement from the expected one.
GPZ_HD double off_move(const Vector3 &expected, const Particle &now) {
  double off = 0;
  for (std::size_t d = 0; d < expected.size(); ++d) off += fabs(now.moved[d] - expected[d]);
  return off / 3;
}

// Updates the smoothed size of residuals. `size` is relative to the class.
GPZ_HD void update_scale(Particle &now, const Particle &last, double size) {
  now.sizes = static_cast<std::uint8_t>(core::min_of(last.sizes + 1, scale_frames));
  const double limited = core::max_of(core::min_of(size, 8.0), 0.05);
  const double scale = last.scale + (limited - last.scale) / now.sizes;
  now.scale = static_cast<float>(core::max_of(core::min_of(scale, 8.0), 0.1));
}

}  // namespace gpz::molecule
