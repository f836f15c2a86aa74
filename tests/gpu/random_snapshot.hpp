// SPDX-License-Identifier: BSD-3-Clause
// Random frames of all kinds, in host memory and in device memory.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "codec_support.hpp"
#include "gpu_support.hpp"

namespace gpz::test {

// Positions of several kinds, ids, images of 32 and 64 bits, velocities; sometimes with special values and a list of
// rows.
template <typename T>
struct RandomSnapshot {
  Random random;
  int components;
  std::size_t rows_in_memory = 0;
  std::size_t particles = 0;
  std::vector<T> x;
  std::vector<std::int32_t> id;
  std::vector<std::int64_t> image;
  std::vector<float> v;
  std::vector<int> rows;
  std::vector<FieldInput> fields;

  explicit RandomSnapshot(std::uint64_t seed) : random(seed), components(1 + static_cast<int>(random.below(3))) {
    const std::size_t sizes[] = {random.below(40), 1000 + random.below(50), 1024 * (1 + random.below(6)),
                                 random.below(20000), random.below(20000)};
    const std::size_t n = rows_in_memory = sizes[random.below(5)];
    const double width = std::pow(10.0, random.uniform(-2, 4));
    const double bound = random.below(10) == 0 ? 0.0 : width * std::pow(10.0, random.uniform(-10, 0.3));
    const std::uint64_t kind = random.below(5);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t group = i / 7;
      for (int d = 0; d < components; ++d) {
        const double at = kind == 0   ? random.uniform(-width, width)
                          : kind == 1 ? width * 0.001 * static_cast<double>(group) + random.uniform(0, width * 0.01)
                          : kind == 2
                              ? width * std::round(random.uniform(0, 5))
                              : width * std::exp(random.uniform(-6, 0)) * static_cast<double>(i * 2654435761u % 3);
        x.push_back(static_cast<T>(at));
      }
      v.push_back(static_cast<float>(random.uniform(-3, 3)));
    }
    const std::size_t specials = random.below(4) == 0 && n != 0 ? 1 + n / 50 : 0;
    const T special[] = {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(), static_cast<T>(1e30)};
    for (std::size_t k = 0; k < specials; ++k) x[random.below(x.size())] = special[k % 3];
    id.resize(n);
    std::iota(id.begin(), id.end(), 1);
    for (std::size_t i = n; i > 1; --i) std::swap(id[i - 1], id[random.below(i)]);
    for (std::size_t i = 0; i < n; ++i)
      image.push_back(static_cast<std::int64_t>(random.below(random.below(2) != 0 ? 3 : 1000000000000u)) - 1);
    particles = n;
    if (random.below(3) == 0) {
      for (std::size_t i = 0; i < n; ++i)
        if (random.below(3) != 0) rows.push_back(static_cast<int>(i));
      rows.reserve(1);  // a list without entries is a list
      particles = rows.size();
    }
    fields = {field("x", x, components, bound, random.below(8) != 0), field("id", id, 1, 0, false),
              field("image", image, 1, 0, false), field("v", v, 1, random.below(2) != 0 ? 0.001 : 0.0, false)};
  }
  const int *row_list() const { return rows.capacity() != 0 ? rows.data() : nullptr; }
};

template <typename T>
EncodedChunk encode_on_cpu(const RandomSnapshot<T> &s) {
  return encode(s.fields, s.particles, 1, s.row_list());
}

// Its arrays in memory of the current device.
template <typename T>
class DeviceSnapshot {
 public:
  explicit DeviceSnapshot(const RandomSnapshot<T> &s)
      : x_(s.x.data(), s.x.size() * sizeof(T)),
        id_(s.id.data(), s.id.size() * sizeof(std::int32_t)),
        image_(s.image.data(), s.image.size() * sizeof(std::int64_t)),
        v_(s.v.data(), s.v.size() * sizeof(float)),
        rows_(s.rows.data(), s.rows.size() * sizeof(int)),
        fields(s.fields),
        particles(s.particles),
        rows(s.row_list() != nullptr ? rows_.template as<int>() : nullptr) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(s.components); ++d)
      fields[0].components[d].data = x_.template as<T>() + d;
    fields[1].components[0].data = id_.get();
    fields[2].components[0].data = image_.get();
    fields[3].components[0].data = v_.get();
  }

 private:
  DeviceMemory x_, id_, image_, v_, rows_;

 public:
  std::vector<FieldInput> fields;
  std::uint64_t particles;
  const int *rows;
};

}  // namespace gpz::test
