// SPDX-License-Identifier: BSD-3-Clause
// The encoder's search for a pair force: least squares on a sample of particles. Floating point: what it finds is
// stored in the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/model/pair_motion.hpp"
#include "gpz/model/pair_settings.hpp"

namespace gpz::model {

class PairFit {
 public:
  enum class Choice : std::uint8_t { none, as_before, fitted };

  // For the frame q that follows the state. `now` and `history` are those of the frame before; `motion` has the pairs
  // afterwards.
  Choice choose(const cpu::DifferenceState &state, const cpu::IndexColumns &q, const core::GridBox &box,
                const PairSettings &now, const MotionHistory &history, PairMotion &motion, PairSettings &fitted);

 private:
  struct Sample;
  struct Trial;

  bool prepare(const Sample &sample, PairSettings &settings);
  bool search(const Sample &sample, PairSettings &fitted);
  Choice improve(const Sample &sample, const PairSettings &now, const MotionHistory &history, PairSettings &fitted);
  // Moves the particles, and notes their positions for features.
  Trial run(const Sample &sample, const PairSettings &settings, const MotionHistory &history);
  // How displacements grow with the numbers of the curve, at the positions of the last run.
  std::vector<double> features(const Sample &sample, const PairSettings &settings);

  PairMotion *motion_ = nullptr;  // while there is a call
  bool useful_ = true;            // what the last frame that was looked at says
  double bits_then_ = 0;          // a particle, when the curve was fitted
};

}  // namespace gpz::model
