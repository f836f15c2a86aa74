// SPDX-License-Identifier: BSD-3-Clause
// Indices of values that are stored exactly beside them: later frames are predicted from these indices.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "gpz/trajectory.hpp"
#include "gpz/trajectory/exact_bits.hpp"
#include "gpz/trajectory/indices.hpp"
#include "gpz/trajectory/values.hpp"

namespace gpz::test::exact_index_test {
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

// A decoded section: indices, some of them at the ends of what the grid and the type hold, and exact values.
struct Decoded {
  Field field;
  trajectory::Indices indices;
  std::size_t n = 3000;

  Decoded(ValueType type, double bound_of_field, double step_of_field) {
    field.type = type;
    field.components = {{"x", 1}, {"y", 1}};
    field.bound = bound_of_field;
    field.step = step_of_field;
    std::mt19937_64 random(7);
    indices.resize(n, 2);
    for (std::size_t d = 0; d < 2; ++d)
      for (std::size_t i = 0; i < n; ++i) {
        // Half of the pieces have small indices only.
        const std::uint64_t bits = i % 1024 < 512 ? 20 : random() % 52;
        const auto size = static_cast<std::int64_t>(random() & ((std::uint64_t{1} << bits) - 1));
        indices.column[d][i] = random() % 2 != 0 ? size : -size;
      }
  }

  void add_exact(std::size_t i, std::size_t d, double value) {
    indices.exact.push_back({i | static_cast<std::uint64_t>(d) << format::exact_component_shift,
                             field.type == ValueType::float32 ? trajectory::bits_of(static_cast<float>(value))
                                                              : trajectory::bits_of(value)});
  }

  // Compares the indices with those that come from the values.
  void check() {
    trajectory::Indices through_values;
    through_values.load_decoded(field, n, 1, [&](const codec::Target &target) {
      trajectory::write_values(field, indices.columns(2), n, indices.exact, target, 1);
    });
    for (const int threads : {1, 3}) {
      trajectory::Indices taken = indices;
      taken.take_decoded(field, n, threads);
      for (std::size_t d = 0; d < 2; ++d) EXPECT_EQ(taken.column[d], through_values.column[d]);
      ASSERT_EQ(taken.exact.size(), through_values.exact.size());
      for (std::size_t k = 0; k < taken.exact.size(); ++k) {
        EXPECT_EQ(taken.exact[k].value_index, through_values.exact[k].value_index);
        EXPECT_EQ(taken.exact[k].bits, through_values.exact[k].bits);
      }
    }
  }
};

TEST(TakenIndices, AreThoseOfTheValues) {
  for (const ValueType type : {ValueType::float32, ValueType::float64})
    // The least steps have values that are no normal numbers, the largest have none.
    for (const double step_of_field : {0.0025, 1.0, 1e-41, 1e-37, 1e20, 1e36, 1e-310, 1e300}) {
      SCOPED_TRACE(step_of_field);
      Decoded decoded(type, step_of_field * 0.4, step_of_field);
      decoded.check();
      const double largest = std::numeric_limits<float>::max();
      for (std::size_t i = 0; i < 40; ++i) decoded.add_exact(i * 71, i % 2, (static_cast<double>(i) + 0.5) * 7.3);
      decoded.add_exact(100, 0, std::nan(""));
      decoded.add_exact(100, 1, std::numeric_limits<double>::infinity());
      decoded.add_exact(101, 1, -0.0);
      decoded.add_exact(102, 1, largest);
      // A value of the grid, and two values of one place: a damaged file may have them.
      decoded.add_exact(103, 0, 12 * step_of_field);
      decoded.add_exact(104, 0, 5.1);
      decoded.add_exact(104, 0, 7.2);
      decoded.check();
    }
}

TEST(TakenIndices, WithoutABound) {
  Decoded decoded(ValueType::float32, 0, 0.0025);
  decoded.check();
}

}  // namespace
}  // namespace gpz::test::exact_index_test
