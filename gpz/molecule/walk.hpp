// SPDX-License-Identifier: BSD-3-Clause
// The pass over the particles of segments, shared by encoder and decoder (docs/format.md, section 9c).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gpz/kernels/kernels.hpp"
#include "gpz/kernels/number_kernels.hpp"
#include "gpz/kernels/way_kernels.hpp"
#include "gpz/kernels/way_rows.hpp"
#include "gpz/molecule/class_fit.hpp"
#include "gpz/molecule/contexts.hpp"
#include "gpz/molecule/images.hpp"
#include "gpz/molecule/memory.hpp"
#include "gpz/molecule/sampling.hpp"
#include "gpz/molecule/tree.hpp"

namespace gpz::molecule {

// Inputs of the pass, for all particles.
struct Walk {
  const Tree *tree = nullptr;
  const Particle *last = nullptr;  // state after the previous frame
  // State after this frame. Encoders fill in bond vectors, displacements and images. In decoders it is `last`, which
  // they overwrite.
  Particle *now = nullptr;
  const ClassRecord *classes = nullptr;
};

static_assert(sizeof(Particle) == codec::WayRow::words * sizeof(float));
static_assert(offsetof(Particle, moved) == codec::WayRow::moved * sizeof(float));
static_assert(offsetof(Particle, before) == codec::WayRow::before * sizeof(float));
static_assert(offsetof(Particle, place) == codec::WayRow::place * sizeof(float));
static_assert(offsetof(Particle, mean) == codec::WayRow::mean * sizeof(float));
static_assert(offsetof(Particle, length) == codec::WayRow::length * sizeof(float));
static_assert(offsetof(Particle, mean_length) == codec::WayRow::mean_length * sizeof(float));
static_assert(offsetof(Particle, scale) == codec::WayRow::scale * sizeof(float));
static_assert(offsetof(Particle, known) == codec::WayRow::known_byte);
static_assert(offsetof(Particle, frames) == codec::WayRow::frames_byte);
static_assert(offsetof(Particle, sizes) == codec::WayRow::sizes_byte);

// Loads the local axes and the state of particle i, which is bound, into a lane. `ways` has this frame's bond vectors
// of earlier particles.
inline void take_place(const Tree &tree, const Particle *ways, const Particle &last, std::size_t i, std::size_t lane,
                       codec::WayBatch &batch) {
  const Links &links = tree[i];
  const std::size_t parent = i - links.parent;
  batch.references[lane] = links.references();
  if (links.along != Reference::none) {
    const bool is_above = links.along == Reference::above;
    const Particle::Steps &way = ways[is_above ? parent : i - links.along_lag].way;
    for (std::size_t d = 0; d < way.size(); ++d) batch.first[d][lane] = is_above ? -way[d] : way[d];
  }
  if (links.across != Reference::none) {
    const bool is_above = links.across == Reference::above;
    const Particle::Steps &way = ways[is_above ? parent - tree[parent].parent : i - links.across_lag].way;
    const Particle::Steps from = links.across == Reference::beside ? Particle::Steps{} : ways[parent].way;
    for (std::size_t d = 0; d < way.size(); ++d) batch.second[d][lane] = (is_above ? -way[d] : way[d]) - from[d];
  }
  for (std::size_t d = 0; d < last.place.size(); ++d) {
    batch.last_place[d][lane] = last.place[d];
    batch.last_mean[d][lane] = last.mean[d];
  }
  batch.last_mean_length[lane] = last.mean_length;
  batch.last_known[lane] = last.known;
  batch.last_frames[lane] = last.frames;
}

// Stores in `now` the results of WayKernels::remember.
inline void keep_place(const codec::WayBatch &batch, std::size_t lane, Particle &now) {
  for (std::size_t d = 0; d < now.place.size(); ++d) {
    now.place[d] = batch.place[d][lane];
    now.mean[d] = batch.mean[d][lane];
  }
  now.length = batch.now_length[lane];
  now.mean_length = batch.now_mean_length[lane];
  now.known = static_cast<std::uint8_t>(batch.known[lane]);
  now.frames = static_cast<std::uint8_t>(batch.frames[lane]);
}

// `Side` provides
//   void particle(i): begins particle i
//   bool is_stored(i): true for an exception; `now` then has its bond vector, displacement and image
//   is_decoder: true for a decoder, which provides enter(), leave() and context_table() (DecodeSide)
//   put(item): encoders code an item of codec::NumberItems
//   take_levels(items): encoders get the levels of all segments of a run
//   void fetch(i): announces that particles from i on follow soon
//   place(i): codes the image of the particle and sets its index. In decoders it returns true if a number follows, in
//   the context of candidates that agree, which change_image(i, number) takes.
template <typename Side>
class Pass {
 public:
  // `sums` has an entry for each segment and class, to which the particles are added.
  Pass(const Walk &walk, std::vector<std::vector<ClassSums>> &sums, std::vector<Side> &sides)
      : w_(walk), all_sums_(sums), sides_(sides) {
    lay_out_classes();
    rest_lanes();
  }

