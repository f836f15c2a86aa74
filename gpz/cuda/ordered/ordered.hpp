// SPDX-License-Identifier: BSD-3-Clause
// Sections of particles in the order of their ids (docs/decisions/0011; docs/format.md, section 10) in device memory:
// the bytes of cpu::encode_ordered, and the values of cpu::decode_ordered. Everything is queued on the caller's stream;
// nothing is allocated, nothing waits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/core/ordered.hpp"
#include "gpz/cuda.hpp"
#include "gpz/cuda/difference/difference.hpp"

namespace gpz::cuda {

// What a section is about. `ids` (device memory) has the ids of the particles, or is nullptr: the section is that of
// the ids. Axes that are not periodic are GridAxis{}.
struct DeviceOrderedShape {
  std::uint64_t particles = 0;  // below 2^32
  const std::int64_t *ids = nullptr;
  core::GridBox box{};
};

// What *status becomes.
inline constexpr std::uint32_t ordered_damaged = 1;  // the bytes contradict the format

// Some 100 bytes for 1,024 particles, and of one component 8 for each particle.
std::size_t decode_ordered_workspace(std::uint64_t particles, int components);

// Decodes a section of `size` bytes in device memory, aligned to 8: the values of particle i go to element i of the
// arrays of `output` (step 0: integers). *status (memory the device can
// write) becomes 0 or the number above; values are unspecified then. Never reads or writes outside of what it was
// given. Throws invalid_argument.
void decode_ordered(const DeviceOrderedShape &shape, const void *section, std::size_t size, const FieldOutput &output,
                    void *workspace, std::size_t workspace_size, std::uint32_t *status, Stream stream);

}  // namespace gpz::cuda
