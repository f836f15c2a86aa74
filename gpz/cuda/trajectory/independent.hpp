// SPDX-License-Identifier: BSD-3-Clause
// Decodes independent chunks: whole chunks, arrivals, and block coded fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/cuda.hpp"
#include "gpz/cuda/trajectory/chunk_bytes.hpp"
#include "gpz/format/section_head.hpp"

namespace gpz::cuda {

// How a GPU decodes independent chunks of a kind, in addition to the kind's row in gpz/format/chunk_kinds.hpp.
struct IndependentDecoder {
  bool (*serves)(const std::vector<Field> &fields, std::uint64_t particles);  // null: no fields
  const char *others;  // names the chunks of this kind that are not supported, for messages
  // Lower bound of the chunk's bytes for this many particles.
  std::uint64_t (*least_size)(const std::vector<Field> &fields, std::uint64_t particles);
  std::size_t (*workspace)(const std::vector<FieldOutput> &fields, std::uint64_t particles);
  // Decodes a chunk into arrays; chunks of all kinds except block are opened (ChunkBytes::opened). Sets *status (device
  // memory) to 0, chunk_damaged or chunk_unsupported. All work is queued on the stream.
  void (*decode)(const ChunkBytes &chunk, std::uint64_t particles, const std::vector<FieldOutput> &fields,
                 void *workspace, std::size_t workspace_size, std::uint32_t *status, Stream stream);
  bool starts_history;
};

// Finds the decoder of a chunk with this many particles. Throws corrupt, truncated; unsupported for kinds and fields
// that only the CPU decodes. Afterwards, memory for the particles may be allocated: the chunk is long enough for them.
// With `is_inside`, only block chunks are allowed.
const IndependentDecoder &decoder_of(const ChunkBytes &chunk, std::uint64_t particles, const std::vector<Field> &fields,
                                     bool is_inside = false);

// As format::read_field_coding.
format::FieldCoding read_coding(const ChunkBytes &section, ChunkKind chunk, unsigned field, std::size_t counting = 0);
// Whether kernels decode all sections of a coding. They do for those that need no feature.
bool have_kernels(format::FieldCodingKind coding);
inline ChunkBytes behind_coding(const ChunkBytes &section) {
  return section.part(format::field_coding_size, section.size() - format::field_coding_size);
}

}  // namespace gpz::cuda
