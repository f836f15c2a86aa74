// SPDX-License-Identifier: BSD-3-Clause
// A pair force as a function of the squared distance: knots as stored in the file, and bins for lookup (docs/format.md,
// section 10d).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpz::model {

// A force curve: cubic Hermite polynomials between knots. The force on a particle is the vector from the other
// particle, times the value. Values are in units of 2^-24 per squared time between two frames.
struct PairCurve {
  static constexpr int max_knots = 32;
  static constexpr std::int64_t value_limit = (std::int64_t{1} << 30) - 1;
  static constexpr int slope_shift = 4;  // slopes are per 16 bins

  struct Knot {
    std::uint32_t bin = 0;
    std::int32_t value = 0;
    std::int32_t slope = 0;  // change of the value per 16 bins
  };
  std::vector<Knot> knots;  // 2 to 32, at ascending bins. The force is 0 from the last knot on
  // Bins below this are close. Close forces change so fast that they are computed several times between two frames.
  std::uint32_t close = 0;  // 0, or at least 4
};

// The curve as straight lines between adjacent bins.
class PairTable {
  struct Line {
    std::int32_t value;
    std::int32_t rise;  // up to the next bin
  };

 public:
  // Shift from a squared distance below `end` to its bin, so that there are at most 2,048 bins.
  static int bin_shift_for(std::uint64_t end);

  // `end` > 0 exceeds the squared distances of all pairs. Moving pairs beyond the last bin have no force.
  void fill(const PairCurve &curve, std::uint64_t end);

  // Looks up forces by squared distance. Passed by value, so that a loop can keep it in registers.
  class Lookup {
   public:
    std::uint64_t end() const { return end_; }  // no force from this squared distance on
    std::int64_t at(std::uint64_t squared) const {
      const Line line = lines_[squared >> shift_];
      return line.value + (line.rise * static_cast<std::int64_t>(squared & mask_) >> shift_);
    }

   private:
    friend class PairTable;
    const Line *lines_;
    std::uint64_t end_;
    std::uint64_t mask_;
    int shift_;
  };
  // All forces, and close forces only. Valid until the next fill.
  Lookup total() const { return lookup(total_); }
  Lookup close() const { return lookup(close_); }

 private:
  Lookup lookup(const std::vector<Line> &lines) const {
    Lookup out;
    out.lines_ = lines.data();
    out.end_ = std::uint64_t{lines.size()} << shift_;
    out.mask_ = (std::uint64_t{1} << shift_) - 1;
    out.shift_ = shift_;
    return out;
  }

  int shift_ = 0;
  std::vector<Line> total_;
  std::vector<Line> close_;
};

}  // namespace gpz::model
