// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/format/grid_box.hpp"

#include <cmath>
#include <optional>
#include <string>

#include "gpz/format/arithmetic.hpp"

namespace gpz::format {
namespace {

// Index of the axis: 0, 1, 2 for x, y, z.
std::optional<std::size_t> axis_of(const std::string &name, bool &scaled) {
  if (name.empty() || name[0] < 'x' || name[0] > 'z' || name.size() > 2) return std::nullopt;
  if (name.size() == 2 && name[1] != 's') return std::nullopt;
  scaled = name.size() == 2;
  return static_cast<std::size_t>(name[0] - 'x');
}

// Whether crossing an edge of the axis changes only this one of the visible coordinates.
bool is_straight(const Box &box, std::size_t axis, bool scaled) {
  if (box.kind == Box::Kind::orthogonal) return true;
  if (box.kind != Box::Kind::triclinic) return false;
  if (scaled || axis == 2) return true;
  const double xy = box.values[6];
  const double xz = box.values[7];
  const double yz = box.values[8];
  return axis == 0 ? xy == 0 && xz == 0 : yz == 0;
}

core::GridAxis grid_axis(double lo, double length, double step) {
  constexpr auto most = static_cast<double>(core::max_axis_reach);  // core::checked_axis treats longer axes as open
  const double first = std::nearbyint(lo / step);
  const double period = std::nearbyint(length / step);
  if (!(std::fabs(first) <= most && period >= 1 && period <= most)) return {};
  return {static_cast<std::int64_t>(first), static_cast<std::int64_t>(period)};
}

core::GridBox edges_of(const Box &box, const Field &field, bool straight_alone) {
  const UsualArithmetic arithmetic;
  core::GridBox out{};
  if (field.type == ValueType::integer || field.step == 0) return out;
  if (box.kind != Box::Kind::orthogonal && box.kind != Box::Kind::triclinic) return out;
  for (std::size_t d = 0; d < field.components.size(); ++d) {
    bool scaled = false;
    const auto axis = axis_of(field.components[d].name, scaled);
    if (!axis || box.boundary[2 * *axis] != 'p' || box.boundary[2 * *axis + 1] != 'p') continue;
    if (straight_alone && !is_straight(box, *axis, scaled)) continue;
    const double lo = box.values[2 * *axis];
    const double hi = box.values[2 * *axis + 1];
    out[d] = scaled ? grid_axis(0, 1, field.step) : grid_axis(lo, hi - lo, field.step);
  }
  return out;
}

}  // namespace

std::optional<TiltedEdges> tilted_edges(const Box &box, const Field &field) {
  if (box.kind != Box::Kind::triclinic || field.components.size() != core::max_components) return std::nullopt;
  TiltedEdges edges;
  edges.axes = named_edges(box, field);
  bool is_tilted = false;
  for (std::size_t d = 0; d < edges.tilts.size(); ++d) {
    bool scaled = false;
    if (axis_of(field.components[d].name, scaled) != d || scaled) return std::nullopt;
    if (core::checked_axis(edges.axes[d]).period == 0) return std::nullopt;
    const double tilt = std::nearbyint(box.values[6 + d] / field.step);
    if (!(std::fabs(tilt) <= static_cast<double>(core::max_axis_reach))) return std::nullopt;
    edges.tilts[d] = static_cast<std::int64_t>(tilt);
    is_tilted = is_tilted || edges.tilts[d] != 0;
  }
  return is_tilted ? std::optional(edges) : std::nullopt;
}

core::GridBox named_edges(const Box &box, const Field &field) { return edges_of(box, field, false); }

core::GridBox grid_box(const Box &box, const Field &field) { return edges_of(box, field, true); }

}  // namespace gpz::format
