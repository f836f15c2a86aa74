// SPDX-License-Identifier: BSD-3-Clause
// Sections of particles in the order of their ids (docs/decisions/0011; docs/format.md, section 10) in device memory:
// the bytes of codec::encode_ordered, and the values of codec::decode_ordered. Everything is queued on the caller's
// stream; nothing is allocated, nothing waits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/core/ordered.hpp"
#include "gpz/cuda.hpp"
#include "gpz/cuda/difference/difference.hpp"

namespace gpz::cuda {

// Some 100 bytes for 1,024 particles, and of one component 8 for each particle.
std::size_t decode_ordered_workspace(std::uint64_t particles, int components);

// The values of particle i go to element i of the arrays of `output` (step 0: integers). There are less than 2^32
// particles. `ids` (device memory) has their ids, or is nullptr: the section is that of the ids. Throws
// invalid_argument.
void decode_ordered(std::uint64_t particles, const std::int64_t *ids, const SectionDecoding &call,
                    const FieldOutput &output);

}  // namespace gpz::cuda
