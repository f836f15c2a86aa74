// SPDX-License-Identifier: BSD-3-Clause
// Linear least squares by normal equations, for encoders. Operations have a fixed order, so results have the same bits
// on every machine.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/functions.hpp"

namespace gpz::crystal {

// Stride of a sample of at most `most` of n elements.
inline std::size_t sample_stride(std::size_t n, std::size_t most) { return (n + most - 1) / most; }

// Rounds a coefficient to its stored form, 16 bits.
inline std::int16_t rounded_coefficient(double x) {
  return static_cast<std::int16_t>(std::lround(std::clamp(x, -32767.0, 32767.0)));
}

// Factor by which the sum of squares of `values` values has to fall to save `bits` bits.
inline double factor_for(double bits, double values) { return 1 + 2 * 0.6931471805599453 * bits / values; }

// A system with several right-hand sides s. Unknowns are x[k * sides + s], k < unknowns. All sides share the features.
class LeastSquares {
 public:
  explicit LeastSquares(std::size_t unknowns, std::size_t sides = 1)
      : n_(unknowns), sides_(sides), matrix_(n_ * n_), target_(n_ * sides_) {}

  // Adds an equation for each side: sum over k of feature[k] * x[k * sides + s] = target[s].
  void add(const double *feature, const double *target) {
    for (std::size_t a = 0; a < n_; ++a) {
      if (feature[a] == 0) continue;
      for (std::size_t b = a; b < n_; ++b) matrix_[a * n_ + b] += feature[a] * feature[b];
      for (std::size_t s = 0; s < sides_; ++s) target_[a * sides_ + s] += feature[a] * target[s];
    }
    for (std::size_t s = 0; s < sides_; ++s) squares_ += target[s] * target[s];
    ++count_;
  }
  void add(const double *feature, double target) { add(feature, &target); }

  // Adds sums of products: the rows of the upper triangle, features with features, then features with targets. For
  // solve() alone.
  void add_sums(const double *triangle, const double *target) {
    for (std::size_t a = 0; a < n_; ++a)
      for (std::size_t b = a; b < n_; ++b) matrix_[a * n_ + b] += *triangle++;
    for (std::size_t k = 0; k < target_.size(); ++k) target_[k] += target[k];
  }

  // Adds the equations of another system with as many unknowns and sides.
  void add(const LeastSquares &other) {
    for (std::size_t k = 0; k < matrix_.size(); ++k) matrix_[k] += other.matrix_[k];
    for (std::size_t k = 0; k < target_.size(); ++k) target_[k] += other.target_[k];
    squares_ += other.squares_;
    count_ += other.count_;
  }

  std::size_t count() const { return count_; }  // calls of add

  // The system with only some of the unknowns.
  LeastSquares with(const std::vector<std::size_t> &unknowns) const {
    LeastSquares out(unknowns.size(), sides_);
    for (std::size_t a = 0; a < unknowns.size(); ++a) {
      for (std::size_t b = a; b < unknowns.size(); ++b)
        out.matrix_[a * out.n_ + b] =
            matrix_[std::min(unknowns[a], unknowns[b]) * n_ + std::max(unknowns[a], unknowns[b])];
      for (std::size_t s = 0; s < sides_; ++s) out.target_[a * sides_ + s] = target_[unknowns[a] * sides_ + s];
    }
    out.squares_ = squares_;
    out.count_ = count_;
    return out;
  }

  // Solves with `ridge` times the diagonal, and a small constant, added to the diagonal. This keeps dependent or zero
  // features harmless.
  std::vector<double> solve(double ridge) const { return solve(ridge, n_); }
  // Solves for the first `unknowns` unknowns; the others are 0.
  std::vector<double> solve(double ridge, std::size_t unknowns) const {
    std::vector<double> m(matrix_);
    std::vector<double> x(target_);
    for (std::size_t a = 0; a < unknowns; ++a) {
      m[a * n_ + a] = m[a * n_ + a] * (1 + ridge) + 1e-9;
      for (std::size_t b = 0; b < a; ++b) m[a * n_ + b] = m[b * n_ + a];
    }
    for (std::size_t a = 0; a < unknowns; ++a)
      for (std::size_t b = a + 1; b < unknowns; ++b) {
        const double f = m[b * n_ + a] / m[a * n_ + a];
        if (f == 0) continue;
        for (std::size_t c = a; c < unknowns; ++c) m[b * n_ + c] -= f * m[a * n_ + c];
        for (std::size_t s = 0; s < sides_; ++s) x[b * sides_ + s] -= f * x[a * sides_ + s];
      }
    for (std::size_t k = unknowns * sides_; k < x.size(); ++k) x[k] = 0;
    for (std::size_t a = unknowns; a-- > 0;)
      for (std::size_t s = 0; s < sides_; ++s) {
        for (std::size_t c = a + 1; c < unknowns; ++c) x[a * sides_ + s] -= m[a * n_ + c] * x[c * sides_ + s];
        x[a * sides_ + s] /= m[a * n_ + a];
      }
    return x;
  }

  // Sum of squared residuals of the solution x.
  double squares_left(const std::vector<double> &x) const {
    double left = squares_;
    for (std::size_t s = 0; s < sides_; ++s)
      for (std::size_t a = 0; a < n_; ++a) {
        const double own = x[a * sides_ + s];
        left -= 2 * own * target_[a * sides_ + s];
        for (std::size_t b = 0; b < n_; ++b) left += own * x[b * sides_ + s] * matrix_[a < b ? a * n_ + b : b * n_ + a];
      }
    return left;
  }

  // Bits gained for each target: half the binary logarithm of the factor by which the squares fall.
  double gain(const std::vector<double> &x) const {
    const double left = squares_left(x);
    return left > 0 && squares_ > 0 ? 0.5 * codec::log2_of(squares_ / left) : 0;
  }

 private:
  std::size_t n_;
  std::size_t sides_;
  std::vector<double> matrix_;  // upper triangle
  std::vector<double> target_;
  double squares_ = 0;
  std::size_t count_ = 0;
};

}  // namespace gpz::crystal
