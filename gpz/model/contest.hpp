// SPDX-License-Identifier: BSD-3-Clause
// Encoder only: when codings compete for the sections of a field (docs/decisions/0042-molecules.md).
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpz::model {

// Particles of a large section. There, one contest between codings takes as long as several frames.
constexpr std::size_t large_section = 65536;

// True if a section of `size` bytes is smaller than another by more than a 128th of the other, or by another part.
// `other`: SIZE_MAX if no other coding could code the section.
constexpr bool is_clear_win(std::size_t size, std::size_t other, std::size_t part = 128) {
  return size < other && other - size > other / part;
}
constexpr std::size_t far_part = 8;

// Decides, for the sections of one field, when to try both costly and usual codings: for the first sections, then at
// intervals. In between, the one that was smaller last is used, so that most sections are encoded once. In large
// sections, clear results end the contests: two in a row, for the same side. In others, results by far do, when the
// history is long enough for predictions.
class Contest {
 public:
  enum class Try : std::uint8_t { usual, costly, both };

  // Result of a section. The first two are used only if both codings were tried.
  struct Result {
    bool costly_was_smaller = false;
    bool was_clear = false;        // by is_clear_win
    bool is_large = false;         // at least large_section particles
    bool from_neighbours = false;  // the usual coding predicts from neighbours
    bool was_far = false;          // as was_clear, by far_part
  };

  // `first`: sections with contests; prediction needs some frames of history. After them, those with the numbers
  // `from`, `from` + 16, ... have one.
  explicit Contest(unsigned first = 6, unsigned from = 6) : first_(first), from_(from) {}

  Try next() const {
    if (is_due()) return Try::both;
    return costly_was_smaller_ ? Try::costly : Try::usual;
  }
  // Whether the next section has a contest.
  bool is_due() const {
    return !is_settled() && !is_far_apart() && (sections_ < first_ || (sections_ - from_) % interval == 0);
  }
  // Call after each section.
  void encoded(const Result &result) {
    if (is_due()) {
      if (result.costly_was_smaller != costly_was_smaller_) clear_wins_ = far_wins_ = 0;
      clear_wins_ = result.was_clear ? clear_wins_ + 1 : 0;
      far_wins_ = result.was_far ? far_wins_ + 1 : 0;
      costly_was_smaller_ = result.costly_was_smaller;
    }
    if (!result.is_large) clear_wins_ = 0;
    from_neighbours_ = result.from_neighbours;
    ++sections_;
  }
  // Contests go on, after a result that was not reported.
  void unsettle() { clear_wins_ = 0; }
  // The next section is the first one.
  void count_anew() { sections_ = 0; }

  unsigned sections() const { return sections_; }
  // True if no contests follow, as long as sections are large.
  bool is_settled() const { return clear_wins_ >= enough_wins; }
  bool costly_was_smaller() const { return costly_was_smaller_; }
  bool is_far_apart() const { return far_wins_ >= enough_wins && sections_ >= least_history; }
  // True if the usual coding need not try to predict from neighbours: no contests follow, and the last section was not
  // predicted from these.
  bool leaves_out_neighbours() const { return is_settled() && !from_neighbours_; }

 private:
  static constexpr unsigned interval = 16;  // sections
  static constexpr unsigned enough_wins = 2;
  static constexpr unsigned least_history = 3;  // sections

  unsigned first_;
  unsigned from_;
  unsigned sections_ = 0;
  unsigned clear_wins_ = 0;  // in a row, of one side, in large sections
  unsigned far_wins_ = 0;    // the same, in sections of any size
  bool costly_was_smaller_ = false;
  bool from_neighbours_ = false;
};

}  // namespace gpz::model
