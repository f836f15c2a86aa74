// SPDX-License-Identifier: BSD-3-Clause
// The local axes of a bound particle, and what is remembered in them, in the batch of one lane.
#pragma once

#include "gpz/cuda/molecule/one_lane.cuh"
#include "gpz/cuda/molecule/params.hpp"
// Must follow the lane types and functions that its templates use.
#include "gpz/kernels/way_formulas.hpp"

namespace gpz::cuda {

namespace ways = codec::GPZ_ISA;
using OneWay = codec::WaysOf<1>;

// Loads the local axes and the state of particle i, which is bound. `ways` has this frame's bond vectors of earlier
// particles.
__device__ __forceinline__ void take_place(const DeviceLinks *tree, const DeviceParticle *ways,
                                           const molecule::Links &links, const molecule::Particle &last,
                                           std::uint64_t i, OneWay &batch) {
  using molecule::Reference;
  const std::uint64_t parent = i - links.parent;
  batch.references[0] = links.references();
  if (links.along != Reference::none) {
    const bool is_above = links.along == Reference::above;
    const molecule::Particle::Steps way = ways[is_above ? parent : i - links.along_lag].state.way;
    for (std::size_t d = 0; d < way.size(); ++d) batch.first[d][0] = is_above ? -way[d] : way[d];
  }
  if (links.across != Reference::none) {
    const bool is_above = links.across == Reference::above;
    const molecule::Particle::Steps way =
        ways[is_above ? parent - tree[parent].links.parent : i - links.across_lag].state.way;
    const molecule::Particle::Steps from =
        links.across == Reference::beside ? molecule::Particle::Steps{} : ways[parent].state.way;
    for (std::size_t d = 0; d < way.size(); ++d) batch.second[d][0] = (is_above ? -way[d] : way[d]) - from[d];
  }
  for (std::size_t d = 0; d < last.place.size(); ++d) {
    batch.last_place[d][0] = last.place[d];
    batch.last_mean[d][0] = last.mean[d];
  }
  batch.last_mean_length[0] = last.mean_length;
  batch.last_known[0] = last.known;
  batch.last_frames[0] = last.frames;
}

// Stores the results of codec::remember.
__device__ __forceinline__ void keep_place(const OneWay &batch, molecule::Particle &now) {
  for (std::size_t d = 0; d < now.place.size(); ++d) {
    now.place[d] = batch.place[d][0];
    now.mean[d] = batch.mean[d][0];
  }
  now.length = batch.now_length[0];
  now.mean_length = batch.now_mean_length[0];
  now.known = static_cast<std::uint8_t>(batch.known[0]);
  now.frames = static_cast<std::uint8_t>(batch.frames[0]);
}

}  // namespace gpz::cuda
