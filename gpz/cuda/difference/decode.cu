// SPDX-License-Identifier: BSD-3-Clause
// Blocks of difference sections: one warp a block reads its payload and its history, writes the values and the history
// after the frame. Value i of a block is in row i / 32 of lane i % 32.
#include "gpz/cuda/block/block_store.cuh"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/difference/kernels.hpp"
#include "gpz/cuda/difference/read_block.cuh"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

// Indices, for the order of ids.
class PackedStore {
 public:
  struct Shared {};
  __device__ PackedStore(const DecodeField &field, U64 block, Shared &)
      : at_(reinterpret_cast<int4 *>(field.data[0]) + block * difference_block + this_lane()) {}
  __device__ __forceinline__ void put(int row, const std::int32_t (&q)[core::max_components]) const {
    at_[row * warp_size] = {q[0], q[1], q[2], 0};
  }

 private:
  int4 *at_;
};

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

template <typename T, typename Store, int D>
void launch(const DifferenceDecode &params, cudaStream_t stream) {
  const auto ctas = static_cast<unsigned>((params.history.blocks + difference_warps - 1) / difference_warps);
  decode_blocks<T, Store, D><<<ctas, difference_warps * warp_size, 0, stream>>>(params);
  check(cudaGetLastError(), "decoding of differences");
}

template <typename T>
void launch_for(const DifferenceDecode &params, cudaStream_t stream) {
  const DecodeField &field = params.field;
  if (field.components == 1) return launch<T, AnyStore<T>, 1>(params, stream);
  if (field.components == 2) return launch<T, AnyStore<T>, 2>(params, stream);
  const Layout layout = layout_of(field);
  if (layout == Layout::separate) return launch<T, SeparateStore<T>, 3>(params, stream);
  if (layout == Layout::interleaved) return launch<T, InterleavedStore<T>, 3>(params, stream);
  launch<T, AnyStore<T>, 3>(params, stream);
}

}  // namespace

void launch_decode_differences(const DifferenceDecode &params, cudaStream_t stream) {
  if (params.field.value == core::Value::float32) return launch_for<float>(params, stream);
  if (params.field.value == core::Value::float64) return launch_for<double>(params, stream);
  launch<std::int32_t, PackedStore, 3>(params, stream);
}

}  // namespace gpz::cuda
