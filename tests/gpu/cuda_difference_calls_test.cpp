// SPDX-License-Identifier: BSD-3-Clause
// Calls that encode difference sections on the GPU: frames that are cancelled, other particles, what does not fit.
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <vector>

#include "cuda_difference_support.hpp"

namespace gpz::test {
namespace {

TEST_F(CudaDifference, ACancelledFrameChangesNothing) {
  const std::size_t n = 3000;
  Random random(4);
  Motion motion(n, 3, 12);
  const core::Grid grid{1, 1, 0.5};
  std::set<std::uint64_t> invalid;
  const DeviceMemory flags(8);
  check(cudaMemset(flags.get(), 0, 8));
  auto *cancelled = flags.as<std::uint32_t>() + 1;
  cuda::BesidesEncoding besides;
  besides.cancelled = cancelled;
  Device device(n, 3, false);
  codec::DifferenceState host;
  const DeviceMemory out(cuda::difference_bound(n, 3));
  const Pinned<cuda::DifferenceResult> result;
  for (int s = 0; s < 5; ++s) {
    const auto xyz = motion.next();
    Uploaded<double> up(xyz, 3, Rows::interleaved, random);
    up.values.grid = grid;
    const Columns q = host_indices(xyz, 3, grid, s == 0 ? nullptr : &host, invalid);
    if (s == 0) {
      host.start(columns(q), n, 3);
      cuda::start_difference(device.state, up.values, n, flags.as<std::uint32_t>(), nullptr);
      continue;
    }
    const DeviceMemory workspace(cuda::encode_difference_workspace(device.state, out.size()));
    for (const std::uint32_t cancel : {1u, 0u}) {
      check(cudaMemcpy(cancelled, &cancel, 4, cudaMemcpyHostToDevice));
      cuda::encode_difference(
          device.state, up.values,
          {{motion.box(), workspace.get(), workspace.size(), nullptr}, out.get(), out.size(), result.get()}, {},
          besides);
      check(cudaDeviceSynchronize());
      EXPECT_EQ(result->fits, 1u - cancel);
      if (cancel != 0) {
        cuda::undo_frame(device.state);
        expect_same(device.state, host);
      }
    }
    std::vector<std::uint8_t> expected;
    codec::encode_difference(host, columns(q), motion.box(), expected);
    EXPECT_EQ(out.bytes(expected.size()), expected);
    host.advance(columns(q), motion.box());
    expect_same(device.state, host);
  }
}

TEST_F(CudaDifference, OtherParticles) {
  const std::size_t n = 3000;
  const std::size_t capacity = 4000;
  Random random(4);
  Motion motion(n, 3, 12);
  const core::Grid grid{1, 1, 0.5};
  std::set<std::uint64_t> invalid;
  const DeviceMemory wide(4);
  check(cudaMemset(wide.get(), 0, 4));
  Device device(capacity, 3, false);
  codec::DifferenceState host;
  const auto uploaded = [&](const std::vector<double> &xyz) {
    auto up = std::make_unique<Uploaded<double>>(xyz, 3, Rows::interleaved, random);
    up->values.grid = grid;
    return up;
  };
  auto xyz = motion.next();
  host.start(columns(host_indices(xyz, 3, grid, nullptr, invalid)), n, 3);
  cuda::start_difference(device.state, uploaded(xyz)->values, n, wide.as<std::uint32_t>(), nullptr);
  const DeviceMemory out(cuda::difference_bound(capacity, 3));
  const Pinned<cuda::DifferenceResult> result;
  for (int s = 0; s < 3; ++s) {
    xyz = motion.next();
    const DeviceMemory workspace(cuda::encode_difference_workspace(device.state, out.size()));
    cuda::encode_difference(
        device.state, uploaded(xyz)->values,
        {{motion.box(), workspace.get(), workspace.size(), nullptr}, out.get(), out.size(), result.get()});
    check(cudaDeviceSynchronize());
    host.advance(columns(host_indices(xyz, 3, grid, &host, invalid)), motion.box());
  }
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < n; ++i)
    if (random.below(5) != 0) kept.push_back(i);
  std::vector<double> late(3 * 700);
  for (double &x : late) x = std::floor(random.uniform() * 10000);
  const DeviceMemory kept_there(kept.data(), kept.size() * 4);
  const auto added = uploaded(late);
  cuda::replace_difference(device.state, kept_there.as<std::uint32_t>(), kept.size(), added->values, 700,
                           wide.as<std::uint32_t>(), nullptr);
  check(cudaDeviceSynchronize());
  host.keep(kept.data(), kept.size());
  host.add(columns(host_indices(late, 3, grid, nullptr, invalid)), 700);
  expect_same(device.state, host);
  EXPECT_EQ(status_of([&] {
              cuda::replace_difference(device.state, kept_there.as<std::uint32_t>(), kept.size(), added->values, 4000,
                                       wide.as<std::uint32_t>(), nullptr);
            }),
            Status::invalid_argument);
  cuda::replace_difference(device.state, nullptr, 0, {}, 0, wide.as<std::uint32_t>(), nullptr);
  EXPECT_EQ(device.state.particles, 0u);
  const DeviceMemory workspace(cuda::encode_difference_workspace(device.state, out.size()));
  cuda::encode_difference(device.state, added->values,
                          {{{}, workspace.get(), workspace.size(), nullptr}, out.get(), out.size(), result.get()});
  check(cudaDeviceSynchronize());
  EXPECT_EQ(result->bytes, 0u);
  EXPECT_EQ(result->fits, 1u);
  expect_healthy();
}

TEST_F(CudaDifference, WhatDoesNotFitIsReported) {
  Random random(1);
  const core::Grid grid{1, 1, 0.5};
  std::vector<double> xyz(3 * 2000, 5);
  Device device(2000, 3, false);
  const DeviceMemory wide(4);
  check(cudaMemset(wide.get(), 0, 4));
  const DeviceMemory out(cuda::difference_bound(2000, 3));
  const Pinned<cuda::DifferenceResult> result;
  const auto encoded = [&](std::size_t capacity, const core::GridBox &box = {}) {
    Uploaded<double> up(xyz, 3, Rows::separate, random);
    up.values.grid = grid;
    const DeviceMemory workspace(cuda::encode_difference_workspace(device.state, capacity));
    cuda::encode_difference(device.state, up.values,
                            {{box, workspace.get(), workspace.size(), nullptr}, out.get(), capacity, result.get()});
    check(cudaDeviceSynchronize());
  };
  {
    Uploaded<double> up(xyz, 3, Rows::separate, random);
    up.values.grid = grid;
    cuda::start_difference(device.state, up.values, 2000, wide.as<std::uint32_t>(), nullptr);
    check(cudaDeviceSynchronize());
  }
  xyz[77] = std::numeric_limits<double>::quiet_NaN();  // no list to put it into
  encoded(out.size());
  EXPECT_EQ(result->wide, 0u);
  EXPECT_EQ(result->invalid, 1u);
  for (double &x : xyz) x = random.uniform() * 1e6;
  encoded(64);
  EXPECT_EQ(result->fits, 0u);
  EXPECT_GT(result->bytes, 2000u * 3 * 2);
  EXPECT_EQ(out.bytes(64 + 64).at(100), out.bytes(128).at(100));
  xyz[5] = 1.5e9;
  encoded(out.size());
  EXPECT_NE(result->wide, 0u);
  core::GridBox box{};
  box[1] = {0, std::int64_t{1} << 40};
  EXPECT_FALSE(cuda::can_follow(box));
  EXPECT_EQ(status_of([&] { encoded(out.size(), box); }), Status::invalid_argument);
  expect_healthy();
}

}  // namespace
}  // namespace gpz::test
