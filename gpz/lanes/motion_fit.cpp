// SPDX-License-Identifier: BSD-3-Clause
// Encoder: weights and variances of particles without bonds.
#include <algorithm>
#include <array>
#include <cmath>

#include "gpz/core/step_motion.hpp"
#include "gpz/lanes/fit.hpp"
#include "gpz/lanes/vectors.hpp"

namespace gpz::lanes {

namespace {

constexpr std::size_t weights = 3, in_step = core::step_lanes;
using Features = std::array<double, weights>;

// Calls use(class, d, features, displacement) for the components d of a sample of the particles: whole steps.
template <typename Use>
void each_component(const Molecules &molecules, const Layout &layout, const Fit::Frame &frame, const Use &use) {
  constexpr std::size_t enough = 8192;
  std::size_t all = 0;
  for (const Fit::Frame::Block &block : frame.blocks) {
    const Layout::Block &range = layout.blocks()[block.number];
    all += (range.end - range.first) * in_step;
  }
  const std::size_t stride = crystal::sample_stride(all, enough);
  std::vector<std::size_t> taken(molecules.kind.size());
  for (const Fit::Frame::Block &block : frame.blocks) {
    const Layout::Block &range = layout.blocks()[block.number];
    for (std::size_t s = range.first; s < range.end; ++s) {
      const std::uint8_t of_class = molecules.of_class[s * in_step];
      if (taken[of_class]++ % stride != 0) continue;
      for (std::size_t l = 0; l < layout.steps()[s].lanes; ++l) {
        const std::int32_t *const row = block.rows + 8 * ((s - range.first) * in_step + l);
        const Vector moved = vector_between(row + frame.now, row + 4 - frame.now);
        const std::array<double, core::max_components> displacement{moved.x, moved.y, moved.z};
        for (std::size_t d = 0; d < displacement.size(); ++d) {
          const auto column = [&](core::MotionColumn c) -> double {
            return block.means[core::index_of_motion((s - range.first) * in_step + l, c + static_cast<unsigned>(d))];
          };
          use(of_class, d,
              Features{column(core::motion_last), column(core::motion_before), column(core::motion_to_mean)},
              displacement[d]);
        }
      }
    }
  }
}

}  // namespace

std::vector<ClassConstants> fit_motions(const Molecules &molecules, const Layout &layout, const Fit::Frame &frame) {
  constexpr double least_variance = 0.1, units = 256;
  const std::size_t classes = molecules.kind.size();
  std::vector<crystal::LeastSquares> fit(classes, crystal::LeastSquares(weights));
  crystal::LeastSquares all(weights);
  each_component(molecules, layout, frame,
                 [&](std::uint8_t of, std::size_t, const Features &x, double moved) { fit[of].add(x.data(), moved); });
  for (const crystal::LeastSquares &one : fit) all.add(one);
  std::vector<ClassConstants> constants(classes);
  std::vector<Features> weight(classes);
  for (std::size_t c = 0; c < classes; ++c) {
    constexpr std::size_t few = 96;
    const std::vector<double> x = (fit[c].count() < few ? all : fit[c]).solve(1e-9);
    for (std::size_t k = 0; k < weights; ++k) {
      const double scaled = std::clamp(std::isfinite(x[k]) ? units * x[k] : 0.0, -1024.0, 1024.0);
      constants[c].weight[k] = static_cast<std::int16_t>(std::lround(scaled));
      weight[c][k] = constants[c].weight[k] / units;
    }
  }
  struct Sums {
    double count = 0;
    std::array<double, core::max_components> off{};
  };
  std::vector<Sums> sums(classes);
  each_component(molecules, layout, frame, [&](std::uint8_t of, std::size_t d, const Features &x, double moved) {
    double expected = 0;
    for (std::size_t k = 0; k < weights; ++k) expected += weight[of][k] * x[k];
    sums[of].off[d] += std::fabs(moved - expected);
    sums[of].count += d == 0 ? 1 : 0;
  });
  for (std::size_t c = 0; c < classes; ++c) {
    const auto variance = [&](std::size_t d) {
      const double off = deviation_of_magnitude * sums[c].off[d] / std::max(sums[c].count, 1.0);
      return static_cast<std::uint16_t>(eighths_of(std::max(off * off, least_variance), least_variance_exponent));
    };
    constants[c].length_variance = variance(0);
    constants[c].along_variance = variance(1);
    constants[c].bend = variance(2);
  }
  return constants;
}

}  // namespace gpz::lanes
