// SPDX-License-Identifier: BSD-3-Clause
// Codes integer columns of one chunk; each value is predicted from earlier particles (docs/decisions/0011). Used for
// particles in the order of ids: positions of key frames, the ids, other integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"

namespace gpz::codec {

// Particles and components (1 to 3) of a section. `ids` holds one id per particle known to both encoder and decoder, or
// is nullptr: then indices in the chunk are used. Ids help only if they ascend. Axes that are not periodic are
// GridAxis{}.
struct OrderedShape {
  std::size_t particles = 0;
  int components = 0;
  const std::int64_t *ids = nullptr;
  GridBox box{};
};

// Appends the section of q to `bytes` (a multiple of 8 bytes). Throws std::bad_alloc.
void encode_ordered(const OrderedShape &shape, const IndexColumns &q, std::vector<std::uint8_t> &bytes,
                    const Kernels &kernels = codec::kernels(), int threads = 1);

// The inverse, for a section of exactly `size` bytes, aligned to 4. Leaves q as it is in blocks that are not wanted; a
// section of runs is decoded as a whole. Throws gpz::Error (corrupt) and leaves q unspecified then. Allocates no memory
// that depends on the bytes.
void decode_ordered(const OrderedShape &shape, const std::uint8_t *bytes, std::size_t size, const IndexOutput &q,
                    const Kernels &kernels = codec::kernels(), int threads = 1, const WantedBlocks &wanted = {});

}  // namespace gpz::codec
