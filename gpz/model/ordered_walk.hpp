// SPDX-License-Identifier: BSD-3-Clause
// The pass over the particles of a segment in the order of ids, shared by encoder and decoder (docs/format.md,
// section 10j).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpz/core/ordered.hpp"
#include "gpz/model/walk.hpp"

namespace gpz::model {

// Prediction from earlier particles, as in ordered sections (docs/format.md, section 10), but over the whole segment.
struct Chain {
  std::array<std::uint32_t, 2> lag{};  // differences of ids; 0: none
  std::uint32_t swapped = 0;           // bit d: component d tries lag[1] first
  std::array<std::array<std::int64_t, core::max_components>, 2> offset{};
  std::array<std::int64_t, core::max_components> first{};  // expected position of the first particle
};

// Number contexts of the pass. The format numbers them so; it does not use the others.
struct OrderedContexts {
  static constexpr unsigned levels = 24;  // of scales, in half octaves; one more is for unknown scales
  static constexpr unsigned first_level = 50;
  static constexpr unsigned flag = 108;
  static constexpr unsigned count = flag + 1;

  unsigned base = 0;  // first level, in half octaves

  unsigned of_scale(std::uint32_t scale) const {
    if (scale == 0) return first_level + levels;
    const unsigned half = Contexts::half_octaves(scale);
    return first_level + (half <= base ? 0 : core::min_of(half - base, levels - 1));
  }
};

struct OrderedWalk {
  std::size_t particles = 0;
  std::size_t components = 0;
  const std::int64_t *ids = nullptr;  // ascending; null: slots are used instead
  core::GridBox box{};                // checked axes
  std::array<std::int64_t, core::max_components> margin{};
  std::array<Inner, core::max_components> inner;
  // Residuals with smaller numbers are the shorter vector to a position on a periodic axis, and are no exceptions.
  std::array<std::uint32_t, core::max_components> short_number{};
  Chain chain;
  OrderedContexts contexts;

  // Computes `inner` and `short_number` from box and margins.
  void find_inner() {
    for (std::size_t d = 0; d < components; ++d) {
      inner[d] = Inner(box[d], margin[d]);
      const auto period = static_cast<std::uint64_t>(box[d].period);
      short_number[d] = period == 0 ? core::widest_residual : core::narrow_number(period - 1);
    }
  }
};

// Finds the particle whose id is smaller by a lag. Call with ascending particles.
class Parents {
 public:
  Parents(const std::int64_t *ids, std::uint32_t lag) : ids_(ids), lag_(lag) {}
  // Returns false if there is no such particle.
  bool find(std::size_t i, std::size_t &parent) {
    if (lag_ == 0) return false;
    if (ids_ == nullptr) {
      parent = i - lag_;
      return i >= lag_;
    }
    const auto behind = [&] { return static_cast<std::uint64_t>(core::difference_of(ids_[i], ids_[at_])); };
    while (behind() > lag_) ++at_;
    parent = at_;
    return behind() == lag_;
  }

 private:
  const std::int64_t *ids_;
  std::uint32_t lag_;
  std::size_t at_ = 0;
};

// `Side` has
//   std::int64_t value(const OrderedWalk &, std::size_t i, std::size_t d, std::int64_t expected, unsigned context)
//     codes the index of component d of particle i, expected at this position; returns the displacement from there
//   std::int64_t index(std::size_t i, std::size_t d) const
//     index of a particle that was coded
// run_chain copies its side: a local variable can stay in registers.

template <typename Side>
std::int64_t position_of(const OrderedWalk &w, const Side &side, std::size_t i, std::size_t d) {
  const std::int64_t index = side.index(i, d);
  return w.inner[d].has(index) ? index : core::inside(index, w.box[d]);
}

inline std::uint64_t limited_size(std::int64_t moved) {
  // The magnitude without a branch: signs are unpredictable.
  const auto negative = static_cast<std::uint64_t>(moved >> 63);
  return core::min_of<std::uint64_t>((static_cast<std::uint64_t>(moved) ^ negative) - negative, 1u << 28);
}

// Codes a particle. Returns the next scale.
template <std::size_t axes, typename Side>
[[gnu::always_inline]] inline std::uint32_t follow_chain(const OrderedWalk &w, Parents *lag, std::size_t i,
                                                         std::uint32_t scale, Side &side) {
  std::size_t parent[2] = {};
  const bool has[2] = {lag[0].find(i, parent[0]), lag[1].find(i, parent[1])};
  const unsigned context = w.contexts.of_scale(scale);
  std::uint64_t size = 0;
#pragma GCC unroll 3
  for (std::size_t d = 0; d < axes; ++d) {
    const std::size_t first = w.chain.swapped >> d & 1;
    std::int64_t expected = w.chain.first[d];
    if (i != 0 && w.chain.lag[0] != 0) {
      const std::size_t k = has[first] ? first : has[1 - first] ? 1 - first : 2;
      expected = k == 2 ? position_of(w, side, i - 1, d)
                        : core::step_from(position_of(w, side, parent[k], d), w.chain.offset[k][d], w.box[d]);
    }
    size += limited_size(side.value(w, i, d, expected, context));
  }
  return next_scale(scale, size);
}

template <std::size_t axes, typename Side>
Side run_chain(const OrderedWalk &walk, Side side) {
  const OrderedWalk w = walk;  // local, for registers, as `side`
  Parents lag[2] = {{w.ids, w.chain.lag[0]}, {w.ids, w.chain.lag[1]}};
  std::uint32_t scale = 0;
  for (std::size_t i = 0; i < w.particles; ++i) scale = follow_chain<axes>(w, lag, i, scale, side);
  return side;
}

// Codes all particles.
template <typename Side>
Side run_ordered(const OrderedWalk &walk, const Side &side) {
  if (walk.components == 1) return run_chain<1>(walk, side);
  if (walk.components == 2) return run_chain<2>(walk, side);
  return run_chain<3>(walk, side);
}

}  // namespace gpz::model
