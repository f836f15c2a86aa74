// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/lanes/codes.hpp"

#include <algorithm>
#include <cmath>

#include "gpz/codec/functions.hpp"
#include "gpz/codec/memory.hpp"
#include "gpz/lanes/stream.hpp"

namespace gpz::lanes {

namespace {

constexpr std::uint32_t all_slots = core::step_table_size;

// Contexts of the stored tables.
constexpr unsigned context_of_gap = 0, context_of_first = 1, context_of_count = 2, context_of_side = 3,
                   context_of_weight = 4, context_of_level = 5, context_of_frequency = 6,
                   contexts = context_of_frequency + 11;
unsigned context_after(std::uint32_t frequency) {
  return context_of_frequency + static_cast<unsigned>(core::bit_length(frequency));
}

}  // namespace

Codes::Codes() : contexts_(core::step_contexts), is_stored_(core::step_contexts), is_filled_(core::step_contexts) {
  sides_.fill(1U << (core::step_side_bits - 1));
}

void Codes::choose(const std::vector<ContextCounts> &counts,
                   const std::array<std::array<std::uint32_t, 2>, core::step_side_levels> &sides) {
  for (std::size_t kind = 0; kind < shapes_.size(); ++kind) {
    shapes_[kind].fit(counts, kind);
    levels_[kind] = {};
    for (std::size_t p = kind * contexts_of_kind; p < (kind + 1) * contexts_of_kind; ++p) {
      if (!has_numbers(counts[p])) continue;
      levels_[kind].take(static_cast<unsigned>(p / core::step_parts % core::step_levels));
    }
  }
  derive();
  for (std::size_t p = 0; p < contexts_.size(); ++p) {
    if (!has_numbers(counts[p])) continue;
    const ContextCodes own = shapes_[p / contexts_of_kind].codes_of(p, counts[p]);
    if (own.frequency.empty()) continue;
    // About, as stored.
    constexpr double bits_of_table = 24, bits_of_frequency = 6.5;
    const double stored = bits_of_table + bits_of_frequency * static_cast<double>(own.frequency.size());
    if (own.cost_of(counts[p]) + stored >= contexts_[p].cost_of(counts[p])) continue;
    contexts_[p] = own;
    is_stored_[p] = true;
  }
  for (std::size_t l = 0; l < sides.size(); ++l) {
    const double near = sides[l][0] + 2, other = sides[l][1] + 1;
    const long share = std::lround(near / (near + other) * (1 << core::step_side_bits));
    sides_[l] = static_cast<std::uint32_t>(std::clamp(share, 1L, (1L << core::step_side_bits) - 1));
  }
}

// The tables that follow from the shapes; no others.
void Codes::derive() {
  is_stored_.assign(contexts_.size(), false);
  for (std::size_t p = 0; p < contexts_.size(); ++p) {
    const auto level = static_cast<unsigned>(p / core::step_parts % core::step_levels);
    const bool has_parts = level <= core::step_most_parted;
    const std::size_t kind = p / contexts_of_kind;
    if (!levels_[kind].has(level) || (!has_parts && p % core::step_parts != 0))
      contexts_[p].frequency.clear();
    else
      contexts_[p] = shapes_[kind].codes_of(p);
  }
}

double Codes::cost_of(const std::vector<ContextCounts> &counts,
                      const std::array<std::array<std::uint32_t, 2>, core::step_side_levels> &sides) const {
  double bits = 0;
  const auto cost = [](double slots, int all_bits) { return all_bits - codec::log2_of(slots); };
  for (std::size_t p = 0; p < contexts_.size(); ++p) bits += contexts_[p].cost_of(counts[p]);
  for (std::size_t l = 0; l < sides.size(); ++l) {
    bits += sides[l][0] * cost(sides_[l], core::step_side_bits);
    bits += sides[l][1] * cost((1U << core::step_side_bits) - sides_[l], core::step_side_bits);
  }
  return bits;
}

void Codes::fill() {
  constexpr std::uint32_t escape = std::uint32_t{core::step_escape} << 24;
  if (entries_.empty()) {
    entries_.resize(std::size_t{core::step_contexts} * all_slots);
    is_filled_.assign(core::step_contexts, true);
  }
  for (std::size_t p = 0; p < contexts_.size(); ++p) {
    const ContextCodes &codes = contexts_[p];
    if (codes.frequency.empty() && !is_filled_[p]) continue;
    is_filled_[p] = !codes.frequency.empty();
    std::uint32_t *entry = entries_.data() + p * all_slots;
    for (std::size_t t = 0; t < codes.frequency.size(); ++t) {
      const auto token = static_cast<std::uint32_t>(codes.first + static_cast<int>(t));
      for (std::uint32_t s = 0; s < codes.frequency[t]; ++s) *entry++ = token << 24 | s << 12 | codes.frequency[t];
    }
    const std::uint32_t rest = codes.of_escape();
    for (std::uint32_t s = 0; s < rest; ++s) *entry++ = escape | s << 12 | rest;
  }
}

void Codes::append(std::vector<std::uint8_t> &bytes) const {
  NumberWriter numbers(contexts);
  for (const std::uint32_t side : sides_) numbers.put(context_of_side, side);
  for (std::size_t kind = 0; kind < shapes_.size(); ++kind) {
    for (const std::uint8_t weight : shapes_[kind].weights()) numbers.put(context_of_weight, weight);
    numbers.put(context_of_level, levels_[kind].first);
    numbers.put(context_of_level, levels_[kind].count);
  }
  std::uint32_t gap = 0;
  for (std::size_t p = 0; p < contexts_.size(); ++p) {
    const ContextCodes &codes = contexts_[p];
    if (!is_stored_[p]) {
      ++gap;
      continue;
    }
    numbers.put(context_of_gap, gap);
    gap = 0;
    numbers.put_signed(context_of_first, codes.first);
    numbers.put(context_of_count, static_cast<std::uint32_t>(codes.frequency.size()));
    std::uint32_t before = 0;
    for (const std::uint16_t f : codes.frequency) {
      numbers.put(context_after(before), f);
      before = f;
    }
  }
  numbers.put(context_of_gap, gap);
  numbers.append(bytes);
}

std::size_t Codes::read(const std::uint8_t *bytes, std::size_t size) {
  NumberReader numbers(bytes, size, contexts);
  for (std::uint32_t &side : sides_) {
    side = numbers.get(context_of_side, (1U << core::step_side_bits) - 1);
    if (side == 0) format::corrupt("share of a side", 0);
  }
  for (std::size_t kind = 0; kind < shapes_.size(); ++kind) {
    for (std::uint8_t &weight : shapes_[kind].weights())
      weight = static_cast<std::uint8_t>(numbers.get(context_of_weight, Shape::most_weight));
    levels_[kind].first = numbers.get(context_of_level, core::step_levels);
    levels_[kind].count = numbers.get(context_of_level, core::step_levels - levels_[kind].first);
  }
  derive();
  for (std::size_t p = 0; p < contexts_.size(); ++p) {
    p += numbers.get(context_of_gap, static_cast<std::uint32_t>(contexts_.size() - p));
    if (p == contexts_.size()) break;
    ContextCodes &codes = contexts_[p];
    is_stored_[p] = true;
    codes.first = static_cast<std::int16_t>(numbers.get_signed(context_of_first, lowest_token, core::step_last_token));
    const std::uint32_t count =
        numbers.get(context_of_count, static_cast<std::uint32_t>(core::step_last_token - codes.first + 1));
    codes.frequency.resize(count);
    std::uint32_t before = 0, sum = 0;
    for (std::uint16_t &f : codes.frequency) {
      before = numbers.get(context_after(before), all_slots - 1 - sum);
      f = static_cast<std::uint16_t>(before);
      sum += before;
    }
    if (p + 1 == contexts_.size()) numbers.get(context_of_gap, 0);
  }
  const std::size_t end = numbers.end();
  fill();
  return end;
}

std::size_t Codes::memory_usage() const { return codec::memory_of(contexts_, entries_); }

}  // namespace gpz::lanes
