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

bool read_record(const DirectoryShape &shape, const std::uint32_t *directory, std::uint64_t block,
                 BlockRecord &record) {
  std::uint64_t at = block * core::record_bits(shape);
  const std::uint8_t *width = shape.width;
  const auto next = [&] {
    const std::uint64_t item = core::get_bits(directory, at, *width);
    at += *width++;
    return item;
  };
  record = BlockRecord{};
  const std::uint64_t mode = next();
  if (mode > 3) return false;
  record.mode = static_cast<core::Mode>(mode);
  for (int d = 0; d < shape.components; ++d) record.min[d] = shape.base[d] + next();
  for (int d = 0; d < shape.components; ++d) record.extent[d] = next();
  const bool sorted = record.mode == core::Mode::runs || record.mode == core::Mode::elias_fano;
  for (int d = 0; d < shape.components; ++d) {
    const std::uint64_t shift = next();
    if (shift > 63 || (shift != 0 && !sorted)) return false;
    record.shift[d] = static_cast<std::uint8_t>(shift);
  }
  const std::uint64_t runs = next();
  const std::uint64_t gap_width = next();
  const std::uint64_t count_width = next();
  const std::uint64_t exceptions = next();
  if (runs > core::max_block_size || gap_width > 17 || count_width > 16) return false;
  if (record.mode != core::Mode::runs && (runs | gap_width | count_width) != 0) return false;
  if (exceptions > std::uint64_t{core::max_block_size} * core::max_components) return false;
  record.runs = static_cast<std::uint32_t>(runs);
  record.gap_width = static_cast<std::uint8_t>(gap_width);
  record.count_width = static_cast<std::uint8_t>(count_width);
  record.exceptions = static_cast<std::uint32_t>(exceptions);
  return true;
}

}  // namespace gpz::format
