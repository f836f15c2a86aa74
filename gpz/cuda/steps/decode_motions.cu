// SPDX-License-Identifier: BSD-3-Clause
// Decodes the blocks of steps of particles without bonds. Only the states are a chain: one warp of a thread block has
// those of a block of steps. The others find the contexts of the numbers, and move the particles.
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/steps/kernels.hpp"
#include "gpz/cuda/steps/motion_pass.cuh"
#include "gpz/cuda/steps/state_decoder.cuh"

namespace gpz::cuda {
namespace {

constexpr std::uint32_t moving_warps = 3, steps_a_warp = 2, steps_at_once = moving_warps * steps_a_warp;
constexpr unsigned threads = (1 + moving_warps) * warp_size;

// Contexts of the numbers of a step, or the numbers.
struct StepNumbers {
  static constexpr std::uint32_t components = 3;

  std::int32_t near[components][warp_size];  // then the number
  // Of a component: the index, the bits, and whether the expected value is above `near`; whether the lane is in use.
  std::uint32_t context[components][warp_size];

  __device__ __forceinline__ void put(std::uint32_t d, const core::StepContext<core::OneLane> &of, bool is_active) {
    near[d][this_lane()] = of.near;
    context[d][this_lane()] = static_cast<std::uint32_t>(of.index) | static_cast<std::uint32_t>(of.bits) << 16 |
                              (of.is_below ? 1u << 24 : 0) | (is_active ? 1u << 25 : 0);
  }
  template <typename Coder>
  __device__ __forceinline__ void code(Coder &coder) {
    std::uint32_t of[components];
    std::int32_t number[components];
#pragma unroll
    for (std::uint32_t d = 0; d < components; ++d) {
      of[d] = context[d][this_lane()];
      number[d] = near[d][this_lane()];
    }
#pragma unroll
    for (std::uint32_t d = 0; d < components; ++d) {
      const core::StepContext<core::OneLane> found{number[d], (of[d] >> 24 & 1) != 0,
                                                   static_cast<std::int32_t>(of[d] & 0xFFFF),
                                                   static_cast<std::int32_t>(of[d] >> 16 & 0xFF)};
      coder.number(found, of[d] >> 25 != 0, number[d]);
    }
#pragma unroll
    for (std::uint32_t d = 0; d < components; ++d) near[d][this_lane()] = number[d];
  }
};
// While one group of steps is decoded, the others have the numbers of the last one, and then the contexts of the next.
using Groups = StepNumbers[2][steps_at_once];

// Warps call this as often as each other.
__device__ __forceinline__ void meet() { asm volatile("barrier.cta.sync 0;" ::: "memory"); }

template <int rounds>
__device__ bool decode_groups(const StepDecode &params, const StepLayout::Block &block, std::uint16_t *ring,
                              const std::uint16_t *words, std::uint64_t count, Groups &groups) {
  StateDecoder<rounds> decoder(params, ring, words, count);
  bool is_sound = decoder.can_begin();
  meet();
  for (std::uint32_t first = block.first, group = 0; first < block.end; first += steps_at_once, ++group) {
    const std::uint32_t end = min(first + steps_at_once, block.end);
    for (std::uint32_t s = first; s < end && is_sound; ++s) {
      is_sound = decoder.begin(s);
      if (!is_sound) break;
      groups[group % 2][s - first].code(decoder);
    }
    meet();
  }
  return is_sound && decoder.has_ended();
}

// Steps of a warp: some of each group. What the next group needs is loaded before the last one is moved.
class Mover {
 public:
  __device__ Mover(const StepDecode &params, const StepLayout::Block &block, Groups &groups)
      : params_(params), block_(block), groups_(groups), steps_(params.layout, params.rows, params.constants) {}

  __device__ void run() {
    const std::uint32_t count = (block_.end - block_.first + steps_at_once - 1) / steps_at_once;
    if (count == 0) return meet();
    find_classes(0);
    load(0);
    put(0);
    meet();
    for (std::uint32_t group = 0; group < count; ++group) {
      load(group + 1);
      if (group != 0) move(group - 1);
      put(group + 1);
      meet();
    }
    move(count - 1);
  }

