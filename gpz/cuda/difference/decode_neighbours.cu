// SPDX-License-Identifier: BSD-3-Clause
// Decodes blocks of difference sections that are predicted from neighbours. Works as decode.cu, except that the
// particles of an axis depend on each other (neighbours.cuh).
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/difference/kernels.hpp"
#include "gpz/cuda/difference/neighbours.cuh"
#include "gpz/cuda/difference/packed_store.cuh"
#include "gpz/cuda/difference/read_block.cuh"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

struct Memory {
  DecodeMemory block[neighbour_warps];
  NeighbourMemory chains;
};

template <typename T, typename Store, int D>
__global__ void __launch_bounds__(neighbour_warps *warp_size, neighbour_ctas)
    decode_blocks(const __grid_constant__ DifferenceDecode params) {
  extern __shared__ __align__(16) char raw[];
  static_assert(sizeof(typename Store::Shared) <= sizeof(DecodeMemory::bitmap));
  auto &all_memory = *reinterpret_cast<Memory *>(raw);
  const U32 warp = threadIdx.x / warp_size;
  const U64 block = static_cast<U64>(blockIdx.x) * neighbour_warps + warp;
  if (__syncthreads_or(*static_cast<volatile U32 *>(params.status) != 0) != 0) return;
  const bool exists = block < params.history.blocks;
  DecodeMemory &memory = all_memory.block[warp];
  const U32 n = exists ? particles_of(params.history, block) : 0;
  const core::ResidualRecord record = exists ? params.records[block] : core::ResidualRecord{};
  const U32 *behind = nullptr;
  U32 status = exists ? read_numbers<D>(params, block, n, record, behind, memory) : section_damaged;
  status |= undo_neighbours<D>(params, block, status == 0 ? n : 0, record, behind, all_memory.block, all_memory.chains);
  if (!exists) return;
  bool ranks = false;
  if (status == 0) status = read_rest<D, false>(params, block, n, record, {}, false, behind, ranks, memory);
  if (status == 0) {
    __syncwarp();
    Store store(params.field, block, *reinterpret_cast<typename Store::Shared *>(memory.bitmap));
    status = place_values<T, Store, D, false>(params, block, n, {}, record, false, memory, store);
  }
  if (status != 0) atomicOr(params.status, status);
}

struct Launch {
  const DifferenceDecode &params;
  cudaStream_t stream;

  template <typename T, typename Store, int D>
  void run() const {
    const auto ctas = static_cast<unsigned>((params.history.blocks + neighbour_warps - 1) / neighbour_warps);
    check(cudaFuncSetAttribute(decode_blocks<T, Store, D>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(sizeof(Memory))),
          "shared memory");
    decode_blocks<T, Store, D><<<ctas, neighbour_warps * warp_size, sizeof(Memory), stream>>>(params);
    check(cudaGetLastError(), "decoding of differences");
  }
};

}  // namespace

void launch_decode_neighbours(const DifferenceDecode &params, cudaStream_t stream) {
  launch_for_history(params.field, Launch{params, stream});
}

}  // namespace gpz::cuda
