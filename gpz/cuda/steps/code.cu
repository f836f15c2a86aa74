// SPDX-License-Identifier: BSD-3-Clause
// Words of the numbers of the blocks of steps. Only the states are a chain: one warp of a thread block has those of a
// block of steps, and the others prepare what they take.
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/steps/kernels.hpp"
#include "gpz/cuda/steps/states.cuh"
#include "gpz/kernels/step_kernels.hpp"

namespace gpz::cuda {
namespace {

constexpr std::uint16_t nothing = codec::StepItems::nothing, side_contexts = codec::StepItems::side;

// A number of a lane as its state takes it: first `more` raw bits, then a token together with `low` raw bits.
struct Prepared {
  std::uint32_t entry;           // of StepShares: the first slot of the token, and how many there are above
  std::uint32_t over_frequency;  // the greatest u32 over the number of slots, rounded down
  std::uint32_t raw;             // the `low` bits above the `more` bits; of an escape the whole number
  std::uint8_t low, more;
  bool is_active, is_escape;
};
static_assert(sizeof(Prepared) == sizeof(uint4));

// Numbers of all lanes. In a step, all lanes that are in use have a component, or all that have a side.
struct PreparedItem {
  uint4 lanes[warp_size];
  bool is_side, has_escapes;
};

__device__ __forceinline__ Prepared prepared(const StepCoding &params, std::int32_t number, std::uint32_t context) {
  constexpr std::uint32_t row = codec::StepShares::tokens;
  Prepared out{};
  if (context == nothing) return out;
  out.is_active = true;
  if (context >= side_contexts) {
    const std::uint32_t near = __ldg(params.sides + context - side_contexts);
    out.entry = number == 0 ? near << 16 : ((1u << core::step_side_bits) - near) << 16 | near;
  } else {
    const std::uint32_t bits = core::step_bits_of_context(context);
    const std::int32_t token = number >> bits;
    const bool is_far = token > core::step_last_token || token < -core::step_last_token;
    const std::uint32_t *const entries = params.entries + context * row;
    out.entry = __ldg(entries + (is_far ? row - 1 : static_cast<std::uint32_t>(token + core::step_last_token)));
    out.is_escape = is_far || out.entry >> 16 == 0;
    out.raw = static_cast<std::uint32_t>(number);
    if (out.is_escape) {
      out.entry = __ldg(entries + row - 1);
    } else {
      out.raw &= (1u << bits) - 1;
      out.low = static_cast<std::uint8_t>(min(bits, std::uint32_t{core::step_low_bits}));
      out.more = static_cast<std::uint8_t>(bits - out.low);
    }
  }
  out.over_frequency = UINT32_MAX / (out.entry >> 16);
  return out;
}

// From the last number to the first, in the reverse order of what a decoder takes.
template <int rounds>
class Encoder {
 public:
  using States = StepStates<rounds>;

  __device__ explicit Encoder(std::uint16_t *end) : words_(end) {}

  // The state tells which words it gives before they are written.
  __device__ __forceinline__ void put(const Prepared &item, bool is_side, bool has_escapes) {
    const std::uint32_t slot_bits = is_side ? core::step_side_bits : core::step_table_bits;
    const std::uint32_t frequency = item.entry >> 16, start = item.entry & 0xFFFF;
    const std::uint32_t more = item.more, low = item.low;
#pragma unroll
    for (int round = rounds; round-- > 0;) {
      const bool is_coded = item.is_active && States::is_in(round);
      if (has_escapes) put_escapes(__ballot_sync(full_mask, is_coded && item.is_escape), item.raw);
      const std::uint32_t x = state_.x;
      const bool spills = is_coded && x >> 1 >> (31 - more) != 0;
      const std::uint32_t second = (spills ? x >> 16 : x) << more | (item.raw & ((1u << more) - 1));
      // Afterwards the state has to be below 2^32.
      const bool spills_then = is_coded && second >> (32 - slot_bits - low) >= frequency;
      const std::uint32_t raw = item.is_escape ? 0 : item.raw >> more;
      const std::uint32_t last = (spills_then ? second >> 16 : second) << low | raw;
      // One too few, or right.
      const std::uint32_t quotient = __umulhi(last, item.over_frequency), rest = last - quotient * frequency;
      const std::uint32_t next = (quotient << slot_bits) + rest + start;
      put_words(spills, x);
      put_words(spills_then, second);
      if (is_coded) state_.x = rest < frequency ? next : next + (1u << slot_bits) - frequency;
      state_.end_round(round);
    }
  }

