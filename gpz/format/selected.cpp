// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/format/selected.hpp"

#include <algorithm>

#include "gpz/error.hpp"

namespace gpz::format {
namespace {

using ColumnRef = SelectionColumns::ColumnRef;

constexpr const char *id_column = "id";
constexpr std::array<const char *, 3> type_columns = {"type", "element", "typelabel"};  // all hold numbers of types

std::optional<ColumnRef> find(const std::vector<Field> &fields, const std::string &name, bool is_integer) {
  for (std::size_t f = 0; f < fields.size(); ++f)
    for (std::size_t d = 0; d < fields[f].components.size(); ++d)
      if (fields[f].components[d].name == name) {
        if ((fields[f].type == ValueType::integer) != is_integer) return std::nullopt;
        return ColumnRef{f, d};
      }
  return std::nullopt;
}

// A table of the ids of a set, where that is faster than searching: frames have as many ids as particles.
class QuickSet {
 public:
  QuickSet(const NumberRanges &numbers, std::size_t particles) : numbers_(numbers) {
    const auto &ranges = numbers.ranges();
    if (ranges.size() < 2) return;
    const std::uint64_t span =
        static_cast<std::uint64_t>(ranges.back().second) - static_cast<std::uint64_t>(ranges.front().first);
    if (span / 4 >= particles) return;
    first_ = static_cast<std::uint64_t>(ranges.front().first);
    has_.resize(static_cast<std::size_t>(span) + 1);
    for (const auto &[from, to] : ranges)
      std::fill(has_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::uint64_t>(from) - first_),
                has_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::uint64_t>(to) - first_) + 1,
                std::uint8_t{1});
  }

  // Clears the marks of particles whose number is not in the set.
  void drop_others(const std::int64_t *numbers, std::size_t particles, std::uint8_t *taken) const {
    if (has_.empty()) {
      for (std::size_t i = 0; i < particles; ++i) taken[i] &= static_cast<std::uint8_t>(numbers_.has(numbers[i]));
      return;
    }
    const std::uint8_t *const has = has_.data();
    const std::uint64_t size = has_.size();
    for (std::size_t i = 0; i < particles; ++i) {
      const std::uint64_t at = static_cast<std::uint64_t>(numbers[i]) - first_;
      taken[i] &= at < size ? has[at] : std::uint8_t{0};
    }
  }

 private:
  const NumberRanges &numbers_;
  std::uint64_t first_ = 0;
  Column<std::uint8_t> has_;
};

BoxVectors box_of(const Box &box) {
  if (box.kind == Box::Kind::none)
    throw Error(Status::not_found, "region: positions are fractions of the box, and the frames have no box");
  return box_vectors(box);
}

void drop_outside(const Region &region, const std::array<bool, 3> &scaled, const SelectionValues &values,
                  const Box &box, std::size_t particles, std::uint8_t *taken) {
  std::optional<PointsInBox> points;
  if (scaled[0] || scaled[1] || scaled[2]) points.emplace(box_of(box), scaled);
  for (std::size_t i = 0; i < particles; ++i) {
    std::array<double, 3> at{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (values.positions[axis] != nullptr) at[axis] = values.positions[axis][i];
    if (points) at = points->cartesian(at);
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (!(at[axis] >= region[axis].from && at[axis] <= region[axis].to)) taken[i] = 0;
  }
}

}  // namespace

bool is_id_column(const std::string &name) { return name == id_column; }

bool is_type_column(const std::string &name) {
  return std::find(type_columns.begin(), type_columns.end(), name) != type_columns.end();
}

SelectionColumns::SelectionColumns(const Selection &selection, const std::vector<Field> &fields) {
  if (selection.ids) {
    ids = find(fields, id_column, true);
    if (!ids) throw Error(Status::not_found, "ids: the file has no ids");
  }
  if (selection.types) {
    for (const char *const name : type_columns)
      if (!types) types = find(fields, name, true);
    if (!types) throw Error(Status::not_found, "types: no column type, element or typelabel");
  }
  if (!selection.region) return;
  std::vector<std::string> floats;
  for (const Field &field : fields)
    for (const Field::Component &component : field.components)
      if (field.type != ValueType::integer) floats.push_back(component.name);
  const std::vector<std::string> names = position_columns(floats);
  if (names.empty()) throw Error(Status::not_found, "region: no positions (x y, xu yu, xs ys or xsu ysu)");
  for (std::size_t axis = 0; axis < names.size(); ++axis) {
    positions[axis] = find(fields, names[axis], false);
    scaled[axis] = is_scaled_position(names[axis]);
  }
}

std::vector<ColumnRef> SelectionColumns::all() const {
  std::vector<ColumnRef> refs;
  for (const std::optional<ColumnRef> &ref : {ids, types, positions[0], positions[1], positions[2]})
    if (ref) refs.push_back(*ref);
  return refs;
}

bool has_columns(const Selection &selection, const std::vector<Field> &fields) {
  try {
    const SelectionColumns columns(selection, fields);
    return true;
  } catch (const Error &) {
    return false;
  }
}

std::size_t select(const Selection &selection, const std::array<bool, 3> &scaled, const SelectionValues &values,
                   const Box &box, std::size_t particles, std::uint8_t *taken) {
  std::fill(taken, taken + particles, std::uint8_t{1});
  if (selection.ids) QuickSet(*selection.ids, particles).drop_others(values.ids, particles, taken);
  if (selection.types) QuickSet(*selection.types, particles).drop_others(values.types, particles, taken);
  if (selection.region) drop_outside(*selection.region, scaled, values, box, particles, taken);
  return static_cast<std::size_t>(std::count(taken, taken + particles, std::uint8_t{1}));
}

}  // namespace gpz::format
