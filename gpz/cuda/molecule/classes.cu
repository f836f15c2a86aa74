// SPDX-License-Identifier: BSD-3-Clause
// Classes of the particles of molecules by their traits, and sums of the bond lengths of each class.
#include <algorithm>

#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/molecule/kernels.hpp"
#include "gpz/cuda/molecule/places.cuh"
#include "gpz/molecule/class_keys.hpp"

namespace gpz::cuda {
namespace {

constexpr unsigned threads = 256;
// So that few blocks add to the same sums.
constexpr std::uint64_t most_blocks = 2048;

__device__ std::uint32_t key_of(const DeviceLinks *links, const Indices &last, const molecule::Cell &cell,
                                std::uint64_t i) {
  const DeviceLinks of = links[i];
  if (of.links.parent == 0) return molecule::key_of_root(of.children);
  const std::uint64_t p = i - of.links.parent;
  const DeviceLinks parent = links[p];
  molecule::Way way = molecule::difference_of(place_of(last, i), place_of(last, p));
  cell.shorten(way);
  return molecule::key_of_bound(way, of.links, parent.links.parent == 0, parent.children, of.children);
}

__global__ void __launch_bounds__(threads)
    find_first_slots(const DeviceLinks *links, std::uint64_t n, Indices last,
                     const __grid_constant__ molecule::Cell cell, std::uint32_t *first_slot) {
  const std::uint64_t i = this_particle();
  if (i >= n) return;
  const auto slot = static_cast<std::uint32_t>(i);
  std::uint32_t *const first = &first_slot[key_of(links, last, cell, i)];
  // Slots only become smaller, and few particles are the first ones of their key.
  if (*static_cast<volatile std::uint32_t *>(first) > slot) atomicMin(first, slot);
}

// The sums of a block before they are added to those of all blocks.
struct BlockSums {
  double length[molecule::max_classes];
  std::uint32_t particles[molecule::max_classes];
  std::uint32_t least_exponent[molecule::max_classes];
  std::uint32_t most_exponent[molecule::max_classes];
};

// Threads may read the links of a particle while its class is written: no key depends on a class.
__global__ void __launch_bounds__(threads)
    classify(DeviceLinks *links, std::uint64_t n, Indices last, const __grid_constant__ molecule::Cell cell,
             const DeviceParticle *particles, const std::uint8_t *class_of_key, molecule::LengthSum *sums) {
  __shared__ BlockSums block;
  for (unsigned c = threadIdx.x; c < molecule::max_classes; c += threads) {
    block.length[c] = 0;
    block.particles[c] = 0;
    block.least_exponent[c] = UINT32_MAX;
    block.most_exponent[c] = 0;
  }
  __syncthreads();
  for (std::uint64_t i = this_particle(); i < n; i += std::uint64_t{gridDim.x} * threads) {
    const std::uint8_t c = class_of_key[key_of(links, last, cell, i)];
    links[i].links.of_class = c;
    atomicAdd(&block.particles[c], 1u);
    const float length = particles[i].state.length;
    if (length == 0) continue;
    // In any order: molecule::is_exact says whether it matters.
    atomicAdd(&block.length[c], static_cast<double>(length));
    const std::uint32_t exponent = molecule::exponent_of(length);
    if (exponent < block.least_exponent[c]) atomicMin(&block.least_exponent[c], exponent);
    if (exponent > block.most_exponent[c]) atomicMax(&block.most_exponent[c], exponent);
  }
  __syncthreads();
  for (unsigned c = threadIdx.x; c < molecule::max_classes; c += threads) {
    if (block.particles[c] == 0) continue;
    atomicAdd(&sums[c].sum, block.length[c]);
    atomicAdd(&sums[c].particles, block.particles[c]);
    atomicMin(&sums[c].least_exponent, block.least_exponent[c]);
    atomicMax(&sums[c].most_exponent, block.most_exponent[c]);
  }
}

const KernelFile kernels(reinterpret_cast<const void *>(classify));

}  // namespace

void launch_first_slots(const DeviceLinks *links, std::uint64_t n, const std::int32_t *const *last_index,
                        const molecule::Cell &cell, std::uint32_t *first_slot, cudaStream_t stream) {
  check(cudaMemsetAsync(first_slot, 0xFF, molecule::class_keys * sizeof(*first_slot), stream), "clearing");
  if (n == 0) return;
  find_first_slots<<<static_cast<unsigned>((n + threads - 1) / threads), threads, 0, stream>>>(
      links, n, indices_of(last_index), cell, first_slot);
  check(cudaGetLastError(), "traits of molecules");
}

void launch_classify(DeviceLinks *links, std::uint64_t n, const std::int32_t *const *last_index,
                     const molecule::Cell &cell, const DeviceParticle *particles, const std::uint8_t *class_of_key,
                     molecule::LengthSum *sums, cudaStream_t stream) {
  if (n == 0) return;
  classify<<<static_cast<unsigned>(std::min((n + threads - 1) / threads, most_blocks)), threads, 0, stream>>>(
      links, n, indices_of(last_index), cell, particles, class_of_key, sums);
  check(cudaGetLastError(), "classes of molecules");
}

}  // namespace gpz::cuda
