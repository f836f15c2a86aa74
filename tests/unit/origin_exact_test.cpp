// SPDX-License-Identifier: BSD-3-Clause
// Values that are written again and are exact in their file, or were rounded to float32 or read into doubles since.
#include <cmath>
#include <limits>

#include "gpz/gpz.h"
#include "origin_support.hpp"

namespace gpz::test::origin_exact_test {
namespace {

TEST(Origin, SinglesThatWereReadIntoDoublesAreSinglesAgain) {
  std::vector<float> x;
  for (const double value : original(11)) x.push_back(static_cast<float>(value));
  const Bytes first = file_of(given(x, bound));
  const Frame frame = frame_of(first);
  FieldInput input = input_of(frame, {frame.find("x")->floats.data(), 8, Type::float64}, ValueType::float64);
  Bytes bytes;
  Writer writer(bytes, {});
  writer.write(info_of(), {input});
  writer.close();
  const Frame back = frame_of(bytes);
  EXPECT_EQ(back.info.fields[0].type, ValueType::float32);
  EXPECT_EQ(back.find("x")->floats, frame.find("x")->floats);
  EXPECT_LT(bytes.size(), first.size() * 11 / 10);
}

// Exact values that another program has rounded to float: that is their error.
TEST(Origin, OfExactValuesIsTheirRounding) {
  const std::vector<double> x = original(14);
  const Frame frame = frame_of(file_of(given(x, 0)));
  std::vector<float> values(x.begin(), x.end());
  FieldInput input = input_of(frame, {values.data(), 4, Type::float32}, ValueType::float32);
  input.field.origin.rounding = 4e-6;
  for (const double next : {0.0, 1e-3}) {
    input.field.bound = next;
    Bytes bytes;
    Writer writer(bytes, {});
    writer.write(info_of(), {input});
    writer.close();
    const Frame back = frame_of(bytes);
    EXPECT_EQ(back.info.fields[0].bound, std::max(next, 4e-6));
    expect_true_record(back, x);
    if (next == 0) {
      EXPECT_EQ(back.find("x")->floats, std::vector<double>(values.begin(), values.end()));
    }
  }
  input.field.bound = 3e-6;
  Bytes unused;
  Writer writer(unused, {});
  EXPECT_EQ(status_of([&] { writer.write(info_of(), {input}); }), Status::invalid_argument);
}

// A bound that such values have already: they keep their bits, because no grid fits in.
TEST(Origin, OfExactValuesIsKeptWithoutAGrid) {
  const std::vector<double> x = original(15);
  const Frame frame = frame_of(file_of(given(x, 0)));
  std::vector<float> values(x.begin(), x.end());
  FieldInput input = input_of(frame, {values.data(), 4, Type::float32}, ValueType::float32);
  input.field.origin.rounding = 4e-6;
  for (const double next : {4e-6, 4.01e-6}) {
    input.field.bound = next;
    Bytes bytes;
    Writer writer(bytes, {});
    writer.write(info_of(), {input});
    writer.close();
    const Frame back = frame_of(bytes);
    EXPECT_EQ(back.info.fields[0].bound, 4e-6);
    EXPECT_EQ(back.find("x")->floats, std::vector<double>(values.begin(), values.end()));
  }
}

// Values that are too large for the grid, and NaN, are stored exactly: the same bound can be kept.
TEST(Origin, OfValuesThatNoGridHolds) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double value : {1e30, -0.0, nan, std::numeric_limits<double>::infinity()}) {
    const std::vector<double> x(particles, value);
    Frame frame = frame_of(file_of(given(x, bound)));
    frame.info.fields[0].step = 0;
    for (const double next : {bound, 1.5 * bound}) {
      frame.info.fields[0].bound = next;
      const Frame second = frame_of(rewritten(frame));
      EXPECT_EQ(second.info.fields[0].bound, bound);
      if (value == value) {
        EXPECT_EQ(second.find("x")->floats, x);
      }
    }
  }
}

