// SPDX-License-Identifier: BSD-3-Clause
// Number contexts of a section of molecules, chosen by the variance of the prediction (docs/format.md, section 9c).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpz/core/residual.hpp"
#include "gpz/kernels/number_kernels.hpp"
#include "gpz/kernels/way_batch.hpp"

namespace gpz::molecule {

// Kinds of components: `last` is determined by the other two, `wide` is hardly predictable, `usual` are all others.
enum class Group : std::uint8_t { usual, last, wide };

struct Contexts {
  static constexpr unsigned most_levels = codec::ExpectedNumber::levels;
  static constexpr unsigned parts = codec::ExpectedNumber::parts;  // one context each
  static constexpr unsigned fine = 8;                              // levels below this one distinguish parts

  unsigned base = 0;  // first level
  unsigned levels = 1;

  // For components with these levels; `least` exceeds `most` if there are none.
  static Contexts over(unsigned least, unsigned most) {
    const unsigned base = core::min_of(least, most);
    return {base, most - base + 1};
  }

  GPZ_HD unsigned of(Group group, unsigned level, unsigned part) const {
    const unsigned at = level <= base ? 0 : core::min_of(level - base, levels - 1);
    if (group == Group::wide) return 2 * of_group() + at;
    const unsigned first = group == Group::last ? of_group() : 0;
    return first + (at < fine_levels() ? parts * at + part : at + (parts - 1) * fine_levels());
  }
  GPZ_HD unsigned of_side(unsigned level) const { return first_side() + level; }
  GPZ_HD unsigned of_image(bool is_root, bool differs) const {
    return first_side() + codec::way_side_levels + (is_root ? 0 : 2) + (differs ? 1 : 0);
  }
  GPZ_HD unsigned count() const { return first_side() + codec::way_side_levels + 4; }

 private:
  GPZ_HD unsigned fine_levels() const { return base >= fine ? 0 : core::min_of(fine - base, levels); }
  GPZ_HD unsigned of_group() const { return levels + (parts - 1) * fine_levels(); }
  GPZ_HD unsigned first_side() const { return 2 * of_group() + levels; }
};

// Lookup table of contexts by place: those of components and sides (codec::place_of_sides), then those of images.
class ContextTable {
 public:
  static constexpr unsigned place_of_images = codec::place_of_sides + codec::way_side_levels;

  explicit ContextTable(const Contexts &contexts) {
    auto *to = table_.data();
    for (const Group group : {Group::usual, Group::last, Group::wide})
      for (unsigned level = 0; level < Contexts::most_levels; ++level)
        for (unsigned part = 0; part < Contexts::parts; ++part)
          *to++ = static_cast<std::uint8_t>(contexts.of(group, level, part));
    for (unsigned level = 0; level < codec::way_side_levels; ++level)
      *to++ = static_cast<std::uint8_t>(contexts.of_side(level));
    for (unsigned k = 0; k < contexts_of_images; ++k)
      *to++ = static_cast<std::uint8_t>(contexts.of_image(k < 2, k % 2 != 0));
  }
  GPZ_HD static unsigned place_of_image(bool is_root, bool differs) {
    return place_of_images + (is_root ? 0 : 2) + (differs ? 1 : 0);
  }
  static constexpr unsigned contexts_of_images = 4;
  static constexpr unsigned places = place_of_images + contexts_of_images;
  // For codec::ComponentCoding.
  const std::uint8_t *by_place() const { return table_.data(); }

 private:
  std::array<std::uint8_t, places + codec::bytes_behind_table> table_{};
};

}  // namespace gpz::molecule
