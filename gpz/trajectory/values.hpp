// SPDX-License-Identifier: BSD-3-Clause
// Converts indices of a field back to values (docs/format.md, section 8): the inverse of Indices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/codec/target.hpp"
#include "gpz/format/section_head.hpp"
#include "gpz/frame.hpp"

namespace gpz::trajectory {

// Writes the values of n particles with these indices; exact values replace the values of their rows. Throws
// limit_exceeded (see codec::store). `wanted`: blocks of 1,024 that have all particles with rows in the target.
void write_values(const Field &field, const codec::IndexColumns &indices, std::size_t n,
                  const format::Column<format::ExactValue> &exact, const codec::Target &target, int threads,
                  const codec::WantedBlocks &wanted = {});

}  // namespace gpz::trajectory
