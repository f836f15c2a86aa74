// SPDX-License-Identifier: BSD-3-Clause
// Decisions shared by the encoders on CPU and GPU, so that both write the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/format/chunk_kinds.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/format/section_head.hpp"
#include "gpz/frame.hpp"

namespace gpz::format {

// Whether difference frames may follow a frame of so many particles with these fields.
inline bool may_start_history(const std::vector<Field> &fields, std::uint64_t particles) {
  return identity_field(fields) != no_field && particles <= max_followed;
}
// Whether a frame may be a difference frame after one with the fields `before`.
inline bool may_follow(const std::vector<Field> &fields, std::uint64_t particles, const std::vector<Field> &before) {
  return may_start_history(fields, particles) && identity_field(fields) == identity_field(before) &&
         have_same_grids(fields, before);
}

// Crossings that a field of image flags counts, per component, if positions are field 0 of the frame.
Crossed crossed_by(const Field &positions, const Field &images, const Box &box);

// True if enough particles stayed for differences to pay.
inline bool enough_stay(std::uint64_t staying, std::uint64_t particles, std::uint64_t before) {
  return 2 * staying >= (particles < before ? before : particles);
}

// Sizes of the last independent chunk, with which difference chunks compete.
struct KeySizes {
  std::uint64_t particles = 0;
  std::uint64_t all = 0;
  std::vector<std::uint64_t> sections;  // one per field

  // Scales `size` to another number of particles.
  std::uint64_t scaled(std::uint64_t size, std::uint64_t to_particles) const {
    if (particles == 0) return 0;
    return static_cast<std::uint64_t>(static_cast<double>(size) * static_cast<double>(to_particles) /
                                      static_cast<double>(particles));
  }
};

}  // namespace gpz::format
