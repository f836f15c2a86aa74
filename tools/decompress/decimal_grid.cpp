// SPDX-License-Identifier: BSD-3-Clause
#include "decimal_grid.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "positions.hpp"

namespace gpz::tool {
namespace {

constexpr std::size_t fewest = 16;     // values, that short ones come by chance
constexpr int most_significant = 12;   // digits: of 15 that a double holds
constexpr double largest_sure = 1e15;  // integer: every one of them, and every power of ten used here, is a double

bool has_places(double x, double scale) {
  const double scaled = std::nearbyint(x * scale);
  return std::fabs(scaled) <= largest_sure && scaled / scale == x;  // the division rounds as reading a text does
}

}  // namespace

double decimal_grid(const Frame &frame) {
  const auto positions = find_positions(frame);
  if (!positions || frame.info.fields.empty() || !frame.info.fields[0].leading) return 0;
  if (is_scaled_position(frame.info.fields[0].components[0].name)) return 0;
  std::vector<double> values;
  double largest = 0;
  for (const Frame::Column &column : frame.columns)
    if (column.field == 0)
      for (const double x : column.floats)
        if (std::isfinite(x)) largest = std::max(largest, std::fabs(x));
  if (!(largest > 0)) return 0;
  // With six significant digits, as LAMMPS writes them, the largest values have the fewest places.
  const int digits = static_cast<int>(std::floor(std::log10(largest))) + 1;
  const double decade = std::pow(10, digits - 1);
  for (const Frame::Column &column : frame.columns)
    if (column.field == 0)
      for (const double x : column.floats)
        if (std::isfinite(x) && std::fabs(x) >= decade) values.push_back(x);
  if (values.size() < fewest) return 0;
  double scale = 1;
  for (int places = 0; places + std::max(digits, 0) <= most_significant; ++places, scale *= 10)
    if (std::all_of(values.begin(), values.end(), [scale](double x) { return has_places(x, scale); })) return 1 / scale;
  return 0;
}

}  // namespace gpz::tool
