// SPDX-License-Identifier: BSD-3-Clause
#include "bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "exit_code.hpp"
#include "field_names.hpp"
#include "gpz/chunk.hpp"
#include "gpz/error.hpp"
#include "gpz/units.hpp"
#include "positions.hpp"

namespace gpz::tool {
namespace {

// `option`: for the message.
double parse_bound(const std::string &option, const std::string &text) {
  double value = 0;
  const char *const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || !(value >= 0 && std::isfinite(value)))
    throw Failure(ExitCode::usage, "",
                  fmt::format("{}{}: a bound is a number above 0, or 0 to keep every bit", option, text));
  return value;
}

std::optional<double> parse_bound(const std::string &option, const std::optional<std::string> &text) {
  if (!text) return std::nullopt;
  return parse_bound(option, *text);
}

bool matches(const std::string &pattern, const std::string &name) {
  if (pattern.back() != '*') return pattern == name;
  return name.compare(0, pattern.size() - 1, pattern, 0, pattern.size() - 1) == 0;
}

bool is_velocity(const std::string &name) { return name == "vx" || name == "vy" || name == "vz"; }

// Calls take(pattern, text of the bound).
template <typename Take>
void parse_columns(const std::vector<std::string> &texts, const Take &take) {
  for (const std::string &text : texts) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0)
      throw Failure(ExitCode::usage, "", "--bound " + text + ": expected COLUMN=V");
    const std::string column = text.substr(0, equals);
    take(column, text.substr(equals + 1));
  }
}

// Fields of one column each. All forms of the positions have one bound.
bool takes_bound_of_its_own(const Field &field) {
  return !field.leading && field.type != ValueType::integer && !is_position(field.components[0].name);
}

Failure unknown_column(const std::string &file, const Frame &frame, const std::map<std::string, double> &columns) {
  std::string known;
  for (const Field &field : frame.info.fields)
    if (takes_bound_of_its_own(field) && field.components[0].name != "id") known += " " + field.components[0].name;
  for (const auto &[name, bound] : columns)
    if (frame.find(name) == nullptr)
      return {
          ExitCode::usage, file,
          fmt::format("--bound: no column '{}'; there are{}", name, known.empty() ? " none that take a bound" : known)};
  return {ExitCode::usage, file, "--bound is for other columns; positions take --eb or --rel"};
}

// The field with the values of the frame; integers as they are, floats as float64.
FieldInput input_of(const Frame &frame, std::size_t field) {
  FieldInput input;
  input.field = frame.info.fields[field];
  const bool integers = input.field.type == ValueType::integer;
  if (!integers) input.field.type = ValueType::float64;
  for (const Frame::Column &column : frame.columns) {
    if (column.field != field) continue;
    if (integers)
      input.components[column.component] = {column.integers.data(), sizeof(std::int64_t), ConstArray::Type::int64};
    else
      input.components[column.component] = {column.floats.data(), sizeof(double), ConstArray::Type::float64};
  }
  return input;
}

double range_of(const Frame &frame, std::size_t field) {
  return value_range(input_of(frame, field), frame.info.particles);
}

double thermal_bound_of(const std::string &file, const Frame &frame) {
  std::vector<FieldInput> inputs;
  for (std::size_t f = 0; f < frame.info.fields.size(); ++f) inputs.push_back(input_of(frame, f));
  try {
    return thermal_bound(inputs, frame.info.particles);
  } catch (const Error &error) {
    throw Failure(ExitCode::usage, file, "--bound: " + error.cause());
  }
}

double longest_edge(const Box &box) {
  const std::array<double, 3> edges = box.edges();
  return *std::max_element(edges.begin(), edges.end());
}

bool has_box(const Frame &frame) { return frame.info.box.kind != Box::Kind::none; }

std::size_t first_positions(const Frame &frame) {
  const std::vector<Field> &fields = frame.info.fields;
  return static_cast<std::size_t>(std::find_if(fields.begin(), fields.end(), takes_position_bound) - fields.begin());
}

// The largest magnitude of the finite values of a field.
double largest_value(const Frame &frame, std::size_t field) {
  double largest = 0;
  for (const Frame::Column &column : frame.columns)
    if (column.field == field)
      for (const double x : column.floats)
        if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  return largest;
}

}  // namespace

bool takes_position_bound(const Field &field) {
  return field.type != ValueType::integer && (field.leading || is_position(field.components[0].name));
}

Bounds::Bounds(const BoundOptions &options)
    : absolute_(parse_bound("--eb ", options.absolute)), relative_(parse_bound("--rel ", options.relative)) {
  parse_columns(options.columns, [&](const std::string &column, const std::string &text) {
    Asked asked{column, std::nullopt};
    if (text != "thermal") asked.bound = parse_bound("--bound " + column + "=", text);
    asked_.push_back(std::move(asked));
  });
  if (relative_ && *relative_ >= 1)
    throw Failure(ExitCode::usage, "",
                  fmt::format("--rel {}: a bound of the whole box or more; give less than 1", *options.relative));
  lossless_ = options.lossless || absolute_ == 0.0 || relative_ == 0.0;
  if (lossless_) absolute_ = relative_ = std::nullopt;
}

