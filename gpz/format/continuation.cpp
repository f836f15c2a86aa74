// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/continuation.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "gpz/error.hpp"
#include "gpz/positions.hpp"

namespace gpz {
namespace {

std::string text_of(const std::string &text) { return text; }

std::string text_of(const std::vector<std::string> &list) {
  std::string text;
  for (const std::string &word : list) text += (text.empty() ? "" : " ") + word;
  return text;
}

// Shortest text that parses to the same number.
std::string text_of(double number) { return nlohmann::json(number).dump(); }

bool is_given(const std::string &text) { return !text.empty(); }
bool is_given(const std::vector<std::string> &list) { return !list.empty(); }
bool is_given(double number) { return number != 0; }

// Calls see(name, a's item, b's item) for each item that describes the simulation, until it returns true.
template <class See>
void for_each_item(const Metadata &a, const Metadata &b, See &&see) {
  (void)(see("units", a.units, b.units) || see("atom style", a.atom_style, b.atom_style) ||
         see("elements", a.elements, b.elements) || see("type labels", a.type_labels, b.type_labels) ||
         see("timestep", a.timestep_size, b.timestep_size));
}

const Field *field_with(const FrameInfo &frame, const std::string &column) {
  for (const Field &field : frame.fields)
    for (const Field::Component &component : field.components)
      if (component.name == column) return &field;
  return nullptr;
}

std::string bound_text(double bound) { return bound > 0 ? text_of(bound) : "0 (exact)"; }

}  // namespace

std::optional<Difference> difference(const Metadata &a, const Metadata &b) {
  std::optional<Difference> found;
  for_each_item(a, b, [&](const char *item, const auto &first, const auto &second) {
    if (is_given(first) && is_given(second) && first != second)
      found = Difference{item, text_of(first), text_of(second)};
    return found.has_value();
  });
  return found;
}

bool all_have_times(const FileScan &file) {
  return std::none_of(file.frames.begin(), file.frames.end(),
                      [](const IndexEntry &frame) { return std::isnan(frame.time); });
}

double bound_as_distance(const Field &field, const Box &box) {
  return !field.components.empty() && is_scaled_position(field.components[0].name)
             ? field.bound * box.largest_edge_sum()
             : field.bound;
}

bool same_bound(double a, double b) {
  constexpr double tolerance = 1e-9;  // for edge lengths after a multiplication and a division
  return std::abs(a - b) <= tolerance * std::max(a, b);
}

void require_continuation(const Metadata &file, const Metadata &given) {
  for_each_item(file, given, [](const char *item, const auto &has, const auto &wanted) {
    if (!is_given(wanted) || has == wanted) return false;
    const std::string name(item);
    const std::string in_file = is_given(has) ? name + " " + text_of(has) + "; give the same, " : "no " + name + "; ";
    throw Error(Status::invalid_argument, "cannot append with " + name + " " + text_of(wanted) + ": the file has " +
                                              in_file + "leave it out, or write another file");
  });
}

void require_continuation(const FrameInfo &last, const FrameInfo &next) {
  for (const Field &field : next.fields) {
    for (const Field::Component &component : field.components) {
      const Field *const before = field_with(last, component.name);
      if (before == nullptr) continue;
      const double has = bound_as_distance(*before, last.box);
      const double wanted = bound_as_distance(field, next.box);
      if (same_bound(has, wanted) || same_bound(before->bound, field.bound)) continue;
      throw Error(Status::invalid_argument, "cannot append column " + component.name + " with bound " +
                                                bound_text(wanted) + ": the file has it with bound " + bound_text(has) +
                                                "; give the same, or write another file");
    }
  }
}

}  // namespace gpz
