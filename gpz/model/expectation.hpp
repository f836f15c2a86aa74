// SPDX-License-Identifier: BSD-3-Clause
// What models of all particles give.
#pragma once

#include <array>
#include <cstdint>

#include "gpz/core/types.hpp"
#include "gpz/format/budget.hpp"

namespace gpz::model {

// The expected displacement of each particle from its last index, for each component: in units of 1/64 grid step,
// at most 2^29 in magnitude.
using Expectation = std::array<format::Column<std::int32_t>, core::max_components>;

}  // namespace gpz::model
