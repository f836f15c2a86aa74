// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/section_sample.hpp"

namespace gpz::trajectory {

SectionSample::SectionSample(const SectionSource &section, std::size_t ranges, std::size_t particles_a_range)
    : source_{section.context, section.input,  section.rows,    indices_,
              section.edges,   section.tilted, section.encoder, section.options} {
  const SectionContext &of = section.context;
  const auto sample = [&](const auto *from, auto &to) {
    to.reserve(ranges * particles_a_range);
    for (std::size_t r = 0; r < ranges; ++r) {
      const auto *const range = from + (of.particles - particles_a_range) * r / (ranges - 1);
      to.insert(to.end(), range, range + particles_a_range);
    }
  };
  const codec::IndexColumns columns = section.indices.columns(of.components());
  for (std::size_t d = 0; d < of.components(); ++d) sample(columns[d], indices_.column[d]);
  SectionContext &context = source_.context;
  context.particles = ranges * particles_a_range;
  if (of.ids != nullptr) {
    sample(of.ids->data(), ids_);
    context.ids = &ids_;
  }
  if (of.state != nullptr) {
    state_.components = of.state->components;
    state_.particles = context.particles;
    state_.frames = of.state->frames;
    for (std::size_t d = 0; d < of.components(); ++d) {
      const codec::DifferenceState::Axis &from = of.state->axes[d];
      codec::DifferenceState::Axis &to = state_.axes[d];
      sample(from.last.data(), to.last);
      sample(from.deviation.data(), to.deviation);
      sample(from.velocity.data(), to.velocity);
      sample(from.previous.data(), to.previous);
    }
    context.state = &state_;
  }
  source_.counts_crossings = section.counts_crossings;
  source_.may_have_neighbours = section.may_have_neighbours;
}

}  // namespace gpz::trajectory
