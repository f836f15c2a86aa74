// SPDX-License-Identifier: BSD-3-Clause
// Values that were read from a file and are written again: the recorded bound holds for the original values.
#include <cmath>

#include "gpz/chunk.hpp"
#include "gpz/gpz.h"
#include "origin_support.hpp"

namespace gpz::test::origin_test {
namespace {

TEST(Origin, IsThatOfTheFile) {
  const Frame frame = frame_of(file_of(given(original(1), bound)));
  const Field &field = frame.info.fields[0];
  EXPECT_EQ(field.origin.bound, bound);
  EXPECT_EQ(field.origin.step, field.step);
  EXPECT_EQ(field.origin.largest_error, field.largest_error);
  EXPECT_EQ(field.origin.type, ValueType::float64);
}

TEST(Origin, WithoutAnotherBoundValuesKeepTheirBits) {
  const std::vector<double> x = original(2);
  const Frame first = frame_of(file_of(given(x, bound)));
  const Frame second = frame_of(rewritten(first));
  EXPECT_EQ(second.find("x")->floats, first.find("x")->floats);
  EXPECT_EQ(second.info.fields[0].bound, bound);
  EXPECT_EQ(second.info.fields[0].largest_error, first.info.fields[0].largest_error);
  expect_true_record(second, x);
}

TEST(Origin, ASmallerBoundIsRefused) {
  Frame frame = frame_of(file_of(given(original(3), bound)));
  for (const double smaller : {0.0, 1e-9, 0.99 * bound}) {
    frame.info.fields[0].bound = smaller;
    frame.info.fields[0].step = 0;
    Bytes bytes;
    Writer writer(bytes, {});
    const Bytes before = bytes;
    try {
      writer.write(frame);
      FAIL() << smaller;
    } catch (const Error &error) {
      EXPECT_EQ(error.status(), Status::invalid_argument);
      EXPECT_NE(error.cause().find("x is within 0.001 of the original: a bound of"), std::string::npos)
          << error.cause();
    }
    EXPECT_EQ(bytes, before);
  }
}

TEST(Origin, BelowTwiceTheBoundValuesStay) {
  const std::vector<double> x = original(4);
  Frame frame = frame_of(file_of(given(x, bound)));
  const std::vector<double> values = frame.find("x")->floats;
  for (const double factor : {1.0, 1.0001, 1.7, 2.0}) {
    frame.info.fields[0].bound = factor * bound;
    frame.info.fields[0].step = 0;
    const Frame second = frame_of(rewritten(frame));
    EXPECT_EQ(second.find("x")->floats, values) << factor;
    EXPECT_EQ(second.info.fields[0].bound, bound) << factor;
  }
}

TEST(Origin, BothErrorsAreWithinALargerBound) {
  const std::vector<double> x = original(5);
  const Bytes first = file_of(given(x, bound));
  for (const double factor : {2.01, 3.0, 10.0, 1000.0}) {
    Frame frame = frame_of(first);
    frame.info.fields[0].bound = factor * bound;
    frame.info.fields[0].step = 0;
    const Bytes bytes = rewritten(frame);
    const Frame second = frame_of(bytes);
    EXPECT_EQ(second.info.fields[0].bound, factor * bound);
    expect_true_record(second, x);
    if (factor >= 3) {
      EXPECT_LT(bytes.size(), first.size()) << factor;
    }
  }
}

// Each of many bounds, one after the other.
TEST(Origin, HoldsThroughAChain) {
  const std::vector<double> x = original(6, 3000);
  Frame frame = frame_of(file_of(given(x, 1e-4)));
  for (const double next : {1e-4, 1.5e-4, 4e-4, 5e-4, 2e-3, 2e-2, 2.1e-2, 0.7}) {
    frame.info.fields[0].bound = next;
    frame.info.fields[0].step = 0;
    frame = frame_of(rewritten(frame));
    EXPECT_LE(frame.info.fields[0].bound, next);
    expect_true_record(frame, x);
  }
}

TEST(Origin, OfSingles) {
  std::vector<float> x;
  for (const double value : original(7)) x.push_back(static_cast<float>(value));
  const std::vector<double> exact(x.begin(), x.end());
  Frame frame = frame_of(file_of(given(x, 1e-4)));
  for (const double next : {1e-4, 4e-4, 3e-3}) {
    frame.info.fields[0].bound = next;
    frame.info.fields[0].step = 0;
    frame = frame_of(rewritten(frame));
    EXPECT_EQ(frame.info.fields[0].type, ValueType::float32);
    expect_true_record(frame, exact);
  }
}

// Values that the caller has changed are on no grid. They keep their bits, or share what a larger bound leaves.
TEST(Origin, OfChangedValues) {
  const std::vector<double> x = original(8);
  Frame frame = frame_of(file_of(given(x, bound)));
  std::vector<double> moved = x;
  for (double &value : moved) value += 0.25;
  for (double &value : frame.columns[0].floats) value += 0.25;
  ASSERT_EQ(frame.name(frame.columns[0]), "x");

  const Frame same = frame_of(rewritten(frame));
  EXPECT_EQ(same.find("x")->floats, frame.columns[0].floats);
  EXPECT_EQ(same.info.fields[0].bound, bound);

  frame.info.fields[0].bound = 1.5 * bound;
  frame.info.fields[0].step = 0;
  const Frame within = frame_of(rewritten(frame));
  EXPECT_EQ(within.info.fields[0].bound, 1.5 * bound);
  EXPECT_NE(within.find("x")->floats, frame.columns[0].floats);
  EXPECT_LE(largest_error(moved, within.find("x")->floats), 1.5L * bound);
}

// The values as a program had them: it stored them as float, and divided them by ten in between.
TEST(Origin, RoundedValuesGoBackToTheirGrid) {
  const std::vector<double> x = original(9);
  const Frame frame = frame_of(file_of(given(x, bound)));
  const std::vector<double> &values = frame.find("x")->floats;
  std::vector<float> converted;
  double rounding = 0;
  for (const double value : values) {
    converted.push_back(static_cast<float>(static_cast<float>(value) / 10) * 10);
    rounding = std::max(rounding, std::fabs(value - static_cast<double>(converted.back())));
  }
  ASSERT_GT(rounding, 0);
  for (const double next : {bound, 1.9 * bound}) {
    FieldInput input = input_of(frame, {converted.data(), 4, Type::float32}, ValueType::float32);
    input.field.origin.rounding = rounding;
    input.field.bound = next;
    if (next != bound) input.field.step = 0;
    Bytes bytes;
    Writer writer(bytes, {});
    writer.write(info_of(), {input});
    writer.close();
    const Frame back = frame_of(bytes);
    EXPECT_EQ(back.find("x")->floats, values);
    EXPECT_EQ(back.info.fields[0].type, ValueType::float64);
    EXPECT_EQ(back.info.fields[0].bound, bound);
  }
  // With room for a coarser grid, and for values that no grid had.
  for (const bool changed : {false, true}) {
    std::vector<float> shifted = converted;
    std::vector<double> moved = x;
    for (std::size_t i = 0; i < particles && changed; ++i) {
      moved[i] += 3.0625e-4;
      shifted[i] = static_cast<float>(static_cast<double>(shifted[i]) + 3.0625e-4);
    }
    FieldInput input = input_of(frame, {shifted.data(), 4, Type::float32}, ValueType::float32);
    input.field.origin.rounding = 2 * rounding;
    input.field.bound = 4 * bound;
    input.field.step = 0;
    Bytes bytes;
    Writer writer(bytes, {});
    writer.write(info_of(), {input});
    writer.close();
    const Frame back = frame_of(bytes);
    EXPECT_EQ(back.info.fields[0].bound, 4 * bound);
    EXPECT_LE(largest_error(moved, back.find("x")->floats), 4.0L * bound);
  }
}

// In one in ten, the rounding has more than the grid: the record counts it.
TEST(Origin, RoundedValuesBesideTheGridCount) {
  const std::vector<double> x = original(10);
  const Frame frame = frame_of(file_of(given(x, bound)));
  std::vector<float> values;
  for (const double value : frame.find("x")->floats) values.push_back(static_cast<float>(value));
  for (std::size_t i = 0; i < particles; i += 20) values[i] += 3e-4F;
  FieldInput input = input_of(frame, {values.data(), 4, Type::float32}, ValueType::float32);
  input.field.origin.rounding = 1e-5;
  Bytes bytes;
  Writer writer(bytes, {});
  writer.write(info_of(), {input});
  writer.close();
  const Frame back = frame_of(bytes);
  EXPECT_GE(back.info.fields[0].bound, bound + 1e-5);
  EXPECT_LE(back.info.fields[0].bound, (bound + 1e-5) * (1 + 1e-12));
  for (std::size_t i = 0; i < particles; ++i) {
    const double expected = i % 20 == 0 ? static_cast<double>(values[i]) : frame.find("x")->floats[i];
    ASSERT_EQ(back.find("x")->floats[i], expected) << i;
  }
}

// A grid that is not known, as of positions that another program has read.
TEST(Origin, WithoutAGridValuesKeepTheirBitsOrShareALargerBound) {
  const std::vector<double> x = original(12);
  Frame frame = frame_of(file_of(given(x, bound)));
  frame.info.fields[0].origin.step = 0;
  frame.info.fields[0].step = 0;
  const Frame same = frame_of(rewritten(frame));
  EXPECT_EQ(same.find("x")->floats, frame.find("x")->floats);
  EXPECT_EQ(same.info.fields[0].bound, bound);
  frame.info.fields[0].bound = 1.5 * bound;
  const Frame second = frame_of(rewritten(frame));
  EXPECT_EQ(second.info.fields[0].bound, 1.5 * bound);
  expect_true_record(second, x);
}

TEST(Origin, WritesInC) {
  const std::vector<double> x = original(13);
  const Bytes first = file_of(given(x, bound));
  gpz_reader *reader = nullptr;
  ASSERT_EQ(gpz_reader_open_memory(first.data(), first.size(), 1, &reader), GPZ_OK);
  gpz_column_info column = gpz_new_column_info();
  ASSERT_EQ(gpz_reader_column(reader, 0, 0, &column), GPZ_OK);
  ASSERT_STREQ(column.name, "x");
  EXPECT_GT(column.step, 0);
  std::vector<double> values(particles);
  const gpz_output output = gpz_into_column("x", GPZ_FLOAT64, values.data());
  ASSERT_EQ(gpz_reader_read(reader, 0, &output, 1, particles, GPZ_SORT_BY_ID), GPZ_OK);
  gpz_reader_close(reader);

  const auto written = [&](gpz_bound_kind kind, double next, gpz_status expected) {
    gpz_field field = gpz_column("x", GPZ_FLOAT64, values.data());
    gpz_set_origin(&field, &column, 0);
    EXPECT_EQ(field.bound_kind, GPZ_AS_STORED);
    field.bound_kind = kind;
    field.bound = next;
    const gpz_frame frame = gpz_new_frame(particles, 0);
    void *image = nullptr;
    std::size_t size = 0;
    EXPECT_EQ(gpz_compress(&frame, &field, 1, 1, &image, &size), expected) << gpz_last_error();
    Bytes bytes(static_cast<std::uint8_t *>(image), static_cast<std::uint8_t *>(image) + size);
    gpz_free(image);
    return bytes;
  };
  EXPECT_EQ(frame_of(written(GPZ_AS_STORED, 0, GPZ_OK)).find("x")->floats, values);
  EXPECT_EQ(frame_of(written(GPZ_ABSOLUTE, 1.5 * bound, GPZ_OK)).info.fields[0].bound, bound);
  const Frame coarse = frame_of(written(GPZ_ABSOLUTE, 5 * bound, GPZ_OK));
  EXPECT_EQ(coarse.info.fields[0].bound, 5 * bound);
  expect_true_record(coarse, x);
  EXPECT_TRUE(written(GPZ_ABSOLUTE, bound / 2, GPZ_INVALID_ARGUMENT).empty());
  EXPECT_TRUE(written(GPZ_LOSSLESS, 0, GPZ_INVALID_ARGUMENT).empty());
}

}  // namespace
}  // namespace gpz::test::origin_test
