#include "comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "column_order.hpp"
#include "exit_code.hpp"
#include "particle_order.hpp"

namespace gpz::tool {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

const std::vector<std::int64_t> &ids_of(const Frame &frame, const std::string &file) {
  const Frame::Column *column = frame.find("id");
  if (column == nullptr || frame.info.fields[column->field].type != ValueType::integer)
    throw Failure(ExitCode::usage, file, "no column 'id' to compare by");
  return column->integers;
}

double difference(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double distance = std::fabs(a - b);
  return std::isnan(distance) ? infinite : distance;
}

std::string word(const Frame &frame, const Frame::Column &column, std::size_t row, const TypeNames &names) {
  const std::vector<std::string> *table = names.for_display(frame.info.fields[column.field].display);
  const std::int64_t value = column.integers[row];
  if (table != nullptr && value >= 1 && static_cast<std::uint64_t>(value) <= table->size())
    return (*table)[static_cast<std::size_t>(value - 1)];
  return std::to_string(value);
}

bool is_word(const Frame &frame, const Frame::Column &column) {
  return frame.info.fields[column.field].display != Display::number;
}

double value_of(const Frame &frame, const Frame::Column &column, std::size_t row) {
  const bool integer = frame.info.fields[column.field].type == ValueType::integer;
  return integer ? static_cast<double>(column.integers[row]) : column.floats[row];
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

void Comparison::add(const Frame &frame, const Frame &reference, const TypeNames &reference_names) {
  const std::int64_t timestep = frame.info.timestep;
  const auto differ = [&](const std::string &how) {
    return Failure(ExitCode::different, file_, fmt::format("timestep {}: {}", timestep, how));
  };
  const std::vector<std::int64_t> &ids = ids_of(frame, file_);
  const std::vector<std::int64_t> &reference_ids = ids_of(reference, reference_);
  if (ids.size() != reference_ids.size())
    throw differ(fmt::format("{} particles, {} has {}", ids.size(), reference_, reference_ids.size()));
  const std::vector<std::size_t> rows = sorted_rows(frame, "id", file_);
  const std::vector<std::size_t> reference_rows = sorted_rows(reference, "id", reference_);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (ids[rows[i]] != reference_ids[reference_rows[i]])
      throw differ(fmt::format("id {} where {} has id {}", ids[rows[i]], reference_, reference_ids[reference_rows[i]]));

  for (const Frame::Column *compared : columns_in_file_order(frame)) {
    const Frame::Column &column = *compared;
    const Frame::Column *other = reference.find(frame.name(column));
    if (other == nullptr) continue;
    const Field &field = frame.info.fields[column.field];
    ColumnDifference &summary = difference_of(frame.name(column));
    summary.exact = !(field.bound > 0);
    summary.bound = std::max(summary.bound, field.bound);
    const bool integers =
        field.type == ValueType::integer && reference.info.fields[other->field].type == ValueType::integer;
    const bool words = integers && (is_word(frame, column) || is_word(reference, *other));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t row = rows[i];
      const std::size_t reference_row = reference_rows[i];
      double distance = 0;
      if (words)
        distance =
            word(frame, column, row, names_) == word(reference, *other, reference_row, reference_names) ? 0 : infinite;
      else if (integers)
        distance = column.integers[row] == other->integers[reference_row] ? 0 : infinite;
      else
        distance = difference(value_of(frame, column, row), value_of(reference, *other, reference_row));
      if (distance > field.bound) ++summary.above;
      if (distance > summary.largest) {
        summary.largest = distance;
        summary.id = ids[row];
        summary.timestep = timestep;
      }
    }
  }
  ++frames_;
}

std::uint64_t Comparison::above() const {
  std::uint64_t count = 0;
  for (const ColumnDifference &column : columns_) count += column.above;
  return count;
}

}  // namespace gpz::tool
