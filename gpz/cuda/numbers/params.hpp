// SPDX-License-Identifier: BSD-3-Clause
// Parameters of the kernels that encode number streams, and what one kernel leaves for the next. All pointers are to
// device memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpz::cuda {

// Numbers of an encoder, in device memory. Segment s has counts[s] items from items[begins[s]] on, fewer than
// most_of_segment. An item is that of codec::NumberSegment: a number in its low 32 bits, and above them a place in a
// table of contexts. Segments are in the order of their items and do not overlap; between them may be gaps.
struct DeviceNumbers {
  static constexpr std::uint64_t most_of_segment = std::uint64_t{1} << 29;

  std::uint64_t *items;
  const std::uint64_t *begins;
  const std::uint32_t *counts;
  std::uint32_t segments;
  std::uint64_t end;  // of the items of all segments, or more
};

struct DeviceLimits {
  unsigned processors;
  std::size_t shared_of_block;
};

struct TokenCount {
  DeviceNumbers numbers;
  const std::uint16_t *first_token;  // of the context of each place
  std::uint32_t places;
  std::uint32_t *counts;  // of the tokens of all contexts
  std::uint32_t tokens;
};

// codec::NumberSymbol in 8 bytes.
struct PackedSymbol {
  static constexpr unsigned start_bits = 12, frequency_bits = 13;

  std::uint32_t slots;       // start, frequency, raw bits
  std::uint32_t reciprocal;  // floor((2^32 - 1) / frequency)
};

// What is behind the states of a segment is in the place of its items (coded_items.cuh), except the last words and raw
// bits, which do not fill 8 bytes.
struct CodedSegment {
  std::uint32_t states[2];
  std::uint64_t last_words;  // the last four, the last one in the low bits
  std::uint64_t last_raw;
  std::uint64_t raw_bits;
  std::uint32_t words;
};

struct SegmentEncode {
  DeviceNumbers numbers;
  const std::uint32_t *first_symbol;  // of each place: the index of a symbol less its token, modulo 2^32
  std::uint32_t places;
  const PackedSymbol *symbols;
  std::uint32_t symbol_count;
  CodedSegment *coded;
  std::uint32_t *lengths;  // bytes
};

struct SegmentWrite {
  DeviceNumbers numbers;
  const CodedSegment *coded;
  const std::uint64_t *offsets;  // of each segment, bytes
  std::uint64_t *out;            // the first segment
};

}  // namespace gpz::cuda
