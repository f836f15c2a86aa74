// SPDX-License-Identifier: BSD-3-Clause
// Coordinates of a particle in a local frame, which three earlier particles of its molecule define. They hardly change
// while bond lengths and angles keep their values, however the molecule is oriented (docs/format.md, section 10b).
// Integer arithmetic only.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>

#include "gpz/model/bond_geometry.hpp"

namespace gpz::model {

// Coordinates along the two vectors of the frame and along their cross product, in units of 1/4096 of each.
using Coordinates = std::array<std::int32_t, core::max_components>;

// Units in which a section computes frames: vectors have components below 2^11 in units of 2^shift steps.
struct FrameUnits {
  int shift = 0;
  int cross = 0;  // cross products are divided by 2^cross

  // For molecules whose longest bond has this length, in 1/64 steps.
  static FrameUnits of(std::uint32_t longest) {
    FrameUnits units;
    const int bits = core::bit_length(longest >> fraction_bits);
    units.shift = bits > 9 ? bits - 9 : 0;
    units.cross = bits - units.shift;
    return units;
  }
};

class LocalFrame {
 public:
  LocalFrame() = default;
  // Defined by two vectors from one particle, in whole steps. Invalid if they are too long or nearly parallel.
  LocalFrame(const Way &u, const Way &v, const FrameUnits &units) : units_(units) {
    bool is_short = true;
    for (std::size_t d = 0; d < u.size(); ++d) {
      u_[d] = u[d] >> units.shift;
      v_[d] = v[d] >> units.shift;
      is_short = is_short && std::abs(u_[d]) < end && std::abs(v_[d]) < end;
    }
    if (!is_short) return;
    uu_ = product(u_, u_);
    vv_ = product(v_, v_);
    uv_ = product(u_, v_);
    cross_ = {u_[1] * v_[2] - u_[2] * v_[1], u_[2] * v_[0] - u_[0] * v_[2], u_[0] * v_[1] - u_[1] * v_[0]};
    determinant_ = uu_ * vv_ - uv_ * uv_;
    valid_ = determinant_ > 0 && determinant_ * 32 >= uu_ * vv_;
  }

  bool valid() const { return valid_; }

  // Vector with these coordinates, in 1/64 steps.
  Way way_of(const Coordinates &c) const {
    Way way;
    for (std::size_t d = 0; d < way.size(); ++d) {
      const std::int64_t sum = c[0] * u_[d] + c[1] * v_[d] + (c[2] * cross_[d] >> units_.cross);
      way[d] = crystal::limited(sum * (std::int64_t{1} << units_.shift) >> (coordinate_bits - fraction_bits), farthest);
    }
    return way;
  }
  // Inverse of way_of, for a vector in whole steps.
  Coordinates coordinates_of(const Way &way) const {
    Way w;
    for (std::size_t d = 0; d < way.size(); ++d) w[d] = crystal::limited(way[d] >> units_.shift, end);
    const std::int64_t wu = product(w, u_);
    const std::int64_t wv = product(w, v_);
    return {part(wu * vv_ - wv * uv_, coordinate_bits), part(wv * uu_ - wu * uv_, coordinate_bits),
            part(product(w, cross_), coordinate_bits + units_.cross)};
  }

 private:
  static constexpr std::int64_t end = 1 << 11;
  static constexpr int coordinate_bits = 12;
  static constexpr std::int64_t largest = 1 << 18;
  static constexpr std::int64_t farthest = std::int64_t{1} << 36;

  static std::int64_t product(const Way &a, const Way &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
  std::int32_t part(std::int64_t x, int bits) const {
    return static_cast<std::int32_t>(crystal::limited(x * (std::int64_t{1} << bits) / determinant_, largest));
  }

  FrameUnits units_;
  Way u_{};
  Way v_{};
  Way cross_{};
  std::int64_t uu_ = 0;
  std::int64_t vv_ = 0;
  std::int64_t uv_ = 0;
  std::int64_t determinant_ = 0;
  bool valid_ = false;
};

}  // namespace gpz::model
