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

void rename(Frame &frame, const Positions &positions, PositionForm form) {
  const auto names = position_names(form);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!positions.columns[axis]) continue;
    const Frame::Column &column = frame.columns[*positions.columns[axis]];
    frame.info.fields[column.field].components[column.component].name = names[axis];
  }
}

void remove_other_positions(Frame &frame, PositionForm kept) {
  for (const PositionForm form : all_forms) {
    if (form == kept) continue;
    const auto names = position_names(form);
    const auto is_other = [&](const Frame::Column &column) {
      return std::find(names.begin(), names.end(), frame.name(column)) != names.end();
    };
    frame.columns.erase(std::remove_if(frame.columns.begin(), frame.columns.end(), is_other), frame.columns.end());
  }
}

}  // namespace

std::optional<Positions> find_positions(const Frame &frame, PositionForm form) {
  Positions positions;
  positions.form = form;
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
  for (const PositionForm form : all_forms)
    if (const auto positions = find_positions(frame, form)) return positions;
  return std::nullopt;
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
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Frame::Column *column = frame.find(image_names[axis]);
    if (column != nullptr && frame.info.fields[column->field].type == ValueType::integer)
      images[axis] = column->integers.data();
    else if (positions.columns[axis])
      throw Failure(ExitCode::usage, file, "--unwrap needs the image flags ix iy iz, which the file does not have");
  }

  const BoxVectors vectors =
      positions.scaled() ? BoxVectors{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}} : box_vectors(frame.info.box, file);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!positions.columns[axis]) continue;
    Frame::Column &column = frame.columns[*positions.columns[axis]];
    frame.info.fields[column.field].type = ValueType::float64;
    std::vector<double> &values = column.floats;
    const std::array<double, 3> lengths = {vectors.a[axis], vectors.b[axis], vectors.c[axis]};
    for (std::size_t from = 0; from < 3; ++from) {
      if (lengths[from] == 0 || images[from] == nullptr) continue;
      for (std::size_t i = 0; i < values.size(); ++i) values[i] += static_cast<double>(images[from][i]) * lengths[from];
    }
  }
  rename(frame, positions, positions.scaled() ? PositionForm::scaled_unwrapped : PositionForm::unwrapped);
}

void to_cartesian(Frame &frame, const std::string &file) {
  const Positions positions = require_positions(frame, file);
  if (!positions.scaled()) return;
  const BoxVectors vectors = box_vectors(frame.info.box, file);
  const double factor = frame.info.box.largest_edge_sum();

  const std::size_t particles = frame.columns[*positions.columns[0]].floats.size();
  std::array<double *, 3> values{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!positions.columns[axis]) continue;
    Frame::Column &column = frame.columns[*positions.columns[axis]];
    values[axis] = column.floats.data();
    Field &field = frame.info.fields[column.field];
    if (column.component == 0) {
      field.type = ValueType::float64;
      field.bound *= factor;
      field.step *= factor;
      field.largest_error *= factor;
    }
  }
  for (std::size_t i = 0; i < particles; ++i) {
    const auto point = cartesian(vectors, {values[0][i], values[1][i], values[2] != nullptr ? values[2][i] : 0});
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (values[axis] != nullptr) values[axis][i] = point[axis];
  }
  rename(frame, positions, positions.form == PositionForm::scaled ? PositionForm::wrapped : PositionForm::unwrapped);
}

}  // namespace gpz::tool
