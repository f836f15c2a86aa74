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
                   context_of_frequency = 4, contexts = context_of_frequency + 11;
unsigned context_after(std::uint32_t frequency) {
  return context_of_frequency + static_cast<unsigned>(core::bit_length(frequency));
}

// The cells of a place's tokens, in the units of its deviation.
class Cells {
 public:
  explicit Cells(std::size_t place) {
    const auto level = static_cast<int>(place / core::step_parts % core::step_levels);
    const double deviation = std::sqrt(std::ldexp(1.45, level + core::step_first_octave));
    const bool is_parted = level <= static_cast<int>(core::step_most_parted);
    const double off = is_parted ? (static_cast<double>(place % core::step_parts) + 0.5) / 8 : 0;
    cell_ = std::ldexp(1, static_cast<int>(core::step_bits_of_place(place))) / deviation;
    lowest_ = (-0.5 - off) / deviation;
  }
  double lower(int token) const { return token * cell_ + lowest_; }

 private:
  double cell_, lowest_;
};

// How a kind of number is distributed, in the units of its deviation: a sum of normal distributions, whose deviations
// are powers of the root of 2.
class Shape {
 public:
  // From the numbers of all places of a kind, of which few are known.
  void fit(const std::vector<PlaceCounts> &counts, std::size_t kind) {
    constexpr std::size_t places = core::step_places / core::step_numbers;
    constexpr int passes = 12;
    std::vector<Counted> all;
    for (std::size_t p = kind * places; p < (kind + 1) * places; ++p) {
      const Cells cells(p);
      for (unsigned t = 0; t < step_tokens; ++t) {
        if (counts[p][t] == 0) continue;
        const int token = static_cast<int>(t) + lowest_token;
        all.push_back({static_cast<double>(counts[p][t]), parts_of(cells.lower(token), cells.lower(token + 1))});
      }
    }
    if (all.empty()) return;
    for (int pass = 0; pass < passes; ++pass) {
      Parts next{};
      for (const Counted &of : all) {
        double sum = 1e-12;
        for (std::size_t k = 0; k < next.size(); ++k) sum += weight_[k] * of.part[k];
        for (std::size_t k = 0; k < next.size(); ++k) next[k] += of.count * weight_[k] * of.part[k] / sum;
      }
      double total = 0;
      for (double &x : next) total += x += 0.5;
      for (std::size_t k = 0; k < next.size(); ++k) weight_[k] = next[k] / total;
    }
  }

  double share(double from, double to) const {
    const Parts part = parts_of(from, to);
    double sum = 0;
    for (std::size_t k = 0; k < part.size(); ++k) sum += weight_[k] * part[k];
    return sum;
  }

 private:
  static constexpr std::size_t normals = 10;
  using Parts = std::array<double, normals>;
  struct Counted {
    double count;
    Parts part;
  };

  static Parts parts_of(double from, double to) {
    constexpr std::array<double, 2> over_root{1, 0.7071067811865476};
    Parts parts;
    for (std::size_t k = 0; k < normals; ++k) {
      const double over = over_root[k % 2] * std::ldexp(4, -static_cast<int>(k / 2));
      parts[k] = codec::normal_below(to * over) - codec::normal_below(from * over);
    }
    return parts;
  }

  Parts weight_ = [] {
    Parts equal;
    equal.fill(1.0 / normals);
    return equal;
  }();
};

PlaceCodes best_codes(std::size_t place, const PlaceCounts &counts, const Shape &shape) {
  const Cells cells(place);
  constexpr double weight_of_expected = 100;  // numbers
  constexpr double farthest = 12;             // deviations
  constexpr double least_share = 0.04;        // of a slot
  PlaceCodes codes;
  double all = 0;
  for (const std::uint32_t count : counts) all += count;
  if (all == 0) return codes;
  std::array<double, step_tokens + 1> share{};
  double sum = 0;
  for (unsigned t = 0; t < step_tokens; ++t) {
    const int token = static_cast<int>(t) + lowest_token;
    const double from = cells.lower(token), to = cells.lower(token + 1);
    share[t] = counts[t];
    if (to > -farthest && from < farthest) share[t] += weight_of_expected * shape.share(from, to);
    sum += share[t];
  }
  share[step_tokens] = counts[step_tokens] + 1e-3 * all;
  sum += share[step_tokens];
  std::array<int, step_tokens> frequency{};
  int total = std::max(1, static_cast<int>(std::lround(share[step_tokens] / sum * all_slots)));  // with the escape
  for (unsigned t = 0; t < step_tokens; ++t) {
    const double slots = share[t] / sum * all_slots;
    if (slots > least_share) frequency[t] = std::max(1, static_cast<int>(std::lround(slots)));
    total += frequency[t];
  }
  while (total != static_cast<int>(all_slots)) {
    int &most = *std::max_element(frequency.begin(), frequency.end());
    const int step = std::max(1, most / 16);
    const int change = total > static_cast<int>(all_slots) ? -std::min(total - static_cast<int>(all_slots), step)
                                                           : std::min(static_cast<int>(all_slots) - total, step);
    most += change;
    total += change;
  }
  const auto used = [](int f) { return f != 0; };
  const auto first = std::find_if(frequency.begin(), frequency.end(), used);
  const auto last = std::find_if(frequency.rbegin(), frequency.rend(), used).base();
  if (first == frequency.end()) return codes;
  codes.first = static_cast<std::int16_t>(first - frequency.begin() + lowest_token);
  codes.frequency.assign(first, last);
  return codes;
}

}  // namespace

