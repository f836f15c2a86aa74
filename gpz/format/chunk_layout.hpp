// The bytes around the blocks of a chunk: chunk header, section header, directory (docs/format.md, sections 4 and 5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/core/types.hpp"

namespace gpz::format {

inline constexpr std::size_t chunk_header_size = 8;

// Items of a block record: mode, min, extent and shift of each component, runs, gap width, count width, exceptions.
inline constexpr int record_items(int components) { return 5 + 3 * components; }
inline constexpr int max_record_items = 5 + 3 * core::max_components;

// Widths of the items of all records of a section, and what is added to their min items.
struct DirectoryShape {
  int components = 0;
  std::uint8_t width[max_record_items] = {};
  std::uint64_t base[core::max_components] = {};

  std::uint32_t record_bits() const;
  std::size_t header_size() const;                         // of the section header, bytes
  std::size_t directory_size(std::uint64_t blocks) const;  // bytes; overflow-free for blocks < 2^40
};

// The narrowest shape for these records.
DirectoryShape shape_of(const std::vector<core::BlockRecord> &records, int components);

// Appends section header and directory.
void append_directory(const DirectoryShape &shape, const std::vector<core::BlockRecord> &records,
                      std::vector<std::uint8_t> &bytes);

// Reads a section header of `size` bytes at most; false if it does not fit or contradicts the format.
bool read_shape(const std::uint8_t *bytes, std::size_t size, int components, DirectoryShape &shape);

// Record `block` of the directory; false if an item contradicts the format.
bool read_record(const DirectoryShape &shape, const std::uint32_t *directory, std::uint64_t block,
                 core::BlockRecord &record);

}  // namespace gpz::format
