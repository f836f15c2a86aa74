// SPDX-License-Identifier: BSD-3-Clause
// The two sides of the pass: the encoder turns values into numbers, the decoder numbers into values (docs/format.md,
// section 9c).
#pragma once

#include <algorithm>
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

  // Of a particle: three components, a side for each of two steps, and an image.
  static constexpr std::size_t most_items = 6;

  // Of the segment that begins with particle `first`. `codes` are those of all particles. `items` has room for
  // `most_items` of each.
  EncodeSide(const Scene &scene, const std::vector<ImageCode> &codes, std::size_t first, std::uint64_t *items)
      : scene_(scene), codes_(codes), stored_particles_(*scene.stored, first), items_(items), next_(items) {}

  void particle(std::size_t i) { is_stored_ = stored_particles_.at(i) != nullptr; }
  bool is_stored(std::size_t) const { return is_stored_; }
  // An item of codec::NumberItems.
  void put(std::int64_t item) { *next_++ = static_cast<std::uint64_t>(item); }
  [[gnu::always_inline]] void fetch(std::size_t) const {}
  void place(std::size_t i) {
    const ImageCode image = codes_[i];
    if (image.is_exception() || (!image.differs() && scene_.is_quiet)) return;
    const bool is_root = (*scene_.walk.tree)[i].parent == 0;
    const std::uint64_t place = ContextTable::place_of_image(is_root, image.differs());
    *next_++ = place << codec::item_place_shift | image.number();
  }

  codec::NumberSegment numbers() const { return {items_, static_cast<std::size_t>(next_ - items_)}; }
  void take_levels(const codec::NumberItems &items) {
    for (std::size_t l = 0; l < codec::most_lanes; ++l) {
      least_level = std::min(least_level, items.least_level[l]);
      most_level = std::max(most_level, items.most_level[l]);
    }
  }
  // Levels that components have.
  std::int64_t least_level = Contexts::most_levels - 1;
  std::int64_t most_level = 0;

 private:
  const Scene &scene_;
  const std::vector<ImageCode> &codes_;
  StoredParticles::Cursor stored_particles_;
  std::uint64_t *items_;
  std::uint64_t *next_;
  bool is_stored_ = false;
};

class DecodeSide {
 public:
  static constexpr bool is_decoder = true;

  DecodeSide(const Scene &scene, const Contexts &contexts, const ContextTable &table, codec::NumberDecoder &numbers,
             const codec::IndexOutput &q, std::size_t first)
      : scene_(scene),
        contexts_(contexts),
        table_(table),
        numbers_(numbers),
        q_(q),
        known_{q[0], q[1], q[2]},
        stored_particles_(*scene.stored, first) {}

  const Contexts &contexts() const { return contexts_; }
  const ContextTable &context_table() const { return table_; }
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
  bool place(std::size_t i) {
    if (stored_ != nullptr) {
      write(i, *stored_);
      return false;
    }
    // Most particles are inside the box and have no image. Their coordinates stay in registers: a load of an array that
    // was just stored by parts waits for all stores before it.
    const std::size_t lag = (*scene_.walk.tree)[i].parent;
    Particle &now = scene_.walk.now[i];
    const Particle::Steps &steps = lag == 0 ? now.moved : now.way;
    const codec::IndexColumns &from = lag == 0 ? scene_.last : known_;
    const std::int64_t x = core::sum_of(from[0][i - lag], std::int64_t{steps[0]});
    const std::int64_t y = core::sum_of(from[1][i - lag], std::int64_t{steps[1]});
    const std::int64_t z = core::sum_of(from[2][i - lag], std::int64_t{steps[2]});
    if ((lag != 0 && !is_none(scene_.walk.last[i].image)) || !scene_.cell.holds(x, y, z)) {
      place_with_image(i, lag == 0);
      return false;
    }
    now.image = {};
    q_[0][i] = x;
    q_[1][i] = y;
    q_[2][i] = z;
    return !scene_.is_quiet;
  }
  void change_image(std::size_t i, std::uint32_t number) {
    if (number >= first_image) apply(i, number);
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
  const ContextTable &table_;
  codec::NumberDecoder &numbers_;
  codec::NumberLanes *lanes_ = nullptr;
  std::size_t lane_ = 0;
  const codec::IndexOutput &q_;
  const codec::IndexColumns known_;
  StoredParticles::Cursor stored_particles_;
  const Way *stored_ = nullptr;
};

}  // namespace gpz::molecule