// The columns of the first frame that patterns stand for, and bounds that its values give.
void Bounds::resolve_columns(const std::string &file, const Frame &frame) {
  double thermal = 0;
  for (const Asked &asked : asked_) {
    if (asked.pattern.back() != '*' && asked.bound) {
      columns_[asked.pattern] = *asked.bound;
      continue;
    }
    std::size_t found = 0;
    std::string names;
    for (const Field &field : frame.info.fields) {
      const std::string &name = field.components[0].name;
      if (!takes_bound_of_its_own(field) || name == "id" || !matches(asked.pattern, name)) continue;
      if (!asked.bound && !is_velocity(name))
        throw Failure(ExitCode::usage, file,
                      fmt::format("--bound {}=thermal: a thermal bound is for vx, vy and vz, not for {}; give a number",
                                  asked.pattern, name));
      if (!asked.bound && thermal == 0) thermal = thermal_bound_of(file, frame);
      columns_[name] = asked.bound.value_or(thermal);
      names += (found++ == 0 ? "" : " ") + name;
    }
    if (found == 0)
      throw Failure(ExitCode::usage, file, fmt::format("--bound {}: no such column takes a bound", asked.pattern));
    if (!asked.bound)
      print_note(printable(
          fmt::format("{}: bound {:g}, {} in the first frame, rounded down", names, thermal, thermal_bound_text)));
  }
  asked_.clear();
}

void Bounds::apply(const std::string &file, Frame &frame) {
  if (!asked_.empty()) resolve_columns(file, frame);
  std::size_t used = 0;
  for (std::size_t f = 0; f < frame.info.fields.size(); ++f) {
    const Field &field = frame.info.fields[f];
    if (takes_position_bound(field)) continue;
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
  if (!std::exchange(looked_at_, true)) note_large(file, frame);
}

void Bounds::apply_to_positions(const std::string &file, Frame &frame) {
  for (std::size_t f = 0; f < frame.info.fields.size(); ++f) {
    const Field &field = frame.info.fields[f];
    if (!takes_position_bound(field)) continue;
    if (lossless_ && field.bound > 0)
      throw Failure(ExitCode::usage, file,
                    fmt::format("--lossless: {} {} within {} of the original, whose bits are not here; without "
                                "--lossless all values are kept as they are",
                                names_of(field), field.components.size() == 1 ? "is" : "are", field.bound));
    if (!absolute_ && !relative_) continue;
    double bound = absolute_of(file, frame);
    // Fractions of the box: an error in them counts as the distance that it becomes.
    if (is_scaled_position(field.components[0].name)) {
      const double edges = frame.info.box.largest_edge_sum();
      if (edges == 0) throw Failure(ExitCode::usage, file, "the frames have no box");
      bound /= edges;
    }
    give(file, frame, f, bound);
  }
}

// The first frame decides what a relative bound is.
double Bounds::absolute_of(const std::string &file, const Frame &frame) {
  if (!absolute_) {
    const double range = has_box(frame) ? longest_edge(frame.info.box) : range_of(frame, first_positions(frame));
    absolute_ = *relative_ * range;
    if (!(*absolute_ > 0 && std::isfinite(*absolute_)))
      throw Failure(ExitCode::usage, file,
                    fmt::format("--rel {} of a range of {} is no bound; give --eb", *relative_, range));
  }
  return *absolute_;
}

void Bounds::note_large(const std::string &file, const Frame &frame) const {
  const auto note = [&](const std::string &of, double bound, const std::string &extent) {
    print_note(printable(fmt::format("{}: the bound {:g} of {} is at least {}", file, bound, of, extent)));
  };
  const std::size_t positions = first_positions(frame);
  if (absolute_ && positions < frame.info.fields.size()) {
    const double extent = has_box(frame) ? longest_edge(frame.info.box) : range_of(frame, positions);
    if (extent > 0 && *absolute_ >= extent / 2)
      note("the positions", *absolute_,
           fmt::format("half of {}, {:g}", has_box(frame) ? "the longest box edge" : "their range in the first frame",
                       extent));
  }
  for (std::size_t f = 0; f < frame.info.fields.size(); ++f) {
    const auto asked = columns_.find(frame.info.fields[f].components[0].name);
    if (asked == columns_.end() || !takes_bound_of_its_own(frame.info.fields[f])) continue;
    const double largest = largest_value(frame, f);
    if (largest > 0 && asked->second >= largest)
      note(asked->first, asked->second, fmt::format("its largest value in the first frame, {:g}", largest));
  }
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
