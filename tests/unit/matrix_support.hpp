// SPDX-License-Identifier: BSD-3-Clause
// Small trajectories that bring out every kind of chunk, written by C++ and by C.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "codec_support.hpp"
#include "container_support.hpp"
#include "gpz/gpz.h"
#include "gpz/trajectory.hpp"

namespace gpz::test {

inline const std::vector<std::pair<std::string, Order>> &order_words() {
  static const std::vector<std::pair<std::string, Order>> words = {
      {"auto", Order::automatic}, {"id", Order::id}, {"place", Order::place}, {"memory", Order::memory}};
  return words;
}
inline const std::vector<std::pair<std::string, Effort>> &effort_words() {
  static const std::vector<std::pair<std::string, Effort>> words = {
      {"fast", Effort::fast}, {"standard", Effort::standard}, {"dense", Effort::dense}};
  return words;
}

// Positions x y z with a bound, and ids or none. Every second frame is a key frame.
struct Samples {
  static constexpr double bound = 0.001;
  static constexpr unsigned key_interval = 2;

  std::string name;
  std::vector<std::vector<double>> frames;  // x y z x y z ...
  std::vector<std::int32_t> id;             // empty: none

  std::size_t particles() const { return frames[0].size() / 3; }
  std::vector<FieldInput> inputs(std::size_t f) const {
    std::vector<FieldInput> inputs = {field("x", frames[f], 3, bound, true)};
    for (std::size_t d = 0; d < 3; ++d)
      inputs[0].field.components[d] = {std::string(1, "xyz"[d]), static_cast<std::uint16_t>(d)};
    if (id.empty()) return inputs;
    inputs.push_back(field("id", id, 1, 0, false));
    inputs[1].field.components[0] = {"id", 3};
    return inputs;
  }
  // Whether these are the x of frame f within the bound, in any order: sorting keeps the largest distance.
  bool are_x(std::size_t f, std::vector<double> x) const {
    std::vector<double> expected;
    for (std::size_t i = 0; i < frames[f].size(); i += 3) expected.push_back(frames[f][i]);
    std::sort(expected.begin(), expected.end());
    std::sort(x.begin(), x.end());
    return x.size() == expected.size() && std::equal(x.begin(), x.end(), expected.begin(),
                                                     [](double a, double b) { return std::abs(a - b) <= bound; });
  }

  // Whether the x of frame f are those of its rows, sorted by id where the frame has ids.
  bool are_rows(std::size_t f, const Frame &frame) const {
    const Frame::Column *ids = frame.find("id");
    for (std::size_t i = 0; i < particles(); ++i) {
      const std::size_t row = ids == nullptr ? i : static_cast<std::size_t>(ids->integers[i]) - 1;
      if (!(std::abs(frame.columns[0].floats[i] - frames[f].at(3 * row)) <= bound)) return false;
    }
    return true;
  }

  Bytes write(Order order, Effort effort) const {
    Bytes bytes;
    Writer writer(bytes, Metadata());
    writer.set_key_interval(key_interval);
    writer.set_order(order);
    writer.set_effort(effort);
    for (std::size_t f = 0; f < frames.size(); ++f) {
      FrameInfo info;
      info.particles = particles();
      info.timestep = static_cast<std::int64_t>(f);
      writer.write(info, inputs(f));
    }
    writer.close();
    return bytes;
  }
  Bytes write_in_c(Order order, Effort effort) const {
    gpz_writer *writer = nullptr;
    EXPECT_EQ(gpz_writer_open_memory(nullptr, 1, &writer), GPZ_OK) << gpz_last_error();
    EXPECT_EQ(gpz_writer_set_key_interval(writer, key_interval), GPZ_OK);
    EXPECT_EQ(gpz_writer_set_order(writer, static_cast<gpz_order>(order)), GPZ_OK);
    EXPECT_EQ(gpz_writer_set_effort(writer, static_cast<gpz_effort>(effort)), GPZ_OK);
    for (std::size_t f = 0; f < frames.size(); ++f) {
      gpz_field fields[2] = {gpz_interleaved("x y z", GPZ_FLOAT64, frames[f].data()),
                             gpz_column("id", GPZ_INT32, id.data())};
      fields[0].bound_kind = GPZ_ABSOLUTE;
      fields[0].bound = bound;
      const gpz_frame frame = gpz_new_frame(particles(), static_cast<std::int64_t>(f));
      EXPECT_EQ(gpz_writer_write(writer, &frame, fields, id.empty() ? 1 : 2), GPZ_OK) << gpz_last_error();
    }
    void *image = nullptr;
    std::size_t size = 0;
    EXPECT_EQ(gpz_writer_close_memory(writer, &image, &size), GPZ_OK) << gpz_last_error();
    const auto *const begin = static_cast<const std::uint8_t *>(image);
    Bytes bytes(begin, begin + size);
    gpz_free(image);
    return bytes;
  }
};

// A crystal whose ids go row by row; three particles, which blocks hold in the fewest bytes; a scan line and a dense
// cloud, both without ids.
inline std::vector<Samples> matrix_samples() {
  std::vector<Samples> all(4);
  Random random(5);
  all[0].name = "crystal";
  all[1].name = "three";
  all[2].name = "line";
  all[3].name = "cloud";
  std::vector<double> start[4];
  for (int i = 0; i < 1000; ++i) {
    for (const int cell : {i % 10, i / 10 % 10, i / 100}) start[0].push_back(cell + random.uniform(-0.02, 0.02));
    all[0].id.push_back(i + 1);
  }
  for (int i = 0; i < 3; ++i) {
    for (int d = 0; d < 3; ++d) start[1].push_back(random.uniform(0, 1000));
    all[1].id.push_back(i * 7919 % 3 * 1000);
  }
  double along = 0;
  double across = 0;
  for (int i = 0; i < 2000; ++i) {
    along += i % 100 == 0 ? -60 : 0.7;
    across += i % 100 == 0 ? 5 : 0;
    start[2].insert(start[2].end(), {along, across, 0.01 * i});
    for (int d = 0; d < 3; ++d) start[3].push_back(random.uniform(0, 0.1));
  }
  for (std::size_t s = 0; s < all.size(); ++s)
    for (int f = 0; f < 3; ++f) {
      all[s].frames.push_back(start[s]);
      for (double &x : start[s]) x += 0.01;
    }
  return all;
}

}  // namespace gpz::test
