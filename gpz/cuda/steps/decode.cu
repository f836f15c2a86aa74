// SPDX-License-Identifier: BSD-3-Clause
// Decodes the blocks of steps, a warp each.
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/steps/kernels.hpp"
#include "gpz/cuda/steps/states.cuh"
#include "gpz/cuda/steps/step_pass.cuh"

namespace gpz::cuda {
namespace {

// The next words of a block. Lanes hold 128 of them, in two pieces of 64; the next piece is loaded when the first one
// is used up.
class Words {
 public:
  __device__ Words(const std::uint16_t *words, std::uint64_t count) {
    const auto at = reinterpret_cast<std::uintptr_t>(words);
    from_ = reinterpret_cast<const std::uint32_t *>(at & ~std::uintptr_t{3});
    position_ = at % 4 / 2;
    pairs_ = (count + position_ + 1) / 2;
    first_ = load();
    second_ = load();
  }

  // The word after `rank` < 64 others.
  __device__ __forceinline__ std::uint32_t at(std::uint32_t rank) const {
    const std::uint32_t at = position_ + rank, lane = at / 2 % warp_size;
    const std::uint32_t a = __shfl_sync(full_mask, first_, lane), b = __shfl_sync(full_mask, second_, lane);
    return (at < 2 * warp_size ? a : b) >> at % 2 * 16 & 0xFFFF;
  }
  // Behind `count` <= 64 words.
  __device__ __forceinline__ void pass(std::uint32_t count) {
    position_ += count;
    if (position_ < 2 * warp_size) return;
    position_ -= 2 * warp_size;
    first_ = second_;
    second_ = load();
  }

 private:
  __device__ __forceinline__ std::uint32_t load() {
    const std::uint64_t pair = next_ + this_lane();
    next_ += warp_size;
    return pair < pairs_ ? __ldg(from_ + pair) : 0;
  }

  const std::uint32_t *from_;
  std::uint64_t pairs_;  // from `from_` on
  std::uint64_t next_ = 0;
  std::uint32_t position_;
  std::uint32_t first_, second_;
};

template <int rounds>
class Decoder {
 public:
  static constexpr bool decodes = true;
  using States = StepStates<rounds>;

  __device__ Decoder(const StepDecode &params, const std::uint16_t *words, std::uint64_t count)
      : entries_(params.entries),
        sides_(params.sides),
        words_(words + States::words, count - States::words),
        left_(static_cast<std::int64_t>(count - States::words)),
        state_{words[2 * States::index()] | std::uint32_t{words[2 * States::index() + 1]} << 16} {}

  template <core::StepNumber number>
  __device__ __forceinline__ void component(const std::array<bool, 1> &active, const std::array<float, 1> &expected,
                                            const std::array<float, 1> &variance, std::array<std::int32_t, 1> &value) {
    const auto context = core::step_context<core::OneLane, number>(expected[0], variance[0]);
    const auto near = static_cast<std::uint32_t>(context.near);
#pragma unroll
    for (int round = 0; round < rounds; ++round) {
      const bool is_coded = active[0] && States::is_in(round);
      const std::uint32_t x = state_.x;
      const std::uint32_t entry =
          __ldg(entries_ + (context.index << core::step_table_bits) + x % core::step_table_size);
      const auto token = static_cast<std::int32_t>(entry) >> 24;
      const bool is_escape = is_coded && token == core::step_escape;
      const std::uint32_t bits = token == core::step_escape ? 0 : static_cast<std::uint32_t>(context.bits);
      const std::uint32_t next = (entry & 0xFFF) * (x >> core::step_table_bits) + (entry >> 12 & 0xFFF);
      const std::uint32_t taken = min(bits, std::uint32_t{core::step_low_bits});
      std::uint32_t low = next & ((1u << taken) - 1);
      if (is_coded) state_.x = next >> taken;
      take_words(round);
      const std::uint32_t more = is_coded ? bits - taken : 0;
      if (__any_sync(full_mask, more != 0)) {
        low = (low << more) + (state_.x & ((1u << more) - 1));
        state_.x >>= more;
        take_words(round);
      }
      std::uint32_t code = (static_cast<std::uint32_t>(token) << bits) + low;
      const std::uint32_t escapes = __ballot_sync(full_mask, is_escape);
      if (escapes != 0) take_escapes(escapes, code);
      if (States::is_in(round)) value[0] = static_cast<std::int32_t>(context.is_below ? near - code : near + code);
      state_.end_round(round);
    }
  }

