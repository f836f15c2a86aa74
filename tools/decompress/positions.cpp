// SPDX-License-Identifier: BSD-3-Clause
#include "positions.hpp"

#include <algorithm>
#include <vector>

#include "exit_code.hpp"

namespace gpz::tool {
namespace {

std::optional<std::size_t> find_column(const Frame &frame, const std::string &name) {
  const Frame::Column *column = frame.find(name);
  if (column == nullptr) return std::nullopt;
  return static_cast<std::size_t>(column - frame.columns.data());
}

Positions require_positions(const Frame &frame, const std::string &file) {
  const auto positions = find_positions(frame);
  if (!positions) throw Failure(ExitCode::usage, file, "no positions (x y, xu yu, xs ys or xsu ysu)");
  return *positions;
}

bool is_unwrapped(PositionForm form) {
  return form == PositionForm::unwrapped || form == PositionForm::scaled_unwrapped;
}
PositionForm unscaled(PositionForm form) {
  return is_unwrapped(form) ? PositionForm::unwrapped : PositionForm::wrapped;
}
PositionForm unwrapped(PositionForm form) {
  return is_scaled(form) ? PositionForm::scaled_unwrapped : PositionForm::unwrapped;
}

void remove_columns(Frame &frame, const std::vector<std::string> &names) {
  const auto is_one = [&](const Frame::Column &column) {
    return std::find(names.begin(), names.end(), frame.name(column)) != names.end();
  };
  frame.columns.erase(std::remove_if(frame.columns.begin(), frame.columns.end(), is_one), frame.columns.end());
}

// Gives the positions the names of other forms. Columns that have these names are removed: they are the same quantity.
template <typename FormOf>
void rename(Frame &frame, const Positions &positions, const FormOf &form_of) {
  struct NewName {
    std::size_t field, component;
    std::string name;
  };
  std::vector<NewName> renamed;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!positions.columns[axis]) continue;
    const Frame::Column &column = frame.columns[*positions.columns[axis]];
    const std::string name = position_names(form_of(positions.forms[axis]))[axis];
    if (frame.name(column) != name) renamed.push_back({column.field, column.component, name});
  }
  for (const NewName &given : renamed) remove_columns(frame, {given.name});
  for (const NewName &given : renamed) frame.info.fields[given.field].components[given.component].name = given.name;
}

// Removes columns that would now be chosen in place of the positions, which have new names.
void keep_chosen(Frame &frame, Positions positions) {
  for (PositionForm &form : positions.forms) form = unscaled(form);
  const std::vector<std::string> names = positions.names();
  if (find_positions(frame)->names() == names) return;
  std::vector<std::string> others;
  for (const Frame::Column &column : frame.columns)
    if (is_position(frame.name(column)) && std::find(names.begin(), names.end(), frame.name(column)) == names.end())
      others.push_back(frame.name(column));
  remove_columns(frame, others);
}

void remove_other_positions(Frame &frame, PositionForm kept) {
  for (const PositionForm form : all_forms) {
    const auto names = position_names(form);
    if (form != kept) remove_columns(frame, {names.begin(), names.end()});
  }
}

}  // namespace

bool Positions::scaled() const {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (columns[axis] && is_scaled(forms[axis])) return true;
  return false;
}

bool Positions::all(PositionForm form) const {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (columns[axis] && forms[axis] != form) return false;
  return true;
}

std::vector<std::string> Positions::names() const {
  std::vector<std::string> found;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (columns[axis]) found.push_back(position_names(forms[axis])[axis]);
  return found;
}

std::optional<Positions> find_positions(const Frame &frame, PositionForm form) {
  Positions positions;
  positions.forms.fill(form);
  const auto names = position_names(form);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    positions.columns[axis] = find_column(frame, names[axis]);
    if (!positions.columns[axis]) continue;
    const Frame::Column &column = frame.columns[*positions.columns[axis]];
    if (frame.info.fields[column.field].type == ValueType::integer) return std::nullopt;
  }
  if (!positions.columns[0] || !positions.columns[1]) return std::nullopt;
  return positions;
}

