// SPDX-License-Identifier: BSD-3-Clause
// Decodes the blocks of steps of molecules, a warp each.
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/steps/kernels.hpp"
#include "gpz/cuda/steps/state_decoder.cuh"
#include "gpz/cuda/steps/step_pass.cuh"

namespace gpz::cuda {
namespace {

template <int rounds, bool is_key>
__device__ bool decode_block(const StepDecode &params, const StepLayout::Block &block, std::uint16_t *ring,
                             const std::uint16_t *words, std::uint64_t count) {
  if (count < StepStates<rounds>::words) return false;
  StateDecoder<rounds> decoder(params, ring, words, count);
  StepPass<StateDecoder<rounds>, is_key> pass(params.layout, params.rows, params.constants, decoder, params.key_root);
  return decoder.can_begin() && pass.run(block.first, block.end) && decoder.has_ended();
}

constexpr int warps_a_processor = 20;

template <bool is_key>
__global__ void __launch_bounds__(warp_size, warps_a_processor)
    decode_steps(const __grid_constant__ StepDecode params) {
  __shared__ alignas(uint2) std::uint16_t ring[Words::size];
  const std::uint64_t first_word = params.first_word[blockIdx.x], end = params.first_word[blockIdx.x + 1];
  const StepLayout::Block block = params.layout.blocks[blockIdx.x];
  const std::uint16_t *const words = params.words + first_word;
  const bool is_sound = core::step_rounds(block.end - block.first) == 1
                            ? decode_block<1, is_key>(params, block, ring, words, end - first_word)
                            : decode_block<2, is_key>(params, block, ring, words, end - first_word);
  if (!is_sound && this_lane() == 0) atomicOr(params.status, section_damaged);
}

const KernelFile kernels(reinterpret_cast<const void *>(decode_steps<false>));

}  // namespace

void launch_decode_steps(const StepDecode &params, cudaStream_t stream) {
  if (params.layout.block_count == 0) return;
  if (!params.is_key && params.rows.are_motions) return launch_decode_motions(params, stream);
  const auto kernel = params.is_key ? decode_steps<true> : decode_steps<false>;
  kernel<<<params.layout.block_count, warp_size, 0, stream>>>(params);
  check(cudaGetLastError(), "decoding of steps");
}

}  // namespace gpz::cuda
