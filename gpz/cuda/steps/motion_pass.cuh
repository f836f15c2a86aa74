// SPDX-License-Identifier: BSD-3-Clause
// The steps of a block of particles without bonds by a warp (docs/format.md, section 9d). Nothing depends on the step
// before but the states of the coder: all that a step needs is loaded while the one before is coded.
#pragma once

#include "gpz/core/step_motion.hpp"
#include "gpz/cuda/steps/step_rows.cuh"

namespace gpz::cuda {

// As StepPass.
template <typename Coder>
class MotionPass {
 public:
  __device__ MotionPass(const StepLayout &layout, const StepRows &rows, const StepConstants &constants, Coder &coder)
      : layout_(layout),
        rows_(rows),
        constants_(constants),
        now_(rows.rows + rows.now),
        before_(rows.rows + 4 - rows.now),
        coder_(coder) {}

  __device__ bool run(std::uint32_t first, std::uint32_t end, std::uint32_t stride = 1) {
    if (first >= end) return true;
    const std::uint32_t last = end - 1;
    const StepPrefetch prefetch = lines(end);
    Given given = load(first, class_of(first));
    std::uint32_t next_class = class_of(min(first + stride, last));
    for (std::uint32_t s = first; s < end; s += stride) {
      if (!coder_.begin(s)) return false;
      if constexpr (Coder::decodes) prefetch.before(s);
      const Given next_given = load(min(s + stride, last), next_class);
      next_class = class_of(min(s + 2 * stride, last));
      code(s, given);
      given = next_given;
    }
    return true;
  }

 private:
  struct Given {
    std::uint32_t lanes;  // that are in use
    FullRow last;         // of the frame before
    StepRow now;          // encoders
    core::Motion<float> motion;
    core::Vector<float> weights, variance;
  };

  __device__ __forceinline__ StepPrefetch lines(std::uint32_t end) const {
    StepPrefetch lines(end);
    lines.add(rows_.rows, 8 * core::step_lanes * sizeof(std::int32_t));
    lines.add(rows_.means, core::motion_columns * core::step_lanes * sizeof(float));
    lines.add(layout_.of_class, core::step_lanes);
    lines.add(layout_.steps, sizeof(codec::Step));
    return lines;
  }
  __device__ __forceinline__ std::uint32_t class_of(std::uint32_t s) const { return layout_.of_class[slot_of(s)]; }

  __device__ __forceinline__ Given load(std::uint32_t s, std::uint32_t of_class) const {
    const std::size_t slot = slot_of(s);
    Given given;
    given.lanes = layout_.steps[s].lanes;
    given.last = row_at(before_, 8 * slot);
    if constexpr (!Coder::decodes) given.now = row_at(now_, 8 * slot).row;
    const auto vector = [&](core::MotionColumn c) {
      const auto at = [&](unsigned d) { return rows_.means[core::index_of_motion(slot, c + d)]; };
      return core::Vector<float>{at(0), at(1), at(2)};
    };
    given.motion = {vector(core::motion_last), vector(core::motion_before), vector(core::motion_to_mean)};
    const auto k = [&](core::StepConstant c) { return __ldg(constants_.values + c * constants_.classes + of_class); };
    given.weights = {k(core::of_last_displacement), k(core::of_displacement_before), k(core::of_offset_to_mean)};
    given.variance = {k(core::variance_x), k(core::variance_y), k(core::variance_z)};
    return given;
  }

  __device__ __forceinline__ void code(std::uint32_t s, const Given &given) {
    const bool is_active = this_lane() < given.lanes;
    const auto weight = [&](core::StepConstant c) {
      return c == core::of_last_displacement     ? given.weights.x
             : c == core::of_displacement_before ? given.weights.y
                                                 : given.weights.z;
    };
    const DisplacementContexts contexts(given.motion.expected(weight), given.variance);
    StepRow moved{};
    if constexpr (!Coder::decodes) moved = row_difference(given.now, given.last.row);
    contexts.code(coder_, is_active, moved);
    if (!is_active) return;
    const std::size_t slot = slot_of(s);
    if constexpr (Coder::decodes) store_row(now_, 8 * slot, row_sum(given.last.row, moved), given.last.image);
    const core::Motion<float> after = given.motion.after(core::reals_of(moved), 1.0F - rows_.gain);
    const auto keep = [&](core::MotionColumn c, const core::Vector<float> &v) {
      rows_.next_means[core::index_of_motion(slot, c)] = v.x;
      rows_.next_means[core::index_of_motion(slot, c + 1)] = v.y;
      rows_.next_means[core::index_of_motion(slot, c + 2)] = v.z;
    };
    keep(core::motion_last, after.last);
    keep(core::motion_before, after.before);
    keep(core::motion_to_mean, after.to_mean);
  }

  const StepLayout &layout_;
  const StepRows &rows_;
  const StepConstants &constants_;
  std::int32_t *now_;
  const std::int32_t *before_;
  Coder &coder_;
};

}  // namespace gpz::cuda
