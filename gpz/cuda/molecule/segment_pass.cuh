// SPDX-License-Identifier: BSD-3-Clause
// The pass over the particles of a segment of molecules by one thread (docs/format.md, section 9c): molecule::Pass with
// molecule::DecodeSide on a GPU.
#pragma once

#include "gpz/cuda/common/index_end.hpp"
#include "gpz/cuda/molecule/numbers.cuh"
#include "gpz/cuda/molecule/particle_pass.cuh"

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
      ParticlePass particle(p_, i, links, last.state);
      const StoredParticle *const stored = stored_at(i);
      is_stored_ = stored != nullptr;
      if (is_stored_) move_to(particle, links, *stored, last.state, now.state);
      if (links.parent != 0)
        particle.bind(*this, now.state);
      else if (!is_stored_)
        particle.move_root(*this, now.state);
      if (is_stored_) {
        now.state.scale = last.state.scale;
        now.state.sizes = last.state.sizes;
      } else {
        molecule::ClassSums &sums = sums_[links.of_class];
        const Observed observed = particle.observed();
        double *const to = reinterpret_cast<double *>(&sums) + first_observed;
        for (std::size_t k = 0; k < observed.size(); ++k) to[k] += observed[k];
        if (particle.is_sampled()) particle.add_sample(sums);
      }
      place(particle, i, links, stored, now.state);
      p_.now[i] = now;
    }
    return (numbers_.is_complete() ? 0 : section_damaged) | (is_wide_ ? section_wide : 0);
  }

  // For ParticlePass.
  __device__ __forceinline__ std::int32_t component(std::size_t, const ComponentContext &context, std::int64_t expected,
                                                    std::int32_t given, std::int64_t most) {
    if (is_stored_) return given;
    const std::uint32_t u = numbers_.get(p_.contexts.of(context.group, context.level, context.part));
    return core::limited((expected >> 6) + core::numbered_residual(u, static_cast<std::int32_t>(expected & 63)), most);
  }
  __device__ __forceinline__ bool other_side(std::size_t, unsigned level, const OneWay &) {
    return !is_stored_ && numbers_.get(p_.contexts.of_side(level)) != 0;
  }

 private:
  using Particle = molecule::Particle;

  __device__ __forceinline__ const StoredParticle *stored_at(std::uint64_t i) {
    if (next_stored_ == p_.stored_count || p_.stored[next_stored_].slot != i) return nullptr;
    return p_.stored + next_stored_++;
  }

  __device__ __noinline__ void move_to(const ParticlePass &particle, const molecule::Links &links,
                                       const StoredParticle &stored, const Particle &last, Particle &now) const {
    const bool is_root = links.parent == 0;
    const molecule::Way place{stored.place[0], stored.place[1], stored.place[2]};
    molecule::find_move(p_.cell, is_root, molecule::difference_of(place, particle.origin()),
                        is_root ? Particle::Steps{} : particle.parent_moved(), last.way, now);
  }

  __device__ __forceinline__ void place(const ParticlePass &particle, std::uint64_t i, const molecule::Links &links,
                                        const StoredParticle *stored, Particle &now) {
    if (stored != nullptr) return write(i, {stored->place[0], stored->place[1], stored->place[2]});
    const bool is_root = links.parent == 0;
    const molecule::Candidates candidates(p_.cell, particle.open_place(now), particle.usual_image());
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
  bool is_stored_ = false;  // the particle is an exception
  bool is_wide_ = false;
};

}  // namespace gpz::cuda