  // Codes segments [from, to), one in each lane at a time.
  void run(std::size_t from, std::size_t to) {
    kernels_ = &kernels_for(to - from);
    next_segment_ = from;
    last_segment_ = to;
    lanes_.resize(std::min(kernels_->ways.lanes, to - from));
    older_.resize(lanes_.size() * olders);
    if constexpr (Side::is_decoder) {
      for (std::size_t l = 0; l < codec::most_lanes && from != to; ++l) sides_[from].enter(streams_, l);
      coding_.contexts = sides_[from].context_table().by_place();
      coding_.first_side = sides_[from].contexts().of_side(0);
    }
    items_.least_level.of.fill(codec::ExpectedNumber::levels - 1);
    for (;;) {
      bound_ = 0;
      roots_ = 0;
      for (std::size_t l = 0; l < lanes_.size(); ++l) advance(l);
      while (roots_ != 0) move_roots();
      if (bound_ == 0) break;
      bind();
    }
    if constexpr (!Side::is_decoder)
      if (from != to) sides_[from].take_levels(items_);
  }

 private:
  using Motion = std::array<Vector3, motion_features>;
  static constexpr std::size_t olders = Tree::longest_lag + 1;
  static constexpr std::size_t particles_ahead = 16;
  static constexpr std::size_t particles_of_line = 8;  // whose indices fill a cache line

  // Kernels of the best instruction set, or of one with fewer lanes if these suffice: idle lanes cost time.
  static const codec::Kernels &kernels_for(std::size_t segments) {
    for (const char *const name : {"generic", "avx2"}) {
      const codec::Kernels *const narrow = codec::kernels(name);
      if (narrow != nullptr && narrow->ways.lanes >= segments && narrow->ways.lanes < codec::kernels().ways.lanes)
        return *narrow;
    }
    return codec::kernels();
  }

  // What a particle remembered before this frame, and its children need.
  struct alignas(16) Older {
    Particle::Steps before{};
    std::int32_t unused = 0;
  };

  // A segment in progress.
  struct Lane {
    Side *side = nullptr;
    ClassSums *sums = nullptr;
    std::size_t at = 0;
    std::size_t end = 0;
  };
  struct Bound {
    std::size_t lane = 0;
    std::size_t slot = 0;
    Side *side = nullptr;
    const Links *links = nullptr;
    const Particle *last = nullptr;
    Particle *now = nullptr;
    bool is_stored = false;
    Particle::Steps last_moved{};
    Particle::Steps stored_move{};  // of an exception, and in encoders of all
  };
  // Each lane reads and writes several streams of memory, more in all than processors recognise by themselves.
  // Inlined by force: GCC removes calls of functions that do nothing but prefetch.
  [[gnu::always_inline]] void fetch_ahead(const Lane &lane, std::size_t i) {
    const std::size_t next = i + particles_ahead;
    if (next >= lane.end) return;
    const auto *const last = reinterpret_cast<const char *>(w_.last + next);
    auto *const now = reinterpret_cast<char *>(w_.now + next);
    __builtin_prefetch(last);
    __builtin_prefetch(last + 64);
    if (w_.last != w_.now) {
      __builtin_prefetch(now, 1);
      __builtin_prefetch(now + 64, 1);
    }
    if (next % particles_of_line == 0) lane.side->fetch(next);
  }

  static const char *words_of(const Particle &particle, std::size_t word) {
    return reinterpret_cast<const char *>(&particle) + word * sizeof(std::int32_t);
  }
  static char *words_of(Particle &particle, std::size_t word) {
    return reinterpret_cast<char *>(&particle) + word * sizeof(std::int32_t);
  }
  Older &older_of(std::size_t lane, std::size_t slot) { return older_[lane * olders + slot % olders]; }

