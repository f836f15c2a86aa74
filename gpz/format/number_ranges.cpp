// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <charconv>
#include <limits>

#include "gpz/selection.hpp"

namespace gpz {
namespace {

bool parse(const std::string &text, std::int64_t &number) {
  const char *const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end;
}

}  // namespace

NumberRanges::NumberRanges(std::vector<std::int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  for (const std::int64_t number : numbers) {
    // Not last + 1, which overflows for the largest number.
    if (!ranges_.empty() && (number == ranges_.back().second || number - 1 == ranges_.back().second))
      ranges_.back().second = number;
    else
      ranges_.emplace_back(number, number);
  }
}

void NumberRanges::add(std::int64_t from, std::int64_t to) {
  if (from > to) return;
  ranges_.emplace_back(from, to);
  std::sort(ranges_.begin(), ranges_.end());
  std::vector<Range> joined;
  for (const auto &range : ranges_) {
    if (!joined.empty() && range.first <= joined.back().second)
      joined.back().second = std::max(joined.back().second, range.second);
    else
      joined.push_back(range);
  }
  ranges_ = std::move(joined);
}

bool NumberRanges::add(const std::string &text) {
  const std::size_t colon = text.find(':');
  std::int64_t from = std::numeric_limits<std::int64_t>::min();
  std::int64_t to = std::numeric_limits<std::int64_t>::max();
  if (colon == std::string::npos) {
    if (!parse(text, from)) return false;
    add(from, from);
    return true;
  }
  const std::string first = text.substr(0, colon);
  const std::string last = text.substr(colon + 1);
  if ((!first.empty() && !parse(first, from)) || (!last.empty() && !parse(last, to)) || from > to) return false;
  add(from, to);
  return true;
}

bool NumberRanges::has(std::int64_t number) const {
  const auto behind = std::upper_bound(ranges_.begin(), ranges_.end(), number,
                                       [](std::int64_t n, const Range &r) { return n < r.first; });
  return behind != ranges_.begin() && number <= std::prev(behind)->second;
}

}  // namespace gpz
