// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/codec/ordered_runs.hpp"

#include "gpz/core/ordered_section.hpp"

namespace gpz::codec {

Runs find_runs(const std::int64_t *q, std::size_t n) {
  std::size_t count = n == 0 ? 0 : 1;
  for (std::size_t i = 1; i < n; ++i) count += q[i] != core::sum_of(q[i - 1], 1) ? 1 : 0;
  Runs runs;
  if (count > core::max_runs(n)) return runs;
  runs.gap.reserve(count);
  runs.more.reserve(count);
  std::int64_t next = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == 0 || q[i] != next) {
      runs.gap.push_back(core::difference_of(q[i], next));
      runs.more.push_back(0);
    } else {
      ++runs.more.back();
    }
    next = core::sum_of(q[i], 1);
  }
  return runs;
}

bool expand_runs(const Runs &runs, std::size_t n, std::int64_t *q) {
  std::size_t i = 0;
  std::int64_t next = 0;
  for (std::size_t k = 0; k < runs.gap.size(); ++k) {
    next = core::sum_of(next, runs.gap[k]);
    if (runs.more[k] < 0 || static_cast<std::uint64_t>(runs.more[k]) >= n - i) return false;
    const std::size_t end = i + static_cast<std::size_t>(runs.more[k]) + 1;
    for (; i < end; ++i) {
      q[i] = next;
      next = core::sum_of(next, 1);
    }
  }
  return i == n;
}

}  // namespace gpz::codec
