// SPDX-License-Identifier: BSD-3-Clause
// Which of two codings a section gets: the smaller one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpz::trajectory {

// The bytes from `begin` on are a section. append_other() appends the same section in another coding behind it; that
// takes its place if it is shorter, and is removed otherwise. Returns whether it did. No coding may change what the
// next section builds on before it is known which of them stays.
template <typename AppendOther>
bool replace_if_smaller(std::vector<std::uint8_t> &bytes, std::size_t begin, const AppendOther &append_other) {
  const std::size_t end = bytes.size();
  append_other();
  const bool smaller = bytes.size() - end < end - begin;
  if (smaller)
    bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(begin), bytes.begin() + static_cast<std::ptrdiff_t>(end));
  else
    bytes.resize(end);
  return smaller;
}

// When to try a costly coding beside the usual one, section after section of one field: for the first sections, and
// then now and again. Between them it takes the one that was smaller last, so that most sections are encoded once.
class SectionChoice {
 public:
  enum class Try : std::uint8_t { usual, costly, both };

  Try next() const {
    if (since_trial_ == 0) return Try::both;
    return costly_was_smaller_ ? Try::costly : Try::usual;
  }
  // After each section. `costly_was_smaller` counts if both were tried.
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
