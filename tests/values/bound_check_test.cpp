// SPDX-License-Identifier: BSD-3-Clause
// The comparison with a bound against integers of thousands of bits (GMP), and what a comparison has to notice.
#include "bound_check.hpp"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "edge_values.hpp"

namespace gpz::values::bound_check_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// x in units of 2^-1074, the smallest double: a whole number.
mpz_class whole(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  mpz_class number(std::ldexp(fraction, 53));
  exponent += 1074 - 53;
  if (exponent >= 0)
    mpz_mul_2exp(number.get_mpz_t(), number.get_mpz_t(), static_cast<mp_bitcnt_t>(exponent));
  else
    mpz_divexact(number.get_mpz_t(), number.get_mpz_t(), mpz_class(mpz_class(1) << -exponent).get_mpz_t());
  return number;
}

bool is_within_as_integers(double x, double y, double bound) {
  const mpz_class difference = whole(x) - whole(y);
  return mpz_cmpabs(difference.get_mpz_t(), whole(bound).get_mpz_t()) <= 0;
}

double random_double(std::uint64_t random, int least_exponent, int largest_exponent) {
  const std::uint64_t more = hashed(random);
  const auto range = static_cast<unsigned>(largest_exponent - least_exponent + 1);
  const double size = std::ldexp(static_cast<double>(more >> 11), least_exponent + static_cast<int>(random % range));
  return random >> 63 != 0 ? -size : size;
}

TEST(IsWithin, IsWhatIntegersSay) {
  std::uint64_t within = 0, rounded = 0;
  constexpr std::uint64_t samples = 1000000;
  for (std::uint64_t i = 0; i < samples; ++i) {
    std::uint64_t random = hashed(i);
    // All doubles, and those of a scale in which differences are rounded.
    const bool anywhere = random % 4 == 0;
    const double x = anywhere ? random_double(hashed(random), -1074, 970) : random_double(hashed(random), -40, 0);
    const double bound = std::fabs(anywhere ? random_double(~random, -1074, 970) : random_double(~random, -60, -5));
    // y is next to the edge of what is within, or anything.
    random = hashed(random + 1);
    const double edge = random % 2 == 0 ? x + bound : x - bound;
    const double y =
        random % 16 == 0 ? random_double(random, -1074, 970) : moved(edge, static_cast<int>((random >> 8) % 5) - 2);
    if (!std::isfinite(y)) continue;
    const bool expected = is_within_as_integers(x, y, bound);
    within += expected;
    rounded += whole(x) - whole(y) != whole(x - y);
    ASSERT_EQ(is_within(x, y, bound), expected) << std::hexfloat << x << " " << y << " " << bound;
  }
  // The samples have both, and those in which rounding matters.
  EXPECT_GT(within, samples / 4);
  EXPECT_LT(within, samples / 4 * 3);
  EXPECT_GT(rounded, samples / 4);
}

TEST(IsWithin, OfSingles) {
  // A difference of two floats that no double holds.
  EXPECT_FALSE(is_within(0x1p127F, -0x1p-149F, 0x1p127));
  EXPECT_TRUE(is_within(0x1p127F, 0x1p-149F, 0x1p127));
}

TEST(IsWithin, AtTheEndsOfTheDoubles) {
  constexpr double largest = std::numeric_limits<double>::max();
  constexpr double least = std::numeric_limits<double>::denorm_min();
  EXPECT_TRUE(is_within(least, 0, least));
  EXPECT_FALSE(is_within(least, -least, least));
  EXPECT_TRUE(is_within(largest, 0, largest));
  EXPECT_FALSE(is_within(largest, -least, largest));
  EXPECT_FALSE(is_within(largest, -largest, largest));
  EXPECT_TRUE(is_within(-0.0, 0.0, 0));
  for (const double odd : {infinity, -infinity, not_a_number})
    for (const double other : {0.0, infinity, not_a_number, largest}) {
      EXPECT_FALSE(is_within(odd, other, largest));
      EXPECT_FALSE(is_within(other, odd, largest));
    }
}

template <typename T>
Tally compared(std::vector<T> given, std::vector<T> decoded, double bound) {
  return compare(given.data(), decoded.data(), given.size(), bound, "test");
}

TEST(Compare, CountsMisses) {
  EXPECT_EQ(compared<double>({1, 2, 3}, {1, 2.25, 3.5}, 0.25).misses, 1U);
  EXPECT_EQ(compared<float>({1, 2, 3}, {1, 2.25F, 3.5F}, 0.5).misses, 0U);
  EXPECT_EQ(compared<double>({1, 2}, {1, std::nextafter(2, 3)}, 0).misses, 1U);
  EXPECT_EQ(compared<double>({0.0}, {-0.0}, 0).misses, 1U);
  EXPECT_EQ(compared<double>({0.0}, {-0.0}, 1e-300).misses, 0U);
  EXPECT_EQ(compared<double>({infinity, infinity, not_a_number}, {infinity, -infinity, 1}, 1).misses, 2U);
  EXPECT_EQ(compared<float>({1}, {std::numeric_limits<float>::infinity()}, 1).misses, 1U);
  EXPECT_EQ(compared<std::int64_t>({1, 2, INT64_MAX}, {1, 3, INT64_MIN}, 10).misses, 2U);
}

TEST(Compare, KnowsTheBitsOfANan) {
  const double other = moved(infinity, 77);
  ASSERT_TRUE(std::isnan(other));
  EXPECT_EQ(compared<double>({other}, {other}, 1).misses, 0U);
  EXPECT_EQ(compared<double>({other}, {not_a_number}, 1).misses, 1U);
}

TEST(Compare, HasTheLargestErrorAndTheFirstMiss) {
  const Tally tally = compared<double>({1, 2, 3, 9, 9}, {1.5, 2.25, 3, 1, 2}, 0.5);
  EXPECT_EQ(tally.values, 5U);
  EXPECT_EQ(tally.exact, 1U);
  EXPECT_EQ(tally.misses, 2U);
  EXPECT_EQ(tally.largest_error, 0.5);
  EXPECT_NE(tally.first_miss.find("value 3"), std::string::npos) << tally.first_miss;
}

// What the data of the other tests stand on.
TEST(EdgeValue, IsNextToAnEdge) {
  constexpr double step = 0.002;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const double value = std::fabs(edge_value<double>(1, i, step, 20));
    const double half_steps = value / (step / 2);
    EXPECT_NEAR(half_steps, std::round(half_steps), 1e-8 + 64e-16 * half_steps) << i;
  }
  EXPECT_EQ(moved(1.0, 1), std::nextafter(1.0, 2.0));
  EXPECT_EQ(moved(-1.0, 1), std::nextafter(-1.0, 0.0));
  EXPECT_EQ(moved(0.0, -1), -std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(moved(-std::numeric_limits<float>::denorm_min(), 2), std::numeric_limits<float>::denorm_min());
}

}  // namespace
}  // namespace gpz::values::bound_check_test
