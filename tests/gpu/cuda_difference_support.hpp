// SPDX-License-Identifier: BSD-3-Clause
// What tests of difference sections on the GPU share: particles that move, their values in device memory, and states
// on both sides.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <vector>

#include "codec_support.hpp"
#include "gpu_support.hpp"
#include "gpz/codec/difference_codec.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/cuda/difference/difference.hpp"

namespace gpz::test {

class CudaDifference : public GpuTest {};

using cuda::DeviceDifferenceState;
using Columns = std::array<std::vector<std::int64_t>, 3>;

inline codec::IndexColumns columns(const Columns &q) { return {q[0].data(), q[1].data(), q[2].data()}; }

inline double gaussian(Random &random) {
  double sum = -6;
  for (int k = 0; k < 12; ++k) sum += random.uniform();
  return sum;
}

// How values lie in memory: the last three in another order, in the last two of which all rows of a block, or
// nearly all, are close together.
enum class Rows { separate, interleaved, selected, windows, some_windows };
inline constexpr std::uint64_t arrangements = 5;
inline bool is_interleaved(Rows rows) { return rows == Rows::interleaved || rows == Rows::windows; }

// Particles that rest, tremble, wander, fly, jump, vanish from the grid, and come through the edges of the box late.
class Motion {
 public:
  Motion(std::size_t n, int components, std::uint64_t seed) : components_(components), random_(seed) {
    for (int d = 0; d < components; ++d) {
      if (random_.below(3) == 0) continue;
      const std::int64_t period = random_.below(8) == 0 ? static_cast<std::int64_t>(8 + random_.below(40))
                                                        : static_cast<std::int64_t>(1000 + random_.below(60000));
      box_[static_cast<std::size_t>(d)] = {static_cast<std::int64_t>(random_.below(4000)) - 2000, period};
    }
    const double sigmas[] = {0, 0.4, 0.8, 1.5, 3, 60, 2500, 3e5};
    sigma_ = sigmas[random_.below(std::size(sigmas))];
    solid_ = random_.below(3) == 0;
    drift_ = random_.below(3) == 0 ? 500 : 0;
    rare_ = random_.below(2) == 0 ? 0 : 40 + random_.below(2000);
    mixed_ = random_.below(4) == 0;
    molecule_ = random_.below(2) == 0 ? 0 : 2 + random_.below(5);
    for (std::size_t k = 0; k < n * static_cast<std::size_t>(components); ++k) {
      const core::GridAxis &axis = box_[k % static_cast<std::size_t>(components)];
      position_.push_back(static_cast<double>(axis.lo) +
                          random_.uniform() * (axis.period != 0 ? double(axis.period) : 2e4));
      speed_.push_back(drift_ * gaussian(random_));
    }
  }

  const core::GridBox &box() const { return box_; }

  // x y z of each particle in grid units.
  std::vector<double> next() {
    std::vector<double> out;
    const bool tidy = random_.below(2) == 0;
    const auto width = static_cast<std::size_t>(components_);
    std::vector<double> steps(position_.size());
    for (std::size_t k = 0; k < position_.size(); ++k) {
      double &x = position_[k];
      double &step = steps[k];
      step = sigma_ * gaussian(random_) * (mixed_ && k % 7 == 0 ? 100 : 1);
      // Atoms of a molecule move together.
      if (molecule_ != 0 && k / width % molecule_ != 0) step = 0.9 * steps[k - width] + 0.3 * step;
      x += speed_[k] + (solid_ ? 0 : step);
      const core::GridAxis &axis = box_[k % static_cast<std::size_t>(components_)];
      const auto lo = static_cast<double>(axis.lo);
      const auto period = static_cast<double>(axis.period);
      if (period != 0 && tidy) x -= std::floor((x - lo) / period) * period;
      double seen = solid_ ? x + step : x;
      if (rare_ != 0 && random_.below(rare_) == 0) {
        const double odd[] = {std::numeric_limits<double>::quiet_NaN(),
                              HUGE_VAL,
                              1e300,
                              1e9 * (random_.uniform() - 0.5),
                              lo - 3,
                              lo + period + 2,
                              1e6,
                              -0.0};
        seen = odd[random_.below(std::size(odd))];
      }
      if (std::abs(x) > 5e8) x = lo;
      out.push_back(seen);
    }
    return out;
  }

