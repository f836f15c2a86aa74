// SPDX-License-Identifier: BSD-3-Clause
#include "readers/frame_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "gpz/positions.hpp"

namespace gpz::tool {
namespace {

// Where gpz::leading_positions() are.
std::vector<std::size_t> leading_columns(const std::vector<FileColumn> &columns) {
  std::vector<std::string> floats;
  for (const FileColumn &column : columns)
    if (column.type != ValueType::integer && !column.left_out) floats.push_back(column.name);
  std::vector<std::size_t> found;
  for (const std::string &name : leading_positions(floats)) {
    const auto column =
        std::find_if(columns.begin(), columns.end(), [&](const FileColumn &c) { return c.name == name; });
    found.push_back(static_cast<std::size_t>(column - columns.begin()));
  }
  return found;
}

}  // namespace

FileColumn lammps_column(std::string_view name) {
  constexpr std::array<std::string_view, 8> integers = {"id", "mol", "proc", "procp1", "type", "ix", "iy", "iz"};
  FileColumn column;
  column.name = name;
  if (name == "element") {
    column.display = Display::element;
  } else if (name == "typelabel") {
    column.display = Display::type_label;
  }
  const bool custom_integer = name.substr(0, 2) == "i_" || name.substr(0, 3) == "i2_";
  if (column.display != Display::number || custom_integer ||
      std::find(integers.begin(), integers.end(), name) != integers.end())
    column.type = ValueType::integer;
  return column;
}

std::string problem_of_columns(const std::vector<FileColumn> &columns) {
  if (columns.size() > most_columns) return fmt::format("more than {} columns", most_columns);
  std::set<std::string> names;
  for (const FileColumn &column : columns)
    if (!column.left_out && !names.insert(column.name).second)
      return "column " + column.name + " occurs twice: leave one of the two out, or give it another name";
  return "";
}

FrameLayout::FrameLayout(std::vector<FileColumn> columns) : columns_(std::move(columns)), indices_(columns_.size()) {
  const std::vector<std::size_t> positions = leading_columns(columns_);
  const auto component = [&](std::size_t c) {
    return Field::Component{columns_[c].name, static_cast<std::uint16_t>(c)};
  };
  std::size_t index = 0;
  if (!positions.empty()) {
    Field field;
    field.type = columns_[positions[0]].type;
    field.leading = true;
    for (const std::size_t c : positions) {
      field.components.push_back(component(c));
      indices_[c] = index++;
    }
    fields_.push_back(field);
  }
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].left_out || std::find(positions.begin(), positions.end(), c) != positions.end()) continue;
    Field field;
    field.type = columns_[c].type;
    field.display = columns_[c].display;
    field.components.push_back(component(c));
    indices_[c] = index++;
    fields_.push_back(field);
  }
}

std::vector<std::string> FrameLayout::names() const {
  std::vector<std::string> names;
  for (const FileColumn &column : columns_)
    if (!column.left_out) names.push_back(column.name);
  return names;
}

void FrameLayout::apply(Frame &frame) const {
  frame.info.fields = fields_;
  std::vector<Frame::Column> before = std::move(frame.columns);
  frame.columns.clear();
  for (std::size_t f = 0; f < fields_.size(); ++f)
    for (std::size_t c = 0; c < fields_[f].components.size(); ++c) {
      Frame::Column column;
      const std::size_t index = frame.columns.size();
      // The memory of the frame before is used again: new memory has to be cleared by the system.
      if (index < before.size()) column = std::move(before[index]);
      column.floats.clear();
      column.integers.clear();
      column.field = f;
      column.component = c;
      frame.columns.push_back(std::move(column));
    }
}

void bounding_box_to_box(std::array<double, 12> &values) {
  const double xy = values[6];
  const double xz = values[7];
  const double yz = values[8];
  const double shifts[] = {std::min({0.0, xy, xz, xy + xz}), std::max({0.0, xy, xz, xy + xz}), std::min(0.0, yz),
                           std::max(0.0, yz)};
  const double tilts = std::fabs(xy) + std::fabs(xz) + std::fabs(yz);
  Box box;
  box.values = values;
  for (std::size_t side = 0; side < 4; ++side) {
    const double bound = values[side];
    const auto bound_of = [&](double value) {
      box.values[side] = value;
      return box.bounding()[side];
    };
    // Roundings of the sums may change the last digits: a value near the difference gives the bound itself. Numbers
    // that are no such sums have none.
    const double difference = bound - shifts[side];
    double value = difference;
    constexpr double roundings = 4 * std::numeric_limits<double>::epsilon();
    double below = value - roundings * (std::fabs(bound) + tilts);
    double above = value + roundings * (std::fabs(bound) + tilts);
    while (bound_of(value) != bound) {
      (bound_of(value) < bound ? below : above) = value;
      value = below + (above - below) / 2;
      if (!(below < value && value < above)) {
        value = difference;
        break;
      }
    }
    box.values[side] = value;
  }
  values = box.values;
}

void resize_columns(Frame &frame, std::size_t rows) {
  for (Frame::Column &column : frame.columns) {
    if (frame.info.fields[column.field].type == ValueType::integer)
      column.integers.resize(rows);
    else
      column.floats.resize(rows);
  }
}

std::size_t next_capacity(std::size_t rows_so_far, std::size_t rows_promised, std::size_t columns) {
  constexpr std::size_t first_values = std::size_t{1} << 20;
  const std::size_t first_rows = std::max<std::size_t>(1, first_values / std::max<std::size_t>(1, columns));
  return std::min(rows_promised, std::max(first_rows, 2 * rows_so_far));
}

}  // namespace gpz::tool
