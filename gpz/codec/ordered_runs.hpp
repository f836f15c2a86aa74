// SPDX-License-Identifier: BSD-3-Clause
// A column as runs of consecutive integers, such as the ids of a part of the system.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpz/format/budget.hpp"

namespace gpz::codec {

// Per run: gap = first value less the continuation of the previous run (first run: less 0), modulo 2^64; more = length
// - 1.
struct Runs {
  format::Column<std::int64_t> gap;
  format::Column<std::int64_t> more;
};

// Returns no runs if there are more than core::max_runs().
Runs find_runs(const std::int64_t *q, std::size_t n);

// Returns false unless the runs have exactly n values.
bool expand_runs(const Runs &runs, std::size_t n, std::int64_t *q);

}  // namespace gpz::codec
