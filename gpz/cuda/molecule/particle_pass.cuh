// SPDX-License-Identifier: BSD-3-Clause
// The pass over one particle of a molecule (docs/format.md, section 9c), for the encoder and the decoder on a GPU: the
// counterpart of molecule::Pass. A `Side` provides
//   std::int32_t component(step, context, expected, given, most): codes a component and returns it. `given` is its
//     value where it is known (encoders, exceptions)
//   bool other_side(step, level, batch): codes whether the vector lies on the other side than the expected one
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpz/cuda/molecule/local_axes.cuh"
#include "gpz/cuda/molecule/params.hpp"
#include "gpz/molecule/contexts.hpp"
#include "gpz/molecule/images.hpp"
#include "gpz/molecule/sampling.hpp"

namespace gpz::cuda {

// What the context of a component depends on.
struct ComponentContext {
  molecule::Group group;
  unsigned level;
  unsigned part;
};

// Members of molecule::ClassSums to which every particle of a class adds.
inline constexpr std::size_t first_observed = offsetof(molecule::ClassSums, count) / sizeof(double);
inline constexpr std::size_t observed_members = sizeof(molecule::ClassSums) / sizeof(double) - first_observed;
using Observed = std::array<double, observed_members>;

class ParticlePass {
 public:
  using Particle = molecule::Particle;

  __device__ __forceinline__ ParticlePass(const MoleculePass &params, std::uint64_t slot, const molecule::Links &links,
                                          const Particle &last)
      : p_(params), i_(slot), links_(links), last_(last) {}

  // Where the place of the particle is counted from: its last place, or its parent.
  __device__ __forceinline__ molecule::Way origin() const {
    if (links_.parent == 0) return {p_.last_index[0][i_], p_.last_index[1][i_], p_.last_index[2][i_]};
    const std::uint64_t at = i_ - links_.parent;
    return {p_.index[0][at], p_.index[1][at], p_.index[2][at]};
  }
  // Before its image is applied.
  __device__ __forceinline__ molecule::Way open_place(const Particle &now) const {
    const Particle::Steps &steps = links_.parent == 0 ? now.moved : now.way;
    return molecule::sum_of(origin(), {steps[0], steps[1], steps[2]});
  }
  __device__ __forceinline__ molecule::Image usual_image() const {
    return links_.parent == 0 ? molecule::Image{} : last_.image;
  }
  __device__ __forceinline__ Particle::Steps parent_moved() const { return p_.now[i_ - links_.parent].state.moved; }

  template <typename Side>
  __device__ __forceinline__ void move_root(Side &side, Particle &now) {
    const molecule::ClassFit &fit = p_.classes[links_.of_class].fit;
#pragma unroll
    for (std::size_t d = 0; d < core::max_components; ++d) {
      b_.motion[0][d][0] = last_.moved[d];
      b_.motion[1][d][0] = last_.before[d];
    }
    for (std::size_t k = 0; k < molecule::motion_features; ++k) b_.motion_weights[k][0] = fit.motion[k];
    b_.last_scale[0] = last_.scale;
    b_.last_sizes[0] = last_.sizes;
    b_.length_deviation[0] = fit.length_deviation;
    ways::expect_move(b_);
#pragma unroll
    for (std::size_t d = 0; d < core::max_components; ++d) {
      ways::number_of_move(b_, d);
      now.moved[d] = b_.way[d][0] =
          side.component(d, context_of(molecule::Group::usual), b_.number[0], now.moved[d], molecule::longest_move);
    }
    ways::learn_move(b_);
    keep_scale(now);
  }

  template <typename Side>
  __device__ __forceinline__ void bind(Side &side, Particle &now) {
    take_place(p_.tree.links, p_.now, links_, last_, i_, b_);
    const std::uint64_t at = i_ - links_.parent;
    const Particle::Steps parent_moved = p_.now[at].state.moved;
    const Particle::Steps last_parent_moved = p_.last[at].state.moved;
    const Particle::Steps last_parent_before = p_.last[at].state.before;
#pragma unroll
    for (std::size_t d = 0; d < core::max_components; ++d) {
      b_.way[d][0] = now.way[d];
      b_.last_way[d][0] = last_.way[d];
      b_.motion[0][d][0] = last_.moved[d] - last_parent_moved[d];
      b_.motion[1][d][0] = last_.before[d] - last_parent_before[d];
      b_.motion[2][d][0] = parent_moved[d];
      b_.motion[3][d][0] = last_parent_moved[d];
    }
    b_.last_length[0] = last_.length;
    b_.last_scale[0] = last_.scale;
    b_.last_sizes[0] = last_.sizes;
    const molecule::ClassFit &fit = p_.classes[links_.of_class].fit;
    for (std::size_t k = 0; k < molecule::motion_features; ++k) b_.motion_weights[k][0] = fit.motion[k];
    for (std::size_t s = 0; s < fit.shape.size(); ++s)
      for (std::size_t k = 0; k < molecule::shape_features; ++k) b_.shape_weights[s][k][0] = fit.shape[s][k];
    b_.length_deviation[0] = fit.length_deviation;
    b_.along_deviation[0] = fit.along_deviation;
    b_.bend[0] = fit.bend;
    b_.bend2[0] = fit.bend2;
    b_.mean_length[0] = fit.mean_length;
    b_.mean_along[0] = fit.mean_along;
    b_.has_along[0] = fit.has_along ? 1 : 0;

    ways::find_axes(b_);
    ways::expect(b_);
    code(side, 0, now);
    ways::cut(b_, value_);
    if (takes_other_side(side, 0)) b_.near[0] = 1 - b_.near[0];
    ways::settle(b_);
    code(side, 1, now);
    ways::cut_again(b_, value_);
    if (takes_other_side(side, 1)) b_.side[0] = -b_.side[0];
    ways::settle_last(b_);
    code(side, 2, now);
    ways::remember(b_);
    ways::learn(b_);
    keep_place(b_, now);
    keep_scale(now);
    now.moved = molecule::moved_with(parent_moved, now.way, last_.way);
  }

