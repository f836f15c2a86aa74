// SPDX-License-Identifier: BSD-3-Clause
// The pass over the particles of a segment of molecules by one thread (docs/format.md, section 9c): molecule::Pass with
// molecule::DecodeSide on a GPU.
#pragma once

#include "gpz/cuda/common/index_end.hpp"
#include "gpz/cuda/molecule/local_axes.cuh"
#include "gpz/cuda/molecule/numbers.cuh"
#include "gpz/molecule/images.hpp"
#include "gpz/molecule/sampling.hpp"

namespace gpz::cuda {

class SegmentPass {
 public:
  __device__ SegmentPass(const MoleculeDecode &params, std::uint32_t segment)
      : p_(params),
        sums_(params.sums + static_cast<std::uint64_t>(segment) * params.tree.classes),
        numbers_(params, segment == 0 ? 0 : params.stream_ends[segment - 1], params.stream_ends[segment]),
        begin_(segment == 0 ? 0 : params.tree.ends[segment - 1]),
        end_(params.tree.ends[segment]) {
    std::uint64_t last = params.stored_count;
    while (next_stored_ < last) {
      const std::uint64_t middle = (next_stored_ + last) / 2;
      if (params.stored[middle].slot < begin_)
        next_stored_ = middle + 1;
      else
        last = middle;
    }
  }

  // Returns bits of the status.
  __device__ std::uint32_t run() {
    for (std::uint64_t i = begin_; i < end_; ++i) {
      const molecule::Links links = p_.tree.links[i].links;
      const DeviceParticle last = p_.last[i];
      DeviceParticle now{};
      now.state.before = last.state.moved;
      const StoredParticle *const stored = stored_at(i);
      if (stored != nullptr) move_to(i, links, *stored, last.state, now.state);
      if (links.parent == 0)
        move_root(i, links, last.state, stored != nullptr, now.state);
      else
        bind(i, links, last.state, stored != nullptr, now.state);
      place(i, links, last.state, stored, now.state);
      p_.now[i] = now;
    }
    return (numbers_.is_complete() ? 0 : section_damaged) | (is_wide_ ? section_wide : 0);
  }

 private:
  using Particle = molecule::Particle;
  using Vector3 = molecule::Vector3;
  static constexpr std::size_t motion_features = molecule::motion_features;
  using Motion = std::array<Vector3, motion_features>;

  __device__ __forceinline__ const StoredParticle *stored_at(std::uint64_t i) {
    if (next_stored_ == p_.stored_count || p_.stored[next_stored_].slot != i) return nullptr;
    return p_.stored + next_stored_++;
  }
  __device__ __forceinline__ molecule::Way last_place(std::uint64_t i) const {
    return {p_.last_index[0][i], p_.last_index[1][i], p_.last_index[2][i]};
  }
  __device__ __forceinline__ molecule::Way place_now(std::uint64_t i) const {
    return {p_.index[0][i], p_.index[1][i], p_.index[2][i]};
  }

  __device__ __noinline__ void move_to(std::uint64_t i, const molecule::Links &links, const StoredParticle &stored,
                                       const Particle &last, Particle &now) const {
    const bool is_root = links.parent == 0;
    const molecule::Way place{stored.place[0], stored.place[1], stored.place[2]};
    const molecule::Way from = is_root ? last_place(i) : place_now(i - links.parent);
    const Particle::Steps parent = is_root ? Particle::Steps{} : p_.now[i - links.parent].state.moved;
    molecule::find_move(p_.cell, is_root, molecule::difference_of(place, from), parent, last.way, now);
  }

  __device__ __forceinline__ std::int32_t component(molecule::Group group, unsigned level, unsigned part,
                                                    std::int64_t expected, std::int64_t most) {
    const std::uint32_t u = numbers_.get(p_.contexts.of(group, level, part));
    return core::limited((expected >> 6) + core::numbered_residual(u, static_cast<std::int32_t>(expected & 63)), most);
  }

  static __device__ __forceinline__ void add_motion(molecule::ClassSums &sums, const Motion &motion,
                                                    const Vector3 &actual) {
    for (std::size_t d = 0; d < actual.size(); ++d) {
      std::array<double, motion_features> features;
      for (std::size_t k = 0; k < motion.size(); ++k) features[k] = motion[k][d];
      sums.motion.add(features, actual[d]);
    }
  }

