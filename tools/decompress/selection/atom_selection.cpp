// SPDX-License-Identifier: BSD-3-Clause
#include "selection/atom_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "exit_code.hpp"
#include "positions.hpp"

namespace gpz::tool {
namespace {

constexpr const char *id_column = "id";
constexpr std::array<const char *, 3> type_columns = {"type", "element", "typelabel"};  // all hold numbers of types

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

// Every type that has the name: several types may be one element.
bool add_named(const std::string &name, const std::vector<std::string> &names, NumberRanges &types) {
  bool found = false;
  for (std::size_t t = 0; t < names.size(); ++t) {
    if (names[t] != name) continue;
    const auto number = static_cast<std::int64_t>(t + 1);
    types.add(number, number);
    found = true;
  }
  return found;
}

const Frame::Column *integers(const Frame &frame, const char *name) {
  const Frame::Column *const column = frame.find(name);
  if (column == nullptr || frame.info.fields[column->field].type != ValueType::integer) return nullptr;
  return column;
}

void drop_others(const Frame::Column &column, const NumberRanges &ranges, std::vector<char> &taken) {
  for (std::size_t i = 0; i < taken.size(); ++i)
    if (taken[i] != 0 && !ranges.has(column.integers[i])) taken[i] = 0;
}

template <typename T>
void keep_taken(std::vector<T> &values, const std::vector<char> &taken) {
  if (values.empty()) return;  // a field that was not decoded
  std::size_t kept = 0;
  for (std::size_t i = 0; i < taken.size(); ++i)
    if (taken[i] != 0) values[kept++] = values[i];
  values.resize(kept);
}

}  // namespace

AtomSelection::AtomSelection(const AtomOptions &options, const TypeNames &names) {
  for (const std::string &text : options.ids) {
    if (!ids_) ids_.emplace();
    if (!ids_->add(text))
      throw Failure(ExitCode::usage, "", "--ids: '" + text + "' is neither a number nor a range A:B");
  }
  for (const std::string &text : options.types) {
    if (!types_) types_.emplace();
    // Type labels of LAMMPS never look like numbers.
    if (types_->add(text)) continue;
    const bool is_element = add_named(text, names.elements, *types_);
    const bool is_label = add_named(text, names.labels, *types_);
    if (is_element || is_label) continue;
    std::vector<std::string> known = names.elements;
    known.insert(known.end(), names.labels.begin(), names.labels.end());
    throw Failure(ExitCode::usage, "",
                  fmt::format("--types: '{}' is no number, range A:B, element or label{}", text,
                              known.empty() ? "; the file has no names of types"
                                            : fmt::format("; there are {}", fmt::join(known, " "))));
  }
  if (!options.region.empty()) region_ = parse_region(options.region);
}

AtomSelection::Region AtomSelection::parse_region(const std::string &text) {
  const auto failure = [&] {
    return Failure(ExitCode::usage, "", "--region " + text + ": expected xlo:xhi,ylo:yhi,zlo:zhi; a side may be empty");
  };
  const auto parse = [&](const std::string &side, double &value) {
    if (side.empty()) return;
    const char *const end = side.data() + side.size();
    const auto [rest, error] = std::from_chars(side.data(), end, value);
    if (error != std::errc() || rest != end || std::isnan(value)) throw failure();
  };
  const std::vector<std::string> axes = split(text, ',');
  if (axes.size() < 2 || axes.size() > 3) throw failure();
  Region region;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const std::vector<std::string> sides = split(axes[axis], ':');
    if (sides.size() != 2) throw failure();
    parse(sides[0], region[axis].from);
    parse(sides[1], region[axis].to);
    if (region[axis].from > region[axis].to) throw failure();
  }
  return region;
}

void AtomSelection::want(const FrameInfo &info, std::vector<bool> &wanted) const {
  for (std::size_t f = 0; f < info.fields.size(); ++f)
    for (const Field::Component &component : info.fields[f].components) {
      const bool is_type = std::find(type_columns.begin(), type_columns.end(), component.name) != type_columns.end();
      if ((ids_ && component.name == id_column) || (types_ && is_type) || (region_ && is_position(component.name)))
        wanted[f] = true;
    }
}

void AtomSelection::apply(Frame &frame, const std::string &file) const {
  if (all()) return;
  std::vector<char> taken(static_cast<std::size_t>(frame.info.particles), 1);
  if (ids_) {
    const Frame::Column *const ids = integers(frame, id_column);
    if (ids == nullptr) throw Failure(ExitCode::usage, file, "--ids: the file has no ids");
    drop_others(*ids, *ids_, taken);
  }
  if (types_) {
    const Frame::Column *types = nullptr;
    for (const char *const name : type_columns)
      if (types == nullptr) types = integers(frame, name);
    if (types == nullptr) throw Failure(ExitCode::usage, file, "--types: no column type, element or typelabel");
    drop_others(*types, *types_, taken);
  }
  if (region_) drop_outside(frame, file, taken);
  for (Frame::Column &column : frame.columns) {
    keep_taken(column.floats, taken);
    keep_taken(column.integers, taken);
  }
  frame.info.particles = static_cast<std::uint64_t>(std::count(taken.begin(), taken.end(), 1));
}

void AtomSelection::drop_outside(const Frame &frame, const std::string &file, std::vector<char> &taken) const {
  const auto positions = find_positions(frame);
  if (!positions) throw Failure(ExitCode::usage, file, "--region: no positions (x y, xu yu, xs ys or xsu ysu)");
  std::array<const double *, 3> values{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (positions->columns[axis]) values[axis] = frame.columns[*positions->columns[axis]].floats.data();
  const std::optional<BoxVectors> vectors =
      positions->scaled() ? std::optional(box_vectors(frame.info.box, file)) : std::nullopt;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    std::array<double, 3> at{};  // a frame without z is at 0
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (values[axis] != nullptr) at[axis] = values[axis][i];
    if (vectors) at = cartesian(*vectors, at);
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (!(at[axis] >= (*region_)[axis].from && at[axis] <= (*region_)[axis].to)) taken[i] = 0;
  }
}

}  // namespace gpz::tool
