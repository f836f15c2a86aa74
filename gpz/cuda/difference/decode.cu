// SPDX-License-Identifier: BSD-3-Clause
// Decodes blocks of difference sections. One warp per block reads payload and history, and writes the values and the
// new history. Value i of a block is in row i / 32 of lane i % 32.
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/difference/kernels.hpp"
#include "gpz/cuda/difference/packed_store.cuh"
#include "gpz/cuda/difference/read_block.cuh"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

template <typename T, typename Store, int D>
__global__ void __launch_bounds__(difference_warps *warp_size, 7)
    decode_blocks(const __grid_constant__ DifferenceDecode params) {
  __shared__ DecodeMemory all_memory[difference_warps];
  static_assert(sizeof(typename Store::Shared) <= sizeof(DecodeMemory::bitmap));
  const U32 warp = threadIdx.x / warp_size;
  const U64 block = static_cast<U64>(blockIdx.x) * difference_warps + warp;
  if (block >= params.history.blocks || *static_cast<volatile U32 *>(params.status) != 0) return;
  DecodeMemory &memory = all_memory[warp];
  const U32 n = particles_of(params.history, block);
  const core::ResidualRecord record = params.records[block];
  const core::Predictor predictor = params.layout->predictor;
  const bool predict = predicts(predictor);
  bool ranks = record.triples;
  U32 status = read_block<D, false>(params, block, n, record, predictor, predict, ranks, memory);
  if (status == 0) {
    __syncwarp();
    Store store(params.field, block, *reinterpret_cast<typename Store::Shared *>(memory.bitmap));
    if (predict)
      status = place_values<T, Store, D, true>(params, block, n, predictor, record, ranks, memory, store);
    else
      status = place_values<T, Store, D, false>(params, block, n, predictor, record, ranks, memory, store);
  }
  if (status != 0) atomicOr(params.status, status);
}

struct Launch {
  const DifferenceDecode &params;
  cudaStream_t stream;

  template <typename T, typename Store, int D>
  void run() const {
    const auto ctas = static_cast<unsigned>((params.history.blocks + difference_warps - 1) / difference_warps);
    decode_blocks<T, Store, D><<<ctas, difference_warps * warp_size, 0, stream>>>(params);
    check(cudaGetLastError(), "decoding of differences");
  }
};

}  // namespace

void launch_decode_differences(const DifferenceDecode &params, cudaStream_t stream) {
  launch_for_history(params.field, Launch{params, stream});
}

}  // namespace gpz::cuda
