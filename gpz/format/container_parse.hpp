// SPDX-License-Identifier: BSD-3-Clause
// Parses the parts of a file in memory (docs/format.md, sections 1 to 3 and 11). Every length is checked. Functions
// throw corrupt, truncated etc. with positions relative to their input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpz/container.hpp"

namespace gpz::format {

constexpr std::size_t file_start_size = 16;         // bytes up to the required features
constexpr std::size_t file_header_start_size = 24;  // bytes before the metadata
constexpr std::uint32_t max_metadata_size = 1u << 24;

constexpr std::size_t record_start_size = 24;  // bytes before the head
constexpr std::size_t checksum_size = 8;
// Largest memory per byte of a head, with all objects made from it. The worst case is a field of one component with a
// name of one byte: 36 bytes of a head, 8 times as much as a Field and a column.
constexpr std::uint64_t memory_of_head_byte = 16;
constexpr std::size_t trailer_size = 24;
constexpr std::uint64_t record_overhead = record_start_size + checksum_size + trailer_size;
constexpr std::uint8_t record_marker[8] = {0xF5, 0x9A, 0x47, 0x50, 0x5A, 0xC3, 0x52, 0x0A};

enum RecordType : std::uint32_t { frame_type = 1, index_type = 2, optional_type_bit = 1u << 31 };

// Length of the whole file header, from its first file_header_start_size bytes (fewer only at the end of the file).
// Throws truncated, not_gpz, unsupported_version (of a frame array, too), limit_exceeded.
std::size_t file_header_length(const std::uint8_t *bytes, std::size_t size);

// The required features of the chunks of a frame array, from its first file_start_size bytes. Throws as
// file_header_length; unsupported for the bytes of a file.
std::uint32_t frame_array_features(const std::uint8_t *bytes, std::size_t size);

// `size`: result of file_header_length(). Throws corrupt.
Metadata parse_file_header(const std::uint8_t *bytes, std::size_t size);

// The first record_start_size bytes of a record.
struct RecordStart {
  std::uint32_t type = 0;
  std::uint32_t head_length = 0;
  std::uint64_t length = 0;  // of the whole record

  std::uint64_t prefix_length() const { return record_start_size + std::uint64_t{head_length} + checksum_size; }
  std::uint64_t body_length() const { return length - prefix_length() - trailer_size; }
  std::uint64_t trailer_offset() const { return length - trailer_size; }
  bool is_known() const { return type == frame_type || type == index_type; }
  bool may_be_skipped() const { return (type & optional_type_bit) != 0; }
};

// Returns nothing if the marker is missing or the lengths contradict each other. Whether they are right is checked by
// head_holds.
std::optional<RecordStart> parse_record_start(const std::uint8_t *bytes);

// `prefix`: the first start.prefix_length() bytes of a record.
std::uint64_t head_checksum(const std::uint8_t *prefix, const RecordStart &start);  // as stored
bool head_holds(const std::uint8_t *prefix, const RecordStart &start);

// Head checksum from the trailer_size bytes at `trailer`; nothing if they do not end a record of this length.
std::optional<std::uint64_t> checksum_in_trailer(const std::uint8_t *trailer, const RecordStart &start);

// Length of the record that ends with `trailer`; nothing if it is not the end of a record.
std::optional<std::uint64_t> length_in_trailer(const std::uint8_t *trailer);

struct FrameHead {
  FrameInfo info;
  std::vector<ChunkEntry> chunks;
  std::uint64_t checksum = 0;  // of the head; filled in by the caller
};
FrameHead parse_frame_head(const std::uint8_t *head, std::size_t size, std::uint64_t body_length);

// Throw corrupt unless the bytes, or bytes with this checksum, match the chunk's entry.
void require_checksum(const ChunkEntry &chunk, const std::uint8_t *bytes);
void require_checksum(const ChunkEntry &chunk, std::uint64_t checksum);

// Parses the beginning of a frame head. The caller fills in `offset` and `length`.
IndexEntry parse_frame_summary(const std::uint8_t *head, std::size_t size);

std::vector<IndexEntry> parse_index_head(const std::uint8_t *head, std::size_t size);

}  // namespace gpz::format
