// SPDX-License-Identifier: BSD-3-Clause
// How gpz bench measures, and checks what it measured.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <set>

#include "bench/device.hpp"
#include "bench/report.hpp"
#include "bench/verify.hpp"

namespace gpz::bench::bench_measure_test {
namespace {

TEST(BenchTiming, QuantilesAreThoseOfTheSortedSamples) {
  const Timing odd = timing_of({5, 1, 4, 2, 3});
  EXPECT_EQ(odd.median, 3);
  EXPECT_EQ(odd.quartile_1, 2);
  EXPECT_EQ(odd.quartile_3, 4);
  EXPECT_EQ(odd.fastest, 1);
  EXPECT_EQ(odd.slowest, 5);
  EXPECT_EQ(odd.runs, 5);
  const Timing even = timing_of({4, 1, 2, 3});
  EXPECT_EQ(even.median, 2.5);
  EXPECT_EQ(even.quartile_1, 1.75);
  EXPECT_EQ(timing_of({7}).quartile_3, 7);
}

TEST(BenchTiming, RunsAfterTheWarmUpCount) {
  int calls = 0;
  const Timing timing = measure({3, 4}, [&] { return ++calls; });
  EXPECT_EQ(calls, 7);
  EXPECT_EQ(timing.runs, 4);
}

TEST(BenchTiming, LimitCountsWhatIsReadAndWritten) {
  CopySpeed copy;
  copy.bytes = 1000000000;
  copy.timing = timing_of({0.5});  // 2 GB moved in half a second: 4 GB/s
  EXPECT_DOUBLE_EQ(copy.bytes_per_second(), 4e9);
  EXPECT_DOUBLE_EQ(limit(copy, 300, 100), 3);
  EXPECT_DOUBLE_EQ(speed(2000000000, timing_of({4})), 0.5);
}

TEST(BenchVerify, StretchesAreWholeBlocksFromFirstToLast) {
  constexpr std::uint64_t block = 1024;
  constexpr std::uint64_t wanted = 10 * 64 * block;
  EXPECT_EQ(stretches(wanted, block, wanted), (std::vector<Range>{{0, wanted}}));
  for (const std::uint64_t particles : {wanted + 1, wanted + 100 * block, 37 * wanted + 5}) {
    const auto ranges = stretches(particles, block, wanted);
    ASSERT_EQ(ranges.size(), 10u);
    EXPECT_EQ(ranges.front().first, 0u);
    EXPECT_EQ(ranges.back().second, particles);
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      EXPECT_EQ(ranges[k].first % block, 0u);
      if (k + 1 == ranges.size()) continue;
      EXPECT_EQ(ranges[k].second - ranges[k].first, 64 * block);
      EXPECT_LE(ranges[k].second, ranges[k + 1].first);
    }
  }
}

TEST(BenchVerify, ErrorsOfValues) {
  Errors errors;
  errors.add(1, 1.5);
  errors.add(-2, -2);
  errors.add(3, 2.75);
  errors.add(0, 0);
  EXPECT_EQ(errors.largest, 0.5);
  // Root mean square: sqrt((0.25 + 0.0625) / 4).
  EXPECT_NEAR(errors.psnr(10), 20 * std::log10(10 / std::sqrt(0.078125)), 1e-12);
  EXPECT_EQ(errors.wrong_bits, 0u);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  errors.add(nan, nan);
  errors.add(infinity, infinity);
  EXPECT_EQ(errors.wrong_bits, 0u);
  errors.add(nan, 1);
  errors.add(infinity, -infinity);
  errors.add(1, nan);
  EXPECT_EQ(errors.wrong_bits, 3u);
  EXPECT_EQ(errors.largest, 0.5);
  EXPECT_EQ(Errors().psnr(1), infinity);
}

Snapshot example(std::size_t particles) {
  Snapshot snapshot;
  snapshot.cloud = Cloud(ValueType::float32, Layout::aos, 3, particles);
  std::mt19937 random;
  for (std::size_t i = 0; i < particles; ++i) {
    const std::size_t cell = i / 64;
    for (int d = 0; d < 3; ++d)
      snapshot.cloud.set(i, d, static_cast<double>(cell) + static_cast<double>(random()) * 0x1p-32);
  }
  snapshot.ids = shuffled_ids(particles);
  snapshot.types = random_types(particles);
  return snapshot;
}

TEST(BenchVerify, ARightOutcomePasses) {
  const auto cpu = make_cpu(1);
  for (const std::size_t particles : {std::size_t{1}, std::size_t{1024}, std::size_t{5000}}) {
    const Snapshot snapshot = example(particles);
    const Outcome outcome = cpu->run(snapshot, 0.01, {0, 1});
    const Verification result = verify(*cpu, snapshot, 0.01, outcome);
    EXPECT_EQ(result.problem, "");
    EXPECT_TRUE(result.all);
    EXPECT_EQ(result.particles, particles);
    EXPECT_EQ(result.errors.largest, outcome.reported_error);
    EXPECT_EQ(result.errors.values, 3 * particles);
    EXPECT_EQ(outcome.compress.warm.runs, 1);
  }
}

TEST(BenchVerify, APartOfManyParticles) {
  const auto cpu = make_cpu(1);
  const Snapshot snapshot = example(300 * 1024 + 17);
  const Outcome outcome = cpu->run(snapshot, 0.01, {0, 0});
  const Verification result = verify(*cpu, snapshot, 0.01, outcome, 2 * 64 * 1024);
  EXPECT_EQ(result.problem, "");
  EXPECT_FALSE(result.all);
  EXPECT_EQ(result.particles, 64u * 1024 + 63 * 1024 + 17);
}

TEST(BenchVerify, WhatWentWrongIsSaid) {
  const auto cpu = make_cpu(1);
  const Snapshot snapshot = example(4000);
  const Outcome right = cpu->run(snapshot, 0.01, {0, 0});
  const auto problem = [&](const std::function<void(Snapshot &)> &spoil) {
    Outcome wrong;
    wrong.chunk = right.chunk;
    wrong.decoded = right.decoded;
    spoil(wrong.decoded);
    return verify(*cpu, snapshot, 0.01, wrong).problem;
  };
  EXPECT_EQ(problem([](Snapshot &) {}), "");
  EXPECT_NE(problem([](Snapshot &s) { s.cloud.set(17, 1, s.cloud.get(17, 1) + 0.03); }), "");
  EXPECT_NE(problem([](Snapshot &s) { s.cloud.set(3999, 2, NAN); }), "");
  EXPECT_NE(problem([](Snapshot &s) { std::swap(s.ids[5], s.ids[6]); }), "");
  EXPECT_NE(problem([](Snapshot &s) { s.types[2000] = 4; }), "");
  // The bound of another outcome is not kept.
  EXPECT_NE(verify(*cpu, snapshot, 0.001, right).problem, "");
}

TEST(BenchSnapshot, IdsAreAPermutationAndTypesAreThree) {
  const auto ids = shuffled_ids(5000);
  EXPECT_EQ(std::set<std::int32_t>(ids.begin(), ids.end()).size(), 5000u);
  EXPECT_EQ(*std::min_element(ids.begin(), ids.end()), 1);
  EXPECT_EQ(*std::max_element(ids.begin(), ids.end()), 5000);
  EXPECT_FALSE(std::is_sorted(ids.begin(), ids.end()));
  const auto types = random_types(5000);
  EXPECT_EQ(std::set<std::int32_t>(types.begin(), types.end()), (std::set<std::int32_t>{1, 2, 3}));
}

}  // namespace
}  // namespace gpz::bench::bench_measure_test
