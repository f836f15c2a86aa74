// SPDX-License-Identifier: BSD-3-Clause
// Images of a particle of a molecule, and steps to a place (docs/format.md, section 9c).
#pragma once

#include <cstdint>

#include "gpz/molecule/cell.hpp"
#include "gpz/molecule/memory.hpp"

namespace gpz::molecule {

// Numbers of images: 0 is inside the box, 1 is the most frequent one, then all images follow.
inline constexpr std::uint32_t first_image = 2;

// Images as numbers. Each component is -1, 0 or 1.
inline constexpr std::uint32_t images = 27;
GPZ_HD std::uint32_t number_of(const Image &image) {
  return static_cast<std::uint32_t>(image[0] + 1 + 3 * (image[1] + 1) + 9 * (image[2] + 1));
}
GPZ_HD Image image_of(std::uint32_t number) {
  const auto digit = [&](std::uint32_t unit) {
    return static_cast<std::int8_t>(static_cast<int>(number / unit % 3) - 1);
  };
  return {digit(1), digit(3), digit(9)};
}

// A particle's position before its image is applied, and its likely images: `stays` is the image of the last frame,
// `wraps` lies inside the box.
struct Candidates {
  Way place;
  Image stays;
  Image wraps;

  GPZ_HD Candidates(const Cell &cell, const Way &at, const Image &last)
      : place(at), stays(last), wraps(cell.holds(at) ? Image{} : cell.wrap(at)) {}
  GPZ_HD bool differ() const { return !are_equal(stays, wraps); }
};

// How an encoder codes the image of a particle: its number, and whether the candidates differ.
class ImageCode {
 public:
  ImageCode() = default;  // of an exception, which has no number
  ImageCode(const Image &image, const Candidates &candidates)
      : code_(static_cast<std::uint8_t>((image_number(image, candidates) << 1) | (candidates.differ() ? 1 : 0))) {}

  static ImageCode inside() {  // neither it nor the candidates have an image
    ImageCode code;
    code.code_ = 0;
    return code;
  }

  bool is_exception() const { return code_ == exception; }
  bool differs() const { return (code_ & 1) != 0; }
  std::uint32_t number() const { return code_ >> 1; }

 private:
  static constexpr std::uint8_t exception = 255;

  static std::uint32_t image_number(const Image &image, const Candidates &candidates) {
    return are_equal(image, candidates.wraps)   ? 0
           : are_equal(image, candidates.stays) ? 1
                                                : first_image + number_of(image);
  }

  std::uint8_t code_ = exception;
};
static_assert((first_image + images) << 1 < 255);

// Computes bond vector (or displacement, of a root), motion and image of a particle from the vector to its place: from
// its parent, which moved by `parent_moved`, or from its last place. `last_way` is its last bond vector. Returns false
// if the particle is an exception.
GPZ_HD bool find_move(const Cell &cell, bool is_root, Way way, const Particle::Steps &parent_moved,
                      const Particle::Steps &last_way, Particle &now) {
  now.image = cell.shorten(way);
  const Particle::Steps steps = limited_steps(way, is_root ? longest_move : longest_way);
  const bool is_near = steps[0] == way[0] && steps[1] == way[1] && steps[2] == way[2];
  if (is_root) {
    now.moved = steps;
    return is_near;
  }
  now.way = steps;
  for (std::size_t d = 0; d < steps.size(); ++d)
    now.moved[d] = core::limited(std::int64_t{parent_moved[d]} + steps[d] - last_way[d], longest_move);
  return is_near;
}

}  // namespace gpz::molecule
