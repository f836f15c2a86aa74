// SPDX-License-Identifier: BSD-3-Clause
// Values that were read from a file and are written again: the recorded bound holds for the original values.
#include <cmath>

#include "container_support.hpp"
#include "gpz/chunk.hpp"
#include "gpz/gpz.h"

namespace gpz::test {
namespace {

using Type = ConstArray::Type;

constexpr std::size_t particles = 3000;
constexpr double bound = 0.001;

// Coordinates of one component, in no order.
std::vector<double> original(std::uint32_t seed, double extent = 80) {
  std::vector<double> x(particles);
  std::uint32_t random = seed;
  for (double &value : x) {
    random = random * 1664525u + 1013904223u;
    value = extent * (static_cast<double>(random) / 4294967296.0 - 0.3);
  }
  return x;
}

FrameInfo info_of(std::size_t count = particles) {
  FrameInfo info;
  info.particles = count;
  return info;
}

std::vector<std::int64_t> numbers() {
  std::vector<std::int64_t> ids(particles);
  for (std::size_t i = 0; i < particles; ++i) ids[i] = static_cast<std::int64_t>(i) + 1;
  return ids;
}

struct Given {
  ConstArray x;
  Field field;
};

Given given(const std::vector<double> &x, double error_bound) {
  Given made{{x.data(), 8, Type::float64}, {}};
  made.field.bound = error_bound;
  return made;
}
Given given(const std::vector<float> &x, double error_bound) {
  Given made{{x.data(), 4, Type::float32}, {}};
  made.field.type = ValueType::float32;
  made.field.bound = error_bound;
  return made;
}

Bytes file_of(const Given &given) {
  const std::vector<std::int64_t> ids = numbers();
  std::vector<FieldInput> fields(2);
  fields[0].field = given.field;
  fields[0].field.leading = true;
  fields[0].field.components = {{"x", 1}};
  fields[0].components[0] = given.x;
  fields[1].field.type = ValueType::integer;
  fields[1].field.components = {{"id", 0}};
  fields[1].components[0] = {ids.data(), 8, Type::int64};
  Bytes bytes;
  Writer writer(bytes, {});
  writer.write(info_of(), fields);
  writer.close();
  return bytes;
}

Frame frame_of(const Bytes &bytes) { return reader_of(bytes).read(0, ReadOptions{1, true}); }

Bytes rewritten(const Frame &frame) {
  Bytes bytes;
  Writer writer(bytes, {});
  writer.write(frame);
  writer.close();
  return bytes;
}

long double largest_error(const std::vector<double> &original, const std::vector<double> &values) {
  long double largest = 0;
  for (std::size_t i = 0; i < original.size(); ++i)
    largest = std::max(largest, std::fabs(static_cast<long double>(original[i]) - values[i]));
  return largest;
}

// The error of a file against the original values is within its recorded bound, and within its recorded largest error.
void expect_true_record(const Frame &frame, const std::vector<double> &original) {
  const long double error = largest_error(original, frame.find("x")->floats);
  EXPECT_LE(error, static_cast<long double>(frame.info.fields[0].bound));
  EXPECT_LE(error, static_cast<long double>(frame.info.fields[0].largest_error) * (1 + 1e-12L));
}

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

FieldInput input_of(const Frame &frame, ConstArray array, ValueType type) {
  FieldInput input;
  input.field = frame.info.fields[0];
  input.field.type = type;
  input.components[0] = array;
  return input;
}

// What a program did with the values: it has them as float, and divided them by ten in between.
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

// A grid that is not known, as of positions that another program has read.
TEST(Origin, WithoutAGridALargerBoundIsNeeded) {
  const std::vector<double> x = original(12);
  Frame frame = frame_of(file_of(given(x, bound)));
  frame.info.fields[0].origin.step = 0;
  frame.info.fields[0].step = 0;
  Bytes unused;
  Writer refusing(unused, {});
  EXPECT_EQ(status_of([&] { refusing.write(frame); }), Status::invalid_argument);
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
}  // namespace gpz::test
