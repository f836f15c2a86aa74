// SPDX-License-Identifier: BSD-3-Clause
// Numbers of the blocks of steps, their counts, and their words. A warp finds and codes the numbers of a block.
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/steps/kernels.hpp"
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

  template <core::StepNumber number>
  __device__ __forceinline__ void component(const std::array<bool, 1> &active, const std::array<float, 1> &expected,
                                            const std::array<float, 1> &variance,
                                            const std::array<std::int32_t, 1> &value) {
    const auto context = core::step_context<core::OneLane, number>(expected[0], variance[0]);
    const std::int32_t off = wrapped_difference(value[0], context.near);
    put(context.is_below ? wrapped_difference(0, off) : off, active[0] ? context.index : nothing);
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

// An encoder knows all rows: warps share the steps of a block.
constexpr unsigned finding_warps = 4, finding_parts = 8;

__global__ void __launch_bounds__(finding_warps *warp_size, 4)
    find_items(const __grid_constant__ StepLayout layout, const __grid_constant__ StepRows rows,
               const __grid_constant__ StepConstants constants, const __grid_constant__ StepItemLists lists) {
  const StepLayout::Block block = layout.blocks[blockIdx.x];
  Finder finder(lists.items_of(block), layout.first_item);
  StepPass<Finder> pass(layout, rows, constants, finder);
  pass.run(block.first + blockIdx.y * finding_warps + threadIdx.x / warp_size, block.end,
           finding_warps * finding_parts);
}

constexpr unsigned counting_threads = 512;

__global__ void __launch_bounds__(counting_threads)
    count_items(const __grid_constant__ StepLayout layout, const __grid_constant__ StepItemLists lists,
                std::uint32_t *counts) {
  const StepLayout::Block block = layout.blocks[blockIdx.x];
  const StepItemRow *const items = lists.items_of(block);
  const std::uint32_t lane = this_lane();
  for (std::uint32_t k = threadIdx.x / warp_size; k < block.items; k += counting_threads / warp_size) {
    const std::uint32_t context = items[k].context[lane];
    const std::int32_t number = items[k].number[lane];
    if (context == nothing) continue;
    if (context >= side_contexts) {
      atomicAdd(counts + step_context_counts + 2 * (context - side_contexts) + static_cast<std::uint32_t>(number), 1u);
      continue;
    }
    const std::int32_t token = number >> core::step_bits_of_context(context);
    const bool is_escape = token < -core::step_last_token || token > core::step_last_token;
    atomicAdd(counts + context * step_counted_tokens +
                  (is_escape ? step_counted_tokens - 1 : static_cast<std::uint32_t>(token + core::step_last_token)),
              1u);
  }
}

// From the last number to the first, in the reverse order of what a decoder takes.
template <int rounds>
class Encoder {
 public:
  using States = StepStates<rounds>;

  __device__ Encoder(const StepCoding &params, std::uint16_t *end)
      : entries_(params.entries), sides_(params.sides), words_(end) {}

  __device__ __forceinline__ void put(std::int32_t number, std::uint32_t context) {
    const bool is_active = context != nothing;
    // In a step, all lanes that are in use have a component, or all that have a side.
    if (__any_sync(full_mask, is_active && context >= side_contexts))
      put_side(is_active, number, is_active ? context - side_contexts : 0);
    else
      put_component(is_active, static_cast<std::uint32_t>(number), is_active ? context : 0);
  }

  __device__ std::uint16_t *put_states() {
    words_ -= States::words;
    if (States::is_in(0)) {
      words_[2 * this_lane()] = static_cast<std::uint16_t>(state_.x);
      words_[2 * this_lane() + 1] = static_cast<std::uint16_t>(state_.x >> 16);
    }
    return words_;
  }

 private:
  __device__ __forceinline__ void put_component(bool is_active, std::uint32_t number, std::uint32_t context) {
    constexpr std::uint32_t row = codec::StepShares::tokens;
    std::uint32_t bits = core::step_bits_of_context(context);
    const std::int32_t token = static_cast<std::int32_t>(number) >> bits;
    const bool is_far = token > core::step_last_token || token < -core::step_last_token;
    const std::uint32_t *const entries = entries_ + context * row;
    std::uint32_t entry =
        __ldg(entries + (is_far ? row - 1 : static_cast<std::uint32_t>(token + core::step_last_token)));
    const bool is_escape = is_active && (is_far || entry >> 16 == 0);
    if (is_escape) {
      entry = __ldg(entries + row - 1);
      bits = 0;
    }
    const std::uint32_t low = min(bits, std::uint32_t{core::step_low_bits});
#pragma unroll
    for (int round = rounds; round-- > 0;) {
      const bool is_coded = is_active && States::is_in(round);
      const std::uint32_t escapes = __ballot_sync(full_mask, is_escape && is_coded);
      if (escapes != 0) put_escapes(escapes, number);
      const std::uint32_t more = is_coded ? bits - low : 0;
      if (__any_sync(full_mask, more != 0)) {
        spill(more != 0 && state_.x >> (32 - more) != 0);
        state_.x = state_.x << more | (number & ((1u << more) - 1));
      }
      put_token(is_coded, entry, core::step_table_bits, low, number >> more & ((1u << low) - 1));
      state_.end_round(round);
    }
  }

  __device__ __forceinline__ void put_side(bool is_active, std::int32_t number, std::uint32_t level) {
    const std::uint32_t near = __ldg(sides_ + level);
    const std::uint32_t entry = number == 0 ? near << 16 : ((1u << core::step_side_bits) - near) << 16 | near;
#pragma unroll
    for (int round = rounds; round-- > 0;) {
      put_token(is_active && States::is_in(round), entry, core::step_side_bits, 0, 0);
      state_.end_round(round);
    }
  }

  // A token and its low bits.
  __device__ __forceinline__ void put_token(bool is_coded, std::uint32_t entry, int slot_bits, std::uint32_t low,
                                            std::uint32_t raw) {
    const std::uint32_t frequency = entry >> 16, start = entry & 0xFFFF;
    // Afterwards the state has to be below 2^32.
    spill(is_coded && state_.x >> (32 - slot_bits - low) >= frequency);
    if (!is_coded) return;
    const std::uint32_t x = state_.x << low | raw, quotient = x / frequency;
    state_.x = (quotient << slot_bits) + (x - quotient * frequency) + start;
  }

  // Numbers of which all 32 bits are stored.
  __device__ __forceinline__ void put_escapes(std::uint32_t lanes, std::uint32_t number) {
    words_ -= 2 * __popc(lanes);
    if ((lanes >> this_lane() & 1) == 0) return;
    const std::uint32_t rank = rank_in(lanes);
    words_[2 * rank] = static_cast<std::uint16_t>(number);
    words_[2 * rank + 1] = static_cast<std::uint16_t>(state_.x);
    state_.x = (state_.x & 0xFFFF0000) | number >> 16;
  }

  __device__ __forceinline__ void spill(bool spills) {
    const std::uint32_t lanes = __ballot_sync(full_mask, spills);
    words_ -= __popc(lanes);
    if (!spills) return;
    words_[rank_in(lanes)] = static_cast<std::uint16_t>(state_.x);
    state_.x >>= 16;
  }

  const std::uint32_t *entries_;
  const std::uint32_t *sides_;
  std::uint16_t *words_;
  States state_{1u << 16};
};

// Returns the first word, before `end`.
template <int rounds>
__device__ const std::uint16_t *code_block(const StepCoding &params, const StepLayout::Block &block,
                                           std::uint16_t *end) {
  const StepItemRow *const items = params.lists.items_of(block);
  Encoder<rounds> encoder(params, end);
  const std::uint32_t lane = this_lane(), count = block.items;
  std::int32_t number = count == 0 ? 0 : items[count - 1].number[lane];
  std::uint32_t context = count == 0 ? 0 : items[count - 1].context[lane];
  for (std::uint32_t k = count; k-- > 0;) {
    // Words never reach items that were not read.
    const std::uint32_t next = k == 0 ? 0 : k - 1;
    const std::int32_t next_number = items[next].number[lane];
    const std::uint32_t next_context = items[next].context[lane];
    encoder.put(number, context);
    number = next_number;
    context = next_context;
  }
  return encoder.put_states();
}

__global__ void __launch_bounds__(warp_size) code_items(const __grid_constant__ StepCoding params) {
  const StepLayout::Block block = params.layout.blocks[blockIdx.x];
  std::uint16_t *const end = params.lists.end_of_words(block);
  const std::uint16_t *const first = core::step_rounds(block.end - block.first) == 1
                                         ? code_block<1>(params, block, end)
                                         : code_block<2>(params, block, end);
  if (this_lane() == 0) params.lists.words[blockIdx.x] = static_cast<std::uint32_t>(end - first);
}

constexpr unsigned copying_threads = 256;

__global__ void __launch_bounds__(copying_threads)
    copy_words(const __grid_constant__ StepLayout layout, const __grid_constant__ StepItemLists lists,
               const std::uint64_t *first_word, std::uint16_t *out) {
  const std::uint32_t count = lists.words[blockIdx.x];
  const std::uint16_t *const from = lists.end_of_words(layout.blocks[blockIdx.x]) - count;
  std::uint16_t *const to = out + first_word[blockIdx.x];
  for (std::uint32_t k = threadIdx.x; k < count; k += copying_threads) to[k] = from[k];
}

const KernelFile kernels(reinterpret_cast<const void *>(find_items));

}  // namespace

void launch_find_items(const StepLayout &layout, const StepRows &rows, const StepConstants &constants,
                       const StepItemLists &lists, cudaStream_t stream) {
  find_items<<<dim3(layout.block_count, finding_parts), finding_warps * warp_size, 0, stream>>>(layout, rows, constants,
                                                                                                lists);
  check(cudaGetLastError(), "numbers of steps");
}

void launch_count_items(const StepLayout &layout, const StepItemLists &lists, std::uint32_t *counts,
                        cudaStream_t stream) {
  count_items<<<layout.block_count, counting_threads, 0, stream>>>(layout, lists, counts);
  check(cudaGetLastError(), "counts of steps");
}

void launch_code_items(const StepCoding &params, cudaStream_t stream) {
  code_items<<<params.layout.block_count, warp_size, 0, stream>>>(params);
  check(cudaGetLastError(), "words of steps");
}

void launch_copy_words(const StepLayout &layout, const StepItemLists &lists, const std::uint64_t *first_word,
                       std::uint16_t *out, cudaStream_t stream) {
  copy_words<<<layout.block_count, copying_threads, 0, stream>>>(layout, lists, first_word, out);
  check(cudaGetLastError(), "words of steps");
}

}  // namespace gpz::cuda