  // Begins the next particle of a lane.
  void advance(std::size_t l) {
    Lane &lane = lanes_[l];
    while (lane.at == lane.end) {
      const std::vector<std::uint32_t> &ends = w_.tree->segment_ends();
      if constexpr (Side::is_decoder) {
        if (lane.side != nullptr) lane.side->leave();
        lane.side = nullptr;
      }
      if (next_segment_ == last_segment_) return;
      lane.side = &sides_[next_segment_];
      if constexpr (Side::is_decoder) lane.side->enter(streams_, l);
      lane.sums = all_sums_[next_segment_].data();
      lane.at = next_segment_ == 0 ? 0 : ends[next_segment_ - 1];
      lane.end = ends[next_segment_++];
    }
    const std::size_t i = lane.at;
    const Links &links = (*w_.tree)[i];
    Particle &now = w_.now[i];
    fetch_ahead(lane, i);
    std::memcpy(&older_of(l, i), words_of(w_.last[i], codec::WayRow::before), sizeof(Older));
    // Member by member: a copy of the whole would wait for its parts.
    Bound &particle = links.parent != 0 ? bound_particles_[bound_++] : root_particles_[roots_++];
    particle.lane = l;
    particle.slot = i;
    particle.side = lane.side;
    particle.links = &links;
    particle.last = &w_.last[i];
    particle.now = &now;
    particle.last_moved = w_.last[i].moved;
    lane.side->particle(i);
    particle.is_stored = lane.side->is_stored(i);
    if (particle.is_stored || !Side::is_decoder) particle.stored_move = now.moved;
  }

  bool is_sampled(std::size_t i, const Links &links) const {
    return molecule::is_sampled(i, w_.tree->members(links.of_class));
  }

  static void add_motion(ClassSums &sums, const Motion &motion, const Vector3 &actual) {
    for (std::size_t d = 0; d < actual.size(); ++d) {
      std::array<double, motion_features> features;
      for (std::size_t k = 0; k < motion.size(); ++k) features[k] = motion[k][d];
      sums.motion.add(features, actual[d]);
    }
  }

  // Codes the root of each lane that is at one, component by component, and begins the particles behind them.
  void move_roots() {
    const std::size_t moved = roots_;
    if (moved < lanes_.size()) rest_lanes();
    coding_.coded = 0;
    for (std::size_t k = 0; k < moved; ++k) {
      const Bound &p = root_particles_[k];
      rows_.last[p.lane] = p.last;
      rows_.classes[p.lane] = &class_rows_[p.links->of_class];
      rows_.now[p.lane] = p.now;
      prepare(p, p.stored_move);
    }
    kernels_->rows.take_roots(rows_, batch_);
    kernels_->ways.expect_move(batch_);
    for (std::size_t d = 0; d < core::max_components; ++d) {
      kernels_->ways.number_of_move(batch_, d);
      code_components(root_particles_.data(), moved, 0, longest_move);
    }
    kernels_->ways.learn_move(batch_);
    kernels_->rows.give_roots(batch_, rows_);
    std::array<std::size_t, codec::most_lanes> of_lane;
    for (std::size_t k = 0; k < moved; ++k) {
      const Bound &p = root_particles_[k];
      if (p.is_stored)
        keep_stored(p);
      else
        learn_move(p);
      of_lane[k] = p.lane;
    }
    place(root_particles_.data(), moved, true);
    roots_ = 0;
    for (std::size_t k = 0; k < moved; ++k) {
      ++lanes_[of_lane[k]].at;
      advance(of_lane[k]);
    }
  }

  // Sets components that are known: those of exceptions, which have no number, and in encoders all.
  void prepare(const Bound &p, const Particle::Steps &given) {
    if (!p.is_stored) coding_.coded |= 1u << p.lane;
    if (Side::is_decoder && !p.is_stored) return;
    for (std::size_t d = 0; d < given.size(); ++d) batch_.way[d][p.lane] = given[d];
  }

