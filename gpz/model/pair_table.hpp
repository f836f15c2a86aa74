// SPDX-License-Identifier: BSD-3-Clause
// A pair force as a function of the squared distance: knots as stored in the file, and bins for lookup (docs/format.md,
// section 10d).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/kernels/pair_lines.hpp"

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
 public:
  // Shift from a squared distance below `end` to its bin, so that there are at most 2,048 bins.
  static int bin_shift_for(std::uint64_t end);

  // `end` > 0 exceeds the squared distances of all pairs. Moving pairs beyond the last bin have no force.
  void fill(const PairCurve &curve, std::uint64_t end);

  // All forces, and close forces only, by squared distance. Valid until the next fill.
  core::PairLines total() const { return lines(total_); }
  core::PairLines close() const { return lines(close_); }

 private:
  core::PairLines lines(const std::vector<core::PairLine> &of) const {
    static constexpr core::PairLine nothing{};
    if (of.empty()) return {&nothing, 0, shift_};
    return {of.data(), static_cast<std::uint32_t>(of.size() - 1), shift_};
  }

  int shift_ = 0;
  std::vector<core::PairLine> total_;
  std::vector<core::PairLine> close_;
};

}  // namespace gpz::model
