// SPDX-License-Identifier: BSD-3-Clause
// Advice about columns without a bound.
#include "gpz/lossless.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace gpz::test::lossless_test {
namespace {

std::string option(const std::vector<std::string> &columns, const std::string &bound) {
  std::string names;
  for (const std::string &column : columns) names += column;
  return names + "=" + bound;
}

LosslessAdvice::Squares squares_of(const std::vector<double> &values) {
  LosslessAdvice::Squares squares;
  for (const double value : values) squares.add(value);
  return squares;
}

TEST(Lossless, FieldsAreFloatsWithoutBoundsAndNoPositions) {
  Field field;
  field.components = {{"vx", 0}};
  field.type = ValueType::float32;
  EXPECT_TRUE(is_lossless(field));
  field.bound = 1e-3;
  EXPECT_FALSE(is_lossless(field));
  field.bound = 0;
  field.leading = true;
  EXPECT_FALSE(is_lossless(field));
  field.leading = false;
  field.components[0].name = "xs";
  EXPECT_FALSE(is_lossless(field));
  field.components[0].name = "q";
  field.type = ValueType::integer;
  EXPECT_FALSE(is_lossless(field));
}

TEST(Lossless, SamplesAreSomeFrames) {
  std::vector<std::uint64_t> taken;
  for (std::uint64_t frame = 0; frame < 20; ++frame)
    if (const auto sample = LosslessAdvice::sample(frame)) {
      EXPECT_EQ(*sample, taken.size());
      taken.push_back(frame);
    }
  EXPECT_EQ(taken, (std::vector<std::uint64_t>{0, 1, 2, 4, 8, 16}));
}

TEST(Lossless, BoundsAreOfQuantitiesAndOfTheLargestSample) {
  LosslessAdvice advice;
  for (const char *const name : {"vx", "fx", "vy", "fy", "vz", "fz", "q", "flow"}) {
    advice.add(name, 0, squares_of({0, 0}));
    advice.add(name, 1, squares_of({std::nan(""), 0.3, -0.3}));
  }
  advice.add("fy", 2, squares_of({6, 8}));  // a root mean square of sqrt(50), as of all components
  EXPECT_EQ(advice.text(1e6, 2e6, "modify ", option),
            "lossless: vx fx vy fy vz fz q flow, 50 % of the file; a thousandth of the thermal speed: modify "
            "vxvyvz=thermal; a thousandth of their root mean square: modify fxfyfz=0.005 q=0.0002 flow=0.0002");
}

TEST(Lossless, VelocitiesWithoutAComponentHaveNumbers) {
  LosslessAdvice advice;
  for (const char *const name : {"vx", "vy"}) advice.add(name, 0, squares_of({3, -3}));
  EXPECT_EQ(advice.text(1e6, 1e6, "", option),
            "lossless: vx vy, 100 % of the file; a thousandth of their root mean square: vxvy=0.002");
}

TEST(Lossless, NothingIsSaidOfLittle) {
  LosslessAdvice advice;
  EXPECT_EQ(advice.text(1e6, 1e6, "", option), "");
  advice.add("q", 0, squares_of({1}));
  EXPECT_NE(advice.text(65536, 1e5, "", option), "");
  EXPECT_EQ(advice.text(65535, 1e5, "", option), "");
  EXPECT_EQ(advice.text(1e5, 4e5, "", option), "");
  EXPECT_NE(advice.text(1e5 + 1, 4e5, "", option), "");
}

}  // namespace
}  // namespace gpz::test::lossless_test
