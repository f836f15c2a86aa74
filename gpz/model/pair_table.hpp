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
  struct Line {
    std::int32_t value;
    std::int32_t rise;  // to the next bin
  };

 public:
  // Bits of a squared distance below the bin, if squares are below `end`: so that there are 1,024 to 2,048 bins.
  static int bin_shift_for(std::uint64_t end);

  // `end` > 0: of the squared distances of pairs. Moving ones that reach beyond its bin have no force.
  void fill(const PairCurve &curve, std::uint64_t end);

  // Forces by squared distance. By value: a loop can keep it in registers.
  class Lookup {
   public:
    std::uint64_t end() const { return end_; }  // from here on there is no force
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
  // Of all forces and of the close ones; valid until the next fill.
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
