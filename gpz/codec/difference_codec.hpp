// SPDX-License-Identifier: BSD-3-Clause
// One chunk's positions of a frame as residuals of a prediction from earlier frames: grid indices in, a section out,
// and back (docs/decisions/0010). The particles are those of the key frame, in the same order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/core/residual.hpp"
#include "gpz/core/types.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/kernels/kernels.hpp"

namespace gpz::cpu {

// Grid indices of each axis, one for each particle; as many axes as the state has.
using IndexColumns = std::array<const std::int64_t *, core::max_components>;
using IndexOutput = std::array<std::int64_t *, core::max_components>;
using core::GridBox;

// What encoder and decoder remember of the frames since the key frame: both see the same indices, so both have the
// same.
struct DifferenceState {
  struct Axis {
    format::Column<std::int64_t> last;       // indices of the last frame
    format::Column<std::int32_t> deviation;  // sum over all frames of (index then - last index), without jumps, limited
    format::Column<std::int32_t> velocity;   // last displacement, limited
    format::Column<std::int32_t> previous;   // displacement before that, limited
  };

  int components = 0;
  bool plain = false;  // nothing but `last` is kept: values are expected to stay
  std::size_t particles = 0;
  std::uint64_t frames = 0;  // since the key frame, with it; 0: there is none yet
  std::array<Axis, core::max_components> axes;

  // A key frame of `n` particles with `count` axes (1 to 3). Throws std::bad_alloc.
  void start(const IndexColumns &q, std::size_t n, int count, bool as_plain = false);
  // Other particles, between two frames. keep: the `count` slots kept[0] < kept[1] < ... move to the front with their
  // history. add: `count` new ones behind the others, at rest at `added` since the key frame. Throw std::bad_alloc.
  void keep(const std::uint32_t *kept, std::size_t count);
  void add(const IndexColumns &added, std::size_t count);
  // The next frame, after it was encoded or decoded. Columns of a plain state may be those of its last indices.
  void advance(const IndexColumns &q, const GridBox &box, const Kernels &kernels = cpu::kernels());
  // For the `n` particles from `first` on, without counting the frame: `q` has theirs.
  void advance_range(std::size_t first, std::size_t n, const IndexColumns &q, const GridBox &box,
                     const Kernels &kernels);
};

// Appends the section of frame q to `bytes` (a multiple of 8 bytes); the state has a key frame. With `neighbours`,
// values are also predicted from the particles in the slots before, where that is smaller (docs/decisions/0013): useful
// if slots are in an order such as that of ids. Throws std::bad_alloc.
void encode_difference(const DifferenceState &state, const IndexColumns &q, const GridBox &box,
                       std::vector<std::uint8_t> &bytes, const Kernels &kernels = cpu::kernels(),
                       bool neighbours = false);

// The inverse, for a section of exactly `size` bytes, aligned to 4. Throws gpz::Error (corrupt) and leaves q
// unspecified then. No memory is asked for that depends on what the bytes say.
void decode_difference(const DifferenceState &state, const std::uint8_t *bytes, std::size_t size, const GridBox &box,
                       const IndexOutput &q, const Kernels &kernels = cpu::kernels());

// decode_difference and advance in one go, block by block in the first-level cache: the indices are those of the last
// frame afterwards. After an exception the state is of no use.
void follow_difference(DifferenceState &state, const std::uint8_t *bytes, std::size_t size, const GridBox &box,
                       const Kernels &kernels = cpu::kernels());

}  // namespace gpz::cpu
