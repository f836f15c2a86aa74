// SPDX-License-Identifier: BSD-3-Clause
// The pass over the particles of a key frame in the order of ids, shared by encoder and decoder (docs/format.md,
// section 10, coding 5).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/core/ordered.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/model/bonds.hpp"
#include "gpz/model/local_frame.hpp"
#include "gpz/model/walk.hpp"

namespace gpz::model {

// A position in a molecule. Particles belong to one site if their neighbours in the order of ids have equal kinds of
// bonds. A site remembers the local coordinates of its particles and the size of their residuals.
struct Site {
  Coordinates place{};
  std::uint32_t frames = 0;  // number of frames in the mean `place`, up to 4
  std::uint32_t scale = 0;   // next_scale of the residuals; 0: none yet

  void add(const Coordinates &seen) {
    // Weight of the new coordinates: 1, then 1/2, 1/4 twice, and 1/8 from then on.
    const int part = frames == 0 ? 0 : frames == 1 ? 1 : frames < 4 ? 2 : 3;
    for (std::size_t d = 0; d < place.size(); ++d) place[d] += (seen[d] - place[d]) >> part;
    if (frames < 4) ++frames;
  }
};

class Sites {
 public:
  // Site of particle i, by the kinds of the two particles before it, its own, and the three after it. Call in the order
  // of i.
  Site &of(const Bonds &bonds, std::size_t i) {
    if (i == 0)
      for (std::size_t k = 0; k < ahead; ++k) shift_in(bonds, k);
    shift_in(bonds, i + ahead);
    return sites_[static_cast<std::size_t>((kinds_ & mask) * 0x9E3779B97F4A7C15u >> (64 - bits))];
  }

 private:
  static constexpr int bits = 12;
  static constexpr std::size_t ahead = 3;
  static constexpr std::uint64_t mask = (std::uint64_t{1} << 36) - 1;

  void shift_in(const Bonds &bonds, std::size_t i) {
    kinds_ = kinds_ << 6 | (i < bonds.particles() ? bonds.kind(i) : std::uint8_t{0});
  }

  std::vector<Site> sites_ = std::vector<Site>(std::size_t{1} << bits);
  std::uint64_t kinds_ = 0;  // six bits for each particle
};

// Prediction of unbound particles, as in ordered sections (docs/format.md, section 10), but over the whole chunk.
struct Chain {
  std::array<std::uint32_t, 2> lag{};  // differences of ids; 0: none
  std::uint32_t swapped = 0;           // bit d: component d tries lag[1] first
  std::array<std::array<std::int64_t, core::max_components>, 2> offset{};
  std::array<std::int64_t, core::max_components> first{};  // expected position of the first particle
};

// Number contexts of the pass, by class. Some classes have one context for each scale level.
struct OrderedContexts {
  static constexpr unsigned levels = 24;  // of scales, in half octaves; one more is for unknown scales
  static constexpr unsigned unbound = 0;
  static constexpr unsigned sphere = unbound + levels + 1;  // first two components of an expected vector
  static constexpr unsigned chain = sphere + levels + 1;
  static constexpr unsigned side = chain + levels + 1;             // of an expected vector, one context for four levels
  static constexpr unsigned bound = side + levels / 4 + 1;         // BoundWay::class_of
  static constexpr unsigned any_side = bound + BoundWay::classes;  // of a vector of any direction: sphere, circle
  static constexpr unsigned flag = any_side + 2;
  static constexpr unsigned count = flag + 1;

  unsigned base = 0;  // first level, in half octaves

