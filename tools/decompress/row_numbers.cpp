// SPDX-License-Identifier: BSD-3-Clause
#include "row_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "counted.hpp"
#include "exit_code.hpp"

namespace gpz::tool {
namespace {

std::vector<std::vector<std::int64_t>> species_of(const Frame &frame) {
  std::vector<std::vector<std::int64_t>> species;
  for (const char *name : {"element", "type"}) {
    const Frame::Column *column = frame.find(name);
    if (column != nullptr) species.push_back(column->integers);  // none for types that are floats
  }
  return species;
}

bool can_be_numbered(const Frame &frame) {
  return !frame.info.fields.empty() && frame.info.fields[0].leading && frame.find("id") == nullptr;
}

void add_ids(Frame &frame) {
  Field ids;
  ids.type = ValueType::integer;
  ids.components = {{"id", static_cast<std::uint16_t>(frame.columns.size())}};
  Frame::Column column;
  column.field = frame.info.fields.size();
  column.component = 0;
  column.integers.resize(frame.info.particles);
  std::iota(column.integers.begin(), column.integers.end(), std::int64_t{1});
  frame.info.fields.push_back(ids);
  frame.columns.push_back(std::move(column));
}

}  // namespace

void RowNumbers::apply(const std::string &file, Frame &frame) {
  if (!active_) return;
  if (frames_ == 0) {
    active_ = can_be_numbered(frame);
    if (!active_) return;
    particles_ = frame.info.particles;
    species_ = species_of(frame);
  } else if (const std::string other = difference(frame); !other.empty()) {
    active_ = false;
    print_note(printable(fmt::format(
        "{}: particles are numbered by their rows before frame {}; it has {}: it and the following have no ids", file,
        frames_, other)));
    return;
  }
  add_ids(frame);
  ++frames_;
}

std::string RowNumbers::difference(const Frame &frame) const {
  if (frame.info.particles != particles_)
    return fmt::format("{}, the first frame has {}", counted(frame.info.particles, "particle"), particles_);
  if (!can_be_numbered(frame)) return "other columns";
  return species_of(frame) == species_ ? "" : "other species in its rows";
}

}  // namespace gpz::tool
