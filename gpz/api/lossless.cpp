// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/lossless.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "gpz/positions.hpp"
#include "gpz/units.hpp"

namespace gpz {
namespace {

constexpr double worth_naming = 0.25;          // of the file
constexpr double smallest_gain = 64 * 1024.0;  // bytes of the columns

// v for vx, f for fz; the name of other columns.
std::string quantity_of(const std::string &column) {
  for (const char *const names : {"vx vy vz", "fx fy fz"})
    if (column.size() == 2 && std::string(names).find(column) != std::string::npos) return {column[0]};
  return column;
}

std::string number(const char *format, double value) {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

bool is_lossless(const Field &field) {
  return field.type != ValueType::integer && field.bound == 0 && !field.leading &&
         !is_position(field.components[0].name);
}

void LosslessAdvice::Squares::add(double value) {
  if (!std::isfinite(value)) return;
  sum += value * value;
  ++count;
}

std::optional<std::size_t> LosslessAdvice::sample(std::uint64_t frame) {
  if ((frame & (frame - 1)) != 0) return std::nullopt;
  std::size_t index = 0;
  for (; frame > 0; frame >>= 1) ++index;
  return index;
}

void LosslessAdvice::add(const std::string &column, std::size_t sample, const Squares &squares) {
  auto found = std::find_if(columns_.begin(), columns_.end(), [&](const Column &c) { return c.name == column; });
  if (found == columns_.end()) found = columns_.insert(columns_.end(), {column, {}});
  if (found->samples.size() <= sample) found->samples.resize(sample + 1);
  found->samples[sample] = squares;
}

bool LosslessAdvice::may_advise(double of_file) const { return !columns_.empty() && of_file >= smallest_gain; }

std::string LosslessAdvice::text(double bytes, double of_file, const std::string &start, const Option &option) const {
  if (!may_advise(of_file) || bytes < smallest_gain || bytes <= worth_naming * of_file) return {};
  std::string names, bounds, thermal;
  std::vector<std::vector<const Column *>> quantities;
  for (const Column &column : columns_) {
    names += (names.empty() ? "" : " ") + column.name;
    const auto found = std::find_if(quantities.begin(), quantities.end(), [&](const auto &quantity) {
      return quantity_of(quantity.front()->name) == quantity_of(column.name);
    });
    if (found == quantities.end())
      quantities.push_back({&column});
    else
      found->push_back(&column);
  }
  for (const std::vector<const Column *> &quantity : quantities) {
    std::vector<std::string> of_quantity;
    std::vector<Squares> samples;
    for (const Column *const column : quantity) {
      of_quantity.push_back(column->name);
      samples.resize(std::max(samples.size(), column->samples.size()));
      for (std::size_t s = 0; s < column->samples.size(); ++s) {
        samples[s].sum += column->samples[s].sum;
        samples[s].count += column->samples[s].count;
      }
    }
    if (quantity.size() == 3 && quantity_of(of_quantity[0]) == "v") {
      thermal = option(of_quantity, "thermal");
      continue;
    }
    double largest = 0;
    for (const Squares &squares : samples)
      if (squares.count > 0) largest = std::max(largest, std::sqrt(squares.sum / squares.count));
    if (const double usual = usual_bound(largest); usual > 0)
      bounds += (bounds.empty() ? "" : " ") + option(of_quantity, number("%g", usual));
  }
  std::string text = "lossless: " + names + ", " + number("%.0f", 100 * bytes / of_file) + " % of the file";
  if (!thermal.empty()) text += "; a thousandth of the thermal speed: " + start + thermal;
  if (!bounds.empty()) text += "; a thousandth of their root mean square: " + start + bounds;
  return text;
}

}  // namespace gpz
