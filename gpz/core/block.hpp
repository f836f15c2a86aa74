// SPDX-License-Identifier: BSD-3-Clause
// Layout of a block's payload (docs/format.md, section 6). The layout follows from the block's record alone.
#pragma once

#include "gpz/core/config.hpp"
#include "gpz/core/keys.hpp"
#include "gpz/core/pack.hpp"
#include "gpz/core/segments.hpp"
#include "gpz/core/types.hpp"

namespace gpz::core {
inline namespace GPZ_ISA {

// True if the format allows this block size.
GPZ_HD bool is_block_size(std::uint32_t particles) {
  return particles >= 32 && particles <= max_block_size && particles % 32 == 0;
}

// Number of blocks; the last block may be shorter. Does not overflow for any `particles`.
GPZ_HD std::uint64_t blocks_of(std::uint64_t particles, std::uint32_t block_size = default_block_size) {
  return particles / block_size + (particles % block_size != 0 ? 1 : 0);
}

GPZ_HD std::uint32_t words_of_value(Value value) { return value == Value::float32 ? 1 : 2; }

// An exception is an index (one word) and the raw value.
GPZ_HD std::uint32_t words_of_exceptions(std::uint32_t exceptions, Value value) {
  return exceptions * (1 + words_of_value(value));
}

GPZ_HD std::uint32_t words_of_runs(std::uint32_t runs, int gap_width, int count_width) {
  return words_for_bits(runs * static_cast<std::uint32_t>(gap_width + count_width));
}

GPZ_HD std::uint32_t words_of_bitmap(std::uint32_t n, std::uint32_t segments) { return words_for_bits(n + segments); }

// True if the block's grid indices and exceptions take more words than its raw values. This rule keeps every block no
// larger than the caller's values, which bounds all buffers.
GPZ_HD bool exact_is_smaller(std::uint32_t plain_words, std::uint32_t exceptions, std::uint32_t n, int components,
                             Value value, std::uint32_t lanes) {
  const std::uint32_t raw =
      packed_words(n, 32 * static_cast<int>(words_of_value(value)), lanes) * static_cast<unsigned>(components);
  return plain_words + words_of_exceptions(exceptions, value) > raw;
}

// True if a field may use this coding. Plain needs a grid; sorted modes also need the leading field.
GPZ_HD bool mode_is_allowed(Mode mode, bool on_grid, bool leading) {
  if (mode == Mode::exact) return true;
  return on_grid && (mode == Mode::plain || leading);
}

// True if every key of the block is a valid key and min + extent does not wrap around. Grid indices stay below 2^51 in
// magnitude, where index_from() is exact.
GPZ_HD bool keys_in_range(const BlockRecord &record, int components, Value value) {
  const std::uint64_t zero_index = key_of(std::int64_t{0});
  const std::uint64_t reach = max_index;
  const bool exact = record.mode == Mode::exact;
  const std::uint64_t lowest = exact ? 0 : zero_index - reach;
  const std::uint64_t highest = !exact ? zero_index + reach : value == Value::float32 ? 0xFFFFFFFFu : ~std::uint64_t{0};
  for (int d = 0; d < components; ++d)
    if (record.min[d] < lowest || record.min[d] > highest || record.extent[d] > highest - record.min[d]) return false;
  return true;
}

// Run k of a block of mode runs (docs/format.md, section 6).
struct Run {
  std::uint32_t gap = 0;    // empty segments before it
  std::uint32_t count = 0;  // particles
};
GPZ_HD Run read_run(const BlockRecord &record, const std::uint32_t *words, std::uint32_t k) {
  const int width = record.gap_width + record.count_width;
  const std::uint64_t item = get_bits(words, static_cast<std::uint64_t>(k) * static_cast<unsigned>(width), width);
  return {static_cast<std::uint32_t>(item & low_mask(record.gap_width)),
          static_cast<std::uint32_t>(item >> record.gap_width) + 1};
}

struct BlockLayout {
  std::uint32_t lanes = 0;
  Segments segments;              // modes runs, elias_fano
  std::uint32_t order_words = 0;  // runs or bitmap, at word 0
  std::uint32_t value_words = 0;  // then offsets, or keys of all components
  std::uint32_t exception_words = 0;

  GPZ_HD std::uint32_t total() const { return order_words + value_words + exception_words; }
};

// Returns false if the record contradicts the format. After true, every part of the layout lies within total() words.
GPZ_HD bool block_layout(const BlockRecord &record, int components, Value value, std::uint32_t n,
                         std::uint32_t block_size, BlockLayout &out) {
  out.lanes = lanes_of(n, block_size);
  if (!keys_in_range(record, components, value)) return false;
  if (record.exceptions > n * static_cast<unsigned>(components)) return false;
  if (record.exceptions != 0 && record.mode == Mode::exact) return false;
  out.exception_words = words_of_exceptions(record.exceptions, value);
  out.order_words = 0;
  out.value_words = 0;
  switch (record.mode) {
    case Mode::runs:
      // Reject runs that cannot hold n particles here, before memory is allocated for decoding.
      if (record.runs == 0 || record.runs > n || (std::uint64_t{record.runs} << record.count_width) < n ||
          record.gap_width > max_gap_width || record.count_width > max_count_width)
        return false;
      if (!make_segments(record.extent, record.shift, 2 * block_size, out.segments)) return false;
      out.order_words = words_of_runs(record.runs, record.gap_width, record.count_width);
      out.value_words = packed_words(n, out.segments.offset_width, out.lanes);
      return true;
    case Mode::elias_fano:
      if (!make_segments(record.extent, record.shift, 2 * block_size, out.segments)) return false;
      out.order_words = words_of_bitmap(n, out.segments.count);
      out.value_words = packed_words(n, out.segments.offset_width, out.lanes);
      return true;
    case Mode::plain:
    case Mode::exact:
      for (int d = 0; d < components; ++d) out.value_words += packed_words(n, bit_length(record.extent[d]), out.lanes);
      return true;
  }
  return false;
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
