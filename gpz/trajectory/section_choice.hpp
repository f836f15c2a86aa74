// SPDX-License-Identifier: BSD-3-Clause
// When an encoder tries costly codings.
#pragma once

#include <cstdint>

namespace gpz::trajectory {

// Decides, for the sections of one field, when to try both a costly and the usual coding: for the first sections, then
// at intervals. In between, the one that was smaller last is used, so that most sections are encoded once.
class SectionChoice {
 public:
  enum class Try : std::uint8_t { usual, costly, both };

  Try next() const {
    if (since_trial_ == 0) return Try::both;
    return costly_was_smaller_ ? Try::costly : Try::usual;
  }
  // Call after each section. `costly_was_smaller` is used only if both were tried.
  void encoded(bool costly_was_smaller) {
    if (next() == Try::both) costly_was_smaller_ = costly_was_smaller;
    if (trials_ < first_trials)
      ++trials_;
    else
      since_trial_ = (since_trial_ + 1) % interval;
  }

 private:
  static constexpr unsigned first_trials = 6;  // sections; prediction needs some frames of history
  static constexpr unsigned interval = 16;     // sections

  unsigned trials_ = 0;
  unsigned since_trial_ = 0;
  bool costly_was_smaller_ = false;
};

}  // namespace gpz::trajectory
