// SPDX-License-Identifier: BSD-3-Clause
// Encoder: fits a pair force by least squares on a sample of particles. Uses floating point, because the result is
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

  // Chooses settings for the frame q, which follows the state. `now` and `history` are those of the previous frame.
  // Afterwards `motion` has the list of pairs.
  Choice choose(const codec::DifferenceState &state, const codec::IndexColumns &q, const core::GridBox &box,
                const PairSettings &now, const MotionHistory &history, int threads, PairMotion &motion,
                PairSettings &fitted);
  // True if motion.best_trial() is the motion with the chosen settings.
  bool has_moved() const { return has_moved_; }

 private:
  struct Sample;
  struct Trial;
  // A pair with at least one sampled particle.
  struct SampledPair {
    std::uint32_t pair;
    std::uint32_t own;      // index in the list
    std::uint32_t own_row;  // index in the sample, or `not_sampled`
    std::uint32_t partner_row;
  };
  static constexpr std::uint32_t not_sampled = UINT32_MAX;

  bool prepare(const Sample &sample, PairSettings &settings);
  bool search(const Sample &sample, PairSettings &fitted);
  Choice improve(const Sample &sample, const PairSettings &now, const MotionHistory &history, PairSettings &fitted);
  // Moves the particles and records their positions for features().
  Trial run(const Sample &sample, const PairSettings &settings, const MotionHistory &history);
  // Derivatives of displacements with respect to the parameters of the curve, at the positions of the last run.
  std::vector<double> features(const Sample &sample, const PairSettings &settings);
  // Fills `rows` for the sampled particles `first` to `last` - 1.
  void add_features(const Sample &sample, const PairSettings &settings, std::size_t first, std::size_t last,
                    std::vector<double> &rows) const;
  void find_sampled_pairs(const Sample &sample);

  // Set during a call only.
  PairMotion *motion_ = nullptr;
  int threads_ = 1;
  std::vector<SampledPair> sampled_pairs_;  // in the order of the list; empty: not found yet
  bool has_moved_ = false;
  bool useful_ = true;    // result for the last frame that was examined
  double bits_then_ = 0;  // bits per particle when the curve was fitted
};

}  // namespace gpz::model