  __device__ __forceinline__ void move_root(std::uint64_t i, const molecule::Links &links, const Particle &last,
                                            bool is_stored, Particle &now) {
    now.scale = last.scale;
    now.sizes = last.sizes;
    if (is_stored) return;
    const molecule::ClassFit &fit = p_.classes[links.of_class].fit;
    OneWay b;
#pragma unroll
    for (std::size_t d = 0; d < core::max_components; ++d) {
      b.motion[0][d][0] = last.moved[d];
      b.motion[1][d][0] = last.before[d];
    }
    for (std::size_t k = 0; k < motion_features; ++k) b.motion_weights[k][0] = fit.motion[k];
    b.last_scale[0] = last.scale;
    b.last_sizes[0] = last.sizes;
    b.length_deviation[0] = fit.length_deviation;
    ways::expect_move(b);
#pragma unroll
    for (std::size_t d = 0; d < core::max_components; ++d) {
      ways::number_of_move(b, d);
      now.moved[d] = b.way[d][0] = component(molecule::Group::usual, static_cast<unsigned>(b.level[0]),
                                             static_cast<unsigned>(b.part[0]), b.number[0], molecule::longest_move);
    }
    ways::learn_move(b);
    now.scale = b.scale[0];
    now.sizes = static_cast<std::uint8_t>(b.sizes[0]);
    molecule::ClassSums &sums = sums_[links.of_class];
    sums.count += 1;
    sums.off_length += b.off_length[0];
    if (!molecule::is_sampled(i, p_.tree.members[links.of_class])) return;
    add_motion(sums, motion_of(b), vector_of(b.way));
    sums.samples += 1;
  }

  // Codes component `step` of a bond vector.
  __device__ __forceinline__ void code(std::size_t step, bool is_stored, OneWay &b, Particle &now) {
    const auto d = static_cast<std::size_t>(b.axis[step][0]);
    const bool is_wide = b.is_wide[0] != 0 && (step == 0 || b.framed[0] == 0);
    const molecule::Group group = step == 2 ? molecule::Group::last
                                  : is_wide ? molecule::Group::wide
                                            : molecule::Group::usual;
    std::int32_t value = d == 0 ? now.way[0] : d == 1 ? now.way[1] : now.way[2];
    if (!is_stored)
      value = component(group, static_cast<unsigned>(b.level[0]), static_cast<unsigned>(b.part[0]), b.number[0],
                        molecule::longest_way);
      // No index that is known at run time only: the batch stays in registers.
#pragma unroll
    for (std::size_t c = 0; c < core::max_components; ++c)
      if (c == d) now.way[c] = b.way[c][0] = value;
    value_[0] = value;
  }
  __device__ __forceinline__ bool takes_other_side(const OneWay &b, bool is_stored) {
    if (b.has_side[0] == 0 || is_stored) return false;
    const double level = b.side_level[0];
    return numbers_.get(p_.contexts.of_side(level > 0 ? static_cast<unsigned>(level) : 0)) != 0;
  }

  __device__ __forceinline__ void bind(std::uint64_t i, const molecule::Links &links, const Particle &last,
                                       bool is_stored, Particle &now) {
    OneWay b;
    take_place(p_.tree.links, p_.now, links, last, i, b);
    const std::uint64_t at = i - links.parent;
    const Particle::Steps parent_moved = p_.now[at].state.moved;
    const Particle::Steps last_parent_moved = p_.last[at].state.moved;
    const Particle::Steps last_parent_before = p_.last[at].state.before;
#pragma unroll
    for (std::size_t d = 0; d < core::max_components; ++d) {
      b.last_way[d][0] = last.way[d];
      b.motion[0][d][0] = last.moved[d] - last_parent_moved[d];
      b.motion[1][d][0] = last.before[d] - last_parent_before[d];
      b.motion[2][d][0] = parent_moved[d];
      b.motion[3][d][0] = last_parent_moved[d];
    }
    b.last_length[0] = last.length;
    b.last_scale[0] = last.scale;
    b.last_sizes[0] = last.sizes;
    const molecule::ClassFit &fit = p_.classes[links.of_class].fit;
    for (std::size_t k = 0; k < motion_features; ++k) b.motion_weights[k][0] = fit.motion[k];
    for (std::size_t s = 0; s < fit.shape.size(); ++s)
      for (std::size_t k = 0; k < molecule::shape_features; ++k) b.shape_weights[s][k][0] = fit.shape[s][k];
    b.length_deviation[0] = fit.length_deviation;
    b.along_deviation[0] = fit.along_deviation;
    b.bend[0] = fit.bend;
    b.bend2[0] = fit.bend2;
    b.mean_length[0] = fit.mean_length;
    b.mean_along[0] = fit.mean_along;
    b.has_along[0] = fit.has_along ? 1 : 0;

    ways::find_axes(b);
    ways::expect(b);
    code(0, is_stored, b, now);
    ways::cut(b, value_);
    if (takes_other_side(b, is_stored)) b.near[0] = 1 - b.near[0];
    ways::settle(b);
    code(1, is_stored, b, now);
    ways::cut_again(b, value_);
    if (takes_other_side(b, is_stored)) b.side[0] = -b.side[0];
    ways::settle_last(b);
    code(2, is_stored, b, now);
    ways::remember(b);
    ways::learn(b);
    keep_place(b, now);
    if (is_stored) {
      now.scale = last.scale;
      now.sizes = last.sizes;
      return;
    }
    now.scale = b.scale[0];
    now.sizes = static_cast<std::uint8_t>(b.sizes[0]);
    for (std::size_t d = 0; d < core::max_components; ++d)
      now.moved[d] = core::limited(std::int64_t{parent_moved[d]} + now.way[d] - last.way[d], molecule::longest_move);
    add(i, links, b);
  }

