// SPDX-License-Identifier: BSD-3-Clause
// Rows of a table into which the tests of the C interface read, what readers and streams refuse, and full metadata.
#pragma once

#include <functional>

#include "c_api_support.hpp"

namespace gpz::test {

constexpr int particles = 700;
constexpr int frames = 5;

// One row of a table that a program has: columns of several types, with others between them.
struct Row {
  float x, y, z;
  std::int32_t untouched;
  std::int64_t id;
  std::int32_t type;
  double v;
};

inline std::vector<gpz_output> outputs_of(std::vector<Row> &rows) {
  gpz_output xyz = gpz_into_columns3("x y z", GPZ_FLOAT32, &rows[0].x, &rows[0].y, &rows[0].z);
  gpz_output id = gpz_into_column("id", GPZ_INT64, &rows[0].id);
  gpz_output type = gpz_into_column("type", GPZ_INT32, &rows[0].type);
  gpz_output v = gpz_into_column("v", GPZ_FLOAT64, &rows[0].v);
  std::vector<gpz_output> outputs = {v, xyz, id, type};
  for (gpz_output &output : outputs) output.stride = sizeof(Row);
  return outputs;
}

inline std::vector<Row> empty_table() { return std::vector<Row>(particles, Row{0, 0, 0, -7, 0, 0, 0}); }

inline void expect_rows(const std::vector<Row> &rows, const Motion &motion, std::size_t f, bool sorted) {
  const auto &truth = motion.frames[f];
  std::map<std::int64_t, int> seen;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row &row = rows[i];
    ASSERT_EQ(truth.count(row.id), 1u) << i;
    ++seen[row.id];
    if (sorted && i > 0) {
      ASSERT_LT(rows[i - 1].id, row.id) << i;
    }
    const Motion::Particle &particle = truth.at(row.id);
    const float x[3] = {row.x, row.y, row.z};
    // The bound, and the rounding to float of values below 64.
    for (std::size_t d = 0; d < 3; ++d)
      ASSERT_LE(std::fabs(static_cast<double>(x[d]) - particle.x[d]), Motion::bound + 64 * 0x1p-24) << i;
    ASSERT_EQ(row.type, particle.type);
    ASSERT_EQ(row.v, static_cast<double>(particle.v));
    ASSERT_EQ(row.untouched, -7);
  }
  EXPECT_EQ(seen.size(), rows.size());
}

// Refused alike by readers and streams.
inline void expect_refusals(
    const std::function<gpz_status(const gpz_output *, std::size_t, std::size_t, unsigned)> &read) {
  std::vector<double> doubles(3 * particles);
  std::vector<std::int64_t> integers(particles);
  const gpz_output positions = gpz_into_interleaved("x y z", GPZ_FLOAT64, doubles.data());
  const gpz_output id = gpz_into_column("id", GPZ_INT64, integers.data());
  const auto one = [&](gpz_output output) { return read(&output, 1, particles, 0); };
  EXPECT_EQ(one(positions), GPZ_OK) << gpz_last_error();
  EXPECT_EQ(read(&positions, 1, particles - 1, 0), GPZ_LIMIT_EXCEEDED);
  EXPECT_EQ(read(&positions, 1, particles, 2), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(read(nullptr, 1, particles, 0), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(one(gpz_into_column("w", GPZ_FLOAT64, doubles.data())), GPZ_NOT_FOUND);
  EXPECT_NE(std::strstr(gpz_last_error(), "no column w"), nullptr) << gpz_last_error();
  EXPECT_EQ(one(gpz_into_column("x", GPZ_INT64, integers.data())), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(one(gpz_into_column("id", GPZ_FLOAT64, doubles.data())), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(one(gpz_into_column("id", GPZ_INT64, nullptr)), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(one(gpz_into_column("", GPZ_INT64, integers.data())), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(one(gpz_into_column("x y z id", GPZ_FLOAT64, doubles.data())), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(one(gpz_into_column("id", static_cast<gpz_type>(0), integers.data())), GPZ_INVALID_ARGUMENT);
  const gpz_output twice[2] = {id, id};
  EXPECT_EQ(read(twice, 2, particles, 0), GPZ_INVALID_ARGUMENT);
  gpz_output output = id;
  output.stride = 0;
  EXPECT_EQ(one(output), GPZ_INVALID_ARGUMENT);
  output = id;
  output.reserved = 1;
  EXPECT_EQ(one(output), GPZ_INVALID_ARGUMENT);
}

inline gpz_metadata full_metadata() {
  static const char *const columns[] = {"x", "y", "z", "id", "type", "v"};
  static const char *const elements[] = {"C", "H", "O"};
  static const char *const labels[] = {"c3", "hc"};
  gpz_metadata metadata = gpz_new_metadata();
  metadata.generator = "test 1";
  metadata.units = "real";
  metadata.atom_style = "full";
  metadata.command = "dump 1 all gpz 100 x.gpz";
  metadata.columns = columns;
  metadata.column_count = 6;
  metadata.elements = elements;
  metadata.element_count = 3;
  metadata.type_labels = labels;
  metadata.type_label_count = 2;
  metadata.timestep_size = 0.25;
  metadata.features =
      GPZ_FEATURE_MODELLED_SECTIONS | GPZ_FEATURE_CELL_CHUNKS | GPZ_FEATURE_CLASSED_SECTIONS | GPZ_FEATURE_STEPS;
  return metadata;
}

inline void expect_full(const gpz_metadata &metadata) {
  const gpz_metadata expected = full_metadata();
  EXPECT_STREQ(metadata.generator, expected.generator);
  EXPECT_STREQ(metadata.units, expected.units);
  EXPECT_STREQ(metadata.atom_style, expected.atom_style);
  EXPECT_STREQ(metadata.command, expected.command);
  EXPECT_EQ(metadata.timestep_size, expected.timestep_size);
  EXPECT_EQ(metadata.features, expected.features);
  const auto expect_list = [](const char *const *list, std::size_t count, const char *const *wanted, std::size_t size) {
    ASSERT_EQ(count, size);
    for (std::size_t i = 0; i < size; ++i) EXPECT_STREQ(list[i], wanted[i]);
  };
  expect_list(metadata.columns, metadata.column_count, expected.columns, expected.column_count);
  expect_list(metadata.elements, metadata.element_count, expected.elements, expected.element_count);
  expect_list(metadata.type_labels, metadata.type_label_count, expected.type_labels, expected.type_label_count);
}

}  // namespace gpz::test
