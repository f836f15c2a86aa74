// SPDX-License-Identifier: BSD-3-Clause
// Linear least squares for encoders, by normal equations.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace gpz::model {

class LeastSquares {
 public:
  explicit LeastSquares(std::size_t unknowns) : n_(unknowns), matrix_(n_ * n_), target_(n_) {}

  // One equation: sum of feature[k] * x[k] = target.
  void add(const double *feature, double target) {
    for (std::size_t a = 0; a < n_; ++a) {
      if (feature[a] == 0) continue;
      for (std::size_t b = a; b < n_; ++b) matrix_[a * n_ + b] += feature[a] * feature[b];
      target_[a] += feature[a] * target;
    }
    squares_ += target * target;
  }

  // With `ridge` times the diagonal, and a little, added to the diagonal, so that features that follow from others, or
  // are zero, do no harm.
  std::vector<double> solve(double ridge) const {
    std::vector<double> m(matrix_);
    std::vector<double> x(target_);
    for (std::size_t a = 0; a < n_; ++a) {
      m[a * n_ + a] = m[a * n_ + a] * (1 + ridge) + 1e-9;
      for (std::size_t b = 0; b < a; ++b) m[a * n_ + b] = m[b * n_ + a];
    }
    for (std::size_t a = 0; a < n_; ++a)
      for (std::size_t b = a + 1; b < n_; ++b) {
        const double f = m[b * n_ + a] / m[a * n_ + a];
        if (f == 0) continue;
        for (std::size_t c = a; c < n_; ++c) m[b * n_ + c] -= f * m[a * n_ + c];
        x[b] -= f * x[a];
      }
    for (std::size_t a = n_; a-- > 0;) {
      for (std::size_t c = a + 1; c < n_; ++c) x[a] -= m[a * n_ + c] * x[c];
      x[a] /= m[a * n_ + a];
    }
    return x;
  }

  // Half the logarithm to base 2 of the factor by which the squares fall: bits for each equation.
  double gain(const std::vector<double> &x) const {
    double left = squares_;
    for (std::size_t a = 0; a < n_; ++a) {
      left -= 2 * x[a] * target_[a];
      for (std::size_t b = 0; b < n_; ++b) left += x[a] * x[b] * matrix_[a < b ? a * n_ + b : b * n_ + a];
    }
    return left > 0 && squares_ > 0 ? 0.5 * std::log2(squares_ / left) : 0;
  }

 private:
  std::size_t n_;
  std::vector<double> matrix_;  // upper triangle
  std::vector<double> target_;
  double squares_ = 0;
};

}  // namespace gpz::model
