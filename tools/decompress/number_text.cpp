// SPDX-License-Identifier: BSD-3-Clause
#include "number_text.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace gpz::tool {
namespace {

constexpr std::array<double, max_decimals + 1> power_of_ten = {1e0, 1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,
                                                               1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17};
// Decimal digits that every double can tell apart.
constexpr double fixed_limit = 1e15;

constexpr std::array<char, 200> make_digit_pairs() {
  std::array<char, 200> pairs{};
  for (int i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}
constexpr std::array<char, 200> digit_pairs = make_digit_pairs();

void put_pair(char *out, std::uint32_t value) { std::memcpy(out, &digit_pairs[2 * value], 2); }

void put_8_digits(char *out, std::uint32_t value) {
  const std::uint32_t high = value / 10000;
  const std::uint32_t low = value % 10000;
  put_pair(out, high / 100);
  put_pair(out + 2, high % 100);
  put_pair(out + 4, low / 100);
  put_pair(out + 6, low % 100);
}

// |value| * 10^decimals to the nearest integer; -1 if rounding the product could have changed the answer.
std::int64_t scaled_integer(double magnitude, int decimals) {
  const double product = magnitude * power_of_ten[decimals];
  if (!(product < fixed_limit)) return -1;
  const double nearest = std::floor(product + 0.5);
  const double product_error = product * 0x1p-52;
  if (std::fabs(product - nearest) >= 0.5 - product_error) return -1;
  return static_cast<std::int64_t>(nearest);
}

// The exact conversion, slow; a zero has no sign here either.
char *append_next_to_tie(char *out, double value, int decimals) {
  char *const end = fmt::format_to(out, FMT_COMPILE("{:.{}f}"), value, decimals);
  const bool zero = std::all_of(out, end, [](char c) { return c == '-' || c == '.' || c == '0'; });
  if (*out != '-' || !zero) return end;
  return std::copy(out + 1, end, out);
}

}  // namespace

int decimals_for(const Field &field) {
  if (field.type == ValueType::integer || !(field.bound > 0)) return shortest;
  const double slack = field.bound - std::max(field.largest_error, field.step / 2);
  if (!(slack > 0)) return shortest;
  for (int decimals = 0; decimals <= max_decimals; ++decimals)
    if (0.62 <= slack * power_of_ten[decimals]) return decimals;
  return shortest;
}

char *append_fixed(char *out, double value, int decimals) {
  const std::int64_t scaled = scaled_integer(std::fabs(value), decimals);
  if (scaled < 0) {
    if (!(std::fabs(value) * power_of_ten[decimals] < fixed_limit)) return append_shortest(out, value);
    return append_next_to_tie(out, value, decimals);
  }
  *out = '-';
  if (value < 0 && scaled != 0) ++out;

  // All 16 digits (and room after them for copies of a fixed size), then what is needed of them: the whole part
  // without leading zeros, the point, the decimals.
  char digits[max_decimals + 32];
  char *const last_16 = digits + max_decimals;
  put_8_digits(last_16, static_cast<std::uint32_t>(scaled / 100000000));
  put_8_digits(last_16 + 8, static_cast<std::uint32_t>(scaled % 100000000));
  const char *const point = last_16 + 16 - decimals;
  const char *first = last_16;
  if (decimals >= 16) {
    std::memset(digits, '0', max_decimals);
    first = point - 1;
  }
  while (first < point - 1 && *first == '0') ++first;
  const auto whole = static_cast<std::size_t>(point - first);
  std::memcpy(out, first, 16);
  out += whole;
  if (decimals == 0) return out;
  *out++ = '.';
  std::memcpy(out, point, static_cast<std::size_t>(decimals));
  return out + decimals;
}

char *append_shortest(char *out, double value) { return fmt::format_to(out, FMT_COMPILE("{}"), value); }
char *append_shortest(char *out, float value) { return fmt::format_to(out, FMT_COMPILE("{}"), value); }
char *append_integer(char *out, std::int64_t value) { return fmt::format_to(out, FMT_COMPILE("{}"), value); }

}  // namespace gpz::tool
