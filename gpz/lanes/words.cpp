// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/lanes/words.hpp"

#include <algorithm>

namespace gpz::lanes {

namespace {

bool is_side(std::int32_t place) { return place >= codec::StepItems::side; }

}  // namespace

void Counts::add(const codec::StepItems *items, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t l = 0; l < core::step_lanes; ++l) {
      const std::int32_t place = items[k].place[l], number = items[k].number[l];
      if (place == codec::StepItems::nothing) continue;
      if (is_side(place)) {
        ++sides[static_cast<std::size_t>(place - codec::StepItems::side)][static_cast<std::size_t>(number)];
        continue;
      }
      const auto p = static_cast<std::size_t>(place);
      const int token = number >> core::step_bits_of_place(p);
      const bool is_escape = token < lowest_token || token > core::step_last_token;
      ++places[p][is_escape ? step_tokens : static_cast<std::size_t>(token - lowest_token)];
    }
}

void Counts::add(const Counts &other) {
  for (std::size_t p = 0; p < places.size(); ++p)
    for (std::size_t t = 0; t < places[p].size(); ++t) places[p][t] += other.places[p][t];
  for (std::size_t l = 0; l < sides.size(); ++l)
    for (std::size_t s = 0; s < 2; ++s) sides[l][s] += other.sides[l][s];
}

Shares::Shares(const Codes &codes) : share_(core::step_places * row) {
  for (std::size_t p = 0; p < core::step_places; ++p) {
    const PlaceCodes &of = codes.of(p);
    Share *const shares = share_.data() + p * row;
    std::uint32_t start = 0;
    for (std::size_t t = 0; t < of.frequency.size(); ++t) {
      shares[static_cast<std::size_t>(of.first - lowest_token) + t] = {static_cast<std::uint16_t>(start),
                                                                       of.frequency[t]};
      start += of.frequency[t];
    }
    shares[row - 1] = {static_cast<std::uint16_t>(start), static_cast<std::uint16_t>(core::step_table_size - start)};
  }
  for (std::size_t l = 0; l < near_.size(); ++l) near_[l] = codes.near(l);
}

void Shares::encode(const codec::StepItems *items, std::size_t count, std::vector<std::uint16_t> &words) const {
  // From the last number to the first, in the reverse order of what a decoder takes.
  std::array<std::uint32_t, core::step_lanes> state;
  state.fill(1U << 16);
  words.clear();
  const auto put = [&](std::uint32_t &x, std::uint32_t start, std::uint32_t frequency, int bits) {
    x = (x / frequency << bits) + x % frequency + start;
  };
  const auto spill = [&](std::uint32_t &x, std::uint64_t most) {
    if (x < most) return;
    words.push_back(static_cast<std::uint16_t>(x));
    x >>= 16;
  };
  std::array<Share, core::step_lanes> share;
  std::array<std::uint8_t, core::step_lanes> bits;
  std::array<bool, core::step_lanes> is_escape;
  for (std::size_t k = count; k-- > 0;) {
    const codec::StepItems &item = items[k];
    // In a step, all lanes that are in use have a component, or all that have a side.
    bool sides = false, any_escape = false, any_more = false;
    for (std::size_t l = 0; l < core::step_lanes; ++l) {
      const std::int32_t place = item.place[l];
      share[l] = {};
      is_escape[l] = false;
      bits[l] = 0;
      if (place == codec::StepItems::nothing) continue;
      if (is_side(place)) {
        sides = true;
        const std::uint32_t near = near_[static_cast<std::size_t>(place - codec::StepItems::side)];
        const std::uint32_t frequency = item.number[l] == 0 ? near : (1U << core::step_side_bits) - near;
        share[l] = {static_cast<std::uint16_t>(item.number[l] == 0 ? 0 : near), static_cast<std::uint16_t>(frequency)};
        continue;
      }
      const auto p = static_cast<std::size_t>(place);
      bits[l] = static_cast<std::uint8_t>(core::step_bits_of_place(p));
      const int token = item.number[l] >> bits[l];
      const Share *const of = share_.data() + p * row;
      if (token >= lowest_token && token <= core::step_last_token) share[l] = of[token - lowest_token];
      if (share[l].frequency == 0) {
        share[l] = of[row - 1];
        bits[l] = 0;
        is_escape[l] = any_escape = true;
      }
      any_more = any_more || bits[l] > core::step_low_bits;
    }
    if (any_escape)
      for (std::size_t l = core::step_lanes; l-- > 0;)
        if (is_escape[l])
          for (int half = 0; half < 2; ++half) {
            const auto number = static_cast<std::uint32_t>(item.number[l]) >> 16 * half;
            spill(state[l], 1U << 16);
            state[l] = state[l] << 16 | (number & 0xFFFFU);
          }
    if (any_more)
      for (std::size_t l = core::step_lanes; l-- > 0;) {
        if (bits[l] <= core::step_low_bits) continue;
        const int more = bits[l] - core::step_low_bits;
        spill(state[l], std::uint64_t{1} << (32 - more));
        state[l] = state[l] << more | (static_cast<std::uint32_t>(item.number[l]) & ((1U << more) - 1));
      }
    const int slot_bits = sides ? core::step_side_bits : core::step_table_bits;
    for (std::size_t l = core::step_lanes; l-- > 0;) {
      if (share[l].frequency == 0) continue;
      const int low = std::min<int>(bits[l], core::step_low_bits);
      spill(state[l], std::uint64_t{share[l].frequency} << (32 - slot_bits - low));
      const std::uint32_t raw = static_cast<std::uint32_t>(item.number[l]) >> (bits[l] - low) & ((1U << low) - 1);
      state[l] = state[l] << low | raw;
      put(state[l], share[l].start, share[l].frequency, slot_bits);
    }
  }
  for (std::size_t l = core::step_lanes; l-- > 0;) {
    words.push_back(static_cast<std::uint16_t>(state[l] >> 16));
    words.push_back(static_cast<std::uint16_t>(state[l]));
  }
  std::reverse(words.begin(), words.end());
}

}  // namespace gpz::lanes
