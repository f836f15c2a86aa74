// SPDX-License-Identifier: BSD-3-Clause
// Ordered sections (docs/decisions/0011; docs/format.md, section 10) in device memory, as codec::encode_ordered and
// codec::decode_ordered have them. All work is queued on the caller's stream, without allocating or waiting.
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

// Upper bound of the size of a section, bytes.
std::size_t ordered_bound(std::uint64_t particles, int components);
std::size_t encode_ordered_workspace(std::uint64_t particles, std::size_t capacity);
// Encodes the values of less than 2^32 particles as a section of kind 1, which is not one of runs. `ids` as above.
// Values that the grid cannot hold make the section useless, as the result says. Throws invalid_argument as
// encode_difference().
void encode_ordered(std::uint64_t particles, const std::int64_t *ids, const DeviceValues &values, int components,
                    const core::OrderedPredictor &predictor, const SectionEncoding &call);

}  // namespace gpz::cuda
