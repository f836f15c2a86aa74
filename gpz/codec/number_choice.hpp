// SPDX-License-Identifier: BSD-3-Clause
// How the encoder of a number stream chooses its tables (docs/decisions/0022).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gpz/codec/number_tables.hpp"
#include "gpz/core/ans.hpp"

namespace gpz::cpu {

// How many numbers have each token of numbers whose low bits all count. Tokens of every table are unions of these.
using Histogram = std::array<std::uint64_t, core::number_tokens>;

// Tables for contexts with these numbers. Integers only, so that every machine chooses alike.
NumberTables choose_tables(const std::vector<Histogram> &contexts);

}  // namespace gpz::cpu
