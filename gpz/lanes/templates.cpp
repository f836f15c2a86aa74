// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/lanes/templates.hpp"

#include <algorithm>
#include <cmath>

#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/lanes/stream.hpp"
#include "gpz/lanes/vectors.hpp"

namespace gpz::lanes {

namespace {

using V = Vector;

constexpr double sixteenth = 1.0 / 16;
constexpr std::int32_t most_heading = 64;
constexpr std::int32_t most_root = 1 << 29;

V unit_of(const V &v) { return core::times(1 / std::max(length_of(v), 1.0), v); }

// Directions across an axis: towards a second reference, and aside. Without one, any two.
struct Across {
  V towards, aside;
  bool is_told;

  Across(const V &axis, const V &second) {
    V t = core::cross(axis, second);
    double length = length_of(t);
    is_told = length > 1;
    if (!is_told) {
      const double x = std::fabs(axis.x), y = std::fabs(axis.y), z = std::fabs(axis.z);
      const bool is_x = x <= y && x <= z;
      t = core::cross(axis, is_x ? V{1, 0, 0} : y <= z ? V{0, 1, 0} : V{0, 0, 1});
      length = std::max(length_of(t), 1e-3);
    }
    aside = core::times(1 / length, t);
    towards = core::cross(aside, axis);
  }
};

}  // namespace

void Templates::append(std::vector<std::uint8_t> &bytes) const {
  NumberWriter numbers(3);
  for (const std::int32_t x : root) numbers.put_signed(2, x);
  for (const Heading &of : heading) {
    numbers.put_signed(0, of.towards);
    numbers.put_signed(1, of.aside);
  }
  numbers.append(bytes);
}

std::size_t Templates::read(const std::uint8_t *bytes, std::size_t size) {
  NumberReader numbers(bytes, size, 3);
  for (std::int32_t &x : root) x = numbers.get_signed(2, -most_root, most_root);
  const auto part = [&](unsigned context) {
    return static_cast<std::int8_t>(numbers.get_signed(context, -most_heading, most_heading));
  };
  for (Heading &of : heading) {
    of.towards = part(0);
    of.aside = part(1);
  }
  return numbers.end();
}

void Templates::fit(const Molecules &molecules, const Layout &layout, const std::int32_t *rows,
                    std::vector<ClassConstants> &classes) {
  struct Sums {
    double count = 0, length = 0, along = 0, towards = 0, aside = 0;
  };
  std::vector<Sums> sums(molecules.is_wide.size());
  const codec::StepTable table = layout.table(nullptr);
  std::array<double, core::max_components> least, most;
  least.fill(most_root);
  most.fill(-most_root);
  for (std::size_t slot = 0; slot < layout.slots(); ++slot) {
    const std::uint32_t particle = layout.particle_at()[slot];
    if (particle == Layout::nobody) continue;
    Sums &s = sums[molecules.of_class[particle]];
    const std::int32_t *const here = rows + 8 * slot;
    const core::StepKind kind = table.steps[slot / core::step_lanes].kind;
    if (kind == core::StepKind::root) {
      for (std::size_t d = 0; d < least.size(); ++d) {
        least[d] = std::min(least[d], static_cast<double>(here[d]));
        most[d] = std::max(most[d], static_cast<double>(here[d]));
      }
      continue;
    }
    const std::int32_t *const parent = rows + table.parent[slot];
    const V way = vector_between(here, parent);
    ++s.count;
    s.length += length_of(way);
    if (kind == core::StepKind::sphere) continue;
    const V axis = unit_of(vector_between(rows + table.axis[slot], parent));
    const Across across(axis, vector_between(rows + table.second[slot], parent));
    s.along += core::dot(way, axis);
    const double towards = core::dot(way, across.towards), aside = core::dot(way, across.aside);
    const double radius = std::max(std::sqrt(towards * towards + aside * aside), 1.0);
    s.towards += towards / radius;
    s.aside += aside / radius;
  }
  const auto rounded = [](double x, double most_of_all) {
    return static_cast<std::int32_t>(std::lround(std::clamp(x, -most_of_all, most_of_all)));
  };
  for (std::size_t d = 0; d < root.size(); ++d) root[d] = rounded(0.5 * (least[d] + most[d]), most_root);
  heading.assign(sums.size(), {});
  for (std::size_t c = 0; c < sums.size(); ++c) {
    const Sums &s = sums[c];
    const double over = s.count > 0 ? 1 / s.count : 0;
    const auto of_heading = [&](double sum) {
      return static_cast<std::int8_t>(rounded(most_heading * sum * over, most_heading));
    };
    classes[c].length = rounded(16 * s.length * over, most_steps);
    classes[c].along = rounded(16 * s.along * over, most_steps);
    heading[c] = {of_heading(s.towards), of_heading(s.aside)};
  }
}

void Templates::place(const Molecules &molecules, const Layout &layout, const Layout::Block &block,
                      const std::vector<ClassConstants> &classes, std::int32_t *rows) const {
  const codec::StepTable table = layout.table(nullptr);
  for (std::size_t slot = block.first * core::step_lanes; slot < block.end * core::step_lanes; ++slot) {
    const std::uint32_t particle = layout.particle_at()[slot];
    if (particle == Layout::nobody) continue;
    std::int32_t *const row = rows + 8 * slot;
    const core::StepKind kind = table.steps[slot / core::step_lanes].kind;
    if (kind == core::StepKind::root) {
      store_row(row, {root[0], root[1], root[2]}, {});
      continue;
    }
    const std::int32_t *const parent = rows + table.parent[slot];
    const std::uint8_t of_class = molecules.of_class[particle];
    const double length = sixteenth * classes[of_class].length;
    V way{length, 0, 0};
    if (kind != core::StepKind::sphere) {
      const V axis = unit_of(vector_between(rows + table.axis[slot], parent));
      const Across across(axis, vector_between(rows + table.second[slot], parent));
      const double along = std::clamp(sixteenth * classes[of_class].along, -length, length);
      double towards = heading[of_class].towards, aside = heading[of_class].aside;
      double told = std::sqrt(towards * towards + aside * aside);
      if (!across.is_told || told < 1) {
        towards = told = 1;
        aside = 0;
      }
      const double scale = std::sqrt(length * length - along * along) / told;
      way = core::times(along, axis) +
            core::times(scale, core::times(towards, across.towards) + core::times(aside, across.aside));
    }
    // Chains of any length stay where rows have room.
    const auto at = [](std::int32_t from, double by) {
      return std::clamp<std::int64_t>(from + std::llround(by), -most_root, most_root);
    };
    store_row(row, {at(parent[0], way.x), at(parent[1], way.y), at(parent[2], way.z)}, {});
  }
}

}  // namespace gpz::lanes
