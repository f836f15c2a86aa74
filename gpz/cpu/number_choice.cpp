// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cpu/number_choice.hpp"

#include <algorithm>

namespace gpz::cpu {

namespace {

// 16 log2(x), rounded.
int sixteenths(std::uint64_t x) {
  const int length = core::bit_length(x);
  const std::uint64_t normal = length > 32 ? x >> (length - 32) : x << (32 - length);  // in [2^31, 2^32)
  int best = 0;
  for (int k = 1; k <= 16; ++k) {
    // 2^(31 + (k - 1/2) / 16), from the reciprocals of weight_of.
    const std::uint64_t at = (std::uint64_t{1} << 56) / core::weight_of(k);
    const std::uint64_t before = (std::uint64_t{1} << 56) / core::weight_of(k - 1);
    if (2 * normal >= at + before) best = k;
  }
  return 16 * (length - 1) + best;
}

NumberShape shape_of(const Histogram &histogram, int low) {
  std::array<std::uint64_t, core::number_tokens> count{};
  NumberShape shape;
  for (std::uint32_t r = 0; r < number_ranges; ++r) {
    if (histogram[r] == 0) continue;
    const std::uint32_t token = core::token_of(range_first(r) >> low);
    count[token] += histogram[r];
    shape.tokens = token + 1;
  }
  int first = 0;
  for (std::uint32_t i = 0; i < shape.tokens; ++i) {
    const int log = sixteenths(2 * count[i] + 1) - 16 * core::token_bits(i);
    if (i == 0) first = log;
    shape.density[i] = static_cast<std::int16_t>(log - first);
  }
  return shape;
}

}  // namespace

NumberTables choose_tables(const std::vector<Histogram> &contexts) {
  NumberTables tables;
  for (const Histogram &histogram : contexts) {
    ContextTable table;
    std::uint64_t n = 0;
    std::uint32_t median = 0;
    for (std::uint64_t h : histogram) n += h;
    if (n != 0 && tables.shapes.size() < 255) {
      for (std::uint64_t below = histogram[0]; 2 * below < n; below += histogram[++median]) continue;
      const int low = std::max(0, core::bit_length(range_first(median)) - 3);
      NumberShape shape = shape_of(histogram, low);
      std::uint32_t best = ~std::uint32_t{0};
      for (std::uint8_t k = 0; k < 8; ++k) {
        NumberShape with = shape;
        with.rice = k;
        if (description_bits(with) >= best) continue;
        best = description_bits(with);
        shape.rice = k;
      }
      tables.shapes.push_back(shape);
      table.shape = static_cast<std::uint8_t>(tables.shapes.size());
      table.scale = static_cast<std::int16_t>(8 * low);
    }
    tables.contexts.push_back(table);
  }
  return tables;
}

}  // namespace gpz::cpu
