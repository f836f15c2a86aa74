// SPDX-License-Identifier: BSD-3-Clause
// A pair force as a table over the squared distance: the knots that a file stores, and the bins that forces are looked
// up in (docs/format.md, section 10d).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpz::model {

// A force curve: cubic Hermite polynomials between knots. The force on a particle is the way from the other one to it
// times the value, which is in units of 2^-24: per square of the time between two frames.
struct PairCurve {
  static constexpr int max_knots = 32;
  static constexpr std::int64_t value_limit = (std::int64_t{1} << 30) - 1;
  static constexpr int slope_shift = 4;  // slopes are per 16 bins

  struct Knot {
    std::uint32_t bin = 0;
    std::int32_t value = 0;
    std::int32_t slope = 0;  // change of the value in 16 bins
  };
  std::vector<Knot> knots;  // 2 to 32, at ascending bins. The force is 0 from the last one on
  // Bins below this are close: these forces change so fast that they are computed several times between two frames.
  std::uint32_t close = 0;  // 0, or 4 and more
};

// The curve with a line between any two bins.
class PairTable {
 public:
  // Bits of a squared distance below the bin, if squares are below `end`: so that there are 1,024 to 2,048 bins.
  static int bin_shift_for(std::uint64_t end);

  // `end` > 0: of the squared distances of pairs. Moving ones that reach beyond its bin have no force.
  void fill(const PairCurve &curve, std::uint64_t end);

  int bin_shift() const { return shift_; }
  // First squared distance that has no force, of all forces and of the close ones.
  std::uint64_t end() const { return total_end_; }
  std::uint64_t close_end() const { return close_end_; }

  // The curve at a squared distance below end(), and that of close forces below close_end().
  std::int64_t total(std::uint64_t squared) const { return at(total_, squared); }
  std::int64_t close(std::uint64_t squared) const { return at(close_, squared); }

 private:
  struct Line {
    std::int32_t value;
    std::int32_t rise;  // to the next bin
  };

  std::int64_t at(const std::vector<Line> &lines, std::uint64_t squared) const {
    const Line line = lines[squared >> shift_];
    const auto rest = static_cast<std::int64_t>(squared & mask_);
    return line.value + (line.rise * rest >> shift_);
  }

  int shift_ = 0;
  std::uint64_t mask_ = 0;
  std::uint64_t total_end_ = 0;
  std::uint64_t close_end_ = 0;
  std::vector<Line> total_;
  std::vector<Line> close_;
};

}  // namespace gpz::model