  // What the particle adds to the last members of the sums of its class: from ClassSums::count on, in their order.
  __device__ __forceinline__ Observed observed() const {
    if (links_.parent == 0) return {1, b_.off_length[0]};
    const bool is_framed = b_.framed[0] != 0;
    return {1,
            b_.off_length[0],
            is_framed ? b_.off_along[0] : 0,
            b_.usual_bend[0],
            b_.usual_bend2[0],
            b_.actual_length[0],
            is_framed ? b_.actual_along[0] : 0};
  }
  __device__ __forceinline__ bool is_sampled() const {
    return molecule::is_sampled(i_, p_.tree.members[links_.of_class]);
  }
  // Adds a particle of the sample to the other members.
  __device__ __forceinline__ void add_sample(molecule::ClassSums &sums) const {
    sums.samples += 1;
    if (links_.parent == 0) return add_motion(sums, vector_of(b_.way));
    add_motion(sums, crystal::operator-(vector_of(b_.way), vector_of(b_.last_way)));
    const auto add_shape = [&](std::size_t s, double actual) {
      std::array<double, molecule::shape_features> features;
      for (std::size_t k = 0; k < molecule::shape_features; ++k) features[k] = b_.features[s][k][0];
      sums.shape[s].add(features, actual);
    };
    add_shape(0, b_.actual_length[0] - static_cast<double>(b_.last_length[0]));
    if (b_.framed[0] == 0) return;
    add_shape(1, b_.actual_along[0] - static_cast<double>(b_.last_place[0][0]));
    add_shape(2, b_.actual_turned[0]);
  }

 private:
  using Vector3 = molecule::Vector3;

  __device__ __forceinline__ ComponentContext context_of(molecule::Group group) const {
    return {group, static_cast<unsigned>(b_.level[0]), static_cast<unsigned>(b_.part[0])};
  }
  // Codes component `step` of a bond vector.
  template <typename Side>
  __device__ __forceinline__ void code(Side &side, std::size_t step, Particle &now) {
    const auto d = static_cast<std::size_t>(b_.axis[step][0]);
    const bool is_wide = b_.is_wide[0] != 0 && (step == 0 || b_.framed[0] == 0);
    const molecule::Group group = step == 2 ? molecule::Group::last
                                  : is_wide ? molecule::Group::wide
                                            : molecule::Group::usual;
    const std::int32_t given = d == 0 ? now.way[0] : d == 1 ? now.way[1] : now.way[2];
    const std::int32_t value = side.component(step, context_of(group), b_.number[0], given, molecule::longest_way);
    // No index that is known at run time only: the batch stays in registers.
#pragma unroll
    for (std::size_t c = 0; c < core::max_components; ++c)
      if (c == d) now.way[c] = b_.way[c][0] = value;
    value_[0] = value;
  }
  template <typename Side>
  __device__ __forceinline__ bool takes_other_side(Side &side, std::size_t step) {
    if (b_.has_side[0] == 0) return false;
    const double level = b_.side_level[0];
    return side.other_side(step, level > 0 ? static_cast<unsigned>(level) : 0, b_);
  }
  __device__ __forceinline__ void keep_scale(Particle &now) const {
    now.scale = b_.scale[0];
    now.sizes = static_cast<std::uint8_t>(b_.sizes[0]);
  }
  __device__ __forceinline__ void add_motion(molecule::ClassSums &sums, const Vector3 &actual) const {
    for (std::size_t d = 0; d < actual.size(); ++d) {
      std::array<double, molecule::motion_features> features;
      for (std::size_t k = 0; k < features.size(); ++k) features[k] = static_cast<double>(b_.motion[k][d][0]);
      sums.motion.add(features, actual[d]);
    }
  }
  static __device__ __forceinline__ Vector3 vector_of(const OneWay::LaneSteps &v) {
    return molecule::vector_of({v[0][0], v[1][0], v[2][0]});
  }

  const MoleculePass &p_;
  std::uint64_t i_;
  const molecule::Links &links_;
  const Particle &last_;
  OneWay b_;
  codec::Lanes<std::int32_t, 1> value_;
};

}  // namespace gpz::cuda
