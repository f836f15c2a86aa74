// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/lanes/shape.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gpz/codec/functions.hpp"
#include "gpz/kernels/kernels.hpp"
#include "gpz/kernels/step_kernels.hpp"

namespace gpz::lanes {

namespace {

constexpr int slots_of_table = static_cast<int>(core::step_table_size);
constexpr double farthest = 12;  // deviations

// The intervals of values that the tokens of a context stand for, in standard deviations of the context.
class Cells {
 public:
  explicit Cells(std::size_t context) {
    const auto level = static_cast<int>(context / core::step_parts % core::step_levels);
    const double deviation = std::sqrt(std::ldexp(1.45, level + core::step_first_octave));
    const bool is_parted = level <= static_cast<int>(core::step_most_parted);
    const double off = is_parted ? (static_cast<double>(context % core::step_parts) + 0.5) / 8 : 0;
    cell_ = std::ldexp(1, static_cast<int>(core::step_bits_of_context(context))) / deviation;
    lowest_ = (-0.5 - off) / deviation;
  }
  double lower(int token) const { return token * cell_ + lowest_; }

 private:
  double cell_, lowest_;
};

// One over the deviations of the normal distributions.
constexpr std::array<double, Shape::normals> over_deviation = [] {
  std::array<double, Shape::normals> over{};
  double power = 4;
  for (std::size_t k = 0; k < over.size(); k += 2, power /= 2) {
    over[k] = power;
    over[k + 1] = 0.7071067811865476 * power;
  }
  return over;
}();

// Slots in these shares.
ContextCodes codes_with(const std::array<double, step_tokens + 1> &share) {
  constexpr double least_share = 0.04;  // of a slot
  const auto has = [](double of) { return of != 0; };
  const auto begin = static_cast<unsigned>(std::find_if(share.begin(), share.end() - 1, has) - share.begin());
  unsigned end = step_tokens;
  while (end > begin && share[end - 1] == 0) --end;
  const double sum = std::accumulate(share.begin() + begin, share.begin() + end, 0.0) + share[step_tokens];
  const auto rounded = [](double x) {
    const auto below = static_cast<int>(x);
    return below + (x - below >= 0.5 ? 1 : 0);
  };
  ContextCodes codes;
  if (begin == end) return codes;
  // Readers make hundreds of tables: in loops that are compiled to vectors.
  std::array<double, step_tokens> slots;
  for (unsigned t = begin; t < end; ++t) slots[t] = share[t] / sum * slots_of_table;
  std::array<int, step_tokens> frequency;
  for (unsigned t = begin; t < end; ++t) {
    const int least = slots[t] > least_share ? 1 : 0;
    frequency[t] = std::max(rounded(slots[t]), 1) * least;
  }
  int total = std::max(1, rounded(share[step_tokens] / sum * slots_of_table));  // with the escape
  for (unsigned t = begin; t < end; ++t) total += frequency[t];
  while (total != slots_of_table) {
    int greatest = 0;
    for (unsigned t = begin; t < end; ++t) greatest = std::max(greatest, frequency[t]);
    int &most = *std::find(frequency.begin() + begin, frequency.begin() + end, greatest);
    const int step = std::max(1, most / 16);
    const int change =
        total > slots_of_table ? -std::min(total - slots_of_table, step) : std::min(slots_of_table - total, step);
    most += change;
    total += change;
  }
  unsigned first = begin, last = end;
  while (first < last && frequency[first] == 0) ++first;
  while (last > first && frequency[last - 1] == 0) --last;
  codes.first = static_cast<std::int16_t>(static_cast<int>(first) + lowest_token);
  codes.frequency.assign(frequency.begin() + first, frequency.begin() + last);
  return codes;
}

}  // namespace

std::uint32_t ContextCodes::of_escape() const {
  std::uint32_t rest = core::step_table_size;
  for (const std::uint16_t f : frequency) rest -= f;
  return rest;
}

double ContextCodes::cost_of(const ContextCounts &counts) const {
  if (!has_numbers(counts)) return 0;
  static const std::array<double, slots_of_table + 1> bits_of_slots = [] {
    std::array<double, slots_of_table + 1> of;
    for (int slots = 0; slots <= slots_of_table; ++slots)
      of[static_cast<std::size_t>(slots)] = core::step_table_bits - codec::log2_of(slots);
    return of;
  }();
  const auto cost = [&](std::uint32_t slots) { return bits_of_slots[slots]; };
  double bits = 0, escapes = counts[step_tokens];
  for (unsigned t = 0; t < step_tokens; ++t) {
    if (counts[t] == 0) continue;
    const int index = static_cast<int>(t) + lowest_token - first;
    const bool is_in = index >= 0 && index < static_cast<int>(frequency.size()) && frequency[index] != 0;
    if (is_in)
      bits += counts[t] * cost(frequency[static_cast<std::size_t>(index)]);
    else
      escapes += counts[t];
  }
  return escapes > 0 ? bits + escapes * (32 + cost(of_escape())) : bits;
}

void Shape::fit(const std::vector<ContextCounts> &counts, std::size_t kind) {
  using Parts = std::array<double, normals>;
  struct Counted {
    double count;
    Parts part;
  };
  constexpr int passes = 12;
  std::vector<Counted> all;
  for (std::size_t p = kind * contexts_of_kind; p < (kind + 1) * contexts_of_kind; ++p) {
    if (!has_numbers(counts[p])) continue;
    unsigned first = 0, end = step_tokens;
    while (first < end && counts[p][first] == 0) ++first;
    while (end > first && counts[p][end - 1] == 0) --end;
    const Cells cells(p);
    std::array<double, step_tokens + 1> edge;
    for (unsigned t = first; t <= end; ++t) edge[t] = cells.lower(lowest_token + static_cast<int>(t));
    std::array<std::array<double, step_tokens + 1>, normals> below{};
    for (std::size_t k = 0; k < normals; ++k)
      codec::kernels().steps.add_below(1, over_deviation[k], &edge[first], end - first + 1, &below[k][first]);
    for (unsigned t = first; t < end; ++t) {
      if (counts[p][t] == 0) continue;
      Counted counted{static_cast<double>(counts[p][t]), {}};
      for (std::size_t k = 0; k < normals; ++k) counted.part[k] = below[k][t + 1] - below[k][t];
      all.push_back(counted);
    }
  }
  weight_.fill(0);
  if (all.empty()) return;
  Parts weight;
  weight.fill(1.0 / normals);
  for (int pass = 0; pass < passes; ++pass) {
    Parts next{};
    for (const Counted &of : all) {
      double sum = 1e-12;
      for (std::size_t k = 0; k < normals; ++k) sum += weight[k] * of.part[k];
      for (std::size_t k = 0; k < normals; ++k) next[k] += of.count * weight[k] * of.part[k] / sum;
    }
    double total = 0;
    for (double &x : next) total += x += 0.5;
    for (std::size_t k = 0; k < normals; ++k) weight[k] = next[k] / total;
  }
  const double most = *std::max_element(weight.begin(), weight.end());
  // Each one takes readers time.
  constexpr double least = 0.02;
  for (std::size_t k = 0; k < normals; ++k)
    weight_[k] = weight[k] < least * most ? std::uint8_t{0}
                                          : static_cast<std::uint8_t>(std::lround(weight[k] / most * most_weight));
}

void Shape::add_to(std::size_t context, double numbers, Shares &share) const {
  double all = 0;
  for (const std::uint8_t w : weight_) all += w;
  if (all == 0) return;
  const Cells cells(context);
  // Edges of the cells, and the parts below them: in loops that are compiled to vectors.
  std::array<double, step_tokens + 1> edge, below{};
  unsigned first = 0;
  while (first < step_tokens && cells.lower(lowest_token + static_cast<int>(first) + 1) <= -farthest) ++first;
  unsigned end = first;
  while (end < step_tokens && cells.lower(lowest_token + static_cast<int>(end)) < farthest) ++end;
  for (unsigned t = first; t <= end; ++t) edge[t] = cells.lower(lowest_token + static_cast<int>(t));
  for (std::size_t k = 0; k < normals; ++k) {
    if (weight_[k] == 0) continue;
    codec::kernels().steps.add_below(weight_[k], over_deviation[k], &edge[first], end - first + 1, &below[first]);
  }
  for (unsigned t = first; t < end; ++t) share[t] += numbers * (below[t + 1] / all - below[t] / all);
}

ContextCodes Shape::codes_of(std::size_t context) const {
  Shares share{};
  add_to(context, 1, share);
  share[step_tokens] = 1e-3;
  return codes_with(share);
}

ContextCodes Shape::codes_of(std::size_t context, const ContextCounts &counts) const {
  constexpr double weight_of_shape = 100;  // numbers
  Shares share{};
  double all = 0;
  for (std::size_t t = 0; t < share.size(); ++t) all += share[t] = counts[t];
  if (all == 0) return {};
  add_to(context, weight_of_shape, share);
  share[step_tokens] += 1e-3 * all;
  return codes_with(share);
}

}  // namespace gpz::lanes