  // Returns the first word.
  __device__ std::uint16_t *put_states() {
    words_ -= States::words;
    if (States::is_in(0)) {
      words_[2 * this_lane()] = static_cast<std::uint16_t>(state_.x);
      words_[2 * this_lane() + 1] = static_cast<std::uint16_t>(state_.x >> 16);
    }
    return words_;
  }

 private:
  // Numbers of which all 32 bits are stored.
  __device__ __forceinline__ void put_escapes(std::uint32_t lanes, std::uint32_t number) {
    words_ -= 2 * __popc(lanes);
    if ((lanes >> this_lane() & 1) == 0) return;
    const std::uint32_t rank = rank_in(lanes);
    words_[2 * rank] = static_cast<std::uint16_t>(number);
    words_[2 * rank + 1] = static_cast<std::uint16_t>(state_.x);
    state_.x = (state_.x & 0xFFFF0000) | number >> 16;
  }
  __device__ __forceinline__ void put_words(bool spills, std::uint32_t state) {
    const std::uint32_t lanes = __ballot_sync(full_mask, spills);
    words_ -= __popc(lanes);
    if (spills) words_[rank_in(lanes)] = static_cast<std::uint16_t>(state);
  }

  std::uint16_t *words_;
  States state_{1u << 16};
};

constexpr unsigned preparing_warps = 3, items_a_warp = 4, items_at_once = preparing_warps * items_a_warp;
constexpr unsigned coding_threads = (1 + preparing_warps) * warp_size;

// Items of a block, a group after the other from the last item on. Words never reach items that were not prepared.
template <int rounds>
__device__ void code_block(const StepCoding &params, const StepLayout::Block &block,
                           PreparedItem (&groups)[2][items_at_once]) {
  const StepItemRow *const items = params.lists.items_of(block);
  const std::uint32_t lane = this_lane(), warp = threadIdx.x / warp_size;
  const auto prepare = [&](std::uint32_t group) {
    struct {
      std::int32_t number;
      std::uint32_t context;
    } own[items_a_warp];
    const std::uint32_t first = (warp - 1) * items_a_warp;
#pragma unroll
    for (unsigned j = 0; j < items_a_warp; ++j) {
      const std::uint32_t done = group * items_at_once + first + j;
      own[j] = {0, nothing};
      if (done < block.items) {
        const StepItemRow &row = items[block.items - 1 - done];
        own[j] = {row.number[lane], row.context[lane]};
      }
    }
#pragma unroll
    for (unsigned j = 0; j < items_a_warp; ++j) {
      PreparedItem &to = groups[group % 2][first + j];
      const Prepared item = prepared(params, own[j].number, own[j].context);
      const bool is_side = __any_sync(full_mask, own[j].context != nothing && own[j].context >= side_contexts);
      const bool has_escapes = __any_sync(full_mask, item.is_escape);
      to.lanes[lane] = core::bit_cast<uint4>(item);
      if (lane == 0) {
        to.is_side = is_side;
        to.has_escapes = has_escapes;
      }
    }
  };
  std::uint16_t *const end = params.lists.end_of_words(block);
  Encoder<rounds> encoder(end);
  const std::uint32_t count = (block.items + items_at_once - 1) / items_at_once;
  if (warp != 0) prepare(0);
  __syncthreads();
  for (std::uint32_t group = 0; group < count; ++group) {
    if (warp != 0) {
      prepare(group + 1);
    } else {
      for (const PreparedItem &item : groups[group % 2])
        encoder.put(core::bit_cast<Prepared>(item.lanes[lane]), item.is_side, item.has_escapes);
    }
    __syncthreads();
  }
  if (warp != 0) return;
  const std::uint16_t *const first = encoder.put_states();
  if (lane == 0) params.lists.words[blockIdx.x] = static_cast<std::uint32_t>(end - first);
}

__global__ void __launch_bounds__(coding_threads) code_items(const __grid_constant__ StepCoding params) {
  __shared__ PreparedItem groups[2][items_at_once];
  const StepLayout::Block block = params.layout.blocks[blockIdx.x];
  if (core::step_rounds(block.end - block.first) == 1)
    code_block<1>(params, block, groups);
  else
    code_block<2>(params, block, groups);
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

void launch_code_items(const StepCoding &params, cudaStream_t stream) {
  code_items<<<params.layout.block_count, coding_threads, 0, stream>>>(params);
  check(cudaGetLastError(), "words of steps");
}

void launch_copy_words(const StepLayout &layout, const StepItemLists &lists, const std::uint64_t *first_word,
                       std::uint16_t *out, cudaStream_t stream) {
  copy_words<<<layout.block_count, copying_threads, 0, stream>>>(layout, lists, first_word, out);
  check(cudaGetLastError(), "words of steps");
}

}  // namespace gpz::cuda
