// What TrajectoryEncoder and its counterpart on a GPU decide alike, so that their bytes are the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/api/indices.hpp"
#include "gpz/core/types.hpp"
#include "gpz/frame.hpp"

namespace gpz::api {

inline constexpr std::size_t max_followed = INT32_MAX;  // particles of a chunk of differences: rows are int

// Whether values of these fields can be differences from values of those: the grids are the same.
bool have_same_grids(const std::vector<Field> &fields, const std::vector<Field> &before);

// For each component of a field of image flags, 1 + the component of field 0 through whose periodic edges particles go
// when it changes; 0: none.
using Crossed = std::array<std::uint8_t, core::max_components>;
Crossed crossed_by(const Field &positions, const Field &images, const Box &box);

// Whether so many have stayed that differences may be worth it.
inline bool enough_stay(std::uint64_t staying, std::uint64_t particles, std::uint64_t before) {
  return 2 * staying >= (particles < before ? before : particles);
}

// Bytes of the last chunk that stood alone, which others compete with.
struct KeySizes {
  std::uint64_t particles = 0;
  std::uint64_t all = 0;
  std::vector<std::uint64_t> sections;  // one a field

  // What `size` of these bytes would be for another number of particles.
  std::uint64_t scaled(std::uint64_t size, std::uint64_t to_particles) const {
    if (particles == 0) return 0;
    return static_cast<std::uint64_t>(static_cast<double>(size) * static_cast<double>(to_particles) /
                                      static_cast<double>(particles));
  }
};

}  // namespace gpz::api
