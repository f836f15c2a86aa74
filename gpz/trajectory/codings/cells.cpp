// SPDX-License-Identifier: BSD-3-Clause
// Coding 6: positions as a set, by halving their box (docs/format.md, section 10e).
#include <algorithm>

#include "gpz/codec/cell_tree.hpp"
#include "gpz/core/types.hpp"
#include "gpz/trajectory/codings.hpp"

namespace gpz::trajectory {
namespace {

// Lower bound of the bits of a set of cells, whatever the adaptive probabilities: the bits of independent particles,
// rounded down by up to five bits a particle.
std::uint64_t few_bits(const codec::IndexColumns &columns, std::size_t particles, std::size_t components) {
  int a_particle = -core::bit_length(std::uint64_t{particles});
  for (std::size_t d = 0; d < components; ++d) {
    const auto [low, high] = std::minmax_element(columns[d], columns[d] + particles);
    a_particle += core::bit_length(static_cast<std::uint64_t>(*high - *low) + 1) - 1;
  }
  return static_cast<std::uint64_t>(std::max(a_particle, 0)) * particles;
}

}  // namespace

void decode_cells(const SectionContext &context, const Payload &payload, const codec::IndexOutput &out) {
  codec::decode_cells(payload.bytes, payload.size, context.particles, static_cast<int>(context.components()), out);
}

bool encode_cells(const SectionSource &source, const ToBeat &best, EncodedSection &out) {
  const SectionContext &context = source.context;
  const std::size_t components = context.components();
  const codec::IndexColumns columns = source.indices.columns(components);
  if (best.payload != SIZE_MAX && best.payload * 8 <= few_bits(columns, context.particles, components)) return false;
  codec::encode_cells(columns, context.particles, static_cast<int>(components), out.order, out.payload);
  return true;
}

}  // namespace gpz::trajectory
