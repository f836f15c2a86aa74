// SPDX-License-Identifier: BSD-3-Clause
// Ordered sections (docs/decisions/0011; docs/format.md, section 10) in device memory. Encodes to the bytes of
// cpu::encode_ordered and decodes to the values of cpu::decode_ordered. All work is queued on the caller's stream,
// without allocating or waiting.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/core/ordered.hpp"
#include "gpz/cuda.hpp"
#include "gpz/cuda/difference/difference.hpp"

namespace gpz::cuda {

// Shape of a section. `ids` (device memory) has the ids of the particles; null if the section stores the ids
// themselves. Axes that are not periodic are GridAxis{}.
struct DeviceOrderedShape {
  std::uint64_t particles = 0;  // below 2^32
  const std::int64_t *ids = nullptr;
  core::GridBox box{};
};

// Values of *status after decoding, besides 0.
inline constexpr std::uint32_t ordered_damaged = 1;  // the bytes contradict the format

// About 100 bytes per 1,024 particles, and 8 more per particle for one component.
std::size_t decode_ordered_workspace(std::uint64_t particles, int components);

// Decodes a section of `size` bytes in device memory, aligned to 8. Writes the values of particle i to element i of the
// arrays of `output` (step 0: integers). Sets *status (memory that the device can write) to 0, or to ordered_damaged,
// which leaves values unspecified. Never accesses memory outside of its arguments. Throws invalid_argument.
void decode_ordered(const DeviceOrderedShape &shape, const void *section, std::size_t size, const FieldOutput &output,
                    void *workspace, std::size_t workspace_size, std::uint32_t *status, Stream stream);

// The section of n values with this predictor, of kind 1 (not of runs), in out[0 .. capacity) (device memory, aligned
// to 8). `result` is as for difference sections: what the grid cannot hold, and indices that do not fit, leave it
// without use. Throws invalid_argument: arrays of different types, a box that can_follow does not let pass, too little
// workspace.
std::size_t encode_ordered_workspace(std::uint64_t particles, std::size_t capacity);
// At least as much as a section can have.
std::size_t ordered_bound(std::uint64_t particles, int components);
void encode_ordered(const DeviceOrderedShape &shape, const DeviceValues &values, int components,
                    const core::OrderedPredictor &predictor, void *workspace, std::size_t workspace_size, void *out,
                    std::size_t capacity, DifferenceResult *result, Stream stream);

}  // namespace gpz::cuda
