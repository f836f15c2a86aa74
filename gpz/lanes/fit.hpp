// SPDX-License-Identifier: BSD-3-Clause
// Encoder: constants of classes, from frames as they are coded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/crystal/least_squares.hpp"
#include "gpz/lanes/constants.hpp"
#include "gpz/lanes/layout.hpp"
#include "gpz/lanes/templates.hpp"

namespace gpz::lanes {

class Fit {
 public:
  // Begins anew.
  void start(std::size_t classes);
  bool empty() const { return sums_.empty(); }
  // Rows and means of some blocks, from the first slot of each block on. Rows at `now` (0 or 4) follow the others.
  struct Frame {
    struct Block {
      std::uint32_t number;
      const std::int32_t *rows;
      const float *means;
    };
    std::vector<Block> blocks;
    unsigned now;
    float gain;                      // as in codec::StepMeans
    const Templates *key = nullptr;  // of a key frame, which has neither rows before nor means
  };
  // Adds a frame. The first one is passed three times, later ones use the constants so far. The sums do not depend on
  // the number of threads.
  void add(const Molecules &molecules, const Layout &layout, const Frame &frame, int threads = 1);
  std::vector<ClassConstants> constants() const;

 private:
  // Weights of the steps from the last value to that of the class, to the carried one, and to the mean.
  struct Weights : crystal::LeastSquares {
    Weights() : LeastSquares(3) {}
    // Towards the last value and, less, that of the class: few numbers tell little.
    void lean();
    using LeastSquares::add;
    void add(double last, double of_class, double carried, double mean, double now);
    std::array<double, 3> solve() const;
  };
  struct Sums {
    double count = 0, carried = 0, moved = 0, length = 0, along = 0, displaced = 0;
    Weights of_length, of_along;
    double headed = 0, heading = 0, turned = 0, turn = 0;
    double measured = 0, off_length = 0, off_along = 0, bends = 0, bend = 0, bend2 = 0;

    void add(const Sums &other);
  };
  // Constants before they are rounded.
  struct Values {
    double carried = 0, length = 0, along = 0, headed = 0, turned = 0, displaced = 1;
    std::array<double, 3> of_length{}, of_along{};
    double off_length = 0.4, off_along = 0.4, bend = 0.3, bend2 = 0.3;
  };

  // The sums that a pass over a frame adds to.
  struct Parts {
    bool means, weights, deviations;
  };
  void pass(const Molecules &molecules, const Layout &layout, const Frame &frame, Parts parts, int threads);
  void pass(const Molecules &molecules, const Layout &layout, const Frame &frame, const Frame::Block &block,
            Parts parts, std::vector<Sums> &sums) const;
  void settle(std::vector<Values> &values) const;

  std::vector<Sums> sums_;
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
