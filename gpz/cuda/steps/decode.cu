// SPDX-License-Identifier: BSD-3-Clause
// Decodes the blocks of steps, a warp each.
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/steps/kernels.hpp"
#include "gpz/cuda/steps/step_pass.cuh"

namespace gpz::cuda {
namespace {

// The next words of a block. Lanes hold 128 of them, in two pieces of 64; the piece behind these is loaded when the
// first one is used up.
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

  // The word behind `rank` < 64 others.
  __device__ __forceinline__ std::uint32_t at(std::uint32_t rank) const {
    const std::uint32_t place = position_ + rank, lane = place / 2 % warp_size;
    const std::uint32_t a = __shfl_sync(full_mask, first_, lane), b = __shfl_sync(full_mask, second_, lane);
    return (place < 2 * warp_size ? a : b) >> place % 2 * 16 & 0xFFFF;
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

class Decoder {
 public:
  static constexpr bool decodes = true;

  __device__ Decoder(const StepDecode &params, const std::uint16_t *words, std::uint64_t count)
      : entries_(params.entries),
        sides_(params.sides),
        words_(words + states, count - states),
        left_(static_cast<std::int64_t>(count - states)),
        state_(words[2 * this_lane()] | std::uint32_t{words[2 * this_lane() + 1]} << 16) {}

  template <core::StepNumber number>
  __device__ __forceinline__ void component(const std::array<bool, 1> &active, const std::array<float, 1> &expected,
                                            const std::array<float, 1> &variance, std::array<std::int32_t, 1> &value) {
    const auto place = core::step_place<core::OneLane, number>(expected[0], variance[0]);
    const std::uint32_t x = state_;
    const std::uint32_t entry = __ldg(entries_ + (place.index << core::step_table_bits) + x % core::step_table_size);
    const auto token = static_cast<std::int32_t>(entry) >> 24;
    const bool is_escape = active[0] && token == core::step_escape;
    const std::uint32_t bits = token == core::step_escape ? 0 : static_cast<std::uint32_t>(place.bits);
    const std::uint32_t next = (entry & 0xFFF) * (x >> core::step_table_bits) + (entry >> 12 & 0xFFF);
    const std::uint32_t taken = min(bits, std::uint32_t{core::step_low_bits});
    std::uint32_t low = next & ((1u << taken) - 1);
    if (active[0]) state_ = next >> taken;
    take_words();
    const std::uint32_t more = active[0] ? bits - taken : 0;
    if (__any_sync(full_mask, more != 0)) {
      low = (low << more) + (state_ & ((1u << more) - 1));
      state_ >>= more;
      take_words();
    }
    std::uint32_t code = (static_cast<std::uint32_t>(token) << bits) + low;
    const std::uint32_t escapes = __ballot_sync(full_mask, is_escape);
    if (escapes != 0) take_escapes(escapes, code);
    const auto near = static_cast<std::uint32_t>(place.near);
    value[0] = static_cast<std::int32_t>(place.is_below ? near - code : near + code);
  }

  __device__ __forceinline__ void side(const std::array<bool, 1> &active, const std::array<std::int32_t, 1> &level,
                                       std::array<bool, 1> &other) {
    constexpr std::uint32_t all = 1u << core::step_side_bits;
    const std::uint32_t near = __ldg(sides_ + level[0]), slot = state_ % all;
    const bool is_near = slot < near;
    if (active[0])
      state_ = (is_near ? near : all - near) * (state_ >> core::step_side_bits) + slot - (is_near ? 0 : near);
    other[0] = active[0] && !is_near;
    take_words();
  }

  __device__ __forceinline__ bool begin(std::uint32_t) const { return left_ >= 0; }
  // States below 2^16 would take words that belong to others.
  __device__ bool can_begin() const { return __all_sync(full_mask, state_ >> 16 != 0); }
  __device__ bool has_ended() const { return __all_sync(full_mask, state_ == 1u << 16) && left_ == 0; }

  static constexpr unsigned states = 2 * core::step_lanes;  // words of the states

 private:
  __device__ __forceinline__ void take_words() {
    const bool is_low = state_ >> 16 == 0;
    const std::uint32_t lanes = __ballot_sync(full_mask, is_low);
    const std::uint32_t word = words_.at(rank_in(lanes));
    if (is_low) state_ = state_ << 16 | word;
    pass(__popc(lanes));
  }
  // Numbers of which all 32 bits are stored.
  __device__ __forceinline__ void take_escapes(std::uint32_t lanes, std::uint32_t &number) {
    const std::uint32_t rank = rank_in(lanes);
    const std::uint32_t first = words_.at(2 * rank % (2 * warp_size)),
                        second = words_.at((2 * rank + 1) % (2 * warp_size));
    if ((lanes >> this_lane() & 1) != 0) {
      number = state_ << 16 | first;
      state_ = (state_ & 0xFFFF0000) | second;
    }
    pass(2 * __popc(lanes));
  }
  static __device__ __forceinline__ std::uint32_t rank_in(std::uint32_t lanes) {
    return __popc(lanes & ((1u << this_lane()) - 1));
  }
  __device__ __forceinline__ void pass(std::uint32_t count) {
    words_.pass(count);
    left_ -= count;
  }

  const std::uint32_t *entries_;
  const std::uint32_t *sides_;
  Words words_;
  std::int64_t left_;  // words
  std::uint32_t state_;
};

constexpr int warps_a_processor = 16;

__global__ void __launch_bounds__(warp_size, warps_a_processor)
    decode_steps(const __grid_constant__ StepDecode params) {
  const std::uint64_t first_word = params.first_word[blockIdx.x], end = params.first_word[blockIdx.x + 1];
  const StepLayout::Block block = params.layout.blocks[blockIdx.x];
  bool is_sound = end - first_word >= Decoder::states;
  if (is_sound) {
    Decoder decoder(params, params.words + first_word, end - first_word);
    StepPass<Decoder> pass(params.layout, params.rows, params.constants, decoder);
    is_sound = decoder.can_begin() && pass.run(block.first, block.end) && decoder.has_ended();
  }
  if (!is_sound && this_lane() == 0) atomicOr(params.status, section_damaged);
}

const KernelFile kernels(reinterpret_cast<const void *>(decode_steps));

}  // namespace

void launch_decode_steps(const StepDecode &params, cudaStream_t stream) {
  if (params.layout.block_count == 0) return;
  decode_steps<<<params.layout.block_count, warp_size, 0, stream>>>(params);
  check(cudaGetLastError(), "decoding of steps");
}

}  // namespace gpz::cuda
