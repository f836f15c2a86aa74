// SPDX-License-Identifier: BSD-3-Clause
// Codes one column of a table: 64-bit integers as residuals from the row before or the column before (docs/format.md,
// section 11a).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/format/budget.hpp"

namespace gpz::codec {

// State shared by encoder and decoder: the columns of a table are coded in their order.
class TableColumns {
 public:
  explicit TableColumns(std::size_t rows) : rows_(rows) {}

  // Appends the column, a multiple of 8 bytes: the smallest of all codings. Throws std::bad_alloc.
  void encode(const std::int64_t *values, std::vector<std::uint8_t> &bytes);
  // Decodes a column of exactly `size` bytes, and returns its values. Throws corrupt, limit_exceeded.
  format::Column<std::int64_t> decode(const std::uint8_t *bytes, std::size_t size);

 private:
  void next(const std::int64_t *residuals, const std::int64_t *values);

  std::size_t rows_;
  format::Column<std::int64_t> before_;   // the column before; empty in front of the first one
  format::Column<std::int64_t> classes_;  // of each row, by the residuals of all columns before
};

}  // namespace gpz::codec
