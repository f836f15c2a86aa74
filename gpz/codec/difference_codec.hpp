// SPDX-License-Identifier: BSD-3-Clause
// Codes one chunk's grid indices as residuals of a prediction from earlier frames (docs/decisions/0010). Particles and
// their order are as in the key frame.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/wanted_blocks.hpp"
#include "gpz/core/residual.hpp"
#include "gpz/core/types.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/kernels/kernels.hpp"

namespace gpz::codec {

// Grid indices per axis, one for each particle; as many axes as the state has.
using IndexColumns = std::array<const std::int64_t *, core::max_components>;
using IndexOutput = std::array<std::int64_t *, core::max_components>;
using core::GridBox;

// History since the key frame. Encoder and decoder see the same indices, so their states are identical.
struct DifferenceState {
  struct Axis {
    format::Column<std::int64_t> last;       // indices of the last frame
    format::Column<std::int32_t> deviation;  // sum over all frames of (index then - last index), without jumps, limited
    format::Column<std::int32_t> velocity;   // last displacement, limited
    format::Column<std::int32_t> previous;   // displacement before that, limited
  };

  int components = 0;
  bool plain = false;  // keeps `last` only: the prediction is the last value
  std::size_t particles = 0;
  std::uint64_t frames = 0;  // since the key frame, inclusive; 0: no key frame yet
  bool at_rest = false;      // all deviations, velocities and previous displacements are 0
  std::array<Axis, core::max_components> axes;

  // A key frame of `n` particles with `count` axes (1 to 3). Throws std::bad_alloc.
  void start(const IndexColumns &q, std::size_t n, int count, bool as_plain = false, int threads = 1);
  // Change the particles between two frames. keep() moves the `count` slots kept[0] < kept[1] < ... to the front with
  // their history. add() appends `count` particles that rested at `added` since the key frame. Both throw
  // std::bad_alloc.
  void keep(const std::uint32_t *kept, std::size_t count);
  void add(const IndexColumns &added, std::size_t count, int threads = 1);
  // Updates the history after a frame was encoded or decoded. For a plain state `q` may be its own `last` columns.
  // Blocks that are not wanted keep their state, and cannot be followed any more.
  void advance(const IndexColumns &q, const GridBox &box, const Kernels &kernels = codec::kernels(), int threads = 1,
               const WantedBlocks &wanted = {});
  // The same, but particles are taken to have rested at q since the key frame. `q` may be the `last` columns.
  void rest(const IndexColumns &q, int threads = 1, const WantedBlocks &wanted = {});
  // Updates `n` particles from `first` on without counting the frame. q[d][0] belongs to particle `first`.
  void advance_range(std::size_t first, std::size_t n, const IndexColumns &q, const GridBox &box,
                     const Kernels &kernels);
};

// Appends the section of frame q to `bytes` (a multiple of 8 bytes); the state has a key frame. With `neighbours`,
// values are also predicted from the preceding slots if that is smaller (docs/decisions/0013). This helps if adjacent
// slots are related, as in the order of ids. Throws std::bad_alloc.
void encode_difference(const DifferenceState &state, const IndexColumns &q, const GridBox &box,
                       std::vector<std::uint8_t> &bytes, const Kernels &kernels = codec::kernels(),
                       bool neighbours = false, int threads = 1);

// The inverse, for a section of exactly `size` bytes, aligned to 4. Throws gpz::Error (corrupt) and leaves q
// unspecified then. Allocates no memory that depends on the bytes.
void decode_difference(const DifferenceState &state, const std::uint8_t *bytes, std::size_t size, const GridBox &box,
                       const IndexOutput &q, const Kernels &kernels = codec::kernels(), int threads = 1);

// decode_difference() and advance() combined, block by block in the L1 cache. The indices end up in the state's `last`.
// Blocks that are not wanted keep their state, and cannot be followed any more. After an exception the state is
// unusable.
void follow_difference(DifferenceState &state, const std::uint8_t *bytes, std::size_t size, const GridBox &box,
                       const Kernels &kernels = codec::kernels(), int threads = 1, const WantedBlocks &wanted = {});

}  // namespace gpz::codec
