// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/read_output.hpp"

#include <string>
#include <utility>

#include "gpz/error.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::api {
namespace {

std::string names_of(const FrameInfo &info) {
  std::string names;
  for (const Field &field : info.fields)
    for (const Field::Component &component : field.components) names += " " + component.name;
  return names;
}

// Finds the field and component of the column with this name.
std::pair<std::size_t, std::size_t> find(const FrameInfo &info, const std::string &name) {
  for (std::size_t f = 0; f < info.fields.size(); ++f)
    for (std::size_t d = 0; d < info.fields[f].components.size(); ++d)
      if (info.fields[f].components[d].name == name) return {f, d};
  throw Error(Status::not_found, "no column " + name + ": there are" + names_of(info));
}

}  // namespace

void require_room(std::uint64_t particles, std::size_t capacity) {
  if (particles > capacity)
    throw Error(Status::limit_exceeded, "the arrays have room for " + std::to_string(capacity) +
                                            " particles, there are " + std::to_string(particles));
}

std::vector<codec::Target> column_targets(const FrameInfo &info, const std::vector<ColumnOutput> &columns) {
  std::vector<codec::Target> targets(info.fields.size());
  std::vector<std::vector<bool>> taken(info.fields.size(), std::vector<bool>(core::max_components));
  for (const ColumnOutput &column : columns) {
    const auto [f, d] = find(info, column.name);
    const auto require = [&name = column.name](bool holds, const char *cause) {
      if (!holds) throw Error(Status::invalid_argument, "column " + name + ": " + cause);
    };
    require(!taken[f][d], "it is asked for twice");
    require(is_integer(column.values.type) == (info.fields[f].type == ValueType::integer),
            "integers go to arrays of integers, floats to arrays of floats");
    require(column.values.data != nullptr || info.particles == 0, "no data");
    taken[f][d] = true;
    targets[f].components[d] = column.values;
  }
  return targets;
}

Array array_of(const Frame &frame, Frame::Column &column) {
  if (frame.info.fields[column.field].type == ValueType::integer)
    return {column.integers.data(), sizeof(std::int64_t), ConstArray::Type::int64};
  return {column.floats.data(), sizeof(double), ConstArray::Type::float64};
}

format::Charge charge_for_columns(std::uint64_t rows, const std::vector<Field> &fields,
                                  const std::vector<bool> &wanted) {
  std::uint64_t components = 0;
  for (std::size_t f = 0; f < fields.size(); ++f)
    if (wanted.empty() || wanted[f]) components += fields[f].components.size();
  if (components == 0) return {};
  format::require_memory(rows, components * sizeof(double));
  return format::Charge(rows * components * sizeof(double));
}

void set_origins(FrameInfo &info) {
  for (Field &field : info.fields)
    if (field.type != ValueType::integer) field.origin = {field.bound, field.step, field.largest_error, 0, field.type};
}

void begin_frame(FrameInfo info, Frame &frame) {
  frame.info = std::move(info);
  set_origins(frame.info);
  std::size_t count = 0;
  for (std::size_t f = 0; f < frame.info.fields.size(); ++f) {
    for (std::size_t c = 0; c < frame.info.fields[f].components.size(); ++c, ++count) {
      if (count == frame.columns.size()) frame.columns.emplace_back();
      Frame::Column &column = frame.columns[count];
      column.field = f;
      column.component = c;
      column.floats.clear();
      column.integers.clear();
    }
  }
  frame.columns.resize(count);
}

std::vector<codec::Target> frame_targets(Frame &frame, const std::vector<bool> &wanted, std::size_t rows) {
  std::vector<codec::Target> targets(frame.info.fields.size());
  for (Frame::Column &column : frame.columns) {
    if (!wanted.empty() && !wanted[column.field]) continue;
    if (frame.info.fields[column.field].type == ValueType::integer)
      column.integers.resize(rows);
    else
      column.floats.resize(rows);
    targets[column.field].components[column.component] = array_of(frame, column);
  }
  return targets;
}

std::size_t sort_field(const FrameInfo &info, const ReadOptions &options) {
  if (!options.sort_by_id) return format::no_field;
  const std::size_t field = format::identity_field(info.fields);
  if (field == format::no_field)
    throw Error(Status::not_found, "no integer column id to sort by: there are" + names_of(info));
  return field;
}

}  // namespace gpz::api
