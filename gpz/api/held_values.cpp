// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/held_values.hpp"

#include <algorithm>
#include <cstring>

#include "gpz/error.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::api {
namespace {

bool same_names(const Field &a, const Field &b) {
  return a.type == b.type &&
         std::equal(a.components.begin(), a.components.end(), b.components.begin(), b.components.end(),
                    [](const Field::Component &x, const Field::Component &y) { return x.name == y.name; });
}

template <typename Word>
void copy_words(const std::uint8_t *from, std::size_t n, const Array &to) {
  auto *out = static_cast<char *>(to.data);
  for (std::size_t i = 0; i < n; ++i) {
    Word word;
    std::memcpy(&word, from + i * sizeof word, sizeof word);
    std::memcpy(out + static_cast<std::ptrdiff_t>(i) * to.stride, &word, sizeof word);
  }
}

void copy_column(const std::uint8_t *from, std::size_t n, const Array &to) {
  if (n == 0) return;  // arrays of nothing have no address
  const std::size_t size = element_size(to.type);
  if (to.stride == static_cast<std::ptrdiff_t>(size))
    std::memcpy(to.data, from, n * size);
  else if (size == 4)
    copy_words<std::uint32_t>(from, n, to);
  else
    copy_words<std::uint64_t>(from, n, to);
}

}  // namespace

FrameRequest::FrameRequest(const std::vector<codec::Target> &targets, const ReadOptions &options)
    : sort_by_id(options.sort_by_id), selection(options.selection) {
  for (std::size_t f = 0; f < targets.size(); ++f)
    for (std::size_t d = 0; d < targets[f].components.size(); ++d)
      if (const Array &array = targets[f].components[d]; array.data != nullptr) columns.push_back({f, d, array.type});
}

bool operator==(const FrameRequest &a, const FrameRequest &b) {
  const auto same = [](const FrameRequest::Column &x, const FrameRequest::Column &y) {
    return x.field == y.field && x.component == y.component && x.type == y.type;
  };
  return a.sort_by_id == b.sort_by_id && a.selection == b.selection &&
         std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(), same);
}

FrameRequest request_of(const Frame &frame, const std::vector<bool> &wanted, const ReadOptions &options) {
  FrameRequest request;
  request.sort_by_id = options.sort_by_id;
  request.selection = options.selection;
  for (const Frame::Column &column : frame.columns) {
    if (!wanted.empty() && !wanted[column.field]) continue;
    const bool is_integer = frame.info.fields[column.field].type == ValueType::integer;
    request.columns.push_back(
        {column.field, column.component, is_integer ? ConstArray::Type::int64 : ConstArray::Type::float64});
  }
  return request;
}

std::uint64_t size_of(const FrameRequest &request, std::uint64_t particles) {
  std::uint64_t bytes = 0;
  for (const FrameRequest::Column &column : request.columns) bytes += element_size(column.type);
  return bytes * particles;
}

std::vector<codec::Target> HeldValues::make_room(const FrameRequest &request, const std::vector<Field> &fields,
                                                 std::uint64_t particles, std::uint64_t rows) {
  format::require_memory(rows, request.columns.size() * sizeof(double));
  const auto bytes = static_cast<std::size_t>(size_of(request, rows));
  if (bytes > room_) {
    bytes_.reset();
    room_ = 0;
    charge_ = {};
    charge_ = format::Charge(bytes);
    bytes_.reset(new std::uint8_t[bytes]);
    room_ = bytes;
  }
  columns_.clear();
  fields_ = fields;
  particles_ = particles;
  rows_ = rows;
  std::vector<codec::Target> targets(fields.size());
  std::size_t at = 0;
  for (const FrameRequest::Column &column : request.columns) {
    if (column.field >= fields.size() || column.component >= fields[column.field].components.size())
      throw Error(Status::not_found, "no such column");
    columns_.push_back({column, at});
    const std::size_t size = element_size(column.type);
    targets[column.field].components[column.component] = {bytes_.get() + at, static_cast<std::ptrdiff_t>(size),
                                                          column.type};
    at += size * static_cast<std::size_t>(rows);
  }
  return targets;
}

bool HeldValues::are_of(const FrameInfo &info) const {
  return info.particles == particles_ &&
         std::equal(info.fields.begin(), info.fields.end(), fields_.begin(), fields_.end(), same_names);
}

void HeldValues::copy_to(const std::vector<codec::Target> &targets) const {
  for (const Column &column : columns_)
    copy_column(bytes_.get() + column.at, static_cast<std::size_t>(rows_),
                targets[column.of.field].components[column.of.component]);
}

}  // namespace gpz::api
