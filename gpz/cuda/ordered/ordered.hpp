// SPDX-License-Identifier: BSD-3-Clause
// Decodes ordered sections (docs/decisions/0011; docs/format.md, section 10) in device memory, as codec::decode_ordered
// does. All work is queued on the caller's stream, without allocating or waiting.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/core/ordered.hpp"
#include "gpz/cuda.hpp"
#include "gpz/cuda/difference/difference.hpp"

namespace gpz::cuda {

// About 100 bytes per 1,024 particles; sections of one component need 8 more per particle.
std::size_t decode_ordered_workspace(std::uint64_t particles, int components);

// Writes the values of particle i to element i of the arrays of `output` (step 0: integers), for less than 2^32
// particles. `ids` (device memory) are their ids; nullptr for the section of the ids. Throws invalid_argument.
void decode_ordered(std::uint64_t particles, const std::int64_t *ids, const SectionDecoding &call,
                    const FieldOutput &output);

}  // namespace gpz::cuda
