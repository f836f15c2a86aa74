// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/pair_table.hpp"

#include <algorithm>

namespace gpz::model {

namespace {

constexpr int spacing_fraction_bits = 20;
constexpr std::int64_t one = std::int64_t{1} << spacing_fraction_bits;
constexpr std::uint64_t most_bins = 2048;

std::int64_t limit(std::int64_t value) { return std::clamp(value, -PairCurve::value_limit, PairCurve::value_limit); }

// Smoothstep: rises from 0 to `one` with zero slope at both ends.
std::int64_t smooth(std::int64_t t) {
  return (t * t >> spacing_fraction_bits) * (3 * one - 2 * t) >> spacing_fraction_bits;
}

std::int64_t between(const PairCurve::Knot &a, const PairCurve::Knot &b, std::uint32_t bin) {
  const std::int64_t length = std::int64_t{b.bin} - a.bin;
  const std::int64_t t = (std::int64_t{bin} - a.bin) * one / length;
  const std::int64_t t2 = t * t >> spacing_fraction_bits;
  const std::int64_t t3 = t2 * t >> spacing_fraction_bits;
  const std::int64_t rise = (std::int64_t{b.value} - a.value) * smooth(t) >> spacing_fraction_bits;
  const std::int64_t bend = a.slope * (t - 2 * t2 + t3) + b.slope * (t3 - t2);
  return limit(a.value + rise + ((bend >> spacing_fraction_bits) * length >> PairCurve::slope_shift));
}

}  // namespace

int PairTable::bin_shift_for(std::uint64_t end) {
  int shift = 0;
  while ((end - 1) >> shift >= most_bins) ++shift;
  return shift;
}

void PairTable::fill(const PairCurve &curve, std::uint64_t end) {
  shift_ = bin_shift_for(end);
  const auto bins = static_cast<std::uint32_t>((end - 1) >> shift_) + 1;
  const std::uint32_t used = std::min(bins, curve.knots.back().bin);
  std::vector<std::int64_t> value(std::size_t{used} + 1);
  std::size_t knot = 0;
  for (std::uint32_t bin = 0; bin <= used; ++bin) {
    const PairCurve::Knot &first = curve.knots.front();
    while (knot + 2 < curve.knots.size() && bin >= curve.knots[knot + 1].bin) ++knot;
    value[bin] = bin >= first.bin
                     ? between(curve.knots[knot], curve.knots[knot + 1], bin)
                     : limit(first.value + ((std::int64_t{bin} - first.bin) * first.slope >> PairCurve::slope_shift));
  }
  const std::uint32_t close = std::min(curve.close, used);
  const std::uint32_t fade = curve.close / 4;
  const auto close_value = [&](std::uint32_t bin) {
    if (bin >= curve.close) return std::int64_t{0};
    const std::int64_t left = curve.close - bin;
    return left >= fade ? value[bin] : value[bin] * smooth(left * one / fade) >> spacing_fraction_bits;
  };
  const auto line = [](std::int64_t a, std::int64_t b) {
    return core::PairLine{static_cast<std::int32_t>(a), static_cast<std::int32_t>(b - a)};
  };
  total_.clear();
  close_.clear();
  for (std::uint32_t bin = 0; bin < used; ++bin) total_.push_back(line(value[bin], value[bin + 1]));
  for (std::uint32_t bin = 0; bin < close; ++bin) close_.push_back(line(close_value(bin), close_value(bin + 1)));
  total_.push_back({});
  close_.push_back({});
}

}  // namespace gpz::model
