// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/selected_rows.hpp"

#include <optional>

#include "gpz/error.hpp"

namespace gpz::trajectory {

void SelectedRows::prepare(const format::SelectionColumns &columns, std::size_t particles) {
  if (particles >= codec::no_row) throw Error(Status::limit_exceeded, "more particles than can be selected");
  taken_.resize(particles);
  targets_.clear();
  const auto decode = [&](const std::optional<format::SelectionColumns::ColumnRef> &ref, auto &column,
                          ConstArray::Type type) {
    if (!ref) return;
    column.resize(particles);
    targets_[ref->field].components[ref->component] = {column.data(), static_cast<std::ptrdiff_t>(element_size(type)),
                                                       type};
  };
  decode(columns.ids, integers_[0], ConstArray::Type::int64);
  decode(columns.types, integers_[1], ConstArray::Type::int64);
  for (std::size_t axis = 0; axis < 3; ++axis)
    decode(columns.positions[axis], floats_[axis], ConstArray::Type::float64);
}

void SelectedRows::choose_decoded(const Selection &selection, const format::SelectionColumns &columns, const Box &box,
                                  const std::uint32_t *order) {
  format::SelectionValues values;
  values.ids = integers_[0].data();
  values.types = integers_[1].data();
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (columns.positions[axis]) values.positions[axis] = floats_[axis].data();
  count_ = format::select(selection, columns.scaled, values, box, taken_.size(), taken_.data());
  number(order);
}

void SelectedRows::number(const std::uint32_t *order) {
  const std::size_t particles = taken_.size();
  rows_.resize(particles);
  std::uint32_t next = 0;
  if (order == nullptr) {
    for (std::size_t i = 0; i < particles; ++i) rows_[i] = taken_[i] != 0 ? next++ : codec::no_row;
    return;
  }
  before_.assign(particles, 0);
  for (std::size_t i = 0; i < particles; ++i) before_[order[i]] = taken_[i];
  for (std::size_t row = 0; row < particles; ++row) {
    const std::uint32_t is_taken = before_[row];
    before_[row] = next;
    next += is_taken;
  }
  for (std::size_t i = 0; i < particles; ++i) rows_[i] = taken_[i] != 0 ? before_[order[i]] : codec::no_row;
}

}  // namespace gpz::trajectory
