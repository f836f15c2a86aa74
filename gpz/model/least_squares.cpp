// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/least_squares.hpp"

#include <cmath>

namespace gpz::model {

LeastSquares::LeastSquares(std::size_t features)
    : features_(features), product_(features * features), target_(features) {}

void LeastSquares::add(const double *row, double target, double weight) {
  for (std::size_t i = 0; i < features_; ++i) {
    const double scaled = row[i] * weight;
    if (scaled == 0) continue;
    for (std::size_t j = 0; j <= i; ++j) product_[i * features_ + j] += scaled * row[j];
    target_[i] += scaled * target;
  }
}

std::vector<double> LeastSquares::solve(double ridge) const {
  // Cholesky: the product of a triangle with itself, turned.
  std::vector<double> triangle = product_;
  std::vector<double> x = target_;
  const std::size_t n = features_;
  std::vector<double> diagonal(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = triangle[i * n + j];
      if (i == j) sum += sum * ridge;
      for (std::size_t k = 0; k < j; ++k) sum -= triangle[i * n + k] * triangle[j * n + k];
      if (i == j)
        diagonal[i] = sum > product_[i * n + i] * ridge / 2 ? std::sqrt(sum) : 0;
      else
        triangle[i * n + j] = diagonal[j] != 0 ? sum / diagonal[j] : 0;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= triangle[i * n + k] * x[k];
    x[i] = diagonal[i] != 0 ? x[i] / diagonal[i] : 0;
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= triangle[k * n + i] * x[k];
    x[i] = diagonal[i] != 0 ? x[i] / diagonal[i] : 0;
  }
  return x;
}

}  // namespace gpz::model
