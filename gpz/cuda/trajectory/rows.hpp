// SPDX-License-Identifier: BSD-3-Clause
// Values of the decoder's history into the caller's arrays, and small steps between its frames. Everything is queued on
// the stream; nothing is allocated, nothing waits.
#pragma once

#include <cstdint>

#include "gpz/cuda/difference/difference.hpp"

namespace gpz::cuda {

// Particles first to first + count - 1 of a chunk.
struct RowRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  // In another order than that of the chunk, in device memory; nullptr: in that order. The row of each particle of the
  // chunk; and the particle of each row, if all of them are in the range (gathering is faster).
  const std::uint32_t *rows = nullptr;
  const std::uint32_t *particles = nullptr;
};

// Into the arrays of `output`: grid values of the last indices of a state, or of packed ones; integers or lossless
// floats of keys; values, element 0 of which is the first particle of the range.
void write_indices(const DeviceDifferenceState &state, const FieldOutput &output, const RowRange &range, Stream stream);
void write_packed(const PackedIndices *packed, const FieldOutput &output, const RowRange &range, Stream stream);
void write_keys(const std::int64_t *const *keys, const FieldOutput &output, const RowRange &range, Stream stream);
void write_values(const DeviceValues &from, const FieldOutput &output, const RowRange &range, Stream stream);

// Exact values of a section, `count` of them in device memory, into their places. *status gets section_damaged if one
// is beyond the range.
void write_exact_values(const void *exact, std::uint64_t count, const FieldOutput &output, const RowRange &range,
                        std::uint32_t *status, Stream stream);

// The slots below `slots` that are not among leaving[0] < leaving[1] < ... (device memory).
void list_staying(const std::uint32_t *leaving, std::uint64_t count, std::uint64_t slots, std::uint32_t *staying,
                  Stream stream);

// Joins the statuses of a chunk, of which there are at most 64, to *all (pinned), and clears them; *wide, if it is
// there, is section_wide if it is not 0.
void join_statuses(std::uint32_t *statuses, int count, const std::uint32_t *wide, std::uint32_t *all, Stream stream);

}  // namespace gpz::cuda