 private:
  int components_;
  Random random_;
  core::GridBox box_{};
  double sigma_;
  bool solid_;  // trembles about its place
  double drift_;
  std::uint64_t rare_;
  bool mixed_;
  std::size_t molecule_;  // atoms; 0: each one moves alone
  std::vector<double> position_;
  std::vector<double> speed_;
};

// Values of T in device memory in some arrangement.
template <typename T>
class Uploaded {
 public:
  Uploaded(const std::vector<T> &xyz, int components, Rows rows, Random &random) {
    const auto width = static_cast<std::size_t>(components);
    const std::size_t n = xyz.size() / width;
    std::vector<std::uint32_t> row(n);
    for (std::size_t i = 0; i < n; ++i) row[i] = static_cast<std::uint32_t>(i);
    if (rows == Rows::selected)
      for (std::size_t i = n; i > 1; --i) std::swap(row[i - 1], row[random.below(i)]);
    const bool windows = rows == Rows::windows || rows == Rows::some_windows;
    if (windows)
      for (std::size_t i = n; i-- > 0;) std::swap(row[i], row[i / 1024 * 1024 + random.below(i % 1024 + 1)]);
    if (rows == Rows::some_windows)
      for (std::size_t i = 0; i + 1024 < n; i += 3 * 1024) std::swap(row[i], row[i + 1024]);
    std::vector<T> placed(xyz.size());
    const bool together = is_interleaved(rows);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t d = 0; d < width; ++d)
        placed[together ? row[i] * width + d : d * n + row[i]] = xyz[i * width + d];
    data_ = std::make_unique<DeviceMemory>(placed.data(), placed.size() * sizeof(T));
    rows_ = std::make_unique<DeviceMemory>(row.data(), row.size() * sizeof(std::uint32_t));
    for (std::size_t d = 0; d < width; ++d)
      values.component[d] = {data_->as<T>() + (together ? d : d * n),
                             static_cast<std::ptrdiff_t>(sizeof(T) * (together ? width : 1)), array_type<T>()};
    if (rows != Rows::separate && rows != Rows::interleaved) values.rows = rows_->as<std::uint32_t>();
    if (windows) {
      const std::size_t blocks = (n + 1023) / 1024;
      first_ = std::make_unique<DeviceMemory>(blocks * 4);
      slots_ = std::make_unique<DeviceMemory>((n + n % 2) * 2);
      cuda::find_windows(values.rows, n, first_->as<std::uint32_t>(), slots_->as<std::uint16_t>(), nullptr);
      check(cudaDeviceSynchronize());
      values.windows = {first_->as<std::uint32_t>(), slots_->as<std::uint16_t>()};
    }
  }

  cuda::DeviceValues values;

 private:
  std::unique_ptr<DeviceMemory> data_;
  std::unique_ptr<DeviceMemory> rows_;
  std::unique_ptr<DeviceMemory> first_;
  std::unique_ptr<DeviceMemory> slots_;
};

class Device {
 public:
  Device(std::size_t capacity, int components, bool plain)
      : memory(cuda::difference_state_size(capacity, components, plain)),
        state(cuda::place_difference_state(memory.get(), capacity, components, plain)) {}

  DeviceMemory memory;
  DeviceDifferenceState state;
};

inline void expect_same(const DeviceDifferenceState &device, const codec::DifferenceState &host) {
  ASSERT_EQ(device.particles, host.particles);
  ASSERT_EQ(device.frames, host.frames);
  const std::size_t n = host.particles;
  const auto downloaded = [n](const std::int32_t *from) {
    format::Column<std::int32_t> out(n);
    if (n != 0) check(cudaMemcpy(out.data(), from, n * 4, cudaMemcpyDeviceToHost));
    return out;
  };
  for (std::size_t d = 0; d < static_cast<std::size_t>(host.components); ++d) {
    const auto last = downloaded(device.last[d]);
    EXPECT_TRUE(std::equal(last.begin(), last.end(), host.axes[d].last.begin())) << "last " << d;
    if (host.plain) continue;
    EXPECT_EQ(downloaded(device.deviation[d]), host.axes[d].deviation) << "deviation " << d;
    EXPECT_EQ(downloaded(device.velocity[d]), host.axes[d].velocity) << "velocity " << d;
    EXPECT_EQ(downloaded(device.previous[d]), host.axes[d].previous) << "previous " << d;
  }
}

// What the host finds of the same values: indices, and the places of what the grid cannot hold.
template <typename T>
Columns host_indices(const std::vector<T> &xyz, int components, const core::Grid &grid,
                     const codec::DifferenceState *state, std::set<std::uint64_t> &invalid) {
  Columns q;
  const auto width = static_cast<std::size_t>(components);
  for (std::size_t k = 0; k < xyz.size(); ++k) {
    const std::size_t d = k % width;
    if constexpr (std::is_integral_v<T>) {
      q[d].push_back(xyz[k]);
    } else {
      const auto found = core::quantize(xyz[k], grid);
      q[d].push_back(found.valid ? found.index : state == nullptr ? 0 : state->axes[d].last[k / width]);
      if (!found.valid) invalid.insert(k / width | std::uint64_t{d} << 32);
    }
  }
  return q;
}

}  // namespace gpz::test