 private:
  __device__ __forceinline__ std::uint32_t own(std::uint32_t j) const {
    return (threadIdx.x / warp_size - 1) * steps_a_warp + j;
  }
  // Calls use(j, step, numbers).
  template <typename Use>
  __device__ __forceinline__ void each(std::uint32_t group, const Use &use) {
#pragma unroll
    for (std::uint32_t j = 0; j < steps_a_warp; ++j) {
      const std::uint32_t s = block_.first + group * steps_at_once + own(j);
      if (s < block_.end) use(j, s, groups_[group % 2][own(j)]);
    }
  }
  // Steps after the last one are loaded as that one: at a branch the warp would wait for what it has loaded.
  __device__ __forceinline__ std::uint32_t loaded(std::uint32_t group, std::uint32_t j) const {
    return min(block_.first + group * steps_at_once + own(j), block_.end - 1);
  }
  __device__ __forceinline__ void find_classes(std::uint32_t group) {
#pragma unroll
    for (std::uint32_t j = 0; j < steps_a_warp; ++j) class_[j] = steps_.class_of(loaded(group, j));
  }
  __device__ __forceinline__ void load(std::uint32_t group) {
#pragma unroll
    for (std::uint32_t j = 0; j < steps_a_warp; ++j) of_[j] = steps_.load(loaded(group, j), class_[j]);
    find_classes(group + 1);
  }
  __device__ __forceinline__ void put(std::uint32_t group) {
    each(group, [&](std::uint32_t j, std::uint32_t, StepNumbers &numbers) {
      const DisplacementContexts contexts = of_[j].contexts();
      numbers.put(0, contexts.x, of_[j].is_active());
      numbers.put(1, contexts.y, of_[j].is_active());
      numbers.put(2, contexts.z, of_[j].is_active());
    });
  }
  __device__ __forceinline__ void move(std::uint32_t group) {
    each(group, [&](std::uint32_t, std::uint32_t s, const StepNumbers &numbers) {
      if (this_lane() >= params_.layout.steps[s].lanes) return;
      const FullRow last = steps_.last(s);
      const core::Motion<float> before = steps_.motion(s);
      const StepRow moved{numbers.near[0][this_lane()], numbers.near[1][this_lane()], numbers.near[2][this_lane()]};
      steps_.keep_row(s, last, moved);
      steps_.keep_motion(s, before, moved);
    });
  }

  const StepDecode &params_;
  const StepLayout::Block &block_;
  Groups &groups_;
  MotionsOfSteps steps_;
  StepMotions of_[steps_a_warp];
  std::uint32_t class_[steps_a_warp];
};

template <int rounds>
__device__ bool decode_block(const StepDecode &params, const StepLayout::Block &block, std::uint16_t *ring,
                             const std::uint16_t *words, std::uint64_t count, Groups &groups) {
  if (count < StepStates<rounds>::words) return false;
  if (threadIdx.x < warp_size) return decode_groups<rounds>(params, block, ring, words, count, groups);
  Mover(params, block, groups).run();
  return true;
}

__global__ void __launch_bounds__(threads) decode_motions(const __grid_constant__ StepDecode params) {
  __shared__ alignas(uint2) std::uint16_t ring[Words::size];
  __shared__ Groups groups;
  const std::uint64_t first_word = params.first_word[blockIdx.x], end = params.first_word[blockIdx.x + 1];
  const StepLayout::Block block = params.layout.blocks[blockIdx.x];
  const std::uint16_t *const words = params.words + first_word;
  const bool is_sound = core::step_rounds(block.end - block.first) == 1
                            ? decode_block<1>(params, block, ring, words, end - first_word, groups)
                            : decode_block<2>(params, block, ring, words, end - first_word, groups);
  if (!is_sound && this_lane() == 0) atomicOr(params.status, section_damaged);
}

const KernelFile kernels(reinterpret_cast<const void *>(decode_motions));

}  // namespace

void launch_decode_motions(const StepDecode &params, cudaStream_t stream) {
  decode_motions<<<params.layout.block_count, threads, 0, stream>>>(params);
  check(cudaGetLastError(), "decoding of steps");
}

}  // namespace gpz::cuda