  unsigned level(std::uint32_t scale) const {
    if (scale == 0) return levels;
    const unsigned half = Contexts::half_octaves(scale);
    return half <= base ? 0 : core::min_of(half - base, levels - 1);
  }
};

struct OrderedWalk {
  std::size_t particles = 0;
  std::size_t components = 0;
  const std::int64_t *ids = nullptr;  // ascending; null: slots are used instead
  core::GridBox box{};                // checked axes
  std::array<std::int64_t, core::max_components> margin{};
  std::array<Inner, core::max_components> inner;
  // Residuals with smaller numbers are the shorter way to a position on a periodic axis, and are no exceptions.
  std::array<std::uint32_t, core::max_components> short_number{};
  const Bonds *bonds = nullptr;  // may be empty
  FrameUnits units;
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
//   std::int64_t value(const OrderedWalk &, std::size_t i, std::size_t d, std::int64_t from, std::int64_t expected,
//                      unsigned context)
//     codes the index of component d of particle i, expected at `expected` / 64 steps from `from`; returns its
//     position in the box
//   std::int64_t moved
//     displacement from the grid point nearest to the expectation of the last value()
//   std::int64_t index(std::size_t i, std::size_t d) const
//     index of a particle that was coded
//   bool side(const OrderedWalk &, const BoundWay &, std::size_t i, const Way &parent, unsigned context)
//     codes whether the particle is on the other side
// Pass copies its side: a local variable can stay in registers.

template <typename Side>
std::int64_t place_of(const OrderedWalk &w, const Side &side, std::size_t i, std::size_t d) {
  const std::int64_t index = side.index(i, d);
  return w.inner[d].has(index) ? index : core::inside(index, w.box[d]);
}

inline std::uint64_t limited_size(std::int64_t moved) {
  // The magnitude without a branch: signs are unpredictable.
  const auto negative = static_cast<std::uint64_t>(moved >> 63);
  return core::min_of<std::uint64_t>((static_cast<std::uint64_t>(moved) ^ negative) - negative, 1u << 28);
}

// Codes a particle that is not bound. Returns its scale.
template <std::size_t axes, typename Side>
[[gnu::always_inline]] inline std::uint32_t follow_chain(const OrderedWalk &w, Parents *lag, std::size_t i,
                                                         std::uint32_t scale, Side &side) {
  std::size_t parent[2] = {};
  const bool has[2] = {lag[0].find(i, parent[0]), lag[1].find(i, parent[1])};
  const unsigned context = OrderedContexts::chain + w.contexts.level(scale);
  std::uint64_t size = 0;
#pragma GCC unroll 3
  for (std::size_t d = 0; d < axes; ++d) {
    const std::size_t first = w.chain.swapped >> d & 1;
    std::int64_t expected = w.chain.first[d];
    if (i != 0 && w.chain.lag[0] != 0) {
      const std::size_t k = has[first] ? first : has[1 - first] ? 1 - first : 2;
      expected = k == 2 ? place_of(w, side, i - 1, d)
                        : core::step_from(place_of(w, side, parent[k], d), w.chain.offset[k][d], w.box[d]);
    }
    side.value(w, i, d, expected, 0, context);
    size += limited_size(side.moved);
  }
  return next_scale(scale, size);
}

// All particles, if none is bound.
template <std::size_t axes, typename Side>
Side run_chain(const OrderedWalk &walk, Side side) {
  const OrderedWalk w = walk;  // local, for registers, as `side`
  Parents lag[2] = {{w.ids, w.chain.lag[0]}, {w.ids, w.chain.lag[1]}};
  std::uint32_t scale = 0;
  for (std::size_t i = 0; i < w.particles; ++i) scale = follow_chain<axes>(w, lag, i, scale, side);
  return side;
}

// All particles, if some are bound; three components.
template <typename Side>
class OrderedPass {
 public:
  OrderedPass(const OrderedWalk &walk, const Side &side) : w_(walk), side_(side) { parent_.resize(w_.particles); }

  Side run() {
    Sites sites;
    for (std::size_t i = 0; i < w_.particles; ++i) {
      const BondKind *const kind = w_.bonds->of(i);
      Site &site = sites.of(*w_.bonds, i);
      if (kind == nullptr) {
        parent_[i] = static_cast<std::uint32_t>(i);
        site.scale = follow_chain<core::max_components>(w_, lag_, i, site.scale, side_);
      } else {
        bind(i, *kind, site);
      }
    }
    return side_;
  }

 private:
  std::uint64_t size_of(std::int64_t place, std::int64_t expected, std::size_t d) const {
    return limited_size(core::displacement(place, expected, w_.box[d]));
  }

