// SPDX-License-Identifier: BSD-3-Clause
// Encoder: constants of classes, from frames as they are coded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/kernels/fit_kernels.hpp"
#include "gpz/lanes/constants.hpp"
#include "gpz/lanes/layout.hpp"
#include "gpz/lanes/templates.hpp"

namespace gpz::lanes {

// The deviation of a normal distribution is so many times the mean magnitude, which outliers change less.
inline constexpr double deviation_of_magnitude = 1.25;

class Fit {
 public:
  // Begins anew.
  void start(std::size_t classes);
  bool empty() const { return sums_.empty(); }
  struct Frame {
    std::vector<SampledBlock> blocks;
    unsigned now;                    // 0 or 4
    float gain;                      // as in codec::StepMeans
    const Templates *key = nullptr;  // of a key frame, which has neither rows before nor means
  };
  // Adds a frame. The first one is passed three times, later ones use the constants so far. The sums do not depend on
  // the number of threads.
  void add(const Layout &layout, const Frame &frame, int threads = 1);
  std::vector<ClassConstants> constants() const;

 private:
  // Constants before they are rounded.
  struct Values {
    double carried = 0, length = 0, along = 0, headed = 0, turned = 0, displaced = 1;
    std::array<double, codec::fit_weights> of_length{}, of_along{};
    double off_length = 0.4, off_along = 0.4, bend = 0.3, bend2 = 0.3;
  };

  // Adds a frame to some of the sums.
  void pass(const Layout &layout, const Frame &frame, codec::FitRange range, int threads);
  void settle(std::vector<Values> &values) const;

  std::vector<codec::FitSums> sums_;
  std::vector<Values> values_;
};

// The lanes of some steps of particles without bonds.
struct SampledMotions {
  struct Step {
    const std::int32_t *rows;  // rows at `now` (0 or 4) follow the others
    const float *motions;      // of the frame before
  };
  std::vector<Step> steps;
  unsigned now;
};
// The steps that constants are fitted to, from blocks of Layout::sample().
std::vector<std::uint32_t> motion_sample(const Molecules &molecules, const Layout &layout);
// Constants of particles without bonds, fitted to these steps of one frame.
std::vector<ClassConstants> fit_motions(const Molecules &molecules, const Layout &layout,
                                        const std::vector<std::uint32_t> &steps, const SampledMotions &sample);

}  // namespace gpz::lanes
