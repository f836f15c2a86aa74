// SPDX-License-Identifier: BSD-3-Clause
#include "particle_order.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "exit_code.hpp"

namespace gpz::tool {
namespace {

// Ids are nearly always 1 to N in some order: then counting takes the place of comparing.
std::vector<std::size_t> count_order(const std::vector<std::int64_t> &keys, std::int64_t lowest, std::size_t range) {
  std::vector<std::size_t> starts(range + 1);
  for (const std::int64_t key : keys) ++starts[static_cast<std::size_t>(key - lowest) + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::size_t> rows(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) rows[starts[static_cast<std::size_t>(keys[i] - lowest)]++] = i;
  return rows;
}

template <typename Less>
std::vector<std::size_t> compare_order(std::size_t count, Less less) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::stable_sort(rows.begin(), rows.end(), less);
  return rows;
}

}  // namespace

std::vector<std::size_t> sorted_rows(const Frame &frame, const std::string &column, const std::string &file) {
  const Frame::Column *found = frame.find(column);
  if (found == nullptr) {
    std::string names;
    for (const Frame::Column &other : frame.columns) names += " " + frame.name(other);
    throw Failure(ExitCode::usage, file, "--sort: no column '" + column + "'; there are" + names);
  }
  if (frame.info.fields[found->field].type != ValueType::integer) {
    const std::vector<double> &keys = found->floats;
    return compare_order(keys.size(), [&](std::size_t a, std::size_t b) {
      return keys[a] < keys[b] || (std::isnan(keys[b]) && !std::isnan(keys[a]));
    });
  }
  const std::vector<std::int64_t> &keys = found->integers;
  if (keys.empty()) return {};
  const auto [lowest, highest] = std::minmax_element(keys.begin(), keys.end());
  const std::uint64_t range = static_cast<std::uint64_t>(*highest) - static_cast<std::uint64_t>(*lowest);
  if (range < 4 * keys.size()) return count_order(keys, *lowest, range + 1);
  return compare_order(keys.size(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
}

}  // namespace gpz::tool
