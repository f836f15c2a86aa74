// SPDX-License-Identifier: BSD-3-Clause
#include "bound_check.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <type_traits>

namespace gpz::values {
namespace {

template <typename T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <typename T>
std::string described(T given, T decoded, double bound) {
  char text[200];
  if constexpr (std::is_floating_point_v<T>)
    std::snprintf(text, sizeof text, "%a (%.17g) came back as %a (%.17g), bound %a (%.17g)", double{given},
                  double{given}, double{decoded}, double{decoded}, bound, bound);
  else
    std::snprintf(text, sizeof text, "%lld came back as %lld", static_cast<long long>(given),
                  static_cast<long long>(decoded));
  return text;
}

}  // namespace

Tally &Tally::operator+=(const Tally &other) {
  values += other.values;
  integers += other.integers;
  misses += other.misses;
  exact += other.exact;
  largest_error = std::max(largest_error, other.largest_error);
  if (first_miss.empty()) first_miss = other.first_miss;
  return *this;
}

template <typename T>
Tally compare(const T *given, const T *decoded, std::size_t n, double bound, const std::string &what) {
  Tally tally;
  (std::is_integral_v<T> ? tally.integers : tally.values) = n;
  for (std::size_t i = 0; i < n; ++i) {
    if (same_bits(given[i], decoded[i])) {
      if (std::is_floating_point_v<T>) ++tally.exact;
      continue;
    }
    if constexpr (std::is_floating_point_v<T>) {
      if (bound > 0 && is_within(given[i], decoded[i], bound)) {
        tally.largest_error = std::max(tally.largest_error, error_of(given[i], decoded[i]));
        continue;
      }
    }
    if (tally.misses++ == 0)
      tally.first_miss = what + ", value " + std::to_string(i) + ": " + described(given[i], decoded[i], bound);
  }
  return tally;
}

template Tally compare(const float *, const float *, std::size_t, double, const std::string &);
template Tally compare(const double *, const double *, std::size_t, double, const std::string &);
template Tally compare(const std::int64_t *, const std::int64_t *, std::size_t, double, const std::string &);

}  // namespace gpz::values
