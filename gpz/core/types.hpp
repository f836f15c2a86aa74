// SPDX-License-Identifier: BSD-3-Clause
// Plain data of the codec that crosses the border between instruction sets and between host and device: no functions
// here.
#pragma once

#include <cstdint>

namespace gpz::core {

// Particles in a block: one warp with 32 particles a lane (paper section 5.3).
inline constexpr std::uint32_t default_block_size = 1024;
inline constexpr std::uint32_t max_block_size = 4096;
inline constexpr int max_components = 3;

// Grid indices are at most this in magnitude (docs/format.md, section 7): doubles hold them, and sums of two.
inline constexpr std::int64_t max_index = (std::int64_t{1} << 51) - 1;

// Of runs in sorted blocks (docs/format.md, section 6): bits of a gap and of a length.
inline constexpr int max_gap_width = 17;
inline constexpr int max_count_width = 16;

// How a block is coded (docs/format.md, section 5).
enum class Mode : std::uint8_t { runs = 0, elias_fano = 1, plain = 2, exact = 3 };

// The kind of value behind a key; the same numbers as gpz::ValueType.
enum class Value : std::uint8_t { integer = 1, float32 = 2, float64 = 3 };

// What the directory stores about a block; its payload length follows from it.
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

// Widths in bits of the items of all records of a section, and what is added to their min items.
struct DirectoryShape {
  int components = 0;
  std::uint8_t width[max_record_items] = {};
  std::uint64_t base[max_components] = {};
};

// The grid that values of a field are rounded to; step 0 stands for lossless.
struct Grid {
  double step = 0;
  double inverse_step = 0;
  double bound = 0;
  bool only_its_values = false;  // it holds no others than those that it gives back bit for bit
};

}  // namespace gpz::core
