// SPDX-License-Identifier: BSD-3-Clause
// Rows of particles, and their images in the box (docs/format.md, section 9d), on CPU and GPU.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/core/config.hpp"
#include "gpz/molecule/cell.hpp"

namespace gpz::lanes {

using molecule::Cell;
using molecule::GridVector;
using molecule::Image;

// Edges that are added to a particle's row to give its position: i8 of x, y and z, from the lowest byte on.
using RowImage = std::uint32_t;

GPZ_HD GridVector position_in(const std::int32_t *row) { return {row[0], row[1], row[2]}; }
GPZ_HD Image image_of(RowImage image) {
  return {static_cast<std::int8_t>(image & 255), static_cast<std::int8_t>(image >> 8 & 255),
          static_cast<std::int8_t>(image >> 16)};
}
// Modulo 256.
GPZ_HD RowImage sum_of(RowImage a, const Image &b) {
  RowImage sum = 0;
  for (unsigned d = 0; d < b.size(); ++d) sum |= (((a >> 8 * d) + static_cast<std::uint32_t>(b[d])) & 255) << 8 * d;
  return sum;
}
// A row has three components and its image.
GPZ_HD RowImage image_in(const std::int32_t *row) { return static_cast<RowImage>(row[3]); }
GPZ_HD void store_image(std::int32_t *row, RowImage image) { row[3] = static_cast<std::int32_t>(image); }
GPZ_HD void store_row(std::int32_t *row, const GridVector &at, RowImage image) {
  for (std::size_t d = 0; d < at.size(); ++d) row[d] = static_cast<std::int32_t>(at[d]);
  store_image(row, image);
}

// Encoders: rows and positions are below this in magnitude.
inline constexpr std::int64_t max_position = std::int64_t{1} << 30;
// The next frame's image fits as well.
GPZ_HD bool is_moderate(RowImage image) {
  constexpr int most = 100;
  bool is = true;
  for (const std::int8_t edges : image_of(image)) is = is && edges > -most && edges < most;
  return is;
}

// The position of a row with this image.
GPZ_HD GridVector position_of(const Cell &cell, const std::int32_t *row, RowImage image) {
  return image == 0 ? position_in(row) : cell.moved(position_in(row), image_of(image));
}

// A particle with the image that the rule of a section gives it.
struct PositionInBox {
  RowImage image;
  GridVector at;
};
GPZ_HD PositionInBox usual_position(const Cell &cell, bool wraps, const std::int32_t *row, RowImage last) {
  const GridVector at = position_of(cell, row, last);
  if (!wraps || cell.holds(at)) return {last, at};
  const RowImage image = sum_of(last, cell.wrap(at));
  return {image, position_of(cell, row, image)};
}

GPZ_HD Image image_of_code(std::uint8_t code) {
  return {static_cast<std::int8_t>(code % 3 - 1), static_cast<std::int8_t>(code / 3 % 3 - 1),
          static_cast<std::int8_t>(code / 9 - 1)};
}
inline constexpr std::uint8_t too_far = 255;
GPZ_HD std::uint8_t code_of(RowImage image, RowImage usual) {
  const Image is = image_of(image), expected = image_of(usual);
  int code = 0;
  for (std::size_t d = is.size(); d-- > 0;) {
    const int off = is[d] - expected[d];
    if (off < -1 || off > 1) return too_far;
    code = 3 * code + off + 1;
  }
  return static_cast<std::uint8_t>(code);
}

}  // namespace gpz::lanes