  __device__ __forceinline__ void side(const std::array<bool, 1> &active, const std::array<std::int32_t, 1> &level,
                                       std::array<bool, 1> &other) {
    constexpr std::uint32_t all = 1u << core::step_side_bits;
    const std::uint32_t near = __ldg(sides_ + level[0]);
#pragma unroll
    for (int round = 0; round < rounds; ++round) {
      const bool is_coded = active[0] && States::is_in(round);
      const std::uint32_t x = state_.x, slot = x % all;
      const bool is_near = slot < near;
      if (is_coded)
        state_.x = (is_near ? near : all - near) * (x >> core::step_side_bits) + slot - (is_near ? 0 : near);
      if (States::is_in(round)) other[0] = active[0] && !is_near;
      take_words(round);
      state_.end_round(round);
    }
  }

  __device__ __forceinline__ bool begin(std::uint32_t) const { return left_ >= 0; }
  // States below 2^16 would take words that belong to others.
  __device__ bool can_begin() const { return __all_sync(full_mask, state_.x >> 16 != 0); }
  __device__ bool has_ended() const { return __all_sync(full_mask, state_.x == 1u << 16) && left_ == 0; }

 private:
  __device__ __forceinline__ void take_words(int round) {
    const bool is_low = States::is_in(round) && state_.x >> 16 == 0;
    const std::uint32_t lanes = __ballot_sync(full_mask, is_low);
    const std::uint32_t word = words_.at(rank_in(lanes));
    if (is_low) state_.x = state_.x << 16 | word;
    pass(__popc(lanes));
  }
  // Numbers of which all 32 bits are stored.
  __device__ __forceinline__ void take_escapes(std::uint32_t lanes, std::uint32_t &number) {
    const std::uint32_t rank = rank_in(lanes);
    const std::uint32_t first = words_.at(2 * rank % (2 * warp_size)),
                        second = words_.at((2 * rank + 1) % (2 * warp_size));
    if ((lanes >> this_lane() & 1) != 0) {
      number = state_.x << 16 | first;
      state_.x = (state_.x & 0xFFFF0000) | second;
    }
    pass(2 * __popc(lanes));
  }
  __device__ __forceinline__ void pass(std::uint32_t count) {
    words_.pass(count);
    left_ -= count;
  }

  const std::uint32_t *entries_;
  const std::uint32_t *sides_;
  Words words_;
  std::int64_t left_;  // words
  States state_;
};

template <int rounds, bool is_key>
__device__ bool decode_block(const StepDecode &params, const StepLayout::Block &block, const std::uint16_t *words,
                             std::uint64_t count) {
  if (count < StepStates<rounds>::words) return false;
  Decoder<rounds> decoder(params, words, count);
  StepPass<Decoder<rounds>, is_key> pass(params.layout, params.rows, params.constants, decoder, params.key_root);
  return decoder.can_begin() && pass.run(block.first, block.end) && decoder.has_ended();
}

constexpr int warps_a_processor = 20;

template <bool is_key>
__global__ void __launch_bounds__(warp_size, warps_a_processor)
    decode_steps(const __grid_constant__ StepDecode params) {
  const std::uint64_t first_word = params.first_word[blockIdx.x], end = params.first_word[blockIdx.x + 1];
  const StepLayout::Block block = params.layout.blocks[blockIdx.x];
  const std::uint16_t *const words = params.words + first_word;
  const bool is_sound = core::step_rounds(block.end - block.first) == 1
                            ? decode_block<1, is_key>(params, block, words, end - first_word)
                            : decode_block<2, is_key>(params, block, words, end - first_word);
  if (!is_sound && this_lane() == 0) atomicOr(params.status, section_damaged);
}

const KernelFile kernels(reinterpret_cast<const void *>(decode_steps<false>));

}  // namespace

void launch_decode_steps(const StepDecode &params, cudaStream_t stream) {
  if (params.layout.block_count == 0) return;
  const auto kernel = params.is_key ? decode_steps<true> : decode_steps<false>;
  kernel<<<params.layout.block_count, warp_size, 0, stream>>>(params);
  check(cudaGetLastError(), "decoding of steps");
}

}  // namespace gpz::cuda
