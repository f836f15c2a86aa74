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
  GPZ_HD ImageCode(const Image &image, const Candidates &candidates)
      : code_(static_cast<std::uint8_t>((image_number(image, candidates) << 1) | (candidates.differ() ? 1 : 0))) {}

  GPZ_HD static ImageCode inside() {  // neither it nor the candidates have an image
    ImageCode code;
    code.code_ = 0;
    return code;
  }

  GPZ_HD bool is_exception() const { return code_ == exception; }
  GPZ_HD bool differs() const { return (code_ & 1) != 0; }
  // Neither of the candidates.
  GPZ_HD bool is_unusual() const { return !is_exception() && number() >= first_image; }
  GPZ_HD std::uint32_t number() const { return code_ >> 1; }

 private:
  static constexpr std::uint8_t exception = 255;

  GPZ_HD static std::uint32_t image_number(const Image &image, const Candidates &candidates) {
    return are_equal(image, candidates.wraps)   ? 0
           : are_equal(image, candidates.stays) ? 1
                                                : first_image + number_of(image);
  }

  std::uint8_t code_ = exception;
};
static_assert((first_image + images) << 1 < 255);

// The code of a particle's image. `usual` is that of the last frame, or none for a root; open_place() gives its
// position before the image is applied.
template <typename OpenPlace>
GPZ_HD ImageCode code_of_image(const Cell &cell, const Way &place, const Image &image, const Image &usual,
                               const OpenPlace &open_place) {
  // Most particles are inside the box and have no image.
  if (is_none(image) && is_none(usual) && cell.holds(place)) return ImageCode::inside();
  return {image, Candidates(cell, open_place(), usual)};
}

// Displacement of a particle, limited, from that of its parent.
GPZ_HD Particle::Steps moved_with(const Particle::Steps &parent_moved, const Particle::Steps &way,
                                  const Particle::Steps &last_way) {
  Particle::Steps moved;
  for (std::size_t d = 0; d < moved.size(); ++d)
    moved[d] = core::limited(std::int64_t{parent_moved[d]} + way[d] - last_way[d], longest_move);
  return moved;
}

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
  now.moved = moved_with(parent_moved, steps, last_way);
  return is_near;
}

}  // namespace gpz::molecule