  // In decoders, the displacement of an exception may have overwritten the last one before the lanes took it.
  void keep_stored(const Bound &p) const {
    p.now->moved = p.stored_move;
    p.now->before = p.last_moved;
    p.now->scale = batch_.last_scale[p.lane];
    p.now->sizes = static_cast<std::uint8_t>(batch_.last_sizes[p.lane]);
  }

  void learn_move(const Bound &p) {
    ClassSums &sums = lanes_[p.lane].sums[p.links->of_class];
    sums.count += 1;
    sums.off_length += batch_.off_length[p.lane];
    if (!is_sampled(p.slot, *p.links)) return;
    add_motion(sums, motion_of(p.lane), of_lane(batch_.way, p.lane));
    sums.samples += 1;
  }

  Motion motion_of(std::size_t l) const {
    Motion motion;
    for (std::size_t k = 0; k < motion.size(); ++k) motion[k] = of_lane(batch_.motion[k], l);
    return motion;
  }

  template <typename Work>
  void for_each(const Work &work) {
    for (std::size_t k = 0; k < bound_; ++k) work(bound_particles_[k]);
  }

  void bind() {
    if (bound_ < lanes_.size()) rest_lanes();
    coding_.coded = 0;
    for_each([this](const Bound &p) { take(p); });
    kernels_->rows.take(rows_, batch_);
    kernels_->ways.find_axes(batch_);
    kernels_->ways.expect(batch_);
    code(0);
    kernels_->ways.cut(batch_, value_);
    choose_sides(0);
    kernels_->ways.settle(batch_);
    code(1);
    kernels_->ways.cut_again(batch_, value_);
    choose_sides(1);
    kernels_->ways.settle_last(batch_);
    code(2);
    kernels_->ways.remember(batch_);
    kernels_->ways.learn(batch_);
    kernels_->rows.give(batch_, rows_);
    for_each([this](const Bound &p) {
      give(p);
      ++lanes_[p.lane].at;
    });
    place(bound_particles_.data(), bound_, false);
  }

  // Collects the rows of a particle and of those it refers to.
  void take(const Bound &p) {
    const std::size_t l = p.lane;
    const Links &links = *p.links;
    const Particle *const parent = p.now - links.parent;
    const bool along_is_above = links.along == Reference::above;
    const bool across_is_above = links.across == Reference::above;
    rows_.last[l] = p.last;
    rows_.parent[l] = parent;
    rows_.parent_older[l] = &older_of(l, p.slot - links.parent);
    rows_.along[l] = along_is_above ? parent : p.now - links.along_lag;
    rows_.across[l] = across_is_above ? parent - (p.links - links.parent)->parent : p.now - links.across_lag;
    rows_.along_is_negative[l] = along_is_above ? -1 : 0;
    rows_.across_is_negative[l] = across_is_above ? -1 : 0;
    rows_.across_from_parent[l] = links.across == Reference::beside ? 0 : -1;
    rows_.classes[l] = &class_rows_[links.of_class];
    rows_.now[l] = p.now;
    batch_.references[l] = links.references();
    prepare(p, p.now->way);
  }
  void rest_lanes() {
    for (auto *const rows : {&rows_.last, &rows_.parent, &rows_.parent_older, &rows_.along, &rows_.across})
      rows->fill(&idle_);
    rows_.now.fill(&idle_);
    rows_.classes.fill(&no_class_);
    rows_.longest_move = static_cast<std::int32_t>(longest_move);
  }
  void lay_out_classes() {
    class_rows_.resize(w_.tree->classes());
    for (std::size_t c = 0; c < class_rows_.size(); ++c) {
      const ClassFit &fit = w_.classes[c].fit;
      auto to = class_rows_[c].of.begin();
      to = std::copy(fit.motion.begin(), fit.motion.end(), to);
      for (const auto &weights : fit.shape) to = std::copy(weights.begin(), weights.end(), to);
      for (const double x : {fit.length_deviation, fit.along_deviation, fit.bend, fit.bend2, fit.mean_length,
                             fit.mean_along, fit.has_along ? 1.0 : 0.0})
        *to++ = x;
    }
  }

  void code(std::size_t step) { code_components(bound_particles_.data(), bound_, step, longest_way); }

