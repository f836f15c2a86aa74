// SPDX-License-Identifier: BSD-3-Clause
// The pass over the particles of a modelled section, shared by encoder and decoder (docs/format.md, section 9a).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "gpz/core/residual.hpp"
#include "gpz/kernels/neighbours.hpp"
#include "gpz/model/expectation.hpp"
#include "gpz/model/lattice_neighbour_predictor.hpp"
#include "gpz/model/space_neighbours.hpp"

namespace gpz::model {

inline constexpr unsigned max_scale_levels = 16;

// Number contexts: scale levels, then image flags. For small residuals, the distance of the expectation from the next
// grid point matters: levels up to `finest` have four contexts each.
struct Contexts {
  static constexpr unsigned parts = 4;
  static constexpr unsigned finest = 17;  // in half octaves; residuals of about 4 grid steps

  unsigned levels = 1;
  unsigned base = 0;  // first level, in half octaves

  unsigned fine_levels() const { return base > finest ? 0 : core::min_of(finest + 1 - base, levels); }
  unsigned first_flag() const { return levels + (parts - 1) * fine_levels(); }
  unsigned count() const { return first_flag() + 2; }

  // Distance of the expected displacement, plus a half, from the next grid point, in eighths of a grid step.
  static unsigned part_of(std::int32_t expected) {
    const int fraction = expected & 63;
    return static_cast<unsigned>(fraction < 32 ? 31 - fraction : fraction - 32) >> 3;
  }
  unsigned level_of(std::uint32_t scale) const {
    const unsigned level = half_octaves(scale);
    return level <= base ? 0 : core::min_of(level - base, levels - 1);
  }
  unsigned of_level(unsigned level, std::int32_t expected) const {
    const unsigned fine = fine_levels();
    return level < fine ? parts * level + part_of(expected) : level + (parts - 1) * fine;
  }
  unsigned of_flag(bool was_beyond) const { return first_flag() + (was_beyond ? 1 : 0); }
  // Number of half octaves: 0 for 0, 1 for 1. Otherwise twice the number of bits, less 1 if the second highest bit is
  // set, less 2 if it is clear.
  static unsigned half_octaves(std::uint32_t x) {
    const int bits = core::bit_length(x);
    return bits < 2 ? static_cast<unsigned>(bits) : static_cast<unsigned>(2 * bits) - (x >> (bits - 2) & 1 ? 1 : 2);
  }
};

inline std::int32_t limit_expected(std::int64_t x) { return core::limited(x, std::int64_t{1} << 30); }

// Positions so far from the edges of an axis that they have no other image. On an open axis, all positions are inner.
class Inner {
 public:
  Inner() = default;
  Inner(const core::GridAxis &axis, std::int64_t margin) {
    if (axis.period == 0) return;
    const std::int64_t limited = core::min_of(margin, core::largest_margin(axis));
    from_ = static_cast<std::uint64_t>(axis.lo + limited);
    size_ = static_cast<std::uint64_t>(axis.period - 2 * limited);
  }
  bool has(std::int64_t position) const { return static_cast<std::uint64_t>(position) - from_ < size_; }

 private:
  std::uint64_t from_ = 0;
  std::uint64_t size_ = ~std::uint64_t{0};
};

// Inputs of the pass. Columns have one entry per particle.
struct Walk {
  std::size_t particles = 0;
  int components = 0;
  std::array<const std::int64_t *, core::max_components> last{};
  std::array<const std::int32_t *, core::max_components> expected{};
  core::GridBox box{};  // checked axes
  std::array<std::int64_t, core::max_components> margin{};
  std::array<Inner, core::max_components> inner;
  codec::Neighbours slots;  // levels 0: no prediction from earlier slots
  const SpaceNeighbours *space = nullptr;
  LatticeNeighbourPredictor *lattice_neighbours = nullptr;  // uses `network`; excludes other neighbours
  const crystal::SpringNetwork *network = nullptr;
  Contexts contexts;
  std::uint32_t *scale = nullptr;  // smoothed residual size, in sixteenths; updated by the pass
};

// Smooths the sum of a particle's residual sizes over frames. Scales are in sixteenths.
inline std::uint32_t next_scale(std::uint32_t scale, std::uint64_t size) {
  const auto now = static_cast<std::uint32_t>(core::min_of<std::uint64_t>(16 * size, 1u << 28));
  return scale == 0 ? core::max_of(now, 1u) : core::max_of(scale - scale / 4 + now / 4, 1u);
}

// The pass itself. `Side` provides
//   std::int64_t value(std::size_t i, std::size_t d, std::int32_t expected, unsigned context)
//     codes the index of axis d of particle i, with the expected displacement `expected` - 32; returns the displacement
// Remainders are in the order of the pass. `axes` is the number of components. `known`: all remainders are given, so
// that a range of steps needs no other range.
template <std::size_t axes, bool known, typename Side>
class Pass {
 public:
  Pass(const Walk &w, Remainders &remainders, std::size_t first, std::size_t last, Side &side)
      : w_(w), first_(first), last_(last), side_(side) {
    for (std::size_t d = 0; d < axes; ++d) {
      remainder_[d] = remainders[d].data();
      open_[d] = w.expected[d];
    }
    for (std::size_t j = 0; j < lags && j < first; ++j)
      for (std::size_t d = 0; d < axes; ++d) before_[j][d] = remainder_[d][first - 1 - j];
    if (w.slots.levels > 0) level_ = static_cast<std::uint32_t>(first % w.slots.levels);
    for (std::uint32_t level = 0; level < w.slots.levels; ++level)
      std::copy(std::begin(w.slots.weight[level]), std::end(w.slots.weight[level]), std::begin(weight_[level]));
    if (w.space != nullptr)
      run<Neighbours::in_space>(remainders);
    else if (w.lattice_neighbours != nullptr)
      run<Neighbours::in_lattice>(remainders);
    else
      run<Neighbours::in_slots>(remainders);
  }

