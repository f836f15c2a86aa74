// SPDX-License-Identifier: BSD-3-Clause
// Least squares by normal equations, for encoders: what they find is stored.
#pragma once

#include <cstddef>
#include <vector>

namespace gpz::model {

class LeastSquares {
 public:
  explicit LeastSquares(std::size_t features);

  // One equation: `row` has as many numbers as there are features.
  void add(const double *row, double target, double weight);
  // The best coefficients. `ridge` times itself is added to each number of the diagonal; features that are zero or
  // follow from others get small coefficients.
  std::vector<double> solve(double ridge) const;

 private:
  std::size_t features_;
  std::vector<double> product_;  // lower half of a square
  std::vector<double> target_;
};

}  // namespace gpz::model