  // Codes the component of `step` of some lanes. Sets it in `value_` and in the `way` of the batch.
  void code_components(const Bound *particles, std::size_t count, std::size_t step, std::int64_t most) {
    if constexpr (Side::is_decoder) {
      coding_.step = static_cast<unsigned>(step);
      coding_.most = most;
      kernels_->numbers.read(streams_, coding_, batch_, value_);
    } else {
      coding_.step = static_cast<unsigned>(step);
      kernels_->numbers.write(coding_, batch_, items_, value_);
      put_items(particles, count, coding_.coded);
    }
  }
  void put_items(const Bound *particles, std::size_t count, unsigned lanes) {
    for (const Bound *p = particles; p != particles + count; ++p)
      if ((lanes >> p->lane & 1) != 0) p->side->put(items_.item[p->lane]);
  }
  void place(const Bound *particles, std::size_t count, bool are_roots) {
    const Bound *const end = particles + count;
    if constexpr (Side::is_decoder) {
      unsigned coded = 0;
      for (const Bound *p = particles; p != end; ++p) coded |= (p->side->place(p->slot) ? 1u : 0u) << p->lane;
      if (coded == 0) return;
      const unsigned context = particles->side->contexts().of_image(are_roots, false);
      if (kernels_->numbers.get(streams_, context, coded, images_) < first_image) return;
      for (const Bound *p = particles; p != end; ++p)
        p->side->change_image(p->slot, static_cast<std::uint32_t>(images_[p->lane]));
    } else {
      for (const Bound *p = particles; p != end; ++p) p->side->place(p->slot);
    }
  }

  void choose_sides(unsigned step) {
    coding_.step = step;
    if constexpr (Side::is_decoder)
      kernels_->numbers.read_sides(streams_, coding_, batch_);
    else
      put_items(bound_particles_.data(), bound_, kernels_->numbers.write_sides(coding_, batch_, items_));
  }

  void give(const Bound &p) {
    const std::size_t l = p.lane;
    const Links &links = *p.links;
    if (p.is_stored) return keep_stored(p);
    ClassSums &sums = lanes_[l].sums[links.of_class];
    const bool is_framed = batch_.framed[l] != 0;
    sums.count += 1;
    sums.off_length += batch_.off_length[l];
    sums.length += batch_.actual_length[l];
    sums.bend += batch_.usual_bend[l];
    sums.bend2 += batch_.usual_bend2[l];
    if (is_framed) {
      sums.off_along += batch_.off_along[l];
      sums.along += batch_.actual_along[l];
    }
    if (!is_sampled(p.slot, links)) return;
    sums.samples += 1;
    add_motion(sums, motion_of(l), of_lane(batch_.way, l) - of_lane(batch_.last_way, l));
    const auto add_shape = [&](std::size_t s, double actual) {
      std::array<double, shape_features> features;
      for (std::size_t k = 0; k < shape_features; ++k) features[k] = batch_.features[s][k][l];
      sums.shape[s].add(features, actual);
    };
    add_shape(0, batch_.actual_length[l] - static_cast<double>(batch_.last_length[l]));
    if (!is_framed) return;
    add_shape(1, batch_.actual_along[l] - static_cast<double>(batch_.last_place[0][l]));
    add_shape(2, batch_.actual_turned[l]);
  }
  static Vector3 of_lane(const codec::WayBatch::LaneSteps &v, std::size_t l) {
    return vector_of({v[0][l], v[1][l], v[2][l]});
  }

  const Walk &w_;
  std::vector<std::vector<ClassSums>> &all_sums_;
  std::vector<Side> &sides_;
  const codec::Kernels *kernels_ = nullptr;
  std::vector<codec::ClassRow> class_rows_;
  codec::WayRows rows_;
  std::vector<Older> older_;  // of the last particles of each lane
  Particle idle_;             // row of idle lanes
  codec::ClassRow no_class_;
  std::size_t next_segment_ = 0;
  std::size_t last_segment_ = 0;
  std::vector<Lane> lanes_;
  std::array<Bound, codec::most_lanes> bound_particles_;
  std::size_t bound_ = 0;
  std::array<Bound, codec::most_lanes> root_particles_;
  std::size_t roots_ = 0;
  codec::WayBatch batch_;
  codec::Lanes<std::int32_t> value_;
  codec::NumberLanes streams_;  // decoders
  codec::NumberItems items_{};  // encoders
  codec::ComponentCoding coding_;
  codec::Lanes<std::int64_t> images_;
};

}  // namespace gpz::molecule
