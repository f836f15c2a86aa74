// SPDX-License-Identifier: BSD-3-Clause
#include "comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "column_order.hpp"
#include "exit_code.hpp"
#include "number_text.hpp"
#include "particle_order.hpp"
#include "positions.hpp"

namespace gpz::tool {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

const std::vector<std::int64_t> &ids_of(const Frame &frame, const std::string &file) {
  const Frame::Column *column = frame.find("id");
  if (column == nullptr || frame.info.fields[column->field].type != ValueType::integer)
    throw Failure(ExitCode::usage, file, "no column 'id' to compare by");
  return column->integers;
}

void require_different_names(const Frame &frame, const std::string &file) {
  std::set<std::string> names;
  for (const Frame::Column &column : frame.columns)
    if (!names.insert(frame.name(column)).second)
      throw Failure(ExitCode::usage, file,
                    fmt::format("column {} occurs twice: columns are compared by their names", frame.name(column)));
}

double difference(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double distance = std::fabs(a - b);
  return std::isnan(distance) ? infinite : distance;
}

// The name of a type, or its number, for which there is room in `digits`. Not a copy: names from files may be long.
std::string_view word(const Frame &frame, const Frame::Column &column, std::size_t row, const TypeNames &names,
                      std::array<char, max_number_length> &digits) {
  const std::vector<std::string> *table = names.for_display(frame.info.fields[column.field].display);
  const std::int64_t value = column.integers[row];
  if (table != nullptr && value >= 1 && static_cast<std::uint64_t>(value) <= table->size())
    return (*table)[static_cast<std::size_t>(value - 1)];
  return {digits.data(), static_cast<std::size_t>(append_integer(digits.data(), value) - digits.data())};
}

bool is_word(const Frame &frame, const Frame::Column &column) {
  return frame.info.fields[column.field].display != Display::number;
}

double value_of(const Frame &frame, const Frame::Column &column, std::size_t row) {
  const bool integer = frame.info.fields[column.field].type == ValueType::integer;
  return integer ? static_cast<double>(column.integers[row]) : column.floats[row];
}

// Whether the reference has the positions of the frame in the same columns, or both have them in another form; true
// without positions.
bool positions_in_both(const Frame &frame, const Frame &reference) {
  const auto chosen = find_positions(frame);
  if (!chosen) return true;
  const std::vector<std::string> names = chosen->names();
  const auto in_reference = [&](const std::string &name) { return reference.find(name) != nullptr; };
  if (std::all_of(names.begin(), names.end(), in_reference)) return true;
  return std::any_of(all_forms.begin(), all_forms.end(), [&](PositionForm form) {
    const auto positions = find_positions(frame, form);
    const auto other = find_positions(reference, form);
    return positions && other && positions->names().size() >= names.size() && other->names().size() >= names.size();
  });
}

// Makes positions in fractions of the box Cartesian. `rounding` receives what that may change in the last bits.
void make_comparable(Frame &frame, const std::string &file, double &rounding) {
  const auto positions = find_positions(frame);
  if (!positions || !positions->scaled() || frame.info.box.kind == Box::Kind::none) return;
  to_cartesian(frame, file);
  double largest = 0;
  for (const double value : frame.info.box.values) largest = std::max(largest, std::fabs(value));
  rounding = std::max(rounding, 16 * std::numeric_limits<double>::epsilon() * largest);
}

// The most significant digits of the values; a sample tells how a file was printed.
int most_digits(const std::vector<double> &values) {
  constexpr std::size_t sample = 1000;
  int most = 0;
  for (std::size_t i = 0; i < std::min(values.size(), sample); ++i) {
    if (!std::isfinite(values[i])) continue;
    for (int digits = std::max(most, 1); digits <= 17; ++digits) {
      if (std::strtod(fmt::format("{:.{}e}", values[i], digits - 1).c_str(), nullptr) != values[i]) continue;
      most = digits;
      break;
    }
  }
  return most;
}

}  // namespace

ColumnDifference &Comparison::difference_of(const std::string &name) {
  const auto known =
      std::find_if(columns_.begin(), columns_.end(), [&](const ColumnDifference &c) { return c.name == name; });
  if (known != columns_.end()) return *known;
  columns_.emplace_back();
  columns_.back().name = name;
  return columns_.back();
}

