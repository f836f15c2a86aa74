// SPDX-License-Identifier: BSD-3-Clause
// Header and directory of difference sections (docs/format.md, section 9). The directory has one record per block of
// residuals. Ordered sections (section 10) use the same records.
#pragma once

#include "gpz/core/directory.hpp"
#include "gpz/core/residual.hpp"
#include "gpz/core/triples.hpp"
#include "gpz/core/types.hpp"

namespace gpz::core {

// Directory entry of a block of residuals. The payload length follows from it.
struct ResidualRecord {
  ResidualCode code[max_components];
  bool triples = false;          // code[0] codes ranks (triples.hpp); others are unused
  std::uint32_t bitmap = 0;      // words of unary codes
  std::uint32_t margin = 0;      // largest distance beyond a periodic edge, in grid steps
  std::uint32_t flags = 0;       // words of bits that mark particles beyond an edge
  std::uint32_t exceptions = 0;  // raw indices
};

inline constexpr int max_residual_items = 2 * max_components + 4;
inline constexpr int max_residual_item_width = 32;  // bits

// First byte of a header. Three temporal coefficients follow, then the neighbour header if any, then the item widths.
inline constexpr std::uint8_t temporal_predictor = 1;
inline constexpr std::uint8_t neighbour_predictor = 2;
inline constexpr std::size_t coefficients_end = 4;

inline namespace GPZ_ISA {

// Items of a record: width and head of each component, words of the bitmap, margin, words of the flags, exceptions.
GPZ_HD int residual_items(int components) { return 2 * components + 4; }

// Bytes of a header whose widths begin at `widths_at`.
GPZ_HD std::uint64_t difference_header_size(std::uint64_t widths_at, int components) {
  return round_up_to_8(widths_at + static_cast<std::uint64_t>(residual_items(components)));
}

// True if `room` bytes hold the directory of `blocks` blocks. Does not overflow.
GPZ_HD bool directory_fits(std::uint32_t bits_of_record, std::uint64_t blocks, std::uint64_t room) {
  return (bits_of_record == 0 || blocks <= room * 8 / bits_of_record) && directory_size(bits_of_record, blocks) <= room;
}

// Selects codes without a run-time array index, so that GPUs keep the record in registers.
GPZ_HD std::uint32_t residual_item(const ResidualRecord &record, int components, int i) {
  if (i < 2 * components) {
    const int d = i < components ? i : i - components;
    const ResidualCode code = d == 0 ? record.code[0] : d == 1 ? record.code[1] : record.code[2];
    return i < components ? code.width : code.head + (d == 0 && record.triples ? triples_head : 0u);
  }
  i -= 2 * components;
  return i == 0 ? record.bitmap : i == 1 ? record.margin : i == 2 ? record.flags : record.exceptions;
}

// Reads the record of a block of n particles, whose items begin at bit `at` and have these widths (at most
// max_residual_item_width). Returns false if an item contradicts the format. Only difference sections may have triples.
GPZ_HD bool read_residual_record(const std::uint8_t *width, const std::uint32_t *directory, std::uint64_t at,
                                 int components, std::uint32_t n, bool may_have_triples, ResidualRecord &record) {
  std::uint32_t item[max_residual_items] = {};
  for (int i = 0; i < residual_items(components); ++i) {
    item[i] = static_cast<std::uint32_t>(get_bits(directory, at, width[i]));
    at += width[i];
  }
  record.triples = may_have_triples && components == max_components && item[components] >= triples_head;
  if (record.triples) item[components] -= triples_head;
  for (int d = 0; d < components; ++d) {
    const std::uint32_t bits = item[d];
    const std::uint32_t head = item[components + d];
    if (bits > max_residual_width || head > 3) return false;
    if (record.triples && d != 0 && (bits != 0 || head != 1)) return false;
    record.code[d] = {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(head)};
    if (!is_valid(record.code[d])) return false;
  }
  const std::uint32_t values = static_cast<std::uint32_t>(components) * n;
  record.bitmap = item[2 * components];
  record.margin = item[2 * components + 1];
  record.flags = item[2 * components + 2];
  record.exceptions = item[2 * components + 3];
  return record.margin <= INT32_MAX && record.flags <= words_for_bits(values) && record.exceptions <= values;
}

// Words of the payload of a block of n particles.
GPZ_HD std::uint64_t residual_words(const ResidualRecord &record, int components, std::uint32_t n) {
  std::uint64_t words = std::uint64_t{record.bitmap} + record.flags + std::uint64_t{record.exceptions} * 3;
  for (int d = 0; d < components; ++d) words += packed_words(n, record.code[d].width, lanes_of(n, default_block_size));
  return words;
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
