// SPDX-License-Identifier: BSD-3-Clause
// Vectors from particles to their bond partners, in batches: predicts them component by component, and updates the
// statistics (docs/format.md, section 9c). Compiled once for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/kernels/way_batch.hpp"

namespace gpz::codec {

struct WayKernels {
  static constexpr unsigned side_levels = way_side_levels;

  std::size_t lanes;
  // Computes the local axes from `first` and `second`.
  void (*find_axes)(WayBatch &);
  // Predicts the shape and the first component.
  void (*expect)(WayBatch &);
  // Call with the component of step 0.
  void (*cut)(WayBatch &, const Lanes<std::int32_t> &value);
  // Call when the side is known. Predicts the component of step 1.
  void (*settle)(WayBatch &);
  // cut_again: call with the component of step 1. settle_last: call when the side is known; predicts the last
  // component.
  void (*cut_again)(WayBatch &, const Lanes<std::int32_t> &value);
  void (*settle_last)(WayBatch &);
  // remember() and learn() need `way`.
  void (*remember)(WayBatch &);
  void (*learn)(WayBatch &);

  // Roots: expect_move() predicts the displacement, number_of_move() prepares its component d for coding, and
  // learn_move() needs the actual displacement in `way`.
  void (*expect_move)(WayBatch &);
  void (*number_of_move)(WayBatch &, std::size_t d);
  void (*learn_move)(WayBatch &);
};

namespace GPZ_ISA {
extern const WayKernels way_kernels;
}

}  // namespace gpz::codec
