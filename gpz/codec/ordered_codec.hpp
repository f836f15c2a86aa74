// SPDX-License-Identifier: BSD-3-Clause
// Columns of integers of one chunk, each value predicted from particles before it: indices in, a section out, and back
// (docs/decisions/0011). For particles in the order of their ids: positions of a key frame, the ids, other integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"

namespace gpz::cpu {

// What the section is about: n particles with 1 to 3 components. `ids` has n ids that encoder and decoder both know, or
// is nullptr: the places in the chunk count. They help where they ascend. Axes that are not periodic are GridAxis{}.
struct OrderedShape {
  std::size_t particles = 0;
  int components = 0;
  const std::int64_t *ids = nullptr;
  GridBox box{};
};

// Appends the section of q to `bytes` (a multiple of 8 bytes). Throws std::bad_alloc.
void encode_ordered(const OrderedShape &shape, const IndexColumns &q, std::vector<std::uint8_t> &bytes,
                    const Kernels &kernels = cpu::kernels());

// The inverse, for a section of exactly `size` bytes, aligned to 4. Throws gpz::Error (corrupt) and leaves q
// unspecified then. No memory is asked for that depends on what the bytes say.
void decode_ordered(const OrderedShape &shape, const std::uint8_t *bytes, std::size_t size, const IndexOutput &q,
                    const Kernels &kernels = cpu::kernels());

}  // namespace gpz::cpu
