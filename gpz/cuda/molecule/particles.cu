// SPDX-License-Identifier: BSD-3-Clause
// States of the particles of molecules between sections: at rest, kept, and followed. A thread for each particle.
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/difference/steps.cuh"
#include "gpz/cuda/molecule/kernels.hpp"
#include "gpz/cuda/molecule/local_axes.cuh"
#include "gpz/cuda/molecule/places.cuh"

namespace gpz::cuda {
namespace {

constexpr unsigned threads = 128;

unsigned grid_of(std::uint64_t n) { return static_cast<unsigned>((n + threads - 1) / threads); }

__global__ void find_ways(MoleculeTree tree, Indices last, molecule::Cell cell, DeviceParticle *particles) {
  const std::uint64_t i = this_particle();
  if (i >= tree.particles) return;
  DeviceParticle particle{};
  const std::uint8_t lag = tree.links[i].links.parent;
  if (lag != 0) {
    molecule::Way way = molecule::difference_of(place_of(last, i), place_of(last, i - lag));
    particle.state.image = cell.shorten(way);
    particle.state.way = molecule::limited_steps(way, molecule::longest_way);
  }
  particles[i] = particle;
}

__global__ void remember_ways(MoleculeTree tree, DeviceParticle *particles) {
  const std::uint64_t i = this_particle();
  if (i >= tree.particles) return;
  const molecule::Links links = tree.links[i].links;
  if (links.parent == 0) return;
  OneWay batch;
  const molecule::Particle nothing;
  take_place(tree.links, particles, links, nothing, i, batch);
  for (std::size_t d = 0; d < core::max_components; ++d) batch.way[d][0] = particles[i].state.way[d];
  ways::find_axes(batch);
  ways::remember(batch);
  keep_place(batch, particles[i].state);
}

__global__ void find_lengths(const DeviceParticle *particles, std::uint64_t n, float *lengths) {
  const std::uint64_t i = this_particle();
  if (i < n) lengths[i] = particles[i].state.length;
}

__global__ void keep_particles(const DeviceParticle *from, const std::uint32_t *kept, std::uint64_t count,
                               std::uint64_t n, DeviceParticle *to) {
  const std::uint64_t i = this_particle();
  if (i < count)
    to[i] = from[kept == nullptr ? i : kept[i]];
  else if (i < n)
    to[i] = DeviceParticle{};
}

__global__ void follow(const __grid_constant__ DifferenceHistory history, Indices index) {
  const std::uint64_t i = this_particle();
  if (i >= history.particles) return;
#pragma unroll
  for (int d = 0; d < core::max_components; ++d) {
    const std::int32_t q = index.of[d][i];
    const std::int32_t last = history.last[d][i];
    const auto direct = static_cast<std::int32_t>(static_cast<std::uint32_t>(q) - static_cast<std::uint32_t>(last));
    const std::int32_t moved = device_displacement(direct, history.axis[d]);
    if (direct != moved && history.crossings[d] != nullptr)
      history.crossings[d][i] = static_cast<std::int8_t>(direct > moved ? -1 : 1);
    history.deviation[d][i] = device_next_deviation(history.deviation[d][i], history.frames, moved);
    history.previous[d][i] = device_limit(moved);
    history.last[d][i] = q;
  }
}

const KernelFile kernels(reinterpret_cast<const void *>(follow));

}  // namespace

void launch_rest(const MoleculeTree &tree, const std::int32_t *const *last_index, const molecule::Cell &cell,
                 DeviceParticle *particles, cudaStream_t stream) {
  if (tree.particles == 0) return;
  find_ways<<<grid_of(tree.particles), threads, 0, stream>>>(tree, indices_of(last_index), cell, particles);
  remember_ways<<<grid_of(tree.particles), threads, 0, stream>>>(tree, particles);
  check(cudaGetLastError(), "molecules at rest");
}

void launch_lengths(const DeviceParticle *particles, std::uint64_t n, float *lengths, cudaStream_t stream) {
  if (n == 0) return;
  find_lengths<<<grid_of(n), threads, 0, stream>>>(particles, n, lengths);
  check(cudaGetLastError(), "lengths of bonds");
}

void launch_keep(const DeviceParticle *from, const std::uint32_t *kept, std::uint64_t count, std::uint64_t n,
                 DeviceParticle *to, cudaStream_t stream) {
  if (n == 0) return;
  keep_particles<<<grid_of(n), threads, 0, stream>>>(from, kept, count, n, to);
  check(cudaGetLastError(), "particles of molecules");
}

void launch_follow(const DifferenceHistory &history, const std::int32_t *const *index, cudaStream_t stream) {
  if (history.particles == 0) return;
  follow<<<grid_of(history.particles), threads, 0, stream>>>(history, indices_of(index));
  check(cudaGetLastError(), "the history after a frame");
}

}  // namespace gpz::cuda