std::uint32_t PlaceCodes::of_escape() const {
  std::uint32_t rest = all_slots;
  for (const std::uint16_t f : frequency) rest -= f;
  return rest;
}

Codes::Codes() : places_(core::step_places), is_filled_(core::step_places) {
  sides_.fill(1U << (core::step_side_bits - 1));
}

void Codes::choose(const std::vector<PlaceCounts> &counts,
                   const std::array<std::array<std::uint32_t, 2>, core::step_side_levels> &sides) {
  std::array<Shape, core::step_numbers> shapes;
  for (std::size_t kind = 0; kind < shapes.size(); ++kind) shapes[kind].fit(counts, kind);
  for (std::size_t p = 0; p < places_.size(); ++p)
    places_[p] = best_codes(p, counts[p], shapes[p / (core::step_places / core::step_numbers)]);
  for (std::size_t l = 0; l < sides.size(); ++l) {
    const double near = sides[l][0] + 2, other = sides[l][1] + 1;
    const long share = std::lround(near / (near + other) * (1 << core::step_side_bits));
    sides_[l] = static_cast<std::uint32_t>(std::clamp(share, 1L, (1L << core::step_side_bits) - 1));
  }
  fill();
}

double Codes::cost_of(const std::vector<PlaceCounts> &counts,
                      const std::array<std::array<std::uint32_t, 2>, core::step_side_levels> &sides) const {
  double bits = 0;
  const auto cost = [](double slots, int all_bits) { return all_bits - codec::log2_of(slots); };
  for (std::size_t p = 0; p < places_.size(); ++p) {
    const PlaceCodes &codes = places_[p];
    double escapes = counts[p][step_tokens];
    for (unsigned t = 0; t < step_tokens; ++t) {
      if (counts[p][t] == 0) continue;
      const int index = static_cast<int>(t) + lowest_token - codes.first;
      const bool is_in = index >= 0 && index < static_cast<int>(codes.frequency.size()) && codes.frequency[index] != 0;
      if (is_in)
        bits += counts[p][t] * cost(codes.frequency[static_cast<std::size_t>(index)], core::step_table_bits);
      else
        escapes += counts[p][t];
    }
    if (escapes > 0) bits += escapes * (32 + cost(codes.of_escape(), core::step_table_bits));
  }
  for (std::size_t l = 0; l < sides.size(); ++l) {
    bits += sides[l][0] * cost(sides_[l], core::step_side_bits);
    bits += sides[l][1] * cost((1U << core::step_side_bits) - sides_[l], core::step_side_bits);
  }
  return bits;
}

void Codes::fill() {
  constexpr std::uint32_t escape = std::uint32_t{core::step_escape} << 24;
  if (entries_.empty()) {
    entries_.resize(std::size_t{core::step_places} * all_slots);
    is_filled_.assign(core::step_places, true);
  }
  for (std::size_t p = 0; p < places_.size(); ++p) {
    const PlaceCodes &codes = places_[p];
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
  std::uint32_t gap = 0;
  for (const PlaceCodes &codes : places_) {
    if (codes.frequency.empty()) {
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
  for (PlaceCodes &codes : places_) codes.frequency.clear();
  for (std::size_t p = 0; p < places_.size(); ++p) {
    p += numbers.get(context_of_gap, static_cast<std::uint32_t>(places_.size() - p));
    if (p == places_.size()) break;
    PlaceCodes &codes = places_[p];
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
    if (p + 1 == places_.size()) numbers.get(context_of_gap, 0);
  }
  const std::size_t end = numbers.end();
  fill();
  return end;
}

std::size_t Codes::memory_usage() const {
  std::size_t bytes = codec::memory_of(places_, entries_);
  for (const PlaceCodes &codes : places_) bytes += codec::memory_of(codes.frequency);
  return bytes;
}

}  // namespace gpz::lanes
