// SPDX-License-Identifier: BSD-3-Clause
// Writes values of the decoder's history to the caller's arrays; small operations between frames. All work is queued on
// the stream, without allocating or waiting.
#pragma once

#include <cstdint>

#include "gpz/cuda/difference/difference.hpp"

namespace gpz::cuda {

// Particles [first, first + count) of a chunk.
struct RowRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  // For another order than that of the chunk (device memory; null: the order of the chunk): the row of each particle of
  // the chunk, and the particle of each row if the range has all particles, because gathering is faster.
  const std::uint32_t *rows = nullptr;
  const std::uint32_t *particles = nullptr;
};

// Write to the arrays of `output`: grid values from the last indices of a state, or from packed indices; integers or
// lossless floats from keys; or values, of which element 0 is the first particle of the range.
void write_indices(const DeviceDifferenceState &state, const FieldOutput &output, const RowRange &range, Stream stream);
void write_packed(const PackedIndices *packed, const FieldOutput &output, const RowRange &range, Stream stream);
void write_keys(const std::int64_t *const *keys, const FieldOutput &output, const RowRange &range, Stream stream);
void write_values(const DeviceValues &from, const FieldOutput &output, const RowRange &range, Stream stream);

// Writes the `count` exact values of a section (device memory) to their rows. Adds section_damaged to *status if an
// index is beyond the range.
void write_exact_values(const void *exact, std::uint64_t count, const FieldOutput &output, const RowRange &range,
                        std::uint32_t *status, Stream stream);

// Lists the slots below `slots` that are not among leaving[0] < leaving[1] < ... (device memory).
void list_staying(const std::uint32_t *leaving, std::uint64_t count, std::uint64_t slots, std::uint32_t *staying,
                  Stream stream);

// Joins the statuses of a chunk, at most 64, to *all (pinned memory), and clears them. If `wide` is given and *wide is
// not 0, joins section_wide.
void join_statuses(std::uint32_t *statuses, int count, const std::uint32_t *wide, std::uint32_t *all, Stream stream);

}  // namespace gpz::cuda
