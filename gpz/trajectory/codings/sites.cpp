// SPDX-License-Identifier: BSD-3-Clause
// Coding 7: positions as a set of particles near the sites of a lattice (docs/format.md, section 10e).
#include <array>
#include <cmath>
#include <vector>

#include "gpz/core/config.hpp"
#include "gpz/crystal/site_set.hpp"
#include "gpz/trajectory/codings.hpp"

namespace gpz::trajectory {
namespace {

// The unrounded values in grid steps; for values that the grid cannot hold, their index.
struct InSteps {
  std::array<std::vector<double>, core::max_components> column;

  explicit InSteps(const SectionSource &source) {
    const FieldInput &input = source.input;
    const codec::IndexColumns q = source.indices.columns(source.context.components());
    for (std::size_t d = 0; d < input.field.components.size(); ++d) {
      column[d].resize(source.rows.size());
      const auto take = [&](std::size_t i, auto value) {
        const double x = static_cast<double>(value) / input.field.step;
        const auto index = static_cast<double>(q[d][i]);
        column[d][i] = std::fabs(x - index) < 1 ? x : index;
      };
      if (input.components[d].type == ConstArray::Type::float32)
        for_rows<float>(input.components[d], source.rows, source.context.threads, take);
      else
        for_rows<double>(input.components[d], source.rows, source.context.threads, take);
    }
  }
  crystal::PositionColumns columns() const { return {column[0].data(), column[1].data(), column[2].data()}; }
};

}  // namespace

void decode_sites(const SectionContext &context, const Payload &payload, const codec::IndexOutput &out) {
  crystal::decode_sites(payload.bytes, payload.size, context.particles, static_cast<int>(context.components()), out);
}

bool encode_sites(const SectionSource &source, const ToBeat & /*best*/, EncodedSection &out) {
  const SectionContext &context = source.context;
  return crystal::encode_sites(source.indices.columns(context.components()), InSteps(source).columns(),
                               context.particles, static_cast<int>(context.components()), source.edges, out.order,
                               out.payload);
}

}  // namespace gpz::trajectory
