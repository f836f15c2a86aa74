// SPDX-License-Identifier: BSD-3-Clause
// Number formatting against the standard library's exact conversion, and the rule for decimals against exact
// differences.
#include "number_text.hpp"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>

namespace gpz::tool::number_text_test {
namespace {

template <typename... Arguments>
std::string text_of(char *(*append)(char *, Arguments...), Arguments... arguments) {
  char buffer[max_number_length];
  char *const end = append(buffer, arguments...);
  EXPECT_LE(end - buffer, max_number_length);
  return {buffer, end};
}

std::string fixed(double value, int decimals) { return text_of<double, int>(append_fixed, value, decimals); }

// Correctly rounded by the standard library; a zero has no sign.
std::string expected_fixed(double value, int decimals) {
  char buffer[512];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, decimals);
  std::string text(buffer, result.ptr);
  if (text[0] == '-' && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

double parse(const std::string &text) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  EXPECT_EQ(result.ptr, text.data() + text.size()) << text;
  return value;
}

std::uint64_t bits(double value) {
  std::uint64_t result = 0;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

TEST(AppendFixed, IsCorrectlyRounded) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(-12, 15);
  for (int i = 0; i < 2000000; ++i) {
    const int decimals = i % (max_decimals + 1);
    const double value = mantissa(random) * std::pow(10.0, exponent(random));
    if (!(std::fabs(value) * std::pow(10.0, decimals) < 0.999e15)) continue;
    ASSERT_EQ(fixed(value, decimals), expected_fixed(value, decimals)) << value << " " << decimals;
  }
}

TEST(AppendFixed, IsCorrectlyRoundedNextToTies) {
  for (int decimals = 0; decimals <= 9; ++decimals) {
    for (int tie = 1; tie < 20000; tie += 2) {
      const double value = tie * 0.5 / std::pow(10.0, decimals);
      for (const double near : {value, std::nextafter(value, 0.0), std::nextafter(value, 1e9)}) {
        ASSERT_EQ(fixed(near, decimals), expected_fixed(near, decimals)) << tie << " " << decimals;
        ASSERT_EQ(fixed(-near, decimals), expected_fixed(-near, decimals)) << tie << " " << decimals;
      }
    }
  }
}

TEST(AppendFixed, Zeros) {
  EXPECT_EQ(fixed(0.0, 3), "0.000");
  EXPECT_EQ(fixed(-0.0, 3), "0.000");
  EXPECT_EQ(fixed(-0.0004, 3), "0.000");
  EXPECT_EQ(fixed(0.0, 0), "0");
}

TEST(AppendFixed, ValuesOfTooManyDigitsReadBackTheSame) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(fixed(infinity, 3), "inf");
  EXPECT_EQ(fixed(-infinity, 3), "-inf");
  EXPECT_EQ(fixed(std::numeric_limits<double>::quiet_NaN(), 3), "nan");
  for (const double value : {1e15, 123456789012345678.0, -1e300, std::numeric_limits<double>::max()})
    EXPECT_EQ(bits(parse(fixed(value, 3))), bits(value));
}

TEST(AppendShortest, ReadsBackTheSame) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t pattern = random();
    double value = 0;
    std::memcpy(&value, &pattern, sizeof value);
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(bits(parse(text_of<double>(append_shortest, value))), pattern);
    const auto single = static_cast<float>(value);
    if (!std::isfinite(single)) continue;
    ASSERT_EQ(static_cast<float>(parse(text_of<float>(append_shortest, single))), single);
  }
}

TEST(AppendInteger, Limits) {
  EXPECT_EQ(text_of<std::int64_t>(append_integer, std::int64_t{0}), "0");
  EXPECT_EQ(text_of<std::int64_t>(append_integer, std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(text_of<std::int64_t>(append_integer, std::numeric_limits<std::int64_t>::max()), "9223372036854775807");
}

Field float_field(double bound, double step, double largest_error) {
  Field field;
  field.bound = bound;
  field.step = step;
  field.largest_error = largest_error;
  return field;
}

// Whatever the decoded value, and however far (within the largest error) the true one is from it.
TEST(DecimalsFor, PrintedValuesStayWithinTheBound) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> exponent(-9, 3);
  std::uniform_int_distribution<std::int64_t> index(-1000000000, 1000000000);
  for (int i = 0; i < 300000; ++i) {
    const double bound = std::pow(10.0, exponent(random));
    const double step = 2 * bound * (1 - 1.0 / 4096);
    const Field field = float_field(bound, step, step / 2);
    const int decimals = decimals_for(field);
    ASSERT_NE(decimals, shortest);
    const double decoded = static_cast<double>(index(random)) * step;
    const long double printed = parse(fixed(decoded, decimals));
    const long double error = std::fabs(printed - static_cast<long double>(decoded));
    ASSERT_LE(error + static_cast<long double>(step / 2), static_cast<long double>(bound)) << decoded << " " << bound;
  }
}

TEST(DecimalsFor, AreFew) {
  EXPECT_EQ(decimals_for(float_field(0.001, 0.002 * (1 - 1.0 / 4096), 0.0009)), 7);
  EXPECT_EQ(decimals_for(float_field(100, 200 * (1 - 1.0 / 4096), 99)), 2);
  EXPECT_EQ(decimals_for(float_field(1e6, 2e6 * (1 - 1.0 / 4096), 0)), 0);
}

TEST(DecimalsFor, LosslessAndTightFieldsAreShortest) {
  EXPECT_EQ(decimals_for(float_field(0, 0, 0)), shortest);
  EXPECT_EQ(decimals_for(float_field(0.001, 0.002, 0.001)), shortest);
  EXPECT_EQ(decimals_for(float_field(1e-30, 1.9e-30, 0.9e-30)), shortest);
  Field integer;
  integer.type = ValueType::integer;
  EXPECT_EQ(decimals_for(integer), shortest);
}

}  // namespace
}  // namespace gpz::tool::number_text_test
