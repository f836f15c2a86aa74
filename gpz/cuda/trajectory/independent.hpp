// SPDX-License-Identifier: BSD-3-Clause
// Chunks that are decoded without others: whole ones, arrivals, and fields that are coded in blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/cuda.hpp"
#include "gpz/cuda/trajectory/chunk_bytes.hpp"
#include "gpz/format/section_head.hpp"

namespace gpz::cuda {

// How a GPU decodes the independent chunks of a kind; beside the row of the kind in gpz/format/chunk_kinds.hpp.
struct IndependentDecoder {
  bool (*serves)(const std::vector<Field> &fields, std::uint64_t particles);  // nullptr: none
  const char *others;  // what is unsupported: chunks of this kind that it does not serve
  // Bytes that so many particles take at least.
  std::uint64_t (*least_size)(const std::vector<Field> &fields, std::uint64_t particles);
  std::size_t (*workspace)(const std::vector<FieldOutput> &fields, std::uint64_t particles);
  // Into arrays. *status (device memory) becomes 0, chunk_damaged or chunk_unsupported. Everything is queued on the
  // stream.
  void (*decode)(const ChunkBytes &chunk, std::uint64_t particles, const std::vector<FieldOutput> &fields,
                 void *workspace, std::size_t workspace_size, std::uint32_t *status, Stream stream);
  bool starts_history;
};

// Of a chunk that is said to have so many particles. Throws corrupt, truncated; unsupported for kinds that only the CPU
// decodes, and fields that it alone decodes in them. Memory for the particles may be asked for afterwards: the bytes
// are enough for them. Inside another chunk there are block chunks only.
const IndependentDecoder &decoder_of(const ChunkBytes &chunk, std::uint64_t particles, const std::vector<Field> &fields,
                                     bool is_inside = false);

// As format::read_field_coding. Throws unsupported for codings that only the CPU decodes: those that need a feature.
format::FieldCoding read_coding(const ChunkBytes &section, ChunkKind chunk, unsigned field, std::size_t counting = 0);
inline ChunkBytes behind_coding(const ChunkBytes &section) {
  return section.part(format::field_coding_size, section.size() - format::field_coding_size);
}

}  // namespace gpz::cuda
