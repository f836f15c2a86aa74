// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/identities.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "gpz/api/input_values.hpp"
#include "gpz/error.hpp"

namespace gpz::api {
namespace {

constexpr double max_whole = 9007199254740992.0;  // 2^53: doubles represent every integer up to it

bool is_id(const Field &field) {
  return std::any_of(field.components.begin(), field.components.end(),
                     [](const Field::Component &component) { return component.name == "id"; });
}

bool is_decoded(const std::vector<FieldInput> &fields) {
  return std::any_of(fields.begin(), fields.end(), [](const FieldInput &input) { return input.decoded; });
}

bool has_positions(const std::vector<FieldInput> &fields) { return !fields.empty() && fields[0].field.leading; }

bool has_ids(const std::vector<FieldInput> &fields) {
  return std::any_of(fields.begin(), fields.end(), [](const FieldInput &input) { return is_id(input.field); });
}

// Whether the ids are 1, 2, ..., in the order of rows or in any order.
bool are_row_numbers(const std::vector<FieldInput> &fields, std::size_t particles, const int *rows, bool in_any_order) {
  const auto field =
      std::find_if(fields.begin(), fields.end(), [](const FieldInput &input) { return is_id(input.field); });
  if (field->field.type != ValueType::integer || field->field.components.size() != 1) return false;
  const ConstArray &ids = field->components[0];
  std::vector<bool> seen(in_any_order ? particles : 0);
  for (std::size_t i = 0; i < particles; ++i) {
    const std::size_t row = row_of(i, rows);
    const std::int64_t id =
        ids.type == ConstArray::Type::int32 ? value_at<std::int32_t>(ids, row) : value_at<std::int64_t>(ids, row);
    if (!in_any_order && id != static_cast<std::int64_t>(i) + 1) return false;
    if (in_any_order) {
      const auto number = static_cast<std::uint64_t>(id) - 1;
      if (number >= particles || seen[number]) return false;
      seen[number] = true;
    }
  }
  return true;
}

}  // namespace

ConstArray Identities::resized(std::size_t particles, const int *rows) {
  std::size_t count = particles;
  for (std::size_t i = 0; i < particles && rows != nullptr; ++i) count = std::max(count, row_of(i, rows) + 1);
  values_.assign(count, 0);
  return {values_.data(), sizeof values_[0], ConstArray::Type::int64};
}

void Identities::make_whole(std::vector<FieldInput> &fields, std::size_t particles, const int *rows) {
  for (FieldInput &input : fields) {
    if (input.decoded || input.field.type == ValueType::integer || input.field.components.size() != 1 ||
        !is_id(input.field))
      continue;
    const ConstArray given = input.components[0];
    const ConstArray whole = resized(particles, rows);
    for (std::size_t i = 0; i < particles; ++i) {
      const std::size_t row = row_of(i, rows);
      const double value =
          given.type == ConstArray::Type::float32 ? double{value_at<float>(given, row)} : value_at<double>(given, row);
      if (!(std::fabs(value) <= max_whole) || value != std::floor(value))
        throw Error(Status::invalid_argument, "column id: " + std::to_string(value) + " of particle " +
                                                  std::to_string(i) + " is not a whole number, as ids are");
      values_[row] = static_cast<std::int64_t>(value);
    }
    input.field.type = ValueType::integer;
    input.field.leading = false;
    input.field.bound = input.field.step = input.field.largest_error = 0;
    input.field.origin = {};
    input.components[0] = whole;
    return;
  }
}

bool Identities::may_lose_rows(const std::vector<FieldInput> &fields) {
  return has_positions(fields) && !has_ids(fields);
}

void Identities::number(std::vector<FieldInput> &fields, std::size_t particles, const int *rows) {
  if (!may_lose_rows(fields)) return;
  FieldInput ids;
  ids.field.type = ValueType::integer;
  ids.field.components = {{"id", 0}};
  ids.components[0] = resized(particles, rows);
  for (std::size_t i = 0; i < particles; ++i) values_[row_of(i, rows)] = static_cast<std::int64_t>(i) + 1;
  fields.push_back(ids);
}

void Identities::continue_after(const FrameInfo &last) {
  const auto has_id = [](const Field &field) { return is_id(field); };
  continues_a_set_ = last.particles > 0 && !last.fields.empty() && last.fields[0].leading &&
                     std::none_of(last.fields.begin(), last.fields.end(), has_id);
}

void Identities::check_same(const std::vector<FieldInput> &fields, std::size_t particles, const int *rows,
                            std::size_t frame, Order order, bool in_any_order) {
  if (!has_positions(fields) || is_decoded(fields) || particles == 0) return;
  const bool has = has_ids(fields);
  if (has && order != Order::place && are_row_numbers(fields, particles, rows, in_any_order)) return;
  if (continues_a_set_ && has)
    throw Error(Status::invalid_argument, "frame " + std::to_string(frame) +
                                              " has ids, and the frames of the file that is continued have none: write "
                                              "it without ids, or another file");
  if (!first_ || frame <= *first_) {
    first_ = frame;
    first_has_ids_ = has;
  } else if (has != first_has_ids_) {
    throw Error(Status::invalid_argument, "frame " + std::to_string(frame) + " has " + (has ? "ids" : "no ids") +
                                              ", and frame " + std::to_string(*first_) + " has " +
                                              (has ? "none" : "ids") +
                                              ": give ids with every frame of a file or with none");
  }
}

}  // namespace gpz::api
