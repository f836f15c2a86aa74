// SPDX-License-Identifier: BSD-3-Clause
// The steps of a block by a warp, whose lanes are those of a step (docs/format.md, section 9d). What does not depend on
// the step before is loaded while that one is coded.
#pragma once

#include <array>

#include "gpz/cuda/steps/states.cuh"
#include "gpz/cuda/steps/step_rows.cuh"

namespace gpz::cuda {

// A Coder has, besides what core::code_bonds needs, number(context, is_active, value), a component by its context, and
// `bool begin(step)`, called by all lanes before each step; false ends the pass. A key frame has no frame before it:
// images are 0, and means are neither read nor written.
template <typename Coder, bool is_key = false>
class StepPass {
 public:
  // `key_root`: the row of all roots of a key frame.
  __device__ StepPass(const StepLayout &layout, const StepRows &rows, const StepConstants &constants, Coder &coder,
                      const StepRow &key_root = {})
      : layout_(layout), rows_(rows), constants_(constants), key_root_(key_root), coder_(coder) {}

  // Steps first, first + stride, ... Returns false if the coder ended the pass.
  __device__ bool run(std::uint32_t first, std::uint32_t end, std::uint32_t stride = 1) {
    if (first >= end) return true;
    const std::uint32_t last = end - 1;
    const StepPrefetch prefetch = lines(end);
    codec::Step step = layout_.steps[first];
    References of = references(first), next_of = references(min(first + stride, last));
    Given given = load(first, of);
    for (std::uint32_t s = first; s < end; s += stride) {
      if (!coder_.begin(s)) return false;
      const std::uint32_t next = min(s + stride, last);
      if constexpr (Coder::decodes) prefetch.before(s);
      const codec::Step next_step = layout_.steps[next];
      const References coming_of = references(min(s + 2 * stride, last));
      const Given next_given = load(next, next_of);
      code(s, step, of, given);
      step = next_step;
      of = next_of;
      given = next_given;
      next_of = coming_of;
    }
    return true;
  }

 private:
  struct References {
    std::uint32_t parent, axis, second;
    std::uint32_t of_class;
  };
  struct Given {
    StepRow row;
    std::int32_t image;
    StepRow parent, axis, second;  // of the frame before
    core::BondMeans<float> means;
  };

  __device__ __forceinline__ StepPrefetch lines(std::uint32_t end) const {
    constexpr std::uint32_t rows = row_integers * core::step_lanes * sizeof(std::int32_t), slots = core::step_lanes * 4;
    StepPrefetch lines(end);
    if constexpr (!is_key) {
      lines.add(rows_.before, rows);
      lines.add(rows_.means, core::step_means * core::step_lanes * sizeof(float));
    }
    for (const std::uint32_t *const references : {layout_.parent, layout_.axis, layout_.second})
      lines.add(references, slots);
    lines.add(layout_.of_class, core::step_lanes);
    lines.add(layout_.steps, sizeof(codec::Step));
    return lines;
  }

  // Particles that lack a reference have another one there, so that all kinds are loaded alike: at a branch the warp
  // would wait for what it has loaded ahead.
  __device__ __forceinline__ References references(std::uint32_t s) const {
    const std::size_t slot = slot_of(s);
    return {layout_.parent[slot], layout_.axis[slot], layout_.second[slot], layout_.of_class[slot]};
  }
  __device__ __forceinline__ Given load(std::uint32_t s, const References &of) const {
    Given given{};
    if constexpr (is_key) {
      given.row = key_root_;
      return given;
    }
    const std::size_t slot = slot_of(s);
    const FullRow own = full_row(row_of_slot(rows_.before, slot));
    given.row = own.row;
    given.image = own.image;
    given.parent = referred(rows_.before, of.parent);
    given.axis = referred(rows_.before, of.axis);
    given.second = referred(rows_.before, of.second);
    given.means = {mean(slot, core::mean_length), mean(slot, core::mean_along), mean(slot, core::mean_towards),
                   mean(slot, core::mean_aside)};
    return given;
  }
  static __device__ __forceinline__ StepRow referred(const std::int32_t *rows, std::uint32_t reference) {
    return full_row(referred_row(rows, reference)).row;
  }
  __device__ __forceinline__ StepRow own(std::size_t slot) const { return full_row(row_of_slot(rows_.now, slot)).row; }
  __device__ __forceinline__ float mean(std::size_t slot, core::StepMean m) const {
    return rows_.means[core::index_of_mean(slot, m)];
  }

