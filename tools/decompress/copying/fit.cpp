// SPDX-License-Identifier: BSD-3-Clause
#include "copying/fit.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "field_names.hpp"
#include "gpz/continuation.hpp"

namespace gpz::tool {
namespace {

std::vector<std::string> column_names(const FrameInfo &info) {
  std::vector<std::string> names;
  for (const Field &field : info.fields)
    for (const Field::Component &component : field.components) names.push_back(component.name);
  return names;
}

std::string bound_text(double bound) { return bound > 0 ? fmt::format("the bound {}", bound) : "no bound (lossless)"; }

std::string difference_of_kind(const Field &a, const Field &b) {
  if (a.type != b.type) return fmt::format("{} of another type", names_of(a));
  if (a.leading != b.leading || a.display != b.display || names_of(a) != names_of(b))
    return fmt::format("{} in another role", names_of(a));
  return "";
}

}  // namespace

Metadata joined(Metadata a, const Metadata &b) {
  const auto fill = [](auto &to, const auto &from) {
    if (to.empty()) to = from;
  };
  fill(a.units, b.units);
  fill(a.atom_style, b.atom_style);
  fill(a.elements, b.elements);
  fill(a.type_labels, b.type_labels);
  if (a.timestep_size == 0) a.timestep_size = b.timestep_size;
  a.features |= b.features;
  return a;
}

std::string difference_of_columns(const FrameInfo &a, const FrameInfo &b) {
  if (column_names(a) != column_names(b))
    return fmt::format("columns {} and {}", fmt::join(column_names(a), " "), fmt::join(column_names(b), " "));
  if (a.fields.size() != b.fields.size()) return "columns that are grouped in another way";
  for (std::size_t f = 0; f < a.fields.size(); ++f) {
    std::string kind = difference_of_kind(a.fields[f], b.fields[f]);
    if (!kind.empty()) return kind;
    const double bound_a = bound_as_distance(a.fields[f], a.box);
    const double bound_b = bound_as_distance(b.fields[f], b.box);
    if (!same_bound(bound_a, bound_b))
      return fmt::format("{} with {} and {}", names_of(a.fields[f]), bound_text(bound_a), bound_text(bound_b));
  }
  return "";
}

std::string difference_of_parts(const FrameInfo &a, const FrameInfo &b) {
  if (a.timestep != b.timestep) return fmt::format("timesteps {} and {}", a.timestep, b.timestep);
  const bool same_time = a.time == b.time || (std::isnan(a.time) && std::isnan(b.time));
  if (!same_time) return fmt::format("times {} and {}", a.time, b.time);
  const bool same_box = a.box.kind == b.box.kind && a.box.dimension == b.box.dimension &&
                        a.box.boundary == b.box.boundary && a.box.values == b.box.values;
  if (!same_box) return "other boxes";
  std::string columns = difference_of_columns(a, b);
  if (!columns.empty()) return columns;
  for (std::size_t f = 0; f < a.fields.size(); ++f) {
    const Field &of_a = a.fields[f];
    const Field &of_b = b.fields[f];
    if (of_a.bound != of_b.bound || of_a.step != of_b.step)
      return fmt::format("{} on grids of {} and {}", names_of(of_a), of_a.step, of_b.step);
    for (std::size_t c = 0; c < of_a.components.size(); ++c)
      if (of_a.components[c].column != of_b.components[c].column) return "columns in another order";
  }
  return "";
}

}  // namespace gpz::tool