 private:
  static constexpr std::uint32_t lags = codec::max_neighbour_lags;
  using Expected = std::array<std::int32_t, axes>;
  enum class Neighbours { in_slots, in_space, in_lattice };

  template <Neighbours neighbours>
  void run(const Remainders &remainders) {
    for (std::size_t k = first_; k < last_; ++k) {
      std::size_t i = k;
      Expected expected;
      if constexpr (neighbours != Neighbours::in_slots) {
        SpaceNeighbours::Sums sum;
        if constexpr (neighbours == Neighbours::in_space) {
          i = w_.space->order()[k];
          sum = w_.space->correction(k, remainders);
        } else if constexpr (known) {
          sum = w_.lattice_neighbours->expected_of_known(*w_.network, i);
        } else {
          sum = w_.lattice_neighbours->expected(*w_.network, i);
        }
        for (std::size_t d = 0; d < axes; ++d) expected[d] = limit_expected(open_[d][i] + 32 + sum[d]);
      } else {
        const std::int32_t *const weight = weight_[level_];
        for (std::size_t d = 0; d < axes; ++d) {
          std::int64_t all = open_[d][i] + 32;
          for (std::uint32_t j = 0; j < lags; ++j) all += std::int64_t{weight[j]} * before_[j][d];
          expected[d] = limit_expected(all);
        }
        level_ = level_ + 1 >= w_.slots.levels ? 0 : level_ + 1;
      }
      code(k, i, expected);
      if constexpr (neighbours == Neighbours::in_lattice && !known)
        w_.lattice_neighbours->update(*w_.network, i, exact_);
    }
  }

  // Stores the remainders `now` of the particle of step k.
  void remember(std::size_t k, const Expected &now) {
    if constexpr (!known)
      for (std::size_t d = 0; d < axes; ++d) remainder_[d][k] = now[d];
    for (std::uint32_t j = lags - 1; j > 0; --j) before_[j] = before_[j - 1];
    before_[0] = now;
  }
  std::int32_t remainder_of(std::size_t i, std::size_t d, std::int64_t moved) const {
    return core::limit_remainder(core::difference_of(moved, core::expected_step(open_[d][i] + 32)));
  }

  void code(std::size_t k, std::size_t i, const Expected &expected) {
    const unsigned level = w_.contexts.level_of(w_.scale[i]);
    std::uint64_t size = 0;
    Expected now;
    for (std::size_t d = 0; d < axes; ++d) {
      const std::int32_t e = expected[d];
      const std::int64_t moved = side_.value(i, d, e, w_.contexts.of_level(level, e));
      now[d] = remainder_of(i, d, moved);
      exact_[d] = core::difference_of(core::product_of(moved, 64), open_[d][i]);
      size +=
          core::min_of<std::uint64_t>(core::zigzag(core::difference_of(moved, core::expected_step(e))) / 2, 1u << 28);
    }
    remember(k, now);
    w_.scale[i] = next_scale(w_.scale[i], size);
  }

  const Walk &w_;
  std::size_t first_;
  std::size_t last_;
  Side &side_;
  std::array<const std::int32_t *, axes> open_{};
  std::array<std::int32_t *, axes> remainder_{};
  std::int32_t weight_[codec::max_neighbour_levels][lags] = {};
  std::array<Expected, lags> before_{};
  LatticeNeighbourPredictor::Remainder exact_{};  // remainders of the current particle, in 1/64 grid steps
  std::uint32_t level_ = 0;
};

template <bool known, typename Side>
void walk_range(const Walk &w, Remainders &remainders, std::size_t first, std::size_t last, Side &side) {
  if (w.components == 3)
    Pass<3, known, Side>(w, remainders, first, last, side);
  else if (w.components == 2)
    Pass<2, known, Side>(w, remainders, first, last, side);
  else
    Pass<1, known, Side>(w, remainders, first, last, side);
}

// The pass over all particles. Computes the remainders.
template <typename Side>
void walk(const Walk &w, Remainders &remainders, Side &side) {
  walk_range<false>(w, remainders, 0, w.particles, side);
}

}  // namespace gpz::model
