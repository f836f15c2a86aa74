// SPDX-License-Identifier: BSD-3-Clause
// Encoder: weights and variances of particles without bonds.
#include <algorithm>
#include <array>
#include <cmath>

#include "gpz/core/step_motion.hpp"
#include "gpz/crystal/least_squares.hpp"
#include "gpz/lanes/fit.hpp"
#include "gpz/lanes/vectors.hpp"

namespace gpz::lanes {

namespace {

constexpr std::size_t weights = 3, in_step = core::step_lanes;
using Features = std::array<double, weights>;

// Sums of products, for crystal::LeastSquares.
struct Products {
  std::array<double, weights *(weights + 1) / 2> triangle{};
  std::array<double, weights> target{};
  std::size_t count = 0;

  void add(const Features &x, double moved) {
    std::size_t at = 0;
    for (std::size_t a = 0; a < weights; ++a) {
      for (std::size_t b = a; b < weights; ++b) triangle[at++] += x[a] * x[b];
      target[a] += x[a] * moved;
    }
    ++count;
  }
};

// Calls use(of_class, each), where each(take) calls take(d, features, displacement) for the components d of the
// particles of one of these steps.
template <typename Use>
void each_step(const Molecules &molecules, const Layout &layout, const std::vector<std::uint32_t> &steps,
               const SampledMotions &sample, const Use &use) {
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const SampledMotions::Step &from = sample.steps[k];
    const auto each = [&](const auto &take) {
      for (std::size_t l = 0; l < layout.steps()[steps[k]].lanes; ++l) {
        const std::int32_t *const row = from.rows + 8 * l;
        const Vector moved = vector_between(row + sample.now, row + 4 - sample.now);
        const std::array<double, core::max_components> displacement{moved.x, moved.y, moved.z};
        for (unsigned d = 0; d < displacement.size(); ++d) {
          const auto column = [&](core::MotionColumn c) -> double {
            return from.motions[core::index_of_motion(l, c + d)];
          };
          take(d, Features{column(core::motion_last), column(core::motion_before), column(core::motion_to_mean)},
               displacement[d]);
        }
      }
    };
    use(molecules.of_class[steps[k] * in_step], each);
  }
}

}  // namespace

// Of each class as large a part.
std::vector<std::uint32_t> motion_sample(const Molecules &molecules, const Layout &layout) {
  constexpr std::size_t enough = 8192;  // particles
  std::size_t all = 0;
  for (const std::uint32_t b : layout.sample()) all += (layout.blocks()[b].end - layout.blocks()[b].first) * in_step;
  const std::size_t stride = crystal::sample_stride(all, enough);
  std::vector<std::size_t> taken(molecules.kind.size());
  std::vector<std::uint32_t> steps;
  for (const std::uint32_t b : layout.sample())
    for (std::size_t s = layout.blocks()[b].first; s < layout.blocks()[b].end; ++s)
      if (taken[molecules.of_class[s * in_step]]++ % stride == 0) steps.push_back(static_cast<std::uint32_t>(s));
  return steps;
}

std::vector<ClassConstants> fit_motions(const Molecules &molecules, const Layout &layout,
                                        const std::vector<std::uint32_t> &steps, const SampledMotions &sample) {
  constexpr double least_variance = 0.1, units = 256;
  const std::size_t classes = molecules.kind.size();
  std::vector<Products> products(classes);
  each_step(molecules, layout, steps, sample, [&](std::uint8_t of, const auto &each) {
    Products own = products[of];
    each([&](unsigned, const Features &x, double moved) { own.add(x, moved); });
    products[of] = own;
  });
  std::vector<crystal::LeastSquares> fit(classes, crystal::LeastSquares(weights));
  crystal::LeastSquares all(weights);
  for (std::size_t c = 0; c < classes; ++c) {
    fit[c].add_sums(products[c].triangle.data(), products[c].target.data());
    all.add(fit[c]);
  }
  std::vector<ClassConstants> constants(classes);
  std::vector<Features> weight(classes);
  for (std::size_t c = 0; c < classes; ++c) {
    constexpr std::size_t few = 96;
    const std::vector<double> x = (products[c].count < few ? all : fit[c]).solve(1e-9);
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
  each_step(molecules, layout, steps, sample, [&](std::uint8_t of, const auto &each) {
    Sums own = sums[of];
    each([&](unsigned d, const Features &x, double moved) {
      double expected = 0;
      for (std::size_t k = 0; k < weights; ++k) expected += weight[of][k] * x[k];
      own.off[d] += std::fabs(moved - expected);
      own.count += d == 0 ? 1 : 0;
    });
    sums[of] = own;
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
