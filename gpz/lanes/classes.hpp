// SPDX-License-Identifier: BSD-3-Clause
// Encoder: classes of particles, whose constants are fitted together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/molecule/tree.hpp"

namespace gpz::lanes {

inline constexpr std::size_t max_classes = 256;

// Classes by the bonds of a particle and of its references, as far as they are frequent. `q` tells short bonds from
// long ones. Returns how many classes there are.
std::size_t classify(const molecule::Tree &tree, const codec::IndexColumns &q, const molecule::Cell &cell,
                     format::Column<std::uint8_t> &of_class);

}  // namespace gpz::lanes
