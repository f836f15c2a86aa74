// SPDX-License-Identifier: BSD-3-Clause
// Images of particles that are not the usual ones, as a section lists them (docs/format.md, section 9d).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/lanes/rows.hpp"
#include "gpz/lanes/stream.hpp"

namespace gpz::lanes {

inline GridVector position_of(const codec::IndexColumns &q, std::size_t i) { return {q[0][i], q[1][i], q[2][i]}; }

// Exceptions of images: slots, and how the image differs from the usual one.
struct ImageExceptions {
  format::Column<std::uint32_t> slot;
  format::Column<std::uint8_t> code;

  void append(std::vector<std::uint8_t> &bytes) const {
    format::ByteWriter(bytes).u64(slot.size());
    if (slot.empty()) return;
    NumberWriter numbers(2);
    std::uint32_t next = 0;
    for (std::size_t k = 0; k < slot.size(); ++k) {
      numbers.put(0, slot[k] - next);
      numbers.put(1, code[k]);
      next = slot[k] + 1;
    }
    numbers.append(bytes);
  }
  std::size_t read(const std::uint8_t *bytes, std::size_t size, std::size_t slots) {
    format::ByteReader in(bytes, size);
    const std::uint64_t count = in.u64();
    if (count == 0) return in.position();
    if (count > slots) format::corrupt("number of images of steps", 0);
    NumberReader numbers(bytes + in.position(), in.left(), 2);
    std::uint32_t next = 0;
    for (std::uint64_t k = 0; k < count; ++k) {
      if (next >= slots) format::corrupt("slot of an image", 0);
      slot.push_back(next + numbers.get(0, static_cast<std::uint32_t>(slots - next - 1)));
      code.push_back(static_cast<std::uint8_t>(numbers.get(1, 26)));
      next = slot.back() + 1;
    }
    return in.position() + numbers.end();
  }
};

}  // namespace gpz::lanes
