// SPDX-License-Identifier: BSD-3-Clause
// Numbers of the blocks of steps, their counts, and their words. A warp finds and codes the numbers of a block.
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

// An encoder knows all rows: warps share the steps of a block.
constexpr unsigned finding_warps = 4, finding_parts = 8;

template <typename Coder>
using BondPass = StepPass<Coder>;

template <template <typename> typename Pass>
__global__ void __launch_bounds__(finding_warps *warp_size, 4)
    find_items(const __grid_constant__ StepLayout layout, const __grid_constant__ StepRows rows,
               const __grid_constant__ StepConstants constants, const __grid_constant__ StepItemLists lists) {
  const StepLayout::Block block = layout.blocks[blockIdx.x];
  Finder finder(lists.items_of(block), layout.first_item);
  Pass<Finder> pass(layout, rows, constants, finder);
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

struct Item {
  std::int32_t number = 0;
  std::uint32_t context = nothing;

  __device__ __forceinline__ bool is_active() const { return context != nothing; }
  __device__ __forceinline__ bool is_side() const { return is_active() && context >= side_contexts; }
};

// From the last number to the first, in the reverse order of what a decoder takes.
template <int rounds>
class Encoder {
 public:
  using States = StepStates<rounds>;

  __device__ Encoder(const StepCoding &params, std::uint16_t *end)
      : entries_(params.entries), sides_(params.sides), words_(end) {}

  // What put() needs, which does not depend on the states.
  __device__ __forceinline__ std::uint32_t entry_of(const Item &item) const {
    constexpr std::uint32_t row = codec::StepShares::tokens;
    if (item.is_side()) return __ldg(sides_ + item.context - side_contexts);
    const std::uint32_t context = item.is_active() ? item.context : 0;
    const std::int32_t token = item.number >> core::step_bits_of_context(context);
    const bool is_far = token > core::step_last_token || token < -core::step_last_token;
    return __ldg(entries_ + context * row +
                 (is_far ? row - 1 : static_cast<std::uint32_t>(token + core::step_last_token)));
  }
  __device__ __forceinline__ void put(const Item &item, std::uint32_t entry) {
    // In a step, all lanes that are in use have a component, or all that have a side.
    if (__any_sync(full_mask, item.is_side()))
      put_side(item.is_active(), item.number, entry);
    else
      put_component(item.is_active(), static_cast<std::uint32_t>(item.number), item.is_active() ? item.context : 0,
                    entry);
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
  __device__ __forceinline__ void put_component(bool is_active, std::uint32_t number, std::uint32_t context,
                                                std::uint32_t entry) {
    std::uint32_t bits = core::step_bits_of_context(context);
    const std::int32_t token = static_cast<std::int32_t>(number) >> bits;
    const bool is_far = token > core::step_last_token || token < -core::step_last_token;
    const bool is_escape = is_active && (is_far || entry >> 16 == 0);
    if (is_escape) {
      entry = __ldg(entries_ + (context + 1) * codec::StepShares::tokens - 1);
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

  __device__ __forceinline__ void put_side(bool is_active, std::int32_t number, std::uint32_t near) {
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

// A few items of a block, of this lane, from the last one on.
struct Items {
  static constexpr unsigned count = 4;

  Item item[count];

  // Those before `end`, as far as there are some.
  __device__ __forceinline__ Items(const StepItemRow *rows, std::uint32_t end) {
#pragma unroll
    for (unsigned j = 0; j < count; ++j) {
      if (end <= j) break;
      const StepItemRow &row = rows[end - 1 - j];
      item[j] = {row.number[this_lane()], row.context[this_lane()]};
    }
  }
};

// Returns the first word, before `end`. Items are loaded two groups ahead, and their entries one group: words never
// reach items that were not read.
template <int rounds>
__device__ const std::uint16_t *code_block(const StepCoding &params, const StepLayout::Block &block,
                                           std::uint16_t *end) {
  const StepItemRow *const rows = params.lists.items_of(block);
  Encoder<rounds> encoder(params, end);
  const auto before = [&](std::uint32_t k) { return k < Items::count ? 0 : k - Items::count; };
  std::uint32_t entries[Items::count], next_entries[Items::count];
  const auto find = [&](const Items &items, std::uint32_t *to) {
#pragma unroll
    for (unsigned j = 0; j < Items::count; ++j) to[j] = encoder.entry_of(items.item[j]);
  };
  std::uint32_t k = block.items;
  Items items(rows, k), next(rows, before(k));
  find(items, entries);
  for (; k > 0; k = before(k)) {
    const Items coming(rows, before(before(k)));
    find(next, next_entries);
#pragma unroll
    for (unsigned j = 0; j < Items::count; ++j) {
      encoder.put(items.item[j], entries[j]);
      entries[j] = next_entries[j];
    }
    items = next;
    next = coming;
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

const KernelFile kernels(reinterpret_cast<const void *>(code_items));

}  // namespace

void launch_find_items(const StepLayout &layout, const StepRows &rows, const StepConstants &constants,
                       const StepItemLists &lists, cudaStream_t stream) {
  const auto kernel = rows.are_motions ? find_items<MotionPass> : find_items<BondPass>;
  kernel<<<dim3(layout.block_count, finding_parts), finding_warps * warp_size, 0, stream>>>(layout, rows, constants,
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
