// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <iterator>
#include <variant>

#include "gpz/error.hpp"
#include "gpz/format/selected.hpp"
#include "gpz/selection.hpp"

namespace gpz {
namespace {

constexpr std::array<const char *, 5> columns_of_ids = {"id", "atom1", "atom2", "atom3", "atom4"};
constexpr std::array<const char *, 5> tables_of_particles = {"atoms", "bonds", "angles", "dihedrals", "impropers"};

template <typename T>
void keep_taken(std::vector<T> &values, const std::vector<std::uint8_t> &taken) {
  if (values.empty()) return;  // a field that was not decoded
  std::size_t kept = 0;
  for (std::size_t i = 0; i < taken.size(); ++i)
    if (taken[i] != 0) values[kept++] = values[i];
  values.resize(kept);
}

void keep_rows(Table &table, const NumberRanges &ids) {
  if (std::find(tables_of_particles.begin(), tables_of_particles.end(), table.name) == tables_of_particles.end())
    return;
  std::vector<std::uint8_t> kept(table.rows(), 1);
  for (const char *const name : columns_of_ids) {
    const TableColumn *const column = table.column(name);
    const auto *const of_rows = column == nullptr ? nullptr : std::get_if<std::vector<std::int64_t>>(&column->values);
    if (of_rows == nullptr) continue;
    for (std::size_t row = 0; row < kept.size(); ++row)
      if (!ids.has((*of_rows)[row])) kept[row] = 0;
  }
  for (TableColumn &column : table.columns) std::visit([&](auto &values) { keep_taken(values, kept); }, column.values);
}

}  // namespace

bool add_named_types(const std::string &name, const std::vector<std::string> &elements,
                     const std::vector<std::string> &labels, NumberRanges &types) {
  bool found = false;
  for (const std::vector<std::string> *const names : {&elements, &labels})
    for (std::size_t t = 0; t < names->size(); ++t) {
      if ((*names)[t] != name) continue;
      const auto number = static_cast<std::int64_t>(t + 1);
      types.add(number, number);
      found = true;
    }
  return found;
}

void want_fields_of(const Selection &selection, const FrameInfo &info, std::vector<bool> &wanted) {
  for (std::size_t f = 0; f < info.fields.size(); ++f)
    for (const Field::Component &component : info.fields[f].components)
      if ((selection.ids && format::is_id_column(component.name)) ||
          (selection.types && format::is_type_column(component.name)) ||
          (selection.region && is_position(component.name)))
        wanted[f] = true;
}

void keep_particles(Frame &frame, const Selection &selection) {
  if (selection.all()) return;
  const format::SelectionColumns columns(selection, frame.info.fields);
  format::SelectionValues values;
  for (const Frame::Column &column : frame.columns) {
    const auto is_at = [&](const std::optional<format::SelectionColumns::ColumnRef> &ref) {
      if (!ref || ref->field != column.field || ref->component != column.component) return false;
      if (std::max(column.integers.size(), column.floats.size()) != frame.info.particles)
        throw Error(Status::invalid_argument, "column " + frame.name(column) + " of the frame was not decoded");
      return true;
    };
    if (is_at(columns.ids)) values.ids = column.integers.data();
    if (is_at(columns.types)) values.types = column.integers.data();
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (is_at(columns.positions[axis])) values.positions[axis] = column.floats.data();
  }
  std::vector<std::uint8_t> taken(static_cast<std::size_t>(frame.info.particles));
  frame.info.particles = format::select(selection, columns.scaled, values, frame.info.box, taken.size(), taken.data());
  for (Frame::Column &column : frame.columns) {
    keep_taken(column.floats, taken);
    keep_taken(column.integers, taken);
  }
}

void keep_particles(std::vector<Table> &tables, const NumberRanges &ids) {
  for (Table &table : tables) keep_rows(table, ids);
}

}  // namespace gpz
