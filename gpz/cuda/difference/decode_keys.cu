// SPDX-License-Identifier: BSD-3-Clause
// Decodes blocks of difference sections with 64-bit indices (integers, keys of lossless floats), whose history is the
// last index alone. These are rare: they use functions of core instead of 32-bit steps.
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/difference/kernels.hpp"
#include "gpz/cuda/difference/read_block.cuh"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

// `indices` are those of the exceptions.
__device__ __forceinline__ std::int64_t key_of_residual(const DecodeMemory &memory, const core::GridAxis &axis, int d,
                                                        int row, std::int64_t last, std::uint32_t margin,
                                                        const U32 *indices) {
  const U32 bit = 1u << this_lane();
  const U32 u = memory.u[d][row * padded_row + static_cast<int>(this_lane())];
  if ((memory.exception[d][row] & bit) != 0) return static_cast<std::int64_t>(word_pair(indices + 2 * u));
  const std::int64_t q = core::wrap(core::sum_of(last, core::numbered_residual(u, nothing_expected)), axis);
  return (memory.elsewhere[d][row] & bit) != 0 ? core::other_image(q, axis, margin) : q;
}

template <int D>
__global__ void __launch_bounds__(difference_warps *warp_size)
    decode_keys(const __grid_constant__ DifferenceDecode params) {
  __shared__ DecodeMemory all_memory[difference_warps];
  const U32 warp = threadIdx.x / warp_size;
  const U64 block = static_cast<U64>(blockIdx.x) * difference_warps + warp;
  if (block >= params.history.blocks || *static_cast<volatile U32 *>(params.status) != 0) return;
  DecodeMemory &memory = all_memory[warp];
  const DifferenceHistory &history = params.history;
  const U32 n = particles_of(history, block);
  const core::ResidualRecord record = params.records[block];
  bool ranks = record.triples;
  const U32 status = read_block<D, true>(params, block, n, record, {}, false, ranks, memory);
  if (status != 0) {
    atomicOr(params.status, status);
    return;
  }
  if (D == core::max_components && ranks) separate_triples(history, {}, false, block * difference_block, n, memory);
  __syncwarp();
  const U32 *indices = payload_of(params, block) + core::residual_words(record, D, n) - U64{record.exceptions} * 2;
  for (U32 i = this_lane(); i < n; i += warp_size) {
    const U64 slot = block * difference_block + i;
#pragma unroll
    for (int d = 0; d < D; ++d) {
      const core::GridAxis &axis = history.axis[d].grid;
      const std::int64_t last = history.keys[d][slot];
      const std::int64_t q =
          key_of_residual(memory, axis, d, static_cast<int>(i / warp_size), last, record.margin, indices);
      const std::int8_t crossing = core::crossing(q, last, axis);
      if (crossing != 0 && history.crossings[d] != nullptr) history.crossings[d][slot] = crossing;
      history.keys[d][slot] = q;
    }
  }
}

template <int D>
void launch(const DifferenceDecode &params, cudaStream_t stream) {
  const auto ctas = static_cast<unsigned>((params.history.blocks + difference_warps - 1) / difference_warps);
  decode_keys<D><<<ctas, difference_warps * warp_size, 0, stream>>>(params);
  check(cudaGetLastError(), "decoding of differences");
}

}  // namespace

void launch_decode_keys(const DifferenceDecode &params, int components, cudaStream_t stream) {
  if (components == 1) return launch<1>(params, stream);
  if (components == 2) return launch<2>(params, stream);
  launch<3>(params, stream);
}

}  // namespace gpz::cuda
