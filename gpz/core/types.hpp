// SPDX-License-Identifier: BSD-3-Clause
// Plain data shared between instruction sets and between host and device. No functions: they would differ per
// instruction set.
#pragma once

#include <cstdint>

namespace gpz::core {

// Particles in a block: one warp with 32 particles per lane (paper, section 5.3).
inline constexpr std::uint32_t default_block_size = 1024;
inline constexpr std::uint32_t max_block_size = 4096;
inline constexpr int max_components = 3;

// Largest magnitude of a grid index (docs/format.md, section 7). Doubles represent indices and sums of two exactly.
inline constexpr std::int64_t max_index = (std::int64_t{1} << 51) - 1;

// Largest widths, in bits, of gaps and lengths of runs in sorted blocks (docs/format.md, section 6).
inline constexpr int max_gap_width = 17;
inline constexpr int max_count_width = 16;

// Coding of a block (docs/format.md, section 5).
enum class Mode : std::uint8_t { runs = 0, elias_fano = 1, plain = 2, exact = 3 };

// Value type of a key; numbered as gpz::ValueType.
enum class Value : std::uint8_t { integer = 1, float32 = 2, float64 = 3 };

// Directory entry of a block. The payload length follows from it.
struct BlockRecord {
  Mode mode = Mode::plain;
  std::uint64_t min[max_components] = {};     // smallest key
  std::uint64_t extent[max_components] = {};  // largest key less smallest
  std::uint8_t shift[max_components] = {};    // log2 of the segment size
  std::uint8_t gap_width = 0;                 // bits, mode runs
  std::uint8_t count_width = 0;               // bits, mode runs
  std::uint32_t runs = 0;
  std::uint32_t exceptions = 0;
};

inline constexpr int max_record_items = 5 + 3 * max_components;

// Item widths in bits for all records of a section, and the bases added to their min items.
struct DirectoryShape {
  int components = 0;
  std::uint8_t width[max_record_items] = {};
  std::uint64_t base[max_components] = {};
};

// Grid that a field's values are rounded to. Step 0 means lossless.
struct Grid {
  double step = 0;
  double inverse_step = 0;
  double bound = 0;
  bool only_its_values = false;  // accept only values that the grid restores bit for bit
};

}  // namespace gpz::core
