// SPDX-License-Identifier: BSD-3-Clause
// The particle-in-cell code behind the plasma of the evaluation: physics that is known, and that threads change
// nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "particle_in_cell.hpp"
#include "random.hpp"

namespace gpz::bench::data::plasma_test {
namespace {

// Warm electrons at random places, as dense on average as `charge` says.
void fill(ParticleInCell &run, const std::array<std::size_t, 3> &cells, std::size_t count, double velocity) {
  Random random(7);
  for (std::size_t i = 0; i < count; ++i) {
    Electron electron;
    for (std::size_t d = 0; d < 3; ++d) {
      electron.place[d] = static_cast<float>(std::floor(random.uniform() * static_cast<double>(cells[d]) * 64) / 64);
      electron.velocity[d] = static_cast<float>(velocity * random.bell());
    }
    electron.charge = unit_charge / 8 + static_cast<std::int32_t>(i);
    run.electrons().push_back(electron);
  }
}

// Time between minima of the field energy of a cold standing wave: half a period.
double half_period(std::int32_t charge_of_cell) {
  constexpr std::size_t length = 32;
  constexpr double time = 0.01;
  ParticleInCell run({length, 4, 4}, 2);
  for (std::size_t i = 0; i < 2 * length * 8 * 8; ++i) {
    const std::array<std::size_t, 3> half_cells = {i % (2 * length), i / (2 * length) % 8, i / (2 * length * 8)};
    Electron electron;
    for (std::size_t d = 0; d < 3; ++d) electron.place[d] = 0.25F + 0.5F * static_cast<float>(half_cells[d]);
    electron.velocity[0] = static_cast<float>(0.05 * std::sin(2 * M_PI * electron.place[0] / length));
    electron.charge = charge_of_cell / 8;
    run.electrons().push_back(electron);
  }
  run.place_ions();
  std::vector<double> energies;
  std::vector<double> minima;
  for (std::size_t step = 0; minima.size() < 3; ++step) {
    run.step(time);
    energies.push_back(run.field_energy());
    if (step < 2) continue;
    const double *last = &energies[step - 2];
    if (last[1] < last[0] && last[1] <= last[2]) minima.push_back(time * static_cast<double>(step - 1));
    if (step > 10000) return 0;
  }
  return (minima[2] - minima[0]) / 2;
}

TEST(BenchPlasma, ColdWavesHaveThePlasmaFrequency) {
  EXPECT_NEAR(half_period(unit_charge), M_PI, 0.02 * M_PI);
  EXPECT_NEAR(half_period(2 * unit_charge), M_PI / std::sqrt(2), 0.02 * M_PI / std::sqrt(2));
}

TEST(BenchPlasma, ChargeAndMomentumAreConserved) {
  const std::array<std::size_t, 3> cells = {16, 8, 8};
  ParticleInCell run(cells, 2);
  fill(run, cells, 8000, 0.3);
  run.deposit();  // without ions, which would take momentum, electrons are before a background of constant density
  std::int64_t charge = 0;
  for (const Electron &electron : run.electrons()) charge += electron.charge;
  const auto momentum = [&] {
    std::array<double, 3> sum{};
    for (const Electron &electron : run.electrons())
      for (std::size_t d = 0; d < 3; ++d) sum[d] += static_cast<double>(electron.charge) * electron.velocity[d];
    return sum;
  };
  const std::array<double, 3> before = momentum();
  for (int step = 0; step < 50; ++step) {
    run.step(0.1);
    EXPECT_EQ(run.deposited_charge(), charge);
  }
  EXPECT_GT(run.field_energy(), 1);
  const std::array<double, 3> after = momentum();
  for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(after[d], before[d], 1e-4 * static_cast<double>(charge) * 0.3);
}

TEST(BenchPlasma, ThreadsChangeNoByte) {
  const std::array<std::size_t, 3> cells = {64, 32, 8};
  std::vector<std::vector<Electron>> results;
  for (const unsigned threads : {1U, 3U}) {
    ParticleInCell run(cells, threads);
    fill(run, cells, 20000, 2);
    run.place_ions();
    for (int step = 0; step < 10; ++step) {
      if (step % 4 == 0) run.sort_by_cell();
      run.step(0.1);
    }
    run.redistribute();
    results.push_back(run.electrons());
  }
  ASSERT_EQ(results[0].size(), results[1].size());
  EXPECT_EQ(std::memcmp(results[0].data(), results[1].data(), results[0].size() * sizeof(Electron)), 0);
}

// Boxes of 32 cells an edge in a domain of 64 x 32 x 64 cells; the charge tells electrons apart.
std::uint32_t box_of(const Electron &electron) {
  return (electron.place[0] >= 32 ? 1U : 0U) + (electron.place[2] >= 32 ? 2U : 0U);
}

TEST(BenchPlasma, ElectronsLieAsInBoxes) {
  const std::array<std::size_t, 3> cells = {64, 32, 64};
  ParticleInCell run(cells, 2);
  fill(run, cells, 20000, 2);
  run.place_ions();
  run.sort_by_cell();
  const std::vector<Electron> sorted = run.electrons();
  const auto cell = [](const Electron &electron) {
    return std::array<std::uint32_t, 4>{box_of(electron), static_cast<std::uint32_t>(electron.place[2]),
                                        static_cast<std::uint32_t>(electron.place[1]),
                                        static_cast<std::uint32_t>(electron.place[0])};
  };
  EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end(), [&](const Electron &a, const Electron &b) {
    // Those of one cell as they were before, which is by charge here.
    return cell(a) != cell(b) ? cell(a) < cell(b) : a.charge < b.charge;
  }));
  run.step(0.5);

  std::vector<Electron> expected;
  const std::vector<Electron> moved = run.electrons();
  std::size_t arrivals = 0;
  for (std::uint32_t box = 0; box < 4; ++box)
    for (const bool stayed : {true, false})
      for (std::size_t i = 0; i < moved.size(); ++i)
        if (box_of(moved[i]) == box && (box_of(sorted[i]) == box) == stayed) {
          expected.push_back(moved[i]);
          if (!stayed) ++arrivals;
        }
  EXPECT_GT(arrivals, 100U);
  run.redistribute();
  ASSERT_EQ(run.electrons().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(run.electrons()[i].charge, expected[i].charge) << i;
}

}  // namespace
}  // namespace gpz::bench::data::plasma_test
