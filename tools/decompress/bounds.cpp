// SPDX-License-Identifier: BSD-3-Clause
#include "bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "exit_code.hpp"
#include "field_names.hpp"
#include "gpz/chunk.hpp"
#include "positions.hpp"

namespace gpz::tool {
namespace {

void check_positive(const char *option, const std::optional<double> &value) {
  if (value && !(*value > 0 && std::isfinite(*value)))
    throw Failure(ExitCode::usage, "", fmt::format("{} {}: a bound is a number above 0", option, *value));
}

std::map<std::string, double> parse_columns(const std::vector<std::string> &texts) {
  std::map<std::string, double> bounds;
  for (const std::string &text : texts) {
    const std::size_t equals = text.rfind('=');
    double value = 0;
    const char *const end = text.data() + text.size();
    if (equals == std::string::npos || equals == 0 ||
        std::from_chars(text.data() + equals + 1, end, value).ptr != end || equals + 1 == text.size())
      throw Failure(ExitCode::usage, "", "--bound " + text + ": expected COLUMN=V");
    if (!(value > 0 && std::isfinite(value)))
      throw Failure(ExitCode::usage, "", "--bound " + text + ": a bound is a number above 0");
    bounds[text.substr(0, equals)] = value;
  }
  return bounds;
}

Failure unknown_column(const std::string &file, const Frame &frame, const std::map<std::string, double> &columns) {
  std::string known;
  for (const Field &field : frame.info.fields)
    if (!field.leading && field.type != ValueType::integer && field.components[0].name != "id")
      known += " " + field.components[0].name;
  for (const auto &[name, bound] : columns)
    if (frame.find(name) == nullptr)
      return {
          ExitCode::usage, file,
          fmt::format("--bound: no column '{}'; there are{}", name, known.empty() ? " none that take a bound" : known)};
  return {ExitCode::usage, file, "--bound is for other columns; positions take --eb or --rel"};
}

// The longest box edge, or without a box the largest range of a coordinate.
double extent(const Frame &frame) {
  if (frame.info.box.kind != Box::Kind::none) {
    const std::array<double, 3> edges = frame.info.box.edges();
    return *std::max_element(edges.begin(), edges.end());
  }
  FieldInput input;
  input.field = frame.info.fields[0];
  input.field.type = ValueType::float64;  // as they are in a frame
  for (const Frame::Column &column : frame.columns)
    if (column.field == 0)
      input.components[column.component] = {column.floats.data(), sizeof(double), ConstArray::Type::float64};
  return value_range(input, frame.info.particles);
}

}  // namespace

Bounds::Bounds(const BoundOptions &options)
    : absolute_(options.absolute),
      relative_(options.relative),
      lossless_(options.lossless),
      columns_(parse_columns(options.columns)) {
  check_positive("--eb", absolute_);
  check_positive("--rel", relative_);
}

void Bounds::apply(const std::string &file, Frame &frame) {
  std::size_t used = 0;
  for (std::size_t f = 0; f < frame.info.fields.size(); ++f) {
    const Field &field = frame.info.fields[f];
    if (field.leading) continue;
    const auto asked = columns_.find(field.components[0].name);
    if (asked == columns_.end()) continue;
    // The encoder makes integers of ids that are written as floats.
    if (field.type == ValueType::integer || asked->first == "id")
      throw Failure(ExitCode::usage, file, "--bound: column " + asked->first + " holds integers, which are lossless");
    give(file, frame, f, asked->second);
    ++used;
  }
  if (used < columns_.size()) throw unknown_column(file, frame, columns_);
  apply_to_positions(file, frame);
}

void Bounds::apply_to_positions(const std::string &file, Frame &frame) {
  if (frame.info.fields.empty() || !frame.info.fields[0].leading) return;
  const Field &field = frame.info.fields[0];
  if (lossless_ && field.bound > 0)
    throw Failure(
        ExitCode::usage, file,
        fmt::format("--lossless: {} are within {} of the original, whose bits are not here; without --lossless "
                    "they are kept as they are",
                    names_of(field), field.bound));
  if (relative_ && !absolute_) {
    const double range = extent(frame);
    absolute_ = *relative_ * range;
    if (!(*absolute_ > 0 && std::isfinite(*absolute_)))
      throw Failure(ExitCode::usage, file,
                    fmt::format("--rel {} of a range of {} is no bound; give --eb", *relative_, range));
  }
  if (!absolute_) return;
  double bound = *absolute_;
  // Fractions of the box: an error in them counts as the distance that it becomes.
  const auto positions = find_positions(frame);
  if (positions && positions->scaled()) {
    const double edges = frame.info.box.largest_edge_sum();
    if (edges == 0) throw Failure(ExitCode::usage, file, "the frames have no box");
    bound /= edges;
  }
  give(file, frame, 0, bound);
}

void Bounds::give(const std::string &file, Frame &frame, std::size_t f, double bound) {
  Field &field = frame.info.fields[f];
  const double before = field.origin.bound;
  const bool is_one = field.components.size() == 1;
  // The writer would say so too, but the output would be open by then.
  if (bound < before)
    throw Failure(ExitCode::usage, file,
                  fmt::format("{} {} within {} of the original: a bound of {} cannot be kept", names_of(field),
                              is_one ? "is" : "are", before, bound));
  if (bound == before) return;
  field.bound = bound;
  field.step = 0;
}

void Bounds::note_kept(const std::string &file, const FrameInfo &given, const FrameInfo &written) {
  for (std::size_t f = 0; f < std::min(given.fields.size(), written.fields.size()) && !noted_; ++f) {
    const Field &field = given.fields[f];
    const double kept = written.fields[f].bound;
    if (!(kept < field.bound)) continue;
    noted_ = true;
    print_note(printable(fmt::format("{}: {} the bound {}: with {}, the file would not be smaller", file,
                                     names_of(field) + (field.components.size() == 1 ? " keeps" : " keep"), kept,
                                     field.bound)));
  }
}

}  // namespace gpz::tool
