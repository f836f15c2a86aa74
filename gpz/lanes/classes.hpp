// SPDX-License-Identifier: BSD-3-Clause
// Encoder: classes of particles, whose constants are fitted together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/format/budget.hpp"
#include "gpz/molecule/tree.hpp"

namespace gpz::lanes {

inline constexpr std::size_t max_classes = 256;

// Classes by the traits of a particle and of its references (Tree::build), as far as they are frequent. Returns how
// many.
std::size_t classify(const molecule::Tree &tree, format::Column<std::uint8_t> &of_class);

}  // namespace gpz::lanes