// Doubles with few digits behind the point: some have a value of the grid within the bound, others are stored exactly.
TEST(Origin, OfValuesThatTheGridHoldsInPart) {
  const std::vector<double> x = original(17, 9e14);
  Frame frame = frame_of(file_of(given(x, 0.05)));
  const std::vector<double> values = frame.find("x")->floats;
  frame.info.fields[0].step = 0;
  const Frame second = frame_of(rewritten(frame));
  EXPECT_EQ(second.info.fields[0].bound, 0.05);
  EXPECT_EQ(second.find("x")->floats, values);
}

// A block with many infinities is smaller if all its values are exact.
TEST(Origin, OfValuesAmongInfinities) {
  std::vector<float> x;
  for (const double value : original(19)) x.push_back(static_cast<float>(value));
  for (std::size_t i = 0; i < particles; ++i)
    if (i % 3 != 0) x[i] = std::numeric_limits<float>::infinity();
  Frame frame = frame_of(file_of(given(x, 1e-5)));
  frame.info.fields[0].step = 0;
  const Frame second = frame_of(rewritten(frame));
  EXPECT_EQ(second.info.fields[0].bound, 1e-5);
  EXPECT_EQ(second.find("x")->floats, frame.find("x")->floats);
}

// Singles of a grid, some of which are stored exactly, that were read into doubles: they are what they were.
TEST(Origin, SinglesThatWereReadIntoDoublesKeepTheirValues) {
  std::vector<float> x;
  for (const double value : original(18)) x.push_back(static_cast<float>(value));
  x[7] = 3e30F;
  x[8] = std::numeric_limits<float>::infinity();
  const Frame frame = frame_of(file_of(given(x, bound)));
  std::vector<double> values = frame.find("x")->floats;
  for (const bool changed : {false, true}) {
    if (changed) values[9] += 1e-9;
    FieldInput input = input_of(frame, {values.data(), 8, Type::float64}, ValueType::float64);
    Bytes bytes;
    Writer writer(bytes, {});
    writer.write(info_of(), {input});
    writer.close();
    EXPECT_EQ(frame_of(bytes).find("x")->floats, values);
    // Doubles are stored for a value that needs them only.
    EXPECT_EQ(frame_of(bytes).info.fields[0].type, changed ? ValueType::float64 : ValueType::float32);
  }
}

// Values of an exact column that were rounded since are not exact: whoever asks for that is told.
TEST(Origin, OfRoundedExactValuesInC) {
  const std::vector<double> x = original(16);
  gpz_column_info column = gpz_new_column_info();
  column.type = GPZ_FLOAT64;
  const std::vector<float> values(x.begin(), x.end());
  gpz_field field = gpz_column("x", GPZ_FLOAT32, values.data());
  gpz_set_origin(&field, &column, 4e-6);
  EXPECT_EQ(field.bound_kind, GPZ_AS_STORED);
  const gpz_frame frame = gpz_new_frame(particles, 0);
  void *image = nullptr;
  std::size_t size = 0;
  for (const gpz_bound_kind kind : {GPZ_LOSSLESS, GPZ_ABSOLUTE}) {
    field.bound_kind = kind;
    EXPECT_EQ(gpz_compress(&frame, &field, 1, 1, &image, &size), GPZ_INVALID_ARGUMENT);
    EXPECT_NE(std::string(gpz_last_error()).find("rounded since they were read"), std::string::npos);
  }
  field.bound_kind = GPZ_AS_STORED;
  ASSERT_EQ(gpz_compress(&frame, &field, 1, 1, &image, &size), GPZ_OK) << gpz_last_error();
  const Bytes bytes(static_cast<std::uint8_t *>(image), static_cast<std::uint8_t *>(image) + size);
  gpz_free(image);
  EXPECT_EQ(frame_of(bytes).info.fields[0].bound, 4e-6);
  expect_true_record(frame_of(bytes), x);
}

}  // namespace
}  // namespace gpz::test::origin_exact_test
