// SPDX-License-Identifier: BSD-3-Clause
// The check of evaluation/programs: errors of particles in their own order, in a known one, in an unknown one.
#include "check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

namespace evaluation::check_test {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr unsigned threads = 3;

// All x, all y, all z of n particles in a cube of this edge.
std::vector<float> particles(std::size_t n, int components, double edge, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> place(0, edge);
  std::vector<float> values(n * static_cast<std::size_t>(components));
  for (float &value : values) value = static_cast<float>(place(random));
  return values;
}

// Centres of cells of twice the bound, each of which is within the bound of what is in its cell.
std::vector<float> centres(const std::vector<float> &values, double bound) {
  std::vector<float> out;
  out.reserve(values.size());
  for (const float value : values)
    out.push_back(static_cast<float>((std::floor(static_cast<double>(value) / (2 * bound)) * 2 + 1) * bound));
  return out;
}

// Particle i of the result is particle origin[i].
std::vector<float> reordered(const std::vector<float> &values, const std::vector<std::uint32_t> &origin) {
  std::vector<float> out(values.size());
  const std::size_t n = origin.size();
  for (std::size_t at = 0; at < values.size(); at += n)
    for (std::size_t i = 0; i < n; ++i) out[at + i] = values[at + origin[i]];
  return out;
}

std::vector<std::uint32_t> shuffled(std::size_t n, std::size_t block) {
  std::vector<std::uint32_t> origin(n);
  for (std::size_t i = 0; i < n; ++i) origin[i] = static_cast<std::uint32_t>(i);
  std::mt19937 random(7);
  for (std::size_t at = 0; at < n; at += block)
    std::shuffle(origin.begin() + static_cast<std::ptrdiff_t>(at),
                 origin.begin() + static_cast<std::ptrdiff_t>(std::min(at + block, n)), random);
  return origin;
}

TEST(EvaluationCheck, LargestErrorOfOneValueBeyondTheBound) {
  std::vector<float> original(300000, 1.0f);
  std::vector<float> decoded(300000, 1.25f);
  EXPECT_DOUBLE_EQ(errors_in_order(original.data(), decoded.data(), 100000, 3, threads).largest, 0.25);
  decoded[299999] = std::nextafter(1.25f, 2.0f);
  const Errors errors = errors_in_order(original.data(), decoded.data(), 100000, 3, threads);
  EXPECT_GT(errors.largest, 0.25);
  EXPECT_EQ(errors.values, 300000u);
  EXPECT_EQ(errors.lost, 0u);
}

TEST(EvaluationCheck, NotANumberIsLostAndNoError) {
  const std::vector<float> original = {1, 2, 3, 4};
  const std::vector<float> decoded = {1, nan, std::numeric_limits<float>::infinity(), 4};
  const Errors errors = errors_in_order(original.data(), decoded.data(), 2, 2, threads);
  EXPECT_EQ(errors.lost, 2u);
  EXPECT_EQ(errors.largest, 0.0);
}

// Half of the coordinates are off by 3, half by 4: the root mean square error is sqrt(12.5).
TEST(EvaluationCheck, SignalToNoise) {
  const std::vector<float> original = {0, 1000, 0, 0, 0, 10};
  const std::vector<float> decoded = {3, 1003, -3, 4, -4, 6};
  EXPECT_DOUBLE_EQ(longest_edge(original.data(), 2, 3, threads), 1000.0);
  const Errors errors = errors_in_order(original.data(), decoded.data(), 2, 3, threads);
  EXPECT_NEAR(psnr(errors, 1000), 20 * std::log10(1000 / std::sqrt(12.5)), 1e-9);
  EXPECT_EQ(psnr(errors_in_order(original.data(), original.data(), 2, 3, threads), 1000),
            std::numeric_limits<double>::infinity());
}

TEST(EvaluationCheck, AKnownOrderIsUndone) {
  constexpr std::size_t n = 5000;
  const auto original = particles(n, 3, 10, 1);
  const auto origin = shuffled(n, n);
  const auto decoded = reordered(original, origin);
  EXPECT_EQ(errors_by_origin(original.data(), decoded.data(), origin, n, 3, threads).largest, 0.0);
  EXPECT_GT(errors_in_order(original.data(), decoded.data(), n, 3, threads).largest, 1.0);
}

TEST(EvaluationCheck, WhatIsNoPermutationIsRefused) {
  const std::vector<float> values(9);
  EXPECT_THROW(errors_by_origin(values.data(), values.data(), {0, 1, 1}, 3, 3, threads), std::runtime_error);
  EXPECT_THROW(errors_by_origin(values.data(), values.data(), {0, 1, 3}, 3, 3, threads), std::runtime_error);
  EXPECT_THROW(errors_by_origin(values.data(), values.data(), {0, 1}, 3, 3, threads), std::runtime_error);
}

class EvaluationInBlocks : public ::testing::TestWithParam<double> {};

// Coarse bounds put many particles at one point, fine ones one at each. The last block has fewer particles.
TEST_P(EvaluationInBlocks, AnUnknownOrderIsFound) {
  const double bound = GetParam();
  constexpr std::size_t n = 3500;
  for (const int components : {2, 3}) {
    const auto original = particles(n, components, 10, 2);
    const auto decoded = centres(original, bound);
    const Errors in_order = errors_in_order(original.data(), decoded.data(), n, components, threads);
    ASSERT_LE(in_order.largest, bound * 1.0001);
    const auto mixed = reordered(decoded, shuffled(n, 1024));
    const Errors errors = errors_in_blocks(original.data(), mixed.data(), n, components, 1024, bound, threads);
    EXPECT_LE(errors.largest, in_order.largest * 1.0002);
    EXPECT_EQ(errors.values, in_order.values);
    // Every particle has one within reach; which of two equally good ones changes the sum little.
    EXPECT_NEAR(errors.sum_of_squares, in_order.sum_of_squares, 0.02 * in_order.sum_of_squares);
  }
}
INSTANTIATE_TEST_SUITE_P(Bounds, EvaluationInBlocks, ::testing::Values(2.0, 0.1, 0.001));

// Each particle would take the point of the next one: only a chain of moves gives the first one its place.
TEST(EvaluationCheck, AChainOfMovesIsFound) {
  constexpr std::size_t n = 100;
  std::vector<float> original(n * 2);
  std::vector<float> decoded(n * 2);
  for (std::size_t i = 0; i < n; ++i) {
    original[i] = static_cast<float>(i);
    decoded[i] = static_cast<float>(i) - 0.95f;  // nearer to the particle before
  }
  const Errors errors = errors_in_blocks(original.data(), decoded.data(), n, 2, n, 1.0, threads);
  EXPECT_NEAR(errors.largest, 0.95, 1e-5);
}

TEST(EvaluationCheck, AParticleOutOfPlaceIsSeenInAnUnknownOrder) {
  constexpr std::size_t n = 2048;
  const auto original = particles(n, 3, 10, 3);
  auto decoded = reordered(original, shuffled(n, 1024));
  decoded[1500] += 20.0f;
  const Errors errors = errors_in_blocks(original.data(), decoded.data(), n, 3, 1024, 0.01, threads);
  EXPECT_GT(errors.largest, 9.0);
  decoded[1500] = nan;
  EXPECT_EQ(errors_in_blocks(original.data(), decoded.data(), n, 3, 1024, 0.01, threads).lost, 1u);
}

// Particles of another block are none of this one.
TEST(EvaluationCheck, BlocksAreForThemselves) {
  constexpr std::size_t n = 2048;
  const auto original = particles(n, 3, 10, 4);
  const auto decoded = reordered(original, shuffled(n, n));
  EXPECT_GT(errors_in_blocks(original.data(), decoded.data(), n, 3, 1024, 0.01, threads).largest, 1.0);
}

}  // namespace
}  // namespace evaluation::check_test
