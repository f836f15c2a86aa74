// SPDX-License-Identifier: BSD-3-Clause
// Steps of particles without bonds, whose lanes are those of a warp (docs/format.md, section 9d).
#pragma once

#include "gpz/core/step_motion.hpp"
#include "gpz/cuda/steps/step_rows.cuh"

namespace gpz::cuda {

// What is known of the particles of a step before their displacement.
struct StepMotions {
  std::uint32_t lanes;  // that are in use
  FullRow last;         // of the frame before
  core::Motion<float> motion;
  core::Vector<float> weights, variance;

  __device__ __forceinline__ bool is_active() const { return this_lane() < lanes; }
  __device__ __forceinline__ DisplacementContexts contexts() const {
    const auto weight = [&](core::StepConstant c) {
      return c == core::of_last_displacement ? weights.x : c == core::of_displacement_before ? weights.y : weights.z;
    };
    return {motion.expected(weight), variance};
  }
};

class MotionsOfSteps {
 public:
  __device__ MotionsOfSteps(const StepLayout &layout, const StepRows &rows, const StepConstants &constants)
      : layout_(layout), rows_(rows), constants_(constants) {}

  __device__ __forceinline__ std::uint32_t class_of(std::uint32_t s) const { return layout_.of_class[slot_of(s)]; }
  __device__ __forceinline__ StepMotions load(std::uint32_t s, std::uint32_t of_class) const {
    StepMotions of;
    of.lanes = layout_.steps[s].lanes;
    of.last = last(s);
    of.motion = motion(s);
    const float *const k = constants_.of(of_class, false);
    const auto vector = [&](core::StepConstant x, core::StepConstant y, core::StepConstant z) {
      return core::Vector<float>{__ldg(k + x), __ldg(k + y), __ldg(k + z)};
    };
    of.weights = vector(core::of_last_displacement, core::of_displacement_before, core::of_offset_to_mean);
    of.variance = vector(core::variance_x, core::variance_y, core::variance_z);
    return of;
  }
  __device__ __forceinline__ core::Motion<float> motion(std::uint32_t s) const {
    const auto vector = [&](core::MotionColumn c) {
      const auto at = [&](unsigned d) { return rows_.means[core::index_of_motion(slot_of(s), c + d)]; };
      return core::Vector<float>{at(0), at(1), at(2)};
    };
    return {vector(core::motion_last), vector(core::motion_before), vector(core::motion_to_mean)};
  }
  // The row of the frame before, and that of this frame.
  __device__ __forceinline__ FullRow last(std::uint32_t s) const {
    return full_row(row_of_slot(rows_.before, slot_of(s)));
  }
  __device__ __forceinline__ StepRow row(std::uint32_t s) const {
    return full_row(row_of_slot(rows_.now, slot_of(s))).row;
  }
  __device__ __forceinline__ void keep_row(std::uint32_t s, const FullRow &last, const StepRow &moved) const {
    store_row(row_of_slot(rows_.now, slot_of(s)), row_sum(last.row, moved), last.image);
  }
  __device__ __forceinline__ void keep_motion(std::uint32_t s, const core::Motion<float> &before,
                                              const StepRow &moved) const {
    const core::Motion<float> after = before.after(core::reals_of(moved), 1.0F - rows_.gain);
    const auto keep = [&](core::MotionColumn c, const core::Vector<float> &v) {
      rows_.next_means[core::index_of_motion(slot_of(s), c)] = v.x;
      rows_.next_means[core::index_of_motion(slot_of(s), c + 1)] = v.y;
      rows_.next_means[core::index_of_motion(slot_of(s), c + 2)] = v.z;
    };
    keep(core::motion_last, after.last);
    keep(core::motion_before, after.before);
    keep(core::motion_to_mean, after.to_mean);
  }

 private:
  const StepLayout &layout_;
  const StepRows &rows_;
  const StepConstants &constants_;
};

// Encoders: as StepPass.
template <typename Coder>
class MotionPass {
 public:
  __device__ MotionPass(const StepLayout &layout, const StepRows &rows, const StepConstants &constants, Coder &coder)
      : steps_(layout, rows, constants), coder_(coder) {}

  __device__ void run(std::uint32_t first, std::uint32_t end, std::uint32_t stride) {
    if (first >= end) return;
    const std::uint32_t last = end - 1;
    StepMotions of = steps_.load(first, steps_.class_of(first));
    StepRow row = steps_.row(first);
    std::uint32_t next_class = steps_.class_of(min(first + stride, last));
    for (std::uint32_t s = first; s < end; s += stride) {
      coder_.begin(s);
      const std::uint32_t next = min(s + stride, last);
      const StepMotions next_of = steps_.load(next, next_class);
      const StepRow next_row = steps_.row(next);
      next_class = steps_.class_of(min(s + 2 * stride, last));
      StepRow moved = row_difference(row, of.last.row);
      of.contexts().code(coder_, of.is_active(), moved);
      if (of.is_active()) steps_.keep_motion(s, of.motion, moved);
      of = next_of;
      row = next_row;
    }
  }

 private:
  MotionsOfSteps steps_;
  Coder &coder_;
};

}  // namespace gpz::cuda
