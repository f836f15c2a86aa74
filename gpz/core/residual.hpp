// SPDX-License-Identifier: BSD-3-Clause
// Difference frames: temporal prediction of grid indices, and the coding of residuals (docs/decisions/0010). Integers
// modulo 2^64 throughout, so any input round-trips and all devices compute the same bits.
#pragma once

#include <array>

#include "gpz/core/config.hpp"
#include "gpz/core/types.hpp"

namespace gpz::core {

// Prediction coefficients in units of 1/64, fitted for each chunk of each frame.
struct Predictor {
  std::int8_t velocity = 0;  // of the last displacement
  std::int8_t previous = 0;  // of the displacement before that
  std::int8_t mean = 0;      // of the vector from the last position to the mean since the key frame
};

// One axis of the box, in grid steps. A periodic axis wraps positions into [lo, lo + period).
struct GridAxis {
  std::int64_t lo = 0;
  std::int64_t period = 0;  // 0: not periodic
};
using GridBox = std::array<GridAxis, max_components>;

// Code of a block's residuals along one axis. u is the residual_number(), e the number of low bits, h = u >> e.
//   0 Rice      e = width; h is coded in unary for every value
//   1 fixed     e = width; h is 0
//   2, 3 head   e = width - head; h < 2^head - 1 is stored in the plane, otherwise the excess follows in unary
struct ResidualCode {
  std::uint8_t width = 0;  // bits of a value in the plane
  std::uint8_t head = 0;
};

// Sums of products over a sample of (velocity, previous, mean) with each other and with the displacement.
struct FitSums {
  std::int64_t product[6] = {};  // vv, vp, vm, pp, pm, mm
  std::int64_t target[3] = {};
};

inline constexpr int max_residual_width = 31;
inline constexpr std::uint32_t widest_residual = 0xFFFFFFFFu;  // stands for this and all larger u: always an exception
inline constexpr std::uint32_t largest_quotient = 95;  // limit of unary codes; beyond it an exception is shorter
inline constexpr std::uint32_t exception_bits = 96;
// For predictions, displacements are clamped to history_limit grid steps and the vector to the mean to mean_limit
// eighths. Predictions then fit in 32 bits.
inline constexpr std::int32_t history_limit = (1 << 22) - 1;
inline constexpr std::int32_t mean_limit = (1 << 23) - 1;
// Clamp of the sum of vectors to earlier positions: the state kept for each value must be small.
inline constexpr std::int32_t deviation_limit = (1 << 28) - 1;
// Remainders that predict those of other particles are clamped to this, so that predictions fit in 32 bits.
inline constexpr std::int32_t neighbour_limit = (1 << 20) - 1;
// Blocks in the sample of a fit. Sums stay below 2^63: 16 blocks of up to 4,096 particles have at most 2^18 values,
// with products below 2^44.
inline constexpr std::uint64_t max_fit_blocks = 16;

inline namespace GPZ_ISA {

GPZ_HD std::int64_t sum_of(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
GPZ_HD std::int64_t difference_of(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
GPZ_HD std::int64_t product_of(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

GPZ_HD std::int32_t limited(std::int64_t x, std::int64_t most) {
  return static_cast<std::int32_t>(x > most ? most : x < -most ? -most : x);
}
GPZ_HD std::int32_t limit_history(std::int64_t x) { return limited(x, history_limit); }
GPZ_HD std::int32_t limit_remainder(std::int64_t x) { return limited(x, neighbour_limit); }

// Limit, in grid steps, of the edges and period of a periodic axis.
inline constexpr std::int64_t max_axis_reach = std::int64_t{1} << 52;

// Treats an axis as open if its edge or period is outside the range of the rules below.
GPZ_HD GridAxis checked_axis(const GridAxis &axis) {
  const std::int64_t most = max_axis_reach;
  const bool fits = axis.period >= 8 && axis.period <= most && axis.lo >= -most && axis.lo <= most;
  return fits ? axis : GridAxis{};
}

// Displacement from `last` to q; the shorter one on a periodic axis.
GPZ_HD std::int64_t displacement(std::int64_t q, std::int64_t last, const GridAxis &axis) {
  const std::int64_t direct = difference_of(q, last);
  const std::int64_t half = axis.period != 0 ? axis.period / 2 : INT64_MAX;
  return difference_of(direct, direct > half ? axis.period : direct < -half ? -axis.period : 0);
}

// Change of the image flag on this displacement: 1 through the upper edge, -1 through the lower edge.
GPZ_HD std::int8_t crossing(std::int64_t q, std::int64_t last, const GridAxis &axis) {
  const std::int64_t direct = difference_of(q, last);
  const std::int64_t moved = displacement(q, last, axis);
  return static_cast<std::int8_t>(direct > moved ? -1 : direct < moved ? 1 : 0);
}

// Wraps a position at most one period outside the box into it.
GPZ_HD std::int64_t wrap(std::int64_t q, const GridAxis &axis) {
  return sum_of(q, q < axis.lo ? axis.period : q >= axis.lo + axis.period ? -axis.period : 0);
}

// Distance of q beyond the nearer edge, 0 inside. LAMMPS wraps particles only when it reneighbours, so they may be
// slightly outside.
GPZ_HD std::int64_t beyond_edge(std::int64_t q, const GridAxis &axis) {
  const std::int64_t hi = axis.lo + axis.period;
  return q < axis.lo ? difference_of(axis.lo, q) : q >= hi ? difference_of(q, hi - 1) : 0;
}

GPZ_HD std::int64_t largest_margin(const GridAxis &axis) { return min_of(axis.period / 4, std::int64_t{INT32_MAX}); }

// The image of q within `margin` beyond an edge, or q if there is no such image.
GPZ_HD std::int64_t other_image(std::int64_t q, const GridAxis &axis, std::int64_t margin) {
  const std::int64_t above = sum_of(q, axis.period);
  const std::int64_t below = difference_of(q, axis.period);
  const std::int64_t most = min_of(margin, largest_margin(axis));
  const bool low = q >= axis.lo && difference_of(q, axis.lo) < most;
  const bool high = below < axis.lo && difference_of(axis.lo, below) <= most;
  return low ? above : high ? below : q;
}

// The margin that its block needs if q is another image of `expected`, slightly beyond an edge. 0: q is an exception.
GPZ_HD std::uint32_t margin_needed(std::int64_t q, std::int64_t expected, const GridAxis &axis) {
  const std::int64_t beyond = beyond_edge(q, axis);
  const bool fits = beyond > 0 && beyond <= largest_margin(axis) && q == other_image(expected, axis, beyond);
  return fits ? static_cast<std::uint32_t>(beyond) : 0;
}

// 2^32 / count, for offset_to_mean(). `count` is the number of frames since the key frame, inclusive. 0 below four
// frames: their mean depends linearly on the last position and two displacements and would add only rounding to a fit.
GPZ_HD std::int32_t reciprocal_of(std::uint64_t count) {
  return count < 4 ? 0 : static_cast<std::int32_t>(((std::uint64_t{1} << 32) + count / 2) / count);
}

// Updates the sum over `count` frames of (earlier position - last position) after a displacement of `moved`.
GPZ_HD std::int32_t next_deviation(std::int32_t deviation, std::uint64_t count, std::int64_t moved) {
  const std::int64_t sum = difference_of(deviation, product_of(static_cast<std::int64_t>(count), moved));
  return static_cast<std::int32_t>(sum > deviation_limit    ? deviation_limit
                                   : sum < -deviation_limit ? -deviation_limit
                                                            : sum);
}

// Vector to the mean in eighths of a grid step. The factors have 32 bits, which vector units can multiply.
GPZ_HD std::int32_t offset_to_mean(std::int32_t deviation, std::int32_t reciprocal) {
  const std::int64_t scaled = std::int64_t{8 * deviation} * reciprocal + (std::int64_t{1} << 31);
  const auto offset = static_cast<std::int32_t>(scaled >> 32);
  return offset > mean_limit ? mean_limit : offset < -mean_limit ? -mean_limit : offset;
}
// Rounded to grid steps, for a fit.
GPZ_HD std::int32_t whole_offset(std::int32_t mean) { return (mean + 4) >> 3; }

// Predicted displacement in units of 1/64, plus one half so that expected_step() rounds. Below 2^31 - 2^29.
GPZ_HD std::int32_t expect(const Predictor &p, std::int32_t velocity, std::int32_t previous, std::int32_t mean) {
  return p.velocity * velocity + p.previous * previous + (p.mean * mean >> 3) + 32;
}
GPZ_HD std::int32_t expected_step(std::int32_t expected) { return expected >> 6; }
// True if the unrounded prediction is at or above the expected step. It orders residuals of equal magnitude.
GPZ_HD bool is_above(std::int32_t expected) { return (expected & 32) != 0; }
// True if the unrounded prediction is more than a quarter of a step below the expected step, or at least a quarter
// above it.
GPZ_HD bool is_between(std::int32_t expected) { return ((expected >> 4 ^ expected >> 5) & 1) == 0; }

GPZ_HD std::uint64_t zigzag(std::int64_t r) {
  return (static_cast<std::uint64_t>(r) << 1) ^ (r < 0 ? ~std::uint64_t{0} : 0);
}
GPZ_HD std::int64_t unzigzag(std::uint64_t u) {
  return static_cast<std::int64_t>((u >> 1) ^ ((u & 1) != 0 ? ~std::uint64_t{0} : 0));
}

// Residuals are numbered by distance from the unrounded prediction.
GPZ_HD std::uint64_t residual_number(std::int64_t r, std::int32_t expected) {
  return zigzag(is_above(expected) ? difference_of(0, r) : r);
}
GPZ_HD std::int64_t numbered_residual(std::uint64_t u, std::int32_t expected) {
  const std::int64_t x = unzigzag(u);
  return is_above(expected) ? difference_of(0, x) : x;
}

GPZ_HD std::uint32_t narrow_number(std::uint64_t u) {
  return u < widest_residual ? static_cast<std::uint32_t>(u) : widest_residual;
}

GPZ_HD bool is_valid(const ResidualCode &code) {
  return code.width <= max_residual_width && code.head <= 3 && (code.head < 2 || code.width >= code.head);
}
GPZ_HD constexpr int low_bits(const ResidualCode &code) { return code.head < 2 ? code.width : code.width - code.head; }
// Smallest h = u >> low_bits() that the plane cannot hold.
GPZ_HD constexpr std::uint32_t head_end(const ResidualCode &code) { return (1u << code.head) - 1; }
// Quotients of this or more are exceptions.
GPZ_HD std::uint32_t quotient_end(const ResidualCode &code) { return code.head == 1 ? 0 : largest_quotient + 1; }

// Unary bits of u. For an exception at most exception + 1. Not for head 1.
GPZ_HD std::uint32_t unary_cost(std::uint32_t u, int low, std::uint32_t end, std::uint32_t exception = exception_bits) {
  const std::uint32_t h = u >> low;
  return h < end ? 0 : min_of(h - end, exception) + 1;
}

// Approximate number of bits of u. The mean over a block is the starting point of the search for a code. Uses the
// conversion to float, which every vector unit has.
GPZ_HD std::int32_t rough_bits(std::uint32_t u) {
  const auto bits = bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(u >> 1)));
  return max_of(static_cast<std::int32_t>(bits >> 23) - 126, 0);
}

// Codes tried for a block with a mean of `typical` rough bits. Some are not valid.
inline constexpr int residual_candidates = 9;
GPZ_HD constexpr ResidualCode residual_candidate(int i, int typical) {
  const int head = i < 3 ? 0 : i < 6 ? 2 : 3;
  const int width = typical + i % 3 + (head == 0 ? 0 : 1);
  return {static_cast<std::uint8_t>(min_of(width, max_residual_width)), static_cast<std::uint8_t>(head)};
}

GPZ_HD bool is_widest_candidate(int i) { return i % 3 == 2; }

GPZ_HD std::int8_t round_coefficient(double x) {
  const double scaled = x * 64 + 0.5;
  if (!(scaled >= -128)) return scaled < -128 ? -128 : 0;  // 0: not a number
  if (scaled >= 127) return 127;
  const auto cut = static_cast<int>(scaled);
  return static_cast<std::int8_t>(static_cast<double>(cut) > scaled ? cut - 1 : cut);
}

// Adds one value of the sample.
GPZ_HD void add_to_fit(FitSums &sums, std::int64_t velocity, std::int64_t previous, std::int64_t mean,
                       std::int64_t target) {
  sums.product[0] += velocity * velocity;
  sums.product[1] += velocity * previous;
  sums.product[2] += velocity * mean;
  sums.product[3] += previous * previous;
  sums.product[4] += previous * mean;
  sums.product[5] += mean * mean;
  sums.target[0] += velocity * target;
  sums.target[1] += previous * target;
  sums.target[2] += mean * target;
}

// Solves the 3 x 3 normal equations in this fixed order. A small ridge on the diagonal keeps zero or dependent features
// (the first frames) harmless.
GPZ_HD Predictor fit_predictor(const FitSums &sums) {
  const double ridge = 1 + 1.0 / 1073741824;
  const double vv = static_cast<double>(sums.product[0]) * ridge + 1;
  const double pp = static_cast<double>(sums.product[3]) * ridge + 1;
  const double mm = static_cast<double>(sums.product[5]) * ridge + 1;
  const double vp = static_cast<double>(sums.product[1]);
  const double vm = static_cast<double>(sums.product[2]);
  const double pm = static_cast<double>(sums.product[4]);
  const double fp = vp / vv;
  const double fm = vm / vv;
  const double pp1 = pp - fp * vp;
  const double pm1 = pm - fp * vm;
  const double mm1 = mm - fm * vm;
  const double tv = static_cast<double>(sums.target[0]);
  const double tp1 = static_cast<double>(sums.target[1]) - fp * tv;
  const double tm1 = static_cast<double>(sums.target[2]) - fm * tv;
  const double g = pm1 / pp1;
  const double m = (tm1 - g * tp1) / (mm1 - g * pm1);
  const double p = (tp1 - pm1 * m) / pp1;
  const double v = (tv - vp * p - vm * m) / vv;
  return {round_coefficient(v), round_coefficient(p), round_coefficient(m)};
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
