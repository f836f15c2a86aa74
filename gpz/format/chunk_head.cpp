// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/format/chunk_head.hpp"

#include "gpz/core/types.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/leaving_slots.hpp"

namespace gpz::format {

void append_chunk_head(ChunkKind kind, std::initializer_list<std::uint64_t> added, std::size_t fields,
                       std::vector<std::uint8_t> &bytes) {
  ByteWriter out(bytes);
  out.u32(core::default_block_size);
  out.u32(static_cast<std::uint32_t>(kind));
  for (const std::uint64_t value : added) out.u64(value);
  for (std::size_t f = 0; f < fields; ++f) out.u64(0);
}

void set_section_length(std::vector<std::uint8_t> &bytes, ChunkKind kind, std::size_t field, std::uint64_t length) {
  store_little(bytes.data() + section_length_at(kind, field), length);
}

void append_difference_head(std::uint64_t before, const std::vector<std::uint32_t> &leaving, std::uint64_t arriving,
                            std::size_t fields, std::vector<std::uint8_t> &bytes) {
  constexpr std::uint64_t arrivals_length = 0;  // filled in later
  append_chunk_head(ChunkKind::difference, {before, leaving.size(), arriving, arrivals_length}, fields, bytes);
  append_leaving_slots(before, leaving, bytes);
}

void set_arrivals_length(std::vector<std::uint8_t> &bytes, std::uint64_t length) {
  store_little(bytes.data() + arrivals_length_at, length);
}

}  // namespace gpz::format
