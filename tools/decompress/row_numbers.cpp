// SPDX-License-Identifier: BSD-3-Clause
#include "row_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "counted.hpp"
#include "exit_code.hpp"
#include "particle_order.hpp"

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

}  // namespace

void number_rows(Frame &frame) {
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

bool lacks_ids(const Frame &frame) {
  return !frame.info.fields.empty() && frame.info.fields[0].leading && frame.find("id") == nullptr;
}

bool ids_are_row_numbers(const Metadata &metadata) {
  return !metadata.columns.empty() &&
         std::find(metadata.columns.begin(), metadata.columns.end(), "id") == metadata.columns.end();
}

void RowNumbers::apply(const std::string &file, Frame &frame) {
  const bool lacks = lacks_ids(frame);
  if (frame.info.particles > 0 && (lacks || frame.find("id") != nullptr)) {
    if (!first_) {
      first_ = frames_;
      first_lacks_ids_ = lacks;
    } else if (lacks != first_lacks_ids_) {
      throw Failure(ExitCode::usage, file,
                    fmt::format("frame {} has {}, and frame {} has {}: ids are in every frame of a file or in none",
                                frames_, lacks ? "no ids" : "ids", *first_, lacks ? "ids" : "none"));
    }
  }
  // The writer keeps the rows itself in the order of memory.
  if (lacks && (order_ == Order::automatic || order_ == Order::id)) {
    numbers_ = true;
    compare_rows(frame);
    number_rows(frame);
  } else if (!lacks && equal_ids_.empty()) {
    find_equal_ids(frame);
  }
  ++frames_;
}

void RowNumbers::compare_rows(const Frame &frame) {
  if (!other_rows_.empty()) return;
  if (frames_ == 0) {
    particles_ = frame.info.particles;
    species_ = species_of(frame);
  } else if (frame.info.particles != particles_) {
    other_rows_ = fmt::format("frame {} has {}, the first frame has {}", frames_,
                              counted(frame.info.particles, "particle"), particles_);
  } else if (species_of(frame) != species_) {
    other_rows_ = fmt::format("frame {} has other species in its rows", frames_);
  }
}

void RowNumbers::find_equal_ids(const Frame &frame) {
  const Frame::Column *column = frame.find("id");
  if (column == nullptr || column->integers.empty()) return;  // none: floats, which the encoder makes whole
  const std::vector<std::int64_t> &ids = column->integers;
  if (std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) == ids.end()) return;
  const std::vector<std::size_t> rows = sorted_rows(frame, "id", "");
  std::size_t second = ids.size();
  std::size_t first = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (ids[rows[i]] != ids[rows[i - 1]] || rows[i] >= second) continue;
    second = rows[i];
    first = rows[i - 1];
  }
  if (second == ids.size()) return;
  equal_ids_ =
      fmt::format("frame {}: rows {} and {}, counted from 0, have the same id {}", frames_, first, second, ids[first]);
}

std::vector<std::string> RowNumbers::notes(const std::string &file) const {
  std::vector<std::string> notes;
  if (numbers_)
    notes.push_back(fmt::format(
        "{}: particles have no ids and are numbered by their rows{}", file,
        other_rows_.empty() ? "" : fmt::format("; {}: a number is that of a row, not of a particle", other_rows_)));
  if (first_lacks_ids_ && order_ == Order::place)
    notes.push_back(
        fmt::format("{}: particles have no ids: the rows of each frame are stored as a set, sorted by position", file));
  if (!equal_ids_.empty())
    notes.push_back(fmt::format("{}: {}{}", file, equal_ids_,
                                order_ == Order::place ? "" : "; particles of equal ids keep the order of their rows"));
  return notes;
}

}  // namespace gpz::tool