std::optional<Positions> find_positions(const Frame &frame) {
  std::vector<std::string> floats;
  for (const Frame::Column &column : frame.columns)
    if (frame.info.fields[column.field].type != ValueType::integer) floats.push_back(frame.name(column));
  const std::vector<std::string> names = position_columns(floats);
  if (names.empty()) return std::nullopt;
  Positions positions;
  for (std::size_t axis = 0; axis < names.size(); ++axis) {
    positions.columns[axis] = find_column(frame, names[axis]);
    positions.forms[axis] = *position_form(names[axis]);
  }
  return positions;
}

BoxVectors box_vectors(const Box &box, const std::string &file) {
  if (box.kind == Box::Kind::none) throw Failure(ExitCode::usage, file, "the frames have no box");
  return gpz::box_vectors(box);
}

void unwrap(Frame &frame, const std::string &file) {
  const Positions positions = require_positions(frame, file);
  for (const PositionForm form : {PositionForm::unwrapped, PositionForm::scaled_unwrapped}) {
    const auto unwrapped = find_positions(frame, form);
    if (!unwrapped || (positions.columns[2] && !unwrapped->columns[2])) continue;
    remove_other_positions(frame, form);
    return;
  }

  constexpr std::array<const char *, 3> image_names = {"ix", "iy", "iz"};
  std::array<const std::int64_t *, 3> images{};
  const Failure no_images(ExitCode::usage, file,
                          "--unwrap needs the image flags ix iy iz, which the file does not have");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Frame::Column *column = frame.find(image_names[axis]);
    if (column != nullptr && frame.info.fields[column->field].type == ValueType::integer)
      images[axis] = column->integers.data();
    else if (positions.columns[axis] && !is_unwrapped(positions.forms[axis]))
      throw no_images;
  }

  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!positions.columns[axis] || is_unwrapped(positions.forms[axis])) continue;
    Frame::Column &column = frame.columns[*positions.columns[axis]];
    frame.info.fields[column.field].type = ValueType::float64;
    std::vector<double> &values = column.floats;
    std::array<double, 3> lengths{};
    if (is_scaled(positions.forms[axis])) {
      lengths[axis] = 1;
    } else {
      const BoxVectors vectors = box_vectors(frame.info.box, file);
      lengths = {vectors.a[axis], vectors.b[axis], vectors.c[axis]};
    }
    for (std::size_t from = 0; from < 3; ++from) {
      if (lengths[from] == 0) continue;
      if (images[from] == nullptr) throw no_images;
      for (std::size_t i = 0; i < values.size(); ++i) values[i] += static_cast<double>(images[from][i]) * lengths[from];
    }
  }
  rename(frame, positions, unwrapped);
}

void to_cartesian(Frame &frame, const std::string &file) {
  const Positions positions = require_positions(frame, file);
  if (!positions.scaled()) return;
  const double factor = frame.info.box.largest_edge_sum();
  const std::size_t particles = frame.columns[*positions.columns[0]].floats.size();
  std::array<bool, 3> scaled{};
  std::array<double *, 3> values{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!positions.columns[axis]) continue;
    Frame::Column &column = frame.columns[*positions.columns[axis]];
    values[axis] = column.floats.data();
    scaled[axis] = is_scaled(positions.forms[axis]);
    Field &field = frame.info.fields[column.field];
    if (scaled[axis] && column.component == 0) {
      field.type = ValueType::float64;
      field.bound *= factor;
      field.step *= factor;
      field.largest_error *= factor;
    }
  }
  const PointsInBox points(box_vectors(frame.info.box, file), scaled);
  for (std::size_t i = 0; i < particles; ++i) {
    const auto point = points.cartesian({values[0][i], values[1][i], values[2] != nullptr ? values[2][i] : 0});
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (scaled[axis]) values[axis][i] = point[axis];
  }
  rename(frame, positions, unscaled);
  keep_chosen(frame, positions);
}

}  // namespace gpz::tool
