// SPDX-License-Identifier: BSD-3-Clause
// The directory of a section: block records as bit strings (docs/format.md, section 5).
#pragma once

#include "gpz/core/config.hpp"
#include "gpz/core/pack.hpp"
#include "gpz/core/segments.hpp"
#include "gpz/core/types.hpp"

namespace gpz::core {
inline namespace GPZ_ISA {

// Items of a record: mode, min, extent and shift of each component, runs, gap width, count width, exceptions.
GPZ_HD int record_items(int components) { return 5 + 3 * components; }

GPZ_HD std::uint64_t record_item(const BlockRecord &record, const DirectoryShape &shape, int i) {
  if (i == 0) return static_cast<std::uint64_t>(record.mode);
  i -= 1;
  if (i < shape.components) return record.min[i] - shape.base[i];
  i -= shape.components;
  if (i < shape.components) return record.extent[i];
  i -= shape.components;
  if (i < shape.components) return record.shift[i];
  i -= shape.components;
  return i == 0 ? record.runs : i == 1 ? record.gap_width : i == 2 ? record.count_width : record.exceptions;
}

GPZ_HD std::uint32_t record_bits(const DirectoryShape &shape) {
  std::uint32_t bits = 0;
  for (int i = 0; i < record_items(shape.components); ++i) bits += shape.width[i];
  return bits;
}

GPZ_HD std::uint64_t round_up_to_8(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

// Bytes of the section header: widths, padding, bases.
GPZ_HD std::uint64_t section_widths_size(int components) {
  return round_up_to_8(static_cast<std::uint64_t>(record_items(components)));
}
GPZ_HD std::uint64_t section_header_size(int components) {
  return section_widths_size(components) + static_cast<std::uint64_t>(components) * 8;
}

// `blocks` < 2^40.
GPZ_HD std::uint64_t directory_size(std::uint32_t bits_of_record, std::uint64_t blocks) {
  return (blocks * bits_of_record + 63) / 64 * 8;
}
GPZ_HD std::uint64_t directory_size(const DirectoryShape &shape, std::uint64_t blocks) {
  return directory_size(record_bits(shape), blocks);
}

GPZ_HD std::uint64_t next_item(const DirectoryShape &shape, const std::uint32_t *directory, std::uint64_t &at,
                               int &item) {
  const int width = shape.width[item++];
  const std::uint64_t value = get_bits(directory, at, width);
  at += static_cast<unsigned>(width);
  return value;
}

// Reads record `block` of the directory. Returns false if an item contradicts the format.
GPZ_HD bool read_record(const DirectoryShape &shape, const std::uint32_t *directory, std::uint64_t block,
                        BlockRecord &record) {
  std::uint64_t at = block * record_bits(shape);
  int item = 0;
  record = BlockRecord{};
  const std::uint64_t mode = next_item(shape, directory, at, item);
  if (mode > 3) return false;
  record.mode = static_cast<Mode>(mode);
  for (int d = 0; d < shape.components; ++d) record.min[d] = shape.base[d] + next_item(shape, directory, at, item);
  for (int d = 0; d < shape.components; ++d) record.extent[d] = next_item(shape, directory, at, item);
  for (int d = 0; d < shape.components; ++d) {
    const std::uint64_t shift = next_item(shape, directory, at, item);
    if (shift > 63 || (shift != 0 && !is_sorted(record.mode))) return false;
    record.shift[d] = static_cast<std::uint8_t>(shift);
  }
  const std::uint64_t runs = next_item(shape, directory, at, item);
  const std::uint64_t gap_width = next_item(shape, directory, at, item);
  const std::uint64_t count_width = next_item(shape, directory, at, item);
  const std::uint64_t exceptions = next_item(shape, directory, at, item);
  if (runs > max_block_size || gap_width > max_gap_width || count_width > max_count_width) return false;
  if (record.mode != Mode::runs && (runs | gap_width | count_width) != 0) return false;
  if (exceptions > std::uint64_t{max_block_size} * max_components) return false;
  record.runs = static_cast<std::uint32_t>(runs);
  record.gap_width = static_cast<std::uint8_t>(gap_width);
  record.count_width = static_cast<std::uint8_t>(count_width);
  record.exceptions = static_cast<std::uint32_t>(exceptions);
  return true;
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
