// SPDX-License-Identifier: BSD-3-Clause
// Damaged difference sections on the GPU: a status, or the values of the CPU.
#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

#include "cuda_difference_support.hpp"
#include "gpz/core/difference_section.hpp"
#include "gpz/error.hpp"

namespace gpz::test {
namespace {

int sections_with_neighbours = 0;  // so that it is known that there were some

// Flips bits of a section, and cuts it.
void damage_sections(std::uint64_t seed, bool neighbours) {
  const std::size_t n = 2100;
  Random random(seed);
  Motion motion(n, 3, seed);
  const core::Grid grid{1, 1, 0.5};
  std::set<std::uint64_t> invalid;
  codec::DifferenceState host;
  auto xyz = motion.next();
  host.start(columns(host_indices(xyz, 3, grid, nullptr, invalid)), n, 3);
  for (int s = 0; s < 3; ++s) {
    xyz = motion.next();
    host.advance(columns(host_indices(xyz, 3, grid, &host, invalid)), motion.box());
  }
  xyz = motion.next();
  std::vector<std::uint8_t> bytes;
  codec::encode_difference(host, columns(host_indices(xyz, 3, grid, &host, invalid)), motion.box(), bytes,
                           codec::kernels(), neighbours);
  if (neighbours && bytes[0] == core::neighbour_predictor) ++sections_with_neighbours;

  Device device(n, 3, false);
  const DeviceMemory values(n * 24);
  cuda::FieldOutput output;
  output.field.type = ValueType::float64;
  output.field.step = 1;
  output.field.components.resize(3);
  for (std::size_t d = 0; d < 3; ++d) output.components[d] = {values.as<double>() + d, 24, ConstArray::Type::float64};
  const Pinned<std::uint32_t> status;
  for (int round = 0; round < 400; ++round) {
    auto damaged = bytes;
    const std::size_t range = round % 2 == 0 ? std::min<std::size_t>(64, bytes.size()) : bytes.size();
    for (std::uint64_t k = random.below(4); round != 0 && k < 4; ++k)
      damaged[random.below(range)] ^= static_cast<std::uint8_t>(1u << random.below(8));
    if (round % 16 == 15) damaged.resize(random.below(bytes.size() / 8) * 8);
    DeviceDifferenceState &state = device.state;
    state.particles = n;
    state.frames = host.frames;
    for (std::size_t d = 0; d < 3; ++d) {
      const std::vector<std::int32_t> last(host.axes[d].last.begin(), host.axes[d].last.end());
      check(cudaMemcpy(state.last[d], last.data(), n * 4, cudaMemcpyHostToDevice));
      check(cudaMemcpy(state.deviation[d], host.axes[d].deviation.data(), n * 4, cudaMemcpyHostToDevice));
      check(cudaMemcpy(state.velocity[d], host.axes[d].velocity.data(), n * 4, cudaMemcpyHostToDevice));
      check(cudaMemcpy(state.previous[d], host.axes[d].previous.data(), n * 4, cudaMemcpyHostToDevice));
    }
    const DeviceMemory section(damaged.data(), damaged.size());
    const DeviceMemory workspace(cuda::decode_difference_workspace(state));
    const std::uint8_t prediction = !damaged.empty() && damaged[0] == core::neighbour_predictor
                                        ? core::neighbour_predictor
                                        : core::temporal_predictor;
    cuda::decode_difference(
        state,
        {{motion.box(), workspace.get(), workspace.size(), nullptr}, section.get(), damaged.size(), status.get()},
        output, {}, prediction);
    check(cudaDeviceSynchronize());
    Columns q;
    for (auto &axis : q) axis.resize(n);
    bool good = true;
    try {
      codec::decode_difference(host, damaged.data(), damaged.size(), motion.box(),
                               {q[0].data(), q[1].data(), q[2].data()});
    } catch (const Error &) {
      good = false;
    }
    std::int64_t largest = 0;
    for (const auto &axis : q)
      for (const std::int64_t x : axis) largest = std::max(largest, x == INT64_MIN ? INT64_MAX : std::abs(x));
    if (round == 0) {
      ASSERT_TRUE(good);
      ASSERT_EQ(*status, 0u);
    }
    if (!good) {
      EXPECT_NE(*status, 0u) << round;
      continue;
    }
    EXPECT_EQ(*status, largest < cuda::device_index_end ? 0u : cuda::section_wide) << round;
    if (*status != 0) continue;
    const auto got = values.bytes();
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < 3 * n; ++k) {
      double x;
      std::memcpy(&x, &got[k * 8], 8);
      wrong += x != static_cast<double>(q[k % 3][k / 3]) ? 1 : 0;
    }
    EXPECT_EQ(wrong, 0u) << round;
  }
}

TEST_F(CudaDifference, DamageIsAStatusOrTheValuesOfTheCpu) {
  for (const std::uint64_t seed : {3u, 5u, 9u, 14u}) damage_sections(seed, false);
  sections_with_neighbours = 0;
  for (std::uint64_t seed = 20; seed < 30; ++seed) damage_sections(seed, true);
  EXPECT_GE(sections_with_neighbours, 3);
  expect_healthy();
}

}  // namespace
}  // namespace gpz::test
