// SPDX-License-Identifier: BSD-3-Clause
#include "selection/kept_columns.hpp"

#include <algorithm>
#include <utility>

#include "exit_code.hpp"
#include "gpz/error.hpp"

namespace gpz::tool {
namespace {

void check(const Frame &frame, const std::vector<std::string> &names, const std::string &file) {
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) != name)
      throw Failure(ExitCode::usage, file, "--columns: column '" + *name + "' twice");
    if (frame.find(*name) != nullptr) continue;
    std::string known;
    for (const Frame::Column &column : frame.columns) known += " " + frame.name(column);
    throw Failure(ExitCode::usage, file, "--columns: no column '" + *name + "'; there are" + known);
  }
}

}  // namespace

void keep_columns(Frame &frame, const std::vector<std::string> &names, const std::string &file) {
  check(frame, names, file);
  std::vector<Field> fields;
  std::vector<Frame::Column> columns;
  std::size_t last = frame.info.fields.size();  // the field that the last kept column was in
  for (Frame::Column &column : frame.columns) {
    const Field &field = frame.info.fields[column.field];
    const auto found = std::find(names.begin(), names.end(), frame.name(column));
    if (found == names.end()) continue;
    if (column.field != last) {
      fields.push_back(field);
      fields.back().components.clear();
    }
    last = column.field;
    Field::Component component = field.components[column.component];
    component.column = static_cast<std::uint16_t>(found - names.begin());
    column.field = fields.size() - 1;
    column.component = fields.back().components.size();
    fields.back().components.push_back(std::move(component));
    columns.push_back(std::move(column));
  }
  frame.info.fields = std::move(fields);
  frame.columns = std::move(columns);
}

bool keep_stored_columns(StoredFrame &frame, const std::vector<std::string> &names) {
  const std::vector<bool> kept = fields_with(frame.info, names);
  const auto is_listed = [&](const Field::Component &component) {
    return std::find(names.begin(), names.end(), component.name) != names.end();
  };
  std::size_t components = 0;
  for (std::size_t f = 0; f < kept.size(); ++f) {
    const auto &of_field = frame.info.fields[f].components;
    if (!kept[f]) continue;
    if (!std::all_of(of_field.begin(), of_field.end(), is_listed)) return false;
    components += of_field.size();
  }
  // The key frames alone could do without the first field.
  if (components != names.size() || kept.empty() || !kept[0]) return false;
  try {
    keep_fields(frame, kept);
  } catch (const Error &error) {
    if (error.status() != Status::unsupported) throw;
    return false;
  }
  for (Field &field : frame.info.fields)
    for (Field::Component &component : field.components)
      component.column =
          static_cast<std::uint16_t>(std::find(names.begin(), names.end(), component.name) - names.begin());
  return true;
}

std::vector<bool> fields_with(const FrameInfo &info, const std::vector<std::string> &names) {
  std::vector<bool> found(info.fields.size());
  for (std::size_t f = 0; f < info.fields.size(); ++f)
    for (const Field::Component &component : info.fields[f].components)
      if (std::find(names.begin(), names.end(), component.name) != names.end()) found[f] = true;
  return found;
}

}  // namespace gpz::tool
