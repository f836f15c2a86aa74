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

constexpr std::int32_t most_heading = 64;
constexpr std::int32_t most_root = 1 << 29;

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

void Templates::fit(const Molecules &molecules, const Layout &layout, const std::vector<SampledBlock> &blocks,
                    unsigned now) {
  struct Sums {
    double towards = 0, aside = 0;
  };
  std::vector<Sums> sums(molecules.kind.size());
  const codec::StepTable table = layout.table(nullptr);
  std::array<double, core::max_components> least, most;
  least.fill(most_root);
  most.fill(-most_root);
  const auto add = [&](std::size_t slot, const std::int32_t *here, const auto &row_at) {
    const std::uint32_t particle = layout.particle_at()[slot];
    if (particle == Layout::nobody) return;
    const codec::Step &step = table.steps[slot / core::step_lanes];
    if (step.kind == core::StepKind::root)
      for (std::size_t d = 0; d < least.size(); ++d) {
        least[d] = std::min(least[d], static_cast<double>(here[d]));
        most[d] = std::max(most[d], static_cast<double>(here[d]));
      }
    if (step.kind == core::StepKind::root || step.kind == core::StepKind::sphere || !step.has_seconds) return;
    const std::int32_t *const parent = row_at(table.parent[slot]);
    const V vector = vector_between(here, parent);
    const V axis = vector_between(row_at(table.axis[slot]), parent);
    const V aside = core::cross(axis, vector_between(row_at(table.second[slot]), parent));
    const V towards = core::cross(aside, axis);
    const double x = core::dot(vector, towards) / std::max(length_of(towards), 1.0);
    const double y = core::dot(vector, aside) / std::max(length_of(aside), 1.0);
    const double radius = std::max(std::sqrt(x * x + y * y), 1.0);
    Sums &s = sums[molecules.of_class[particle]];
    s.towards += x / radius;
    s.aside += y / radius;
  };
  for (const SampledBlock &block : blocks) {
    const Layout::Block &of = layout.blocks()[block.number];
    const std::size_t first = of.first * core::step_lanes;
    const auto row_at = [&](std::size_t index) { return block.rows + now + (index - 8 * first); };
    for (std::size_t slot = first; slot < of.end * core::step_lanes; ++slot) add(slot, row_at(8 * slot), row_at);
  }
  for (std::size_t d = 0; d < root.size(); ++d)
    root[d] = static_cast<std::int32_t>(
        std::lround(std::clamp(0.5 * (least[d] + most[d]), -double{most_root}, double{most_root})));
  heading.assign(sums.size(), {});
  for (std::size_t c = 0; c < sums.size(); ++c) {
    const double length = std::sqrt(sums[c].towards * sums[c].towards + sums[c].aside * sums[c].aside);
    const auto of_heading = [&](double sum) {
      return static_cast<std::int8_t>(std::lround(most_heading * sum / length));
    };
    // Where none is known, any heading serves: it only must have a length.
    heading[c] =
        length > 1e-3 ? Heading{of_heading(sums[c].towards), of_heading(sums[c].aside)} : Heading{most_heading, 0};
  }
}

}  // namespace gpz::lanes
