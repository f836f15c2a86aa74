// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/lanes/words.hpp"

#include <memory>

namespace gpz::lanes {

namespace {

bool is_side(std::int32_t context) { return context >= codec::StepItems::side; }

}  // namespace

void Counts::add(const codec::StepItems *items, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t l = 0; l < core::step_lanes; ++l) {
      const std::int32_t context = items[k].context[l], number = items[k].number[l];
      if (context == codec::StepItems::nothing) continue;
      if (is_side(context)) {
        ++sides[static_cast<std::size_t>(context - codec::StepItems::side)][static_cast<std::size_t>(number)];
        continue;
      }
      const auto p = static_cast<std::size_t>(context);
      const int token = number >> core::step_bits_of_context(p);
      const bool is_escape = token < lowest_token || token > core::step_last_token;
      ++contexts[p][is_escape ? step_tokens : static_cast<std::size_t>(token - lowest_token)];
    }
}

void Counts::add(const Counts &other) {
  for (std::size_t p = 0; p < contexts.size(); ++p) {
    if (!has_numbers(other.contexts[p])) continue;
    for (std::size_t t = 0; t < contexts[p].size(); ++t) contexts[p][t] += other.contexts[p][t];
  }
  for (std::size_t l = 0; l < sides.size(); ++l)
    for (std::size_t s = 0; s < 2; ++s) sides[l][s] += other.sides[l][s];
}

Shares::Shares(const Codes &codes) : entries_(core::step_contexts * codec::StepShares::tokens) {
  const auto entry_of = [](std::uint32_t start, std::uint32_t frequency) { return start | frequency << 16; };
  for (std::size_t p = 0; p < core::step_contexts; ++p) {
    const ContextCodes &of = codes.codes_of(p);
    std::uint32_t *const entries = entries_.data() + p * codec::StepShares::tokens;
    std::uint32_t start = 0;
    for (std::size_t t = 0; t < of.frequency.size(); ++t) {
      entries[static_cast<std::size_t>(of.first - lowest_token) + t] = entry_of(start, of.frequency[t]);
      start += of.frequency[t];
    }
    entries[codec::StepShares::tokens - 1] = entry_of(start, core::step_table_size - start);
  }
  for (std::size_t l = 0; l < near_.size(); ++l) near_[l] = codes.near(l);
}

void Shares::encode(std::size_t steps, const codec::StepItems *items, std::size_t count,
                    std::vector<std::uint16_t> &words, const codec::StepKernels &kernels) const {
  // Words are written from the end on: most of this memory is never touched.
  const std::size_t most = (count + 1) * codec::step_most_item_words;
  const std::unique_ptr<std::uint16_t[]> room(new std::uint16_t[most]);
  std::uint16_t *const end = room.get() + most;
  const std::size_t size = kernels.encode(for_kernels(), steps, items, count, end);
  words.assign(end - size, end);
}

}  // namespace gpz::lanes