  Way place_of(std::size_t i) const {
    return {model::place_of(w_, side_, i, 0), model::place_of(w_, side_, i, 1), model::place_of(w_, side_, i, 2)};
  }

  // Local frame of particle i, whose parent is known. Its vectors lead from the parent to the parent's parent, and to a
  // sibling or, without one, to the next ancestor.
  LocalFrame frame_of(std::size_t i, std::size_t parent) const {
    const std::size_t above = parent_[parent];
    if (above == parent) return {};
    std::size_t other = parent_[above];
    if (other == above) other = parent;
    for (std::size_t j = i; --j > parent && i - j <= 4;)
      if (parent_[j] == parent) {
        other = j;
        break;
      }
    if (other == parent) return {};
    Way u;
    Way v;
    const Way from = place_of(parent);
    if (!find_way(from, place_of(above), w_.box, u) || !find_way(from, place_of(other), w_.box, v)) return {};
    return {u, v, w_.units};
  }

  void bind(std::size_t i, const BondKind &kind, Site &site) {
    const std::size_t parent = i - kind.lag[0];
    parent_[i] = static_cast<std::uint32_t>(parent);
    const Way from = place_of(parent);
    const LocalFrame frame = frame_of(i, parent);
    const bool expected = frame.valid() && site.frames != 0;
    const Way way = expected ? frame.way_of(site.place) : Way{};
    const unsigned level = w_.contexts.level(site.scale);
    std::uint64_t size = 0;
    if (kind.is_fixed()) {
      Way between{};
      const bool circle = kind.is_circle() && find_way(from, place_of(i - kind.lag[1]), w_.box, between);
      const BondKind sphere{{kind.lag[0], 0}, {kind.length[0], 0}};
      const bool anywhere = circle || !expected;
      BoundWay bound = anywhere ? BoundWay(circle ? kind : sphere, between) : BoundWay(sphere, way, between);
      const unsigned side = anywhere ? OrderedContexts::any_side + (circle ? 1 : 0) : OrderedContexts::side + level / 4;
      size = decode_bound(i, from, bound, level, side);
    } else {
      for (std::size_t d = 0; d < w_.components; ++d) {
        const std::int64_t place = side_.value(w_, i, d, from[d], way[d], OrderedContexts::unbound + level);
        size += size_of(place, core::sum_of(from[d], way[d] >> fraction_bits), d);
      }
    }
    Way actual;
    if (frame.valid() && find_way(from, place_of(i), w_.box, actual)) site.add(frame.coordinates_of(actual));
    site.scale = next_scale(site.scale, size);
  }

  std::uint64_t decode_bound(std::size_t i, const Way &from, BoundWay &bound, unsigned level, unsigned side) {
    std::uint64_t size = 0;
    for (int step = 0; step < 3; ++step) {
      if (bound.has_side(step)) bound.take_side(side_.side(w_, bound, i, from, side));
      const std::size_t d = bound.axis(step);
      const int of_class = bound.class_of(step);
      const unsigned context =
          of_class == 0 ? OrderedContexts::sphere + level : OrderedContexts::bound + static_cast<unsigned>(of_class);
      const std::int64_t expected = bound.expected(step);
      const std::int64_t place = side_.value(w_, i, d, from[d], expected, context);
      size += size_of(place, core::sum_of(from[d], expected >> fraction_bits), d);
      bound.update(step, core::displacement(place, from[d], w_.box[d]));
    }
    return size;
  }

  const OrderedWalk &w_;
  Side side_;
  Parents lag_[2] = {{w_.ids, w_.chain.lag[0]}, {w_.ids, w_.chain.lag[1]}};
  format::Column<std::uint32_t> parent_;  // slot of the parent; its own slot if there is none
};

template <typename Side>
Side run_ordered(const OrderedWalk &walk, const Side &side) {
  if (!walk.bonds->empty()) return OrderedPass<Side>(walk, side).run();
  if (walk.components == 1) return run_chain<1>(walk, side);
  if (walk.components == 2) return run_chain<2>(walk, side);
  return run_chain<3>(walk, side);
}

}  // namespace gpz::model
