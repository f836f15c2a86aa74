#include "gpz/format/chunk_layout.hpp"

#include <algorithm>
#include <cstring>

#include "gpz/core/config.hpp"
#include "gpz/core/pack.hpp"

namespace gpz::format {
namespace {

// A record as the list of its items.
struct Items {
  std::uint64_t value[max_record_items];
};

Items items_of(const core::BlockRecord &record, const DirectoryShape &shape) {
  Items items{};
  const int n = shape.components;
  int at = 0;
  items.value[at++] = static_cast<std::uint64_t>(record.mode);
  for (int d = 0; d < n; ++d) items.value[at++] = record.min[d] - shape.base[d];
  for (int d = 0; d < n; ++d) items.value[at++] = record.extent[d];
  for (int d = 0; d < n; ++d) items.value[at++] = record.shift[d];
  items.value[at++] = record.runs;
  items.value[at++] = record.gap_width;
  items.value[at++] = record.count_width;
  items.value[at++] = record.exceptions;
  return items;
}

std::size_t round_up(std::size_t size) { return (size + 7) / 8 * 8; }

}  // namespace

std::uint32_t DirectoryShape::record_bits() const {
  std::uint32_t bits = 0;
  for (int i = 0; i < record_items(components); ++i) bits += width[i];
  return bits;
}

std::size_t DirectoryShape::header_size() const {
  return round_up(static_cast<std::size_t>(record_items(components))) + static_cast<std::size_t>(components) * 8;
}

std::size_t DirectoryShape::directory_size(std::uint64_t blocks) const {
  return static_cast<std::size_t>((blocks * record_bits() + 63) / 64 * 8);
}

DirectoryShape shape_of(const std::vector<core::BlockRecord> &records, int components) {
  DirectoryShape shape;
  shape.components = components;
  for (int d = 0; d < components; ++d) {
    std::uint64_t base = ~std::uint64_t{0};
    for (const auto &record : records) base = std::min(base, record.min[d]);
    shape.base[d] = base;
  }
  Items all{};
  for (const auto &record : records) {
    const Items items = items_of(record, shape);
    for (int i = 0; i < record_items(components); ++i) all.value[i] |= items.value[i];
  }
  for (int i = 0; i < record_items(components); ++i)
    shape.width[i] = static_cast<std::uint8_t>(core::bit_length(all.value[i]));
  return shape;
}

void append_directory(const DirectoryShape &shape, const std::vector<core::BlockRecord> &records,
                      std::vector<std::uint8_t> &bytes) {
  const std::size_t items = static_cast<std::size_t>(record_items(shape.components));
  bytes.insert(bytes.end(), shape.width, shape.width + items);
  bytes.resize(bytes.size() + round_up(items) - items);
  const auto *base = reinterpret_cast<const std::uint8_t *>(shape.base);
  bytes.insert(bytes.end(), base, base + shape.components * 8);

  std::vector<std::uint32_t> words(shape.directory_size(records.size()) / 4);
  std::uint64_t at = 0;
  for (const auto &record : records) {
    const Items list = items_of(record, shape);
    for (std::size_t i = 0; i < items; ++i) {
      core::put_bits(words.data(), at, shape.width[i], list.value[i]);
      at += shape.width[i];
    }
  }
  const auto *raw = reinterpret_cast<const std::uint8_t *>(words.data());
  bytes.insert(bytes.end(), raw, raw + words.size() * 4);
}

bool read_shape(const std::uint8_t *bytes, std::size_t size, int components, DirectoryShape &shape) {
  shape.components = components;
  const std::size_t items = static_cast<std::size_t>(record_items(components));
  if (size < shape.header_size()) return false;
  std::memcpy(shape.width, bytes, items);
  for (std::size_t i = 0; i < items; ++i)
    if (shape.width[i] > 64) return false;
  for (std::size_t i = items; i < round_up(items); ++i)
    if (bytes[i] != 0) return false;
  std::memcpy(shape.base, bytes + round_up(items), static_cast<std::size_t>(components) * 8);
  return true;
}

bool read_record(const DirectoryShape &shape, const std::uint32_t *directory, std::uint64_t block,
                 core::BlockRecord &record) {
  std::uint64_t at = block * shape.record_bits();
  Items items{};
  for (int i = 0; i < record_items(shape.components); ++i) {
    items.value[i] = core::get_bits(directory, at, shape.width[i]);
    at += shape.width[i];
  }
  int i = 0;
  record = core::BlockRecord{};
  const std::uint64_t mode = items.value[i++];
  if (mode > 3) return false;
  record.mode = static_cast<core::Mode>(mode);
  for (int d = 0; d < shape.components; ++d) record.min[d] = shape.base[d] + items.value[i++];
  for (int d = 0; d < shape.components; ++d) record.extent[d] = items.value[i++];
  const bool sorted = record.mode == core::Mode::runs || record.mode == core::Mode::elias_fano;
  for (int d = 0; d < shape.components; ++d) {
    const std::uint64_t shift = items.value[i++];
    if (shift > 63 || (shift != 0 && !sorted)) return false;
    record.shift[d] = static_cast<std::uint8_t>(shift);
  }
  const std::uint64_t runs = items.value[i++];
  const std::uint64_t gap_width = items.value[i++];
  const std::uint64_t count_width = items.value[i++];
  const std::uint64_t exceptions = items.value[i++];
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
