// SPDX-License-Identifier: BSD-3-Clause
// Numbers of the blocks of steps, and their counts. An encoder knows all rows: warps share the steps of a block.
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/steps/kernels.hpp"
#include "gpz/cuda/steps/motion_pass.cuh"
#include "gpz/cuda/steps/states.cuh"
#include "gpz/cuda/steps/step_pass.cuh"

namespace gpz::cuda {
namespace {

constexpr std::uint16_t nothing = codec::StepItems::nothing, side_contexts = codec::StepItems::side;

class Finder {
 public:
  static constexpr bool decodes = false;

  // `items`: those of the block.
  __device__ Finder(StepItemRow *items, const std::uint32_t *first_item) : items_(items), first_item_(first_item) {}

  template <core::StepNumber number_of>
  __device__ __forceinline__ void component(const std::array<bool, 1> &active, const std::array<float, 1> &expected,
                                            const std::array<float, 1> &variance,
                                            const std::array<std::int32_t, 1> &value) {
    number(core::step_context<core::OneLane, number_of>(expected[0], variance[0]), active[0], value[0]);
  }
  __device__ __forceinline__ void number(const core::StepContext<core::OneLane> &context, bool is_active,
                                         std::int32_t value) {
    const std::int32_t off = wrapped_difference(value, context.near);
    put(context.is_below ? wrapped_difference(0, off) : off, is_active ? context.index : nothing);
  }
  __device__ __forceinline__ void side(const std::array<bool, 1> &active, const std::array<std::int32_t, 1> &level,
                                       const std::array<bool, 1> &other) {
    put(other[0] ? 1 : 0, active[0] ? level[0] + side_contexts : nothing);
  }
  __device__ __forceinline__ bool begin(std::uint32_t step) {
    next_ = items_ + first_item_[step];
    return true;
  }

 private:
  __device__ __forceinline__ void put(std::int32_t number, std::int32_t context) {
    next_->number[this_lane()] = number;
    next_->context[this_lane()] = static_cast<std::uint16_t>(context);
    ++next_;
  }

  StepItemRow *items_;
  const std::uint32_t *first_item_;
  StepItemRow *next_ = nullptr;
};

constexpr unsigned finding_warps = 4, finding_parts = 8;

template <typename Coder>
using BondPass = StepPass<Coder>;
template <typename Coder>
using KeyPass = StepPass<Coder, true>;

// `root`: the row of all roots, for a KeyPass.
template <template <typename> typename Pass, typename... Root>
__global__ void __launch_bounds__(finding_warps *warp_size, 4)
    find_items(const __grid_constant__ StepLayout layout, const __grid_constant__ StepRows rows,
               const __grid_constant__ StepConstants constants, const __grid_constant__ StepItemLists lists,
               Root... root) {
  const StepLayout::Block block = layout.blocks[blockIdx.x];
  Finder finder(lists.items_of(block), layout.first_item);
  Pass<Finder> pass(layout, rows, constants, finder, root...);
  pass.run(block.first + blockIdx.y * finding_warps + threadIdx.x / warp_size, block.end,
           finding_warps * finding_parts);
}

constexpr unsigned counting_threads = 512;

// Counts of sides, and of the first contexts that a block has; others are counted in global memory, where all blocks
// wait for the same few addresses.
struct SharedCounts {
  static constexpr std::uint32_t contexts = 32;
  static constexpr std::uint32_t none = UINT32_MAX;

  std::uint32_t context[contexts];
  std::uint32_t count[contexts][step_counted_tokens];
  std::uint32_t sides[2 * core::step_side_levels];

  // All threads of the block call this, and synchronise afterwards.
  __device__ void clear() {
    for (std::uint32_t k = threadIdx.x; k < contexts; k += counting_threads) context[k] = none;
    for (std::uint32_t k = threadIdx.x; k < contexts * step_counted_tokens; k += counting_threads) count[0][k] = 0;
    for (std::uint32_t k = threadIdx.x; k < 2 * core::step_side_levels; k += counting_threads) sides[k] = 0;
  }
  // Returns false if there is no place left near that of the context.
  __device__ bool add(std::uint32_t of, std::uint32_t token) {
    constexpr std::uint32_t tries = 4;
    for (std::uint32_t k = 0; k < tries; ++k) {
      const std::uint32_t at = (of + k) % contexts;
      std::uint32_t found = context[at];
      if (found == none) found = atomicCAS(&context[at], none, of);
      if (found != none && found != of) continue;
      atomicAdd(&count[at][token], 1u);
      return true;
    }
    return false;
  }
  __device__ void add_to(std::uint32_t *counts) const {
    for (std::uint32_t k = threadIdx.x; k < contexts * step_counted_tokens; k += counting_threads)
      if (count[0][k] != 0)
        atomicAdd(counts + context[k / step_counted_tokens] * step_counted_tokens + k % step_counted_tokens,
                  count[0][k]);
    for (std::uint32_t k = threadIdx.x; k < 2 * core::step_side_levels; k += counting_threads)
      if (sides[k] != 0) atomicAdd(counts + step_context_counts + k, sides[k]);
  }
};

__global__ void __launch_bounds__(counting_threads)
    count_items(const __grid_constant__ StepLayout layout, const __grid_constant__ StepItemLists lists,
                std::uint32_t *counts) {
  __shared__ SharedCounts shared;
  const StepLayout::Block block = layout.blocks[blockIdx.x];
  const StepItemRow *const items = lists.items_of(block);
  const std::uint32_t lane = this_lane();
  shared.clear();
  __syncthreads();
  for (std::uint32_t k = threadIdx.x / warp_size; k < block.items; k += counting_threads / warp_size) {
    const std::uint32_t context = items[k].context[lane];
    const std::int32_t number = items[k].number[lane];
    if (context == nothing) continue;
    if (context >= side_contexts) {
      atomicAdd(&shared.sides[2 * (context - side_contexts) + static_cast<std::uint32_t>(number)], 1u);
      continue;
    }
    const std::int32_t token = number >> core::step_bits_of_context(context);
    const bool is_escape = token < -core::step_last_token || token > core::step_last_token;
    const std::uint32_t counted =
        is_escape ? step_counted_tokens - 1 : static_cast<std::uint32_t>(token + core::step_last_token);
    if (!shared.add(context, counted)) atomicAdd(counts + context * step_counted_tokens + counted, 1u);
  }
  __syncthreads();
  shared.add_to(counts);
}

const KernelFile kernels(reinterpret_cast<const void *>(count_items));

}  // namespace

void launch_find_items(const StepLayout &layout, const StepRows &rows, const StepConstants &constants,
                       const core::Vector<std::int32_t> *key_root, const StepItemLists &lists, cudaStream_t stream) {
  const auto launch = [&](auto kernel, auto... root) {
    kernel<<<dim3(layout.block_count, finding_parts), finding_warps * warp_size, 0, stream>>>(layout, rows, constants,
                                                                                              lists, root...);
  };
  if (key_root != nullptr)
    launch(find_items<KeyPass, StepRow>, *key_root);
  else if (rows.are_motions)
    launch(find_items<MotionPass>);
  else
    launch(find_items<BondPass>);
  check(cudaGetLastError(), "numbers of steps");
}

void launch_count_items(const StepLayout &layout, const StepItemLists &lists, std::uint32_t *counts,
                        cudaStream_t stream) {
  count_items<<<layout.block_count, counting_threads, 0, stream>>>(layout, lists, counts);
  check(cudaGetLastError(), "counts of steps");
}

}  // namespace gpz::cuda
