// SPDX-License-Identifier: BSD-3-Clause
// The one pass over the particles of a modelled section, slot after slot, that encoder and decoder share
// (docs/format.md, section 9a).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpz/core/residual.hpp"
#include "gpz/cpu/neighbours.hpp"
#include "gpz/model/expectation.hpp"
#include "gpz/model/space_neighbours.hpp"

namespace gpz::model {

inline constexpr unsigned max_scale_levels = 16;

// Number contexts: one for each scale level of the particle, then two for image flags.
struct Contexts {
  unsigned levels = 1;
  unsigned base = 0;  // the first level, in half octaves
  unsigned count() const { return levels + 2; }
  unsigned of_scale(std::uint32_t scale) const {
    const unsigned level = half_octaves(scale);
    return level <= base ? 0 : core::min_of(level - base, levels - 1);
  }
  unsigned of_flag(bool was_beyond) const { return levels + (was_beyond ? 1 : 0); }
  // Twice the bits of x, less one if its second bit is clear: 0 for 0.
  static unsigned half_octaves(std::uint32_t x) {
    const int bits = core::bit_length(x);
    return bits < 2 ? static_cast<unsigned>(bits) : static_cast<unsigned>(2 * bits) - (x >> (bits - 2) & 1 ? 1 : 2);
  }
};

// What the pass needs to know beforehand. The columns have an entry for each particle.
struct Walk {
  std::size_t particles = 0;
  int components = 0;
  std::array<const std::int64_t *, core::max_components> last{};
  std::array<const std::int32_t *, core::max_components> expected{};
  core::GridBox box{};  // checked axes
  std::array<std::int64_t, core::max_components> margin{};
  cpu::Neighbours slots;  // levels 0: no prediction from the slots before
  const SpaceNeighbours *space = nullptr;
  Contexts contexts;
  std::uint32_t *scale = nullptr;  // smoothed size of residuals so far, in sixteenths; brought up to date
};

// Sum of the sizes of a particle's residuals, smoothed over frames.
inline std::uint32_t next_scale(std::uint32_t scale, std::uint64_t size) {
  const auto now = static_cast<std::uint32_t>(core::min_of<std::uint64_t>(16 * size, 1u << 28));
  return scale == 0 ? core::max_of(now, 1u) : core::max_of(scale - scale / 4 + now / 4, 1u);
}

inline std::int32_t limit_expected(std::int64_t x) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  return static_cast<std::int32_t>(core::max_of(core::min_of(x, most), -most));
}

// Side: std::int64_t value(std::size_t i, std::size_t d, std::int32_t expected, unsigned context) codes the index of
// axis d of particle i, of which the displacement `expected` - 32 is expected, and returns it. `remainders` gets those
// of all particles, in the order of the walk.
template <typename Side>
void walk(const Walk &w, Remainders &remainders, Side &side) {
  constexpr std::uint32_t lags = cpu::max_neighbour_lags;
  std::int32_t before[core::max_components][lags] = {};
  std::uint32_t level = 0;
  const std::uint32_t *const order = w.space != nullptr ? w.space->order() : nullptr;
  for (std::size_t k = 0; k < w.particles; ++k) {
    const std::size_t i = order != nullptr ? order[k] : k;
    const SpaceNeighbours::Sums sum = w.space != nullptr ? w.space->of(k, remainders) : SpaceNeighbours::Sums{};
    const unsigned context = w.contexts.of_scale(w.scale[i]);
    std::uint64_t size = 0;
    for (std::size_t d = 0; d < static_cast<std::size_t>(w.components); ++d) {
      std::int32_t *const b = before[d];
      const std::int32_t open = w.expected[d][i] + 32;
      std::int64_t all = open + sum[d];
      if (w.slots.levels != 0)
        for (std::uint32_t j = 0; j < lags; ++j) all += std::int64_t{w.slots.weight[level][j]} * b[j];
      const std::int32_t expected = limit_expected(all);
      const std::int64_t q = side.value(i, d, expected, context);
      const std::int64_t moved = core::displacement(q, w.last[d][i], w.box[d]);
      const std::int32_t remainder = limit_remainder(core::difference_of(moved, core::expected_step(open)));
      remainders[d][k] = remainder;
      for (std::uint32_t j = lags - 1; j > 0; --j) b[j] = b[j - 1];
      b[0] = remainder;
      const std::int64_t r = core::difference_of(moved, core::expected_step(expected));
      size += core::min_of<std::uint64_t>(core::zigzag(r) / 2, 1u << 28);
    }
    if (w.slots.levels != 0) level = level + 1 == w.slots.levels ? 0 : level + 1;
    w.scale[i] = next_scale(w.scale[i], size);
  }
}

}  // namespace gpz::model
