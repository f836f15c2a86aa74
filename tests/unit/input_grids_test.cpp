// SPDX-License-Identifier: BSD-3-Clause
// Values that are multiples of a power of ten, as XTC files and text of few digits have them.
#include <algorithm>
#include <cmath>

#include "gpz/chunk.hpp"
#include "origin_support.hpp"

namespace gpz::test::input_grids_test {
namespace {

// Multiples of a step, as a program has them that divides integers.
std::vector<double> multiples(std::uint32_t seed, double divisor) {
  std::vector<double> x = original(seed);
  for (double &value : x) value = std::round(value * divisor) / divisor;
  return x;
}
// As XTC's readers have them: nanometres in single precision, times ten.
std::vector<float> of_xtc(std::uint32_t seed) {
  std::vector<float> x;
  for (const double value : original(seed)) x.push_back(static_cast<float>(std::lround(value * 100)) * 0.001F * 10.0F);
  return x;
}

double largest_difference(const std::vector<double> &a, const std::vector<double> &b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

TEST(InputGrids, MultiplesComeBack) {
  const std::vector<double> x = multiples(1, 100);
  const Frame frame = frame_of(file_of(given(x, 0.005)));
  const Field &field = frame.info.fields[0];
  EXPECT_EQ(field.bound, 0.005);
  EXPECT_EQ(field.step, 0.01);
  EXPECT_LT(field.largest_error, 1e-13);
  EXPECT_LT(largest_difference(frame.find("x")->floats, x), 1e-13);
}

TEST(InputGrids, SingleValuesComeBackButForTheirRounding) {
  const std::vector<float> x = of_xtc(2);
  const Frame frame = frame_of(file_of(given(x, 0.005)));
  EXPECT_EQ(frame.info.fields[0].step, 0.01);
  const std::vector<double> wide(x.begin(), x.end());
  EXPECT_LT(largest_difference(frame.find("x")->floats, wide), 2e-5);
  EXPECT_LT(frame.info.fields[0].largest_error, 2e-5);
}

TEST(InputGrids, ACoarserGridIsTakenAndAFinerOneIsNot) {
  const std::vector<double> x = multiples(3, 10);
  EXPECT_EQ(frame_of(file_of(given(x, 0.005))).info.fields[0].step, 0.1);
  EXPECT_EQ(frame_of(file_of(given(multiples(3, 1000), 0.005))).info.fields[0].step, grid_step(0.005));
}

TEST(InputGrids, OneOtherValueIsEnough) {
  std::vector<double> x = multiples(4, 100);
  x[particles / 2 + 1] += 0.0013;
  const Frame frame = frame_of(file_of(given(x, 0.005)));
  EXPECT_EQ(frame.info.fields[0].step, grid_step(0.005));
  EXPECT_LT(largest_difference(frame.find("x")->floats, x), 0.005);
}

TEST(InputGrids, ValuesWithoutNumbersHaveNone) {
  std::vector<double> x = multiples(5, 100);
  x[7] = std::nan("");
  EXPECT_EQ(frame_of(file_of(given(x, 0.005))).info.fields[0].step, grid_step(0.005));
}

// The bound holds for frames of either kind, whatever comes before them.
TEST(InputGrids, FramesMayDiffer) {
  const std::vector<std::int64_t> ids = numbers();
  const std::vector<std::vector<double>> frames{multiples(6, 100), multiples(7, 100), original(8), original(9),
                                                multiples(10, 100)};
  Bytes bytes;
  Writer writer(bytes, {});
  for (const std::vector<double> &x : frames) {
    std::vector<FieldInput> fields(2);
    const Given values = given(x, 0.005);
    fields[0].field = values.field;
    fields[0].field.leading = true;
    fields[0].field.components = {{"x", 1}};
    fields[0].components[0] = values.x;
    fields[1].field.type = ValueType::integer;
    fields[1].field.components = {{"id", 0}};
    fields[1].components[0] = {ids.data(), 8, Type::int64};
    writer.write(info_of(), fields);
  }
  writer.close();
  const Reader reader = reader_of(bytes);
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const Frame frame = reader.read(k, ReadOptions{1, true});
    const bool has_grid = k < 2 || k == 4;
    EXPECT_EQ(frame.info.fields[0].step, has_grid ? 0.01 : grid_step(0.005)) << k;
    EXPECT_LT(largest_difference(frame.find("x")->floats, frames[k]), has_grid ? 1e-13 : 0.005) << k;
  }
}

// Values of float32 so large that rounding takes some out of the bound.
std::vector<float> large(std::uint32_t seed, double shift) {
  std::vector<float> x;
  for (const double value : original(seed, 10)) x.push_back(static_cast<float>(value + shift));
  return x;
}

TEST(InputGrids, LargeFloatsOf32BitsGetASmallerStep) {
  constexpr double bound = 0.0003;
  const double usual = grid_step(bound, ValueType::float32);
  const std::vector<float> x = large(11, 300);
  const Frame frame = frame_of(file_of(given(x, bound)));
  EXPECT_LT(frame.info.fields[0].step, usual);
  EXPECT_GT(frame.info.fields[0].step, 0.9 * usual);
  EXPECT_LE(largest_difference(frame.find("x")->floats, {x.begin(), x.end()}), bound);
  EXPECT_EQ(frame_of(file_of(given(large(11, 0), bound))).info.fields[0].step, usual);
}

TEST(InputGrids, AFewLargeFloatsOf32BitsDoNot) {
  constexpr double bound = 0.0003;
  std::vector<float> x = large(12, 0);
  x[particles / 2] = 333.3F;
  EXPECT_EQ(frame_of(file_of(given(x, bound))).info.fields[0].step, grid_step(bound, ValueType::float32));
}

}  // namespace
}  // namespace gpz::test::input_grids_test
