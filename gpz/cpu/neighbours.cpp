// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cpu/neighbours.hpp"

#include <initializer_list>

namespace gpz::cpu {
namespace {

constexpr std::uint32_t lags = max_neighbour_lags;
constexpr std::uint32_t period = NeighbourSums::period;

// Normal equations of a level.
struct Equations {
  double matrix[lags][lags];
  double target[lags];
  double own;  // sum of squares of what is to be predicted
};

// A particle that is `a` slots before one of level l has level l - a; blocks are taken to be followed by zeros.
Equations equations_of(const NeighbourSums &sums, std::uint32_t levels, std::uint32_t level) {
  const auto sum = [&](std::uint32_t lag, std::uint32_t of) {
    std::int64_t total = 0;
    for (std::uint32_t s = of % levels; s < period; s += levels) total += sums.product[lag][s];
    return static_cast<double>(total);
  };
  Equations e{};
  e.own = sum(0, level);
  for (std::uint32_t a = 0; a < lags; ++a) {
    e.target[a] = sum(a + 1, level);
    for (std::uint32_t b = a; b < lags; ++b) e.matrix[a][b] = e.matrix[b][a] = sum(b - a, level + period - (a + 1));
  }
  return e;
}

// By elimination, with a little added to the diagonal as in core::fit_predictor.
void solve(const Equations &e, double *x) {
  double m[lags][lags];
  double t[lags];
  for (std::uint32_t a = 0; a < lags; ++a) {
    t[a] = e.target[a];
    for (std::uint32_t b = 0; b < lags; ++b) m[a][b] = e.matrix[a][b];
    m[a][a] = m[a][a] * (1 + 1.0 / 1073741824) + 1;
  }
  for (std::uint32_t a = 0; a < lags; ++a)
    for (std::uint32_t b = a + 1; b < lags; ++b) {
      const double f = m[b][a] / m[a][a];
      for (std::uint32_t c = a; c < lags; ++c) m[b][c] -= f * m[a][c];
      t[b] -= f * t[a];
    }
  for (std::uint32_t a = lags; a-- > 0;) {
    double rest = t[a];
    for (std::uint32_t b = a + 1; b < lags; ++b) rest -= m[a][b] * x[b];
    x[a] = rest / m[a][a];
  }
}

// Sum of squares that these weights leave.
double residual_squares(const Equations &e, const std::int8_t *weight) {
  double left = e.own;
  for (std::uint32_t a = 0; a < lags; ++a) {
    double row = -2 * e.target[a];
    for (std::uint32_t b = 0; b < lags; ++b) row += e.matrix[a][b] * (weight[b] / 64.0);
    left += row * (weight[a] / 64.0);
  }
  return left > 0 ? left : 0;
}

}  // namespace

Neighbours fit_neighbours(const NeighbourSums &sums, std::uint64_t values) {
  Neighbours best;
  double least = 0;
  for (const std::uint32_t levels : {1u, 2u, 3u, 4u, 6u, 12u}) {
    Neighbours fitted;
    fitted.levels = levels;
    fitted.lags = lags;
    // The product of the squared residuals over 12 levels: its logarithm grows with the bits of the section, and more
    // levels are a larger header.
    double product = 1 + 24 * 0.69 * 8 * lags * levels / static_cast<double>(values);
    for (std::uint32_t level = 0; level < levels; ++level) {
      const Equations e = equations_of(sums, levels, level);
      double x[lags];
      solve(e, x);
      for (std::uint32_t j = 0; j < lags; ++j) fitted.weight[level][j] = core::round_coefficient(x[j]);
      const double left = (residual_squares(e, fitted.weight[level]) + 1) * levels;
      for (std::uint32_t k = levels; k <= period; k += levels) product *= left;
    }
    if (best.levels != 0 && product >= least) continue;
    best = fitted;
    least = product;
  }
  return best;
}

void fill_table(const Neighbours &neighbours, NeighbourTable &table) {
  for (std::uint32_t j = 0; j < lags; ++j) {
    std::uint32_t level = 0;
    for (std::int32_t &weight : table.weight[j]) {
      weight = j < neighbours.lags ? neighbours.weight[level][j] : 0;
      level = level + 1 == neighbours.levels ? 0 : level + 1;
    }
  }
}

void write_header(const Neighbours &neighbours, std::uint8_t *bytes) {
  *bytes++ = static_cast<std::uint8_t>(neighbours.levels);
  *bytes++ = static_cast<std::uint8_t>(neighbours.lags);
  for (std::uint32_t level = 0; level < neighbours.levels; ++level)
    for (std::uint32_t j = 0; j < neighbours.lags; ++j)
      *bytes++ = static_cast<std::uint8_t>(neighbours.weight[level][j]);
}

bool read_header(const std::uint8_t *bytes, std::size_t size, Neighbours &neighbours) {
  if (size < 2 || !core::are_neighbours(bytes[0], bytes[1])) return false;
  neighbours.levels = bytes[0];
  neighbours.lags = bytes[1];
  if (size < header_size(neighbours)) return false;
  bytes += 2;
  for (std::uint32_t level = 0; level < neighbours.levels; ++level)
    for (std::uint32_t j = 0; j < neighbours.lags; ++j)
      neighbours.weight[level][j] = static_cast<std::int8_t>(*bytes++);
  return true;
}

}  // namespace gpz::cpu