  __device__ __forceinline__ void code(std::uint32_t s, const codec::Step &step, const References &of,
                                       const Given &given) {
    const bool is_active = this_lane() < step.lanes;
    switch (step.kind) {
      case core::StepKind::root:
        return code_roots(s, is_active, of, given);
      case core::StepKind::sphere:
        return code_bound<core::StepKind::sphere>(s, step, is_active, of, given);
      case core::StepKind::wide:
        return code_bound<core::StepKind::wide>(s, step, is_active, of, given);
      case core::StepKind::narrow:
        return code_bound < is_key ? core::StepKind::wide : core::StepKind::narrow > (s, step, is_active, of, given);
    }
  }

  __device__ void code_roots(std::uint32_t s, bool is_active, const References &of, const Given &given) {
    const float variance = __ldg(constants_.of(of.of_class, false) + core::length_variance);
    const DisplacementContexts contexts({0.0F, 0.0F, 0.0F}, {variance, variance, variance});
    StepRow moved{};
    if constexpr (!Coder::decodes) moved = row_difference(own(slot_of(s)), given.row);
    contexts.code(coder_, is_active, moved);
    if constexpr (Coder::decodes) store(s, is_active, row_sum(given.row, moved), given.image);
  }

  template <core::StepKind kind>
  __device__ void code_bound(std::uint32_t s, const codec::Step &step, bool is_active, const References &of,
                             const Given &given) {
    using core::reals_of;
    constexpr bool has_axis = kind != core::StepKind::sphere;
    const std::size_t slot = slot_of(s);
    const StepRow parent = referred(rows_.now, of.parent);
    core::BondVectors<float> v;
    if constexpr (has_axis) {
      v.axis = reals_of(row_difference(referred(rows_.now, of.axis), parent));
      v.has_second = step.has_seconds;
      if (step.has_seconds) v.second = reals_of(row_difference(referred(rows_.now, of.second), parent));
    }
    const auto k = [constants = constants_.of(of.of_class, !has_axis)](core::StepConstant c) {
      return __ldg(constants + c);
    };
    if constexpr (is_key) {
      core::start_from_class<has_axis>(v, k);
    } else {
      v.last = reals_of(row_difference(given.row, given.parent));
      v.moved = reals_of(row_difference(parent, given.parent));
      if constexpr (has_axis) v.last_axis = reals_of(row_difference(given.axis, given.parent));
      if (v.has_second) v.last_second = reals_of(row_difference(given.second, given.parent));
    }
    core::BondMeans<float> means = given.means;
    std::array<core::BondStep<core::OneLane, kind>, 1> bond;
    bond[0].expect(v, k, is_key ? 0.0F : rows_.gain, means);
    if (!is_key && is_active) {
      keep(slot, core::mean_length, means.length);
      keep(slot, core::mean_along, means.along);
      keep(slot, core::mean_towards, means.towards);
      keep(slot, core::mean_aside, means.aside);
    }
    std::array<StepRow, 1> vector{};
    if constexpr (!Coder::decodes) vector[0] = bond[0].turn.in(row_difference(own(slot), parent));
    core::code_bonds<core::OneLane, kind>(
        bond, std::array<bool, 1>{is_active}, [&](std::size_t) { return k; }, coder_, vector);
    if constexpr (Coder::decodes) store(s, is_active, row_sum(parent, bond[0].turn.out(vector[0])), given.image);
  }
  __device__ __forceinline__ void keep(std::size_t slot, core::StepMean m, float x) const {
    rows_.next_means[core::index_of_mean(slot, m)] = x;
  }

  __device__ __forceinline__ void store(std::uint32_t s, bool is_active, const StepRow &row, std::int32_t image) {
    if (is_active) store_row(row_of_slot(rows_.now, slot_of(s)), row, image);
    __syncwarp();  // other lanes read it in the next step
  }

  const StepLayout &layout_;
  const StepRows &rows_;
  const StepConstants &constants_;
  StepRow key_root_;
  Coder &coder_;
};

}  // namespace gpz::cuda
