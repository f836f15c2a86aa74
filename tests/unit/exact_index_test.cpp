// SPDX-License-Identifier: BSD-3-Clause
// Indices of values that are stored exactly beside them: later frames are predicted from these indices.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "gpz/trajectory.hpp"
#include "gpz/trajectory/indices.hpp"

namespace gpz::test {
namespace {

using trajectory::ExactIndex;

// With this step a value midway between two multiples misses the bound.
constexpr double bound = 0.001;
constexpr double step = 0.0025;

std::vector<std::int64_t> indices_of(const std::vector<double> &x, ExactIndex chosen, std::size_t exact) {
  FieldInput input;
  input.field.bound = bound;
  input.field.step = step;
  input.field.components = {{"x", 1}};
  input.components[0] = {x.data(), sizeof(double), ConstArray::Type::float64};
  trajectory::Rows rows;
  trajectory::take_rows(nullptr, x.size(), 1, rows);
  trajectory::Indices indices;
  double error = 0;
  indices.load(input, rows, nullptr, chosen, 1, error);
  EXPECT_EQ(indices.exact.size(), exact);
  EXPECT_LT(error, bound);
  return {indices.column[0].begin(), indices.column[0].end()};
}

TEST(ExactIndex, IsTheNearestOne) {
  const std::vector<double> x{10 * step, 7.45 * step, 20 * step, -3.55 * step};
  EXPECT_EQ(indices_of(x, ExactIndex::nearest, 2), (std::vector<std::int64_t>{10, 7, 20, -4}));
}

TEST(ExactIndex, IsThatOfTheRowBefore) {
  const std::vector<double> x{10 * step, 7.45 * step, 20 * step, -3.55 * step};
  EXPECT_EQ(indices_of(x, ExactIndex::known, 2), (std::vector<std::int64_t>{10, 10, 20, 20}));
}

// Where no index is near, the row before is.
TEST(ExactIndex, OfNoNumber) {
  const std::vector<double> x{10 * step, std::nan(""), 1e300, std::numeric_limits<double>::infinity()};
  EXPECT_EQ(indices_of(x, ExactIndex::nearest, 3), (std::vector<std::int64_t>{10, 10, 10, 10}));
}

TEST(ExactIndex, OfEffortsThatGpusWrite) {
  EXPECT_EQ(trajectory::exact_index(0), ExactIndex::known);
  EXPECT_EQ(trajectory::exact_index(feature::sequence_chunks), ExactIndex::known);
  EXPECT_EQ(trajectory::exact_index(features_of(Effort::standard, Order::id, true)), ExactIndex::nearest);
}

}  // namespace
}  // namespace gpz::test
