// SPDX-License-Identifier: BSD-3-Clause
// How the encoder of a number stream chooses its tables (docs/decisions/0022).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gpz/codec/number_tables.hpp"
#include "gpz/core/ans.hpp"

namespace gpz::codec {

// Counts per token at full resolution. The tokens of every table are unions of these tokens.
using Histogram = std::array<std::uint64_t, core::number_tokens>;

// Chooses tables for contexts with these numbers. Integers only, so that every machine makes the same choice.
NumberTables choose_tables(const std::vector<Histogram> &contexts);

}  // namespace gpz::codec
