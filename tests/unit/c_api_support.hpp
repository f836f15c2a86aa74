// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of the C interface: images that are freed, particles in all the arrays that programs have, and a
// trajectory of them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "container_support.hpp"
#include "gpz/gpz.h"

namespace gpz::test {

struct Image {
  void *bytes = nullptr;
  std::size_t size = 0;
  ~Image() { gpz_free(bytes); }
};

struct Cloud {
  std::vector<double> xyz;
  std::vector<double> x, y, z;
  std::vector<float> v;
  std::vector<std::int64_t> id;
  std::vector<std::int32_t> type;

  explicit Cloud(int n) {
    for (int i = 0; i < n; ++i) {
      x.push_back(std::sin(i) * 50);
      y.push_back(std::cos(i * 1.3) * 20);
      z.push_back(i * 0.01);
      xyz.insert(xyz.end(), {x.back(), y.back(), z.back()});
      v.push_back(static_cast<float>(std::sin(i * 0.1)));
      id.push_back((std::int64_t{1} << 40) + i);
      type.push_back(i % 3 + 1);
    }
  }
};

struct Closed {
  void operator()(gpz_reader *reader) const { gpz_reader_close(reader); }
  void operator()(gpz_stream *stream) const { gpz_stream_close(stream); }
};
using OpenReader = std::unique_ptr<gpz_reader, Closed>;
using OpenStream = std::unique_ptr<gpz_stream, Closed>;

inline OpenReader open_image(const Image &image) {
  gpz_reader *reader = nullptr;
  EXPECT_EQ(gpz_reader_open_memory(image.bytes, image.size, 1, &reader), GPZ_OK) << gpz_last_error();
  return OpenReader(reader);
}

// Frames of particles that move, and are in memory in another order each time.
struct Motion {
  struct Particle {
    std::array<double, 3> x;
    float v;
    std::int32_t type;
  };
  static constexpr double bound = 0.002;
  static constexpr std::int64_t first_id = 1000;

  std::vector<std::map<std::int64_t, Particle>> frames;  // by id

  Motion(int particles, int count) {
    for (int f = 0; f < count; ++f) {
      auto &frame = frames.emplace_back();
      for (int i = 0; i < particles; ++i) {
        Particle &particle = frame[first_id + 3 * i];  // ids with gaps
        for (std::size_t d = 0; d < 3; ++d)
          particle.x[d] = 20 + 20 * std::sin(i * 1.7 + static_cast<double>(d)) + 0.01 * f * std::cos(i + 0.3 * f);
        particle.v = static_cast<float>(std::sin(0.1 * i + f));
        particle.type = i % 3 + 1;
      }
    }
  }

  // Writes frame f: fields x y z (bound), id (int64), type (int32, shown as element), v (float32, lossless).
  gpz_status write(gpz_writer *writer, int f) const {
    const auto &frame = frames[static_cast<std::size_t>(f)];
    std::vector<double> xyz;
    std::vector<std::int64_t> id;
    std::vector<std::int32_t> type;
    std::vector<float> v;
    std::vector<std::int64_t> order;
    for (const auto &[key, particle] : frame) order.push_back(key);
    for (std::size_t i = order.size(); i-- > 1;)
      std::swap(order[i], order[(i * 7919 + static_cast<std::size_t>(f) * 31) % (i + 1)]);
    for (const std::int64_t key : order) {
      const Particle &particle = frame.at(key);
      xyz.insert(xyz.end(), particle.x.begin(), particle.x.end());
      id.push_back(key);
      type.push_back(particle.type);
      v.push_back(particle.v);
    }
    gpz_field fields[4] = {gpz_interleaved("x y z", GPZ_FLOAT64, xyz.data()), gpz_column("id", GPZ_INT64, id.data()),
                           gpz_column("type", GPZ_INT32, type.data()), gpz_column("v", GPZ_FLOAT32, v.data())};
    fields[0].bound_kind = GPZ_ABSOLUTE;
    fields[0].bound = bound;
    fields[2].display = GPZ_ELEMENT;
    gpz_frame info = gpz_new_frame(frame.size(), 100 * f);
    info.time = 0.5 * f;
    info.box_kind = GPZ_BOX_ORTHOGONAL;
    info.box[1] = info.box[3] = info.box[5] = 40;
    return gpz_writer_write(writer, &info, fields, 4);
  }
  void write_all(gpz_writer *writer) const {
    EXPECT_EQ(gpz_writer_set_key_interval(writer, 3), GPZ_OK);
    for (int f = 0; f < static_cast<int>(frames.size()); ++f) EXPECT_EQ(write(writer, f), GPZ_OK) << gpz_last_error();
  }

  void write_to(Image &image, gpz_order order = GPZ_ORDER_PLACE) const {
    gpz_writer *writer = nullptr;
    ASSERT_EQ(gpz_writer_open_memory(nullptr, 1, &writer), GPZ_OK) << gpz_last_error();
    EXPECT_EQ(gpz_writer_set_order(writer, order), GPZ_OK);
    write_all(writer);
    ASSERT_EQ(gpz_writer_close_memory(writer, &image.bytes, &image.size), GPZ_OK) << gpz_last_error();
  }
};

}  // namespace gpz::test
