// SPDX-License-Identifier: BSD-3-Clause
// The two sides of the pass: the encoder turns values into numbers, the decoder numbers into values (docs/format.md,
// section 9c).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/number_coder.hpp"
#include "gpz/molecule/contexts.hpp"
#include "gpz/molecule/scene.hpp"

namespace gpz::molecule {

class EncodeSide {
 public:
  static constexpr bool is_decoder = false;

  EncodeSide(const Scene &scene, const codec::IndexColumns &q, std::size_t first)
      : scene_(scene), q_(q), stored_particles_(*scene.stored, first) {}

  // Contexts are numbered only when all levels are known, because unused levels have none.
  struct Item {
    std::uint32_t number;
    std::uint8_t kind;  // a Group, side_kind or image_kind
    std::uint8_t level;
    std::uint8_t part;
  };
  static constexpr std::uint8_t side_kind = 3;
  static constexpr std::uint8_t image_kind = 4;
  std::vector<Item> items;

  void particle(std::size_t i) { is_stored_ = stored_particles_.at(i) != nullptr; }
  bool is_stored(std::size_t) const { return is_stored_; }
  void expect(Group group, unsigned level, unsigned part) {
    next_ = {0, static_cast<std::uint8_t>(group), static_cast<std::uint8_t>(level), static_cast<std::uint8_t>(part)};
  }
  std::int32_t component(std::size_t i, std::size_t d, std::int64_t expected) {
    const Particle &now = scene_.walk.now[i];
    const std::int32_t actual = (*scene_.walk.tree)[i].parent == 0 ? now.moved[d] : now.way[d];
    const std::uint64_t u = core::residual_number(actual - (expected >> 6), static_cast<std::int32_t>(expected & 63));
    next_.number = static_cast<std::uint32_t>(u);
    items.push_back(next_);
    return actual;
  }
  bool side(std::size_t i, const WaySide &way) {
    const bool other = way.is_other(scene_.walk.now[i].way);
    items.push_back({other ? 1u : 0u, side_kind, static_cast<std::uint8_t>(way.level()), 0});
    return other;
  }
  [[gnu::always_inline]] void fetch(std::size_t) const {}
  void place(std::size_t i) {
    if (is_stored_) return;
    const Particle &now = scene_.walk.now[i];
    const Candidates candidates(scene_.cell, open_place(scene_, i, now, q_), usual_image(scene_, i));
    if (!candidates.differ() && scene_.is_quiet) return;
    const std::uint32_t number = now.image == candidates.wraps   ? 0
                                 : now.image == candidates.stays ? 1
                                                                 : first_image + number_of(now.image);
    items.push_back({number, image_kind, static_cast<std::uint8_t>((*scene_.walk.tree)[i].parent == 0),
                     static_cast<std::uint8_t>(candidates.differ())});
  }

 private:
  const Scene &scene_;
  const codec::IndexColumns &q_;
  StoredParticles::Cursor stored_particles_;
  Item next_{};
  bool is_stored_ = false;
};

class DecodeSide {
 public:
  static constexpr bool is_decoder = true;

  DecodeSide(const Scene &scene, const Contexts &contexts, const ComponentContexts &of_components,
             codec::NumberDecoder &numbers, const codec::IndexOutput &q, std::size_t first)
      : scene_(scene),
        contexts_(contexts),
        of_components_(of_components),
        numbers_(numbers),
        q_(q),
        known_{q[0], q[1], q[2]},
        stored_particles_(*scene.stored, first) {}

  const Contexts &contexts() const { return contexts_; }
  const ComponentContexts &contexts_of_components() const { return of_components_; }
  // A lane reads the numbers from here on. First call this for all lanes: idle ones need a stream, too.
  void enter(codec::NumberLanes &lanes, std::size_t lane) {
    lanes_ = &lanes;
    lane_ = lane;
    numbers_.put(lanes, lane);
  }
  void leave() { numbers_.take_position(*lanes_, lane_); }

  void particle(std::size_t i) {
    stored_ = stored_particles_.at(i);
    if (stored_ == nullptr) return;
    const Links &links = (*scene_.walk.tree)[i];
    find_move(scene_, i, *stored_, links.parent == 0 ? Way{} : place_of(known_, i - links.parent), scene_.walk.now[i]);
  }
  bool is_stored(std::size_t) const { return stored_ != nullptr; }
  [[gnu::always_inline]] void fetch(std::size_t i) const {
    for (const std::int64_t *const column : scene_.last) __builtin_prefetch(column + i);
    for (std::int64_t *const column : q_) __builtin_prefetch(column + i, 1);
  }
  void place(std::size_t i) {
    if (stored_ != nullptr) return write(i, *stored_);
    // Most particles are inside the box and have no image. Their coordinates stay in registers: a load of an array that
    // was just stored by parts waits for all stores before it.
    const std::size_t lag = (*scene_.walk.tree)[i].parent;
    Particle &now = scene_.walk.now[i];
    const Particle::Steps &steps = lag == 0 ? now.moved : now.way;
    const codec::IndexColumns &from = lag == 0 ? scene_.last : known_;
    const std::int64_t x = core::sum_of(from[0][i - lag], std::int64_t{steps[0]});
    const std::int64_t y = core::sum_of(from[1][i - lag], std::int64_t{steps[1]});
    const std::int64_t z = core::sum_of(from[2][i - lag], std::int64_t{steps[2]});
    if ((lag != 0 && !is_none(scene_.walk.last[i].image)) || !scene_.cell.holds(x, y, z))
      return place_with_image(i, lag == 0);
    now.image = {};
    if (!scene_.is_quiet) {
      const std::uint32_t number = next_number(contexts_.of_image(lag == 0, false));
      if (number >= first_image) return apply(i, number);
    }
    q_[0][i] = x;
    q_[1][i] = y;
    q_[2][i] = z;
  }

 private:
  // Numbers other than components are rare.
  [[gnu::noinline]] std::uint32_t next_number(unsigned context) {
    numbers_.take_position(*lanes_, lane_);
    const std::uint32_t u = numbers_.get(context);
    numbers_.put_position(*lanes_, lane_);
    return u;
  }
  [[gnu::noinline]] void place_with_image(std::size_t i, bool is_root) {
    Particle &now = scene_.walk.now[i];
    const Candidates candidates(scene_.cell, open_place(scene_, i, now, known_), usual_image(scene_, i));
    now.image = candidates.stays;
    if (candidates.differ() || !scene_.is_quiet) {
      const std::uint32_t number = next_number(contexts_.of_image(is_root, candidates.differ()));
      if (number == 0) now.image = candidates.wraps;
      if (number >= first_image) return apply(i, number);
    }
    write(i, scene_.cell.moved(candidates.place, now.image));
  }
  // Applies an image that is neither of the candidates.
  [[gnu::noinline]] void apply(std::size_t i, std::uint32_t number) {
    Particle &now = scene_.walk.now[i];
    now.image = image_of((number - first_image) % images);
    write(i, scene_.cell.moved(open_place(scene_, i, now, known_), now.image));
  }
  void write(std::size_t i, const Way &place) {
    for (std::size_t d = 0; d < place.size(); ++d) q_[d][i] = place[d];
  }

  const Scene &scene_;
  const Contexts &contexts_;
  const ComponentContexts &of_components_;
  codec::NumberDecoder &numbers_;
  codec::NumberLanes *lanes_ = nullptr;
  std::size_t lane_ = 0;
  const codec::IndexOutput &q_;
  const codec::IndexColumns known_;
  StoredParticles::Cursor stored_particles_;
  const Way *stored_ = nullptr;
};

}  // namespace gpz::molecule
