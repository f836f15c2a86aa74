// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/format/chunk_layout.hpp"

#include <algorithm>
#include <cstring>

#include "gpz/core/directory.hpp"

namespace gpz::format {

using core::BlockRecord;
using core::DirectoryShape;

DirectoryShape shape_of(const std::vector<BlockRecord> &records, int components) {
  DirectoryShape shape;
  shape.components = components;
  for (int d = 0; d < components; ++d) {
    std::uint64_t base = ~std::uint64_t{0};
    for (const auto &record : records) base = std::min(base, record.min[d]);
    shape.base[d] = base;
  }
  std::uint64_t all[core::max_record_items] = {};
  for (const auto &record : records)
    for (int i = 0; i < core::record_items(components); ++i) all[i] |= core::record_item(record, shape, i);
  for (int i = 0; i < core::record_items(components); ++i)
    shape.width[i] = static_cast<std::uint8_t>(core::bit_length(all[i]));
  return shape;
}

void append_directory(const DirectoryShape &shape, const std::vector<BlockRecord> &records,
                      std::vector<std::uint8_t> &bytes) {
  const std::size_t begin = bytes.size();
  const int items = core::record_items(shape.components);
  bytes.insert(bytes.end(), shape.width, shape.width + items);
  bytes.resize(begin + core::section_widths_size(shape.components));
  const auto *base = reinterpret_cast<const std::uint8_t *>(shape.base);
  bytes.insert(bytes.end(), base, base + shape.components * 8);

  std::vector<std::uint32_t> words(core::directory_size(shape, records.size()) / 4);
  std::uint64_t at = 0;
  for (const auto &record : records) {
    for (int i = 0; i < items; ++i) {
      core::put_bits(words.data(), at, shape.width[i], core::record_item(record, shape, i));
      at += shape.width[i];
    }
  }
  const auto *raw = reinterpret_cast<const std::uint8_t *>(words.data());
  bytes.insert(bytes.end(), raw, raw + words.size() * 4);
}

bool read_shape(const std::uint8_t *bytes, std::size_t size, int components, DirectoryShape &shape) {
  shape.components = components;
  if (size < core::section_header_size(components)) return false;
  const auto items = static_cast<std::size_t>(core::record_items(components));
  const std::size_t padded = core::section_widths_size(components);
  std::memcpy(shape.width, bytes, items);
  for (std::size_t i = 0; i < items; ++i)
    if (shape.width[i] > 64) return false;
  for (std::size_t i = items; i < padded; ++i)
    if (bytes[i] != 0) return false;
  std::memcpy(shape.base, bytes + padded, static_cast<std::size_t>(components) * 8);
  return true;
}

}  // namespace gpz::format
