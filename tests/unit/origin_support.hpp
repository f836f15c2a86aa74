// SPDX-License-Identifier: BSD-3-Clause
// Values in files of one frame, which are read and written again.
#pragma once

#include <cmath>

#include "container_support.hpp"

namespace gpz::test {

using Type = ConstArray::Type;

constexpr std::size_t particles = 3000;
constexpr double bound = 0.001;

// Coordinates of one component, in no order.
inline std::vector<double> original(std::uint32_t seed, double extent = 80) {
  std::vector<double> x(particles);
  std::uint32_t random = seed;
  for (double &value : x) {
    random = random * 1664525u + 1013904223u;
    value = extent * (static_cast<double>(random) / 4294967296.0 - 0.3);
  }
  return x;
}

inline FrameInfo info_of(std::size_t count = particles) {
  FrameInfo info;
  info.particles = count;
  return info;
}

inline std::vector<std::int64_t> numbers() {
  std::vector<std::int64_t> ids(particles);
  for (std::size_t i = 0; i < particles; ++i) ids[i] = static_cast<std::int64_t>(i) + 1;
  return ids;
}

struct Given {
  ConstArray x;
  Field field;
};

inline Given given(const std::vector<double> &x, double error_bound) {
  Given made{{x.data(), 8, Type::float64}, {}};
  made.field.bound = error_bound;
  return made;
}
inline Given given(const std::vector<float> &x, double error_bound) {
  Given made{{x.data(), 4, Type::float32}, {}};
  made.field.type = ValueType::float32;
  made.field.bound = error_bound;
  return made;
}

inline Bytes file_of(const Given &given) {
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

inline Frame frame_of(const Bytes &bytes) { return reader_of(bytes).read(0, ReadOptions{1, true}); }

inline Bytes rewritten(const Frame &frame) {
  Bytes bytes;
  Writer writer(bytes, {});
  writer.write(frame);
  writer.close();
  return bytes;
}

inline long double largest_error(const std::vector<double> &original, const std::vector<double> &values) {
  long double largest = 0;
  for (std::size_t i = 0; i < original.size(); ++i)
    largest = std::max(largest, std::fabs(static_cast<long double>(original[i]) - values[i]));
  return largest;
}

// The error of a file against the original values is within its recorded bound, and within its recorded largest error.
inline void expect_true_record(const Frame &frame, const std::vector<double> &original) {
  const long double error = largest_error(original, frame.find("x")->floats);
  EXPECT_LE(error, static_cast<long double>(frame.info.fields[0].bound));
  EXPECT_LE(error, static_cast<long double>(frame.info.fields[0].largest_error) * (1 + 1e-12L));
}

inline FieldInput input_of(const Frame &frame, ConstArray array, ValueType type) {
  FieldInput input;
  input.field = frame.info.fields[0];
  input.field.type = type;
  input.components[0] = array;
  return input;
}

}  // namespace gpz::test
