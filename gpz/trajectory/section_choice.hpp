// SPDX-License-Identifier: BSD-3-Clause
// When an encoder tries costly codings.
#pragma once

#include <cstdint>

#include "gpz/model/clear_wins.hpp"

namespace gpz::trajectory {

// Decides, for the sections of one field, when to try both a costly and the usual coding: for the first sections, then
// at intervals. In between, the one that was smaller last is used, so that most sections are encoded once. In large
// sections, clear results end the trials.
class SectionChoice {
 public:
  enum class Try : std::uint8_t { usual, costly, both };

  // Result of a section. The first two are used only if both codings were tried.
  struct Result {
    bool costly_was_smaller = false;
    bool was_clear = false;        // by model::is_clear_win
    bool is_large = false;         // at least model::large_section particles
    bool from_neighbours = false;  // the usual coding predicts from neighbours
  };

  Try next() const {
    if (since_trial_ == 0 && !is_settled()) return Try::both;
    return costly_was_smaller_ ? Try::costly : Try::usual;
  }
  // Call after each section.
  void encoded(const Result &result) {
    if (next() == Try::both) {
      clear_wins_.decided(result.was_clear, result.costly_was_smaller == costly_was_smaller_);
      costly_was_smaller_ = result.costly_was_smaller;
    }
    if (!result.is_large) clear_wins_ = {};
    from_neighbours_ = result.from_neighbours;
    if (trials_ < first_trials)
      ++trials_;
    else
      since_trial_ = (since_trial_ + 1) % interval;
  }
  // True if no trials follow, as long as sections are large.
  bool is_settled() const { return clear_wins_.end_contests(); }
  bool costly_was_smaller() const { return costly_was_smaller_; }
  // True if the usual coding need not try to predict from neighbours: no trials follow, and the last section was not
  // predicted from these.
  bool leaves_out_neighbours() const { return is_settled() && !from_neighbours_; }

 private:
  static constexpr unsigned first_trials = 6;  // sections; prediction needs some frames of history
  static constexpr unsigned interval = 16;     // sections

  unsigned trials_ = 0;
  unsigned since_trial_ = 0;
  bool costly_was_smaller_ = false;
  bool from_neighbours_ = false;
  model::ClearWins clear_wins_;  // of large sections
};

}  // namespace gpz::trajectory