void Comparison::add(Frame frame, Frame reference, const TypeNames &reference_names) {
  const std::int64_t timestep = frame.info.timestep;
  const auto differ = [&](const std::string &how) {
    return Failure(ExitCode::different, file_, fmt::format("timestep {}: {}", timestep, how));
  };
  require_different_names(frame, file_);
  const std::vector<std::int64_t> &ids = ids_of(frame, file_);
  const std::vector<std::int64_t> &reference_ids = ids_of(reference, reference_);
  if (ids.size() != reference_ids.size())
    throw differ(fmt::format("{} particles, {} has {}", ids.size(), reference_, reference_ids.size()));
  const std::vector<std::size_t> rows = sorted_rows(frame, "id", file_);
  const std::vector<std::size_t> reference_rows = sorted_rows(reference, "id", reference_);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (ids[rows[i]] != reference_ids[reference_rows[i]])
      throw differ(fmt::format("id {} where {} has id {}", ids[rows[i]], reference_, reference_ids[reference_rows[i]]));

  const auto reference_positions = find_positions(reference);
  int position_digits = 0;
  for (std::size_t axis = 0; reference_positions && axis < 3; ++axis)
    if (const auto column = reference_positions->columns[axis])
      position_digits = std::max(position_digits, most_digits(reference.columns[*column].floats));
  double rounding = 0;
  if (!positions_in_both(frame, reference)) {
    make_comparable(frame, file_, rounding);
    make_comparable(reference, reference_, rounding);
  }
  if (!positions_in_both(frame, reference)) {
    const std::vector<std::string> names = find_positions(frame)->names();
    throw Failure(ExitCode::usage, reference_, fmt::format("has no columns {} to compare with", fmt::join(names, " ")));
  }
  for (const Frame::Column &column : reference.columns)
    if (frame.find(reference.name(column)) == nullptr) only_in_reference_.insert(reference.name(column));

  for (const Frame::Column *compared : columns_in_file_order(frame)) {
    const Frame::Column &column = *compared;
    const Frame::Column *other = reference.find(frame.name(column));
    if (other == nullptr) {
      only_in_file_.insert(frame.name(column));
      continue;
    }
    const Field &field = frame.info.fields[column.field];
    ColumnDifference &summary = difference_of(frame.name(column));
    summary.exact = !(field.bound > 0);
    summary.bound = std::max(summary.bound, field.bound);
    const bool integers =
        field.type == ValueType::integer && reference.info.fields[other->field].type == ValueType::integer;
    const bool positions_column = is_position(frame.name(column));
    if (!integers && reference.info.fields[other->field].type != ValueType::integer)
      summary.digits = std::max(summary.digits, positions_column ? position_digits : most_digits(other->floats));
    const bool words = integers && (is_word(frame, column) || is_word(reference, *other));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t row = rows[i];
      const std::size_t reference_row = reference_rows[i];
      double distance = 0;
      if (words) {
        std::array<char, max_number_length> digits{};
        std::array<char, max_number_length> other_digits{};
        const bool same = word(frame, column, row, names_, digits) ==
                          word(reference, *other, reference_row, reference_names, other_digits);
        distance = same ? 0 : infinite;
      } else if (integers) {
        distance = column.integers[row] == other->integers[reference_row] ? 0 : infinite;
      } else {
        distance = difference(value_of(frame, column, row), value_of(reference, *other, reference_row));
      }
      if (distance > field.bound + (positions_column ? rounding : 0)) ++summary.above;
      if (distance > summary.largest) {
        summary.largest = distance;
        summary.id = ids[row];
        summary.timestep = timestep;
      }
    }
  }
  ++frames_;
}

void Comparison::merge(const Comparison &later) {
  for (const ColumnDifference &column : later.columns_) {
    ColumnDifference &summary = difference_of(column.name);
    summary.exact = column.exact;
    summary.bound = std::max(summary.bound, column.bound);
    summary.above += column.above;
    summary.digits = std::max(summary.digits, column.digits);
    if (column.largest <= summary.largest) continue;
    summary.largest = column.largest;
    summary.id = column.id;
    summary.timestep = column.timestep;
  }
  only_in_file_.insert(later.only_in_file_.begin(), later.only_in_file_.end());
  only_in_reference_.insert(later.only_in_reference_.begin(), later.only_in_reference_.end());
  frames_ += later.frames_;
}

std::uint64_t Comparison::above() const {
  std::uint64_t count = 0;
  for (const ColumnDifference &column : columns_) count += column.above;
  return count;
}

}  // namespace gpz::tool