  __device__ __forceinline__ void add(std::uint64_t i, const molecule::Links &links, const OneWay &b) {
    molecule::ClassSums &sums = sums_[links.of_class];
    const bool is_framed = b.framed[0] != 0;
    sums.count += 1;
    sums.off_length += b.off_length[0];
    sums.length += b.actual_length[0];
    sums.bend += b.usual_bend[0];
    sums.bend2 += b.usual_bend2[0];
    if (is_framed) {
      sums.off_along += b.off_along[0];
      sums.along += b.actual_along[0];
    }
    if (!molecule::is_sampled(i, p_.tree.members[links.of_class])) return;
    sums.samples += 1;
    add_motion(sums, motion_of(b), crystal::operator-(vector_of(b.way), vector_of(b.last_way)));
    const auto add_shape = [&](std::size_t s, double actual) {
      std::array<double, molecule::shape_features> features;
      for (std::size_t k = 0; k < molecule::shape_features; ++k) features[k] = b.features[s][k][0];
      sums.shape[s].add(features, actual);
    };
    add_shape(0, b.actual_length[0] - static_cast<double>(b.last_length[0]));
    if (!is_framed) return;
    add_shape(1, b.actual_along[0] - static_cast<double>(b.last_place[0][0]));
    add_shape(2, b.actual_turned[0]);
  }
  static __device__ __forceinline__ Motion motion_of(const OneWay &b) {
    Motion motion;
    for (std::size_t k = 0; k < motion.size(); ++k) motion[k] = vector_of(b.motion[k]);
    return motion;
  }
  static __device__ __forceinline__ Vector3 vector_of(const OneWay::LaneSteps &v) {
    return molecule::vector_of({v[0][0], v[1][0], v[2][0]});
  }

  __device__ __forceinline__ void place(std::uint64_t i, const molecule::Links &links, const Particle &last,
                                        const StoredParticle *stored, Particle &now) {
    if (stored != nullptr) return write(i, {stored->place[0], stored->place[1], stored->place[2]});
    const bool is_root = links.parent == 0;
    const Particle::Steps &steps = is_root ? now.moved : now.way;
    const molecule::Way from = is_root ? last_place(i) : place_now(i - links.parent);
    const molecule::Candidates candidates(p_.cell, molecule::sum_of(from, {steps[0], steps[1], steps[2]}),
                                          is_root ? molecule::Image{} : last.image);
    now.image = candidates.stays;
    if (candidates.differ() || !p_.is_quiet) {
      const std::uint32_t number = numbers_.get(p_.contexts.of_image(is_root, candidates.differ()));
      if (number == 0)
        now.image = candidates.wraps;
      else if (number >= molecule::first_image)
        now.image = molecule::image_of((number - molecule::first_image) % molecule::images);
    }
    write(i, p_.cell.moved(candidates.place, now.image));
  }
  __device__ __forceinline__ void write(std::uint64_t i, const molecule::Way &place) {
#pragma unroll
    for (std::size_t d = 0; d < core::max_components; ++d) {
      is_wide_ |= place[d] <= -device_index_end || place[d] >= device_index_end;
      p_.index[d][i] = static_cast<std::int32_t>(place[d]);
    }
  }

  const MoleculeDecode &p_;
  molecule::ClassSums *sums_;
  SegmentNumbers numbers_;
  std::uint64_t begin_;
  std::uint64_t end_;
  std::uint64_t next_stored_ = 0;
  codec::Lanes<std::int32_t, 1> value_;
  bool is_wide_ = false;
};

}  // namespace gpz::cuda
