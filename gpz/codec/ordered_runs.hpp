// SPDX-License-Identifier: BSD-3-Clause
// A column as runs of values that go up by one, such as the ids of a part of the system.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpz/format/budget.hpp"

namespace gpz::cpu {

// For each run: its first value less the one that would have gone on (the first run: 0), modulo 2^64; its length
// less 1.
struct Runs {
  format::Column<std::int64_t> gap;
  format::Column<std::int64_t> more;
};

// Without runs if there are more than core::max_runs.
Runs find_runs(const std::int64_t *q, std::size_t n);

// False unless the runs have n values.
bool expand_runs(const Runs &runs, std::size_t n, std::int64_t *q);

}  // namespace gpz::cpu
