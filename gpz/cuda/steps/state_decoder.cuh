// SPDX-License-Identifier: BSD-3-Clause
// Numbers of the words of a block of steps, by a warp, whose lanes are those of a step.
#pragma once

#include <array>

#include "gpz/cuda/steps/params.hpp"
#include "gpz/cuda/steps/states.cuh"

namespace gpz::cuda {

// The next words of a block, in a ring in shared memory.
class Words {
 public:
  // A step takes fewer words: three components and a side, of which each component may take two words a lane, and two
  // more for an escape.
  static constexpr std::uint32_t most_of_step = 512;
  static constexpr std::uint32_t size = 1024;

  __device__ Words(std::uint16_t *ring, const std::uint16_t *words, std::uint64_t count)
      : ring_(reinterpret_cast<char *>(ring)), left_(static_cast<std::int64_t>(count)) {
    const auto at = reinterpret_cast<std::uintptr_t>(words);
    const auto *const from = reinterpret_cast<const uint2 *>(at & ~std::uintptr_t{7});
    position_ = last_position_ = at % 8;
    next_ = from + this_lane();
    limit_ = from + (count + at % 8 / 2 + 3) / 4;
    coming_ = load();
    add_piece();
  }

  // Call before each step. Returns false if earlier steps took more words than there are.
  __device__ __forceinline__ bool prepare() {
    left_ -= (position_ - last_position_) / 2;
    last_position_ = position_;
    while (end_ - position_ < 2 * most_of_step) add_piece();
    return left_ >= 0;
  }
  // After this many words.
  __device__ __forceinline__ std::uint32_t at(std::uint32_t rank) const {
    return *reinterpret_cast<const std::uint16_t *>(ring_ + (position_ + 2 * rank) % (2 * size));
  }
  __device__ __forceinline__ void pass(std::uint32_t count) { position_ += 2 * count; }
  __device__ bool all_passed() const { return left_ == (position_ - last_position_) / 2; }

 private:
  __device__ __forceinline__ void add_piece() {
    __syncwarp();  // all lanes have read the words that are overwritten
    *reinterpret_cast<uint2 *>(ring_ + (end_ + sizeof(uint2) * this_lane()) % (2 * size)) = coming_;
    __syncwarp();
    end_ += sizeof(uint2) * warp_size;
    coming_ = load();
  }
  __device__ __forceinline__ uint2 load() {
    const uint2 *const from = next_;
    next_ += warp_size;
    return from < limit_ ? __ldg(from) : uint2{0, 0};
  }

  char *ring_;
  const uint2 *next_;   // four words that this lane loads
  const uint2 *limit_;  // of those of all lanes
  uint2 coming_;
  // In bytes, modulo 2^32: the next word, and the end of those in the ring.
  std::uint32_t position_, end_ = 0;
  std::int64_t left_;  // words, at last_position_
  std::uint32_t last_position_;
};

template <int rounds>
class StateDecoder {
 public:
  static constexpr bool decodes = true;
  using States = StepStates<rounds>;

  __device__ StateDecoder(const StepDecode &params, std::uint16_t *ring, const std::uint16_t *words,
                          std::uint64_t count)
      : entries_(params.entries),
        sides_(params.sides),
        words_(ring, words + States::words, count - States::words),
        state_{words[2 * States::index()] | std::uint32_t{words[2 * States::index() + 1]} << 16} {}

  template <core::StepNumber number_of>
  __device__ __forceinline__ void component(const std::array<bool, 1> &active, const std::array<float, 1> &expected,
                                            const std::array<float, 1> &variance, std::array<std::int32_t, 1> &value) {
    number(core::step_context<core::OneLane, number_of>(expected[0], variance[0]), active[0], value[0]);
  }

  // A state takes a word after the token and its first bits, and another one after the bits that are left. Both times
  // the state tells whether it does before the first word is known, so that the warp waits once.
  __device__ __forceinline__ void number(const core::StepContext<core::OneLane> &context, bool is_active,
                                         std::int32_t &value) {
    const auto near = static_cast<std::uint32_t>(context.near);
    const std::uint32_t table = static_cast<std::uint32_t>(context.index) << core::step_table_bits;
#pragma unroll
    for (int round = 0; round < rounds; ++round) {
      const bool is_coded = is_active && States::is_in(round);
      const std::uint32_t x = state_.x;
      const std::uint32_t entry = __ldg(entries_ + (table | x % core::step_table_size));
      const auto token = static_cast<std::int32_t>(entry) >> 24;
      const bool is_escape = is_coded && token == core::step_escape;
      const std::uint32_t bits = token == core::step_escape ? 0 : static_cast<std::uint32_t>(context.bits);
      const std::uint32_t taken = min(bits, std::uint32_t{core::step_low_bits}), more = bits - taken;
      const std::uint32_t next = (entry & 0xFFF) * (x >> core::step_table_bits) + (entry >> 12 & 0xFFF);
      const std::uint32_t first = next >> taken;  // not 0
      const bool is_low = is_coded && first >> 16 == 0;
      const bool is_low_then = is_coded && first >> (is_low ? 0 : 16) >> more == 0;
      const std::uint32_t lanes = __ballot_sync(full_mask, is_low), lanes_then = __ballot_sync(full_mask, is_low_then),
                          escapes = __ballot_sync(full_mask, is_escape);
      const std::uint32_t count = __popc(lanes);
      const std::uint32_t word = words_.at(rank_in(lanes)), word_then = words_.at(count + rank_in(lanes_then));
      const std::uint32_t filled = is_low ? first << 16 | word : first, second = filled >> more;
      std::uint32_t code = static_cast<std::uint32_t>(token) << bits;
      code += (next & ((1u << taken) - 1)) << more;
      code += filled & ((1u << more) - 1);
      if (is_coded) state_.x = is_low_then ? second << 16 | word_then : second;
      words_.pass(count + __popc(lanes_then));
      if (escapes != 0) take_escapes(escapes, code);
      if (States::is_in(round)) value = static_cast<std::int32_t>(context.is_below ? near - code : near + code);
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
      const std::uint32_t next =
          (is_near ? near : all - near) * (x >> core::step_side_bits) + slot - (is_near ? 0 : near);
      if (States::is_in(round)) other[0] = active[0] && !is_near;
      const bool is_low = is_coded && next >> 16 == 0;
      const std::uint32_t lanes = __ballot_sync(full_mask, is_low);
      const std::uint32_t word = words_.at(rank_in(lanes));
      if (is_coded) state_.x = is_low ? next << 16 | word : next;
      words_.pass(__popc(lanes));
      state_.end_round(round);
    }
  }

  __device__ __forceinline__ bool begin(std::uint32_t) { return words_.prepare(); }
  // States below 2^16 would take words that belong to others.
  __device__ bool can_begin() const { return __all_sync(full_mask, state_.x >> 16 != 0); }
  __device__ bool has_ended() const { return __all_sync(full_mask, state_.x == 1u << 16) && words_.all_passed(); }

 private:
  // Numbers of which all 32 bits are stored.
  __device__ __forceinline__ void take_escapes(std::uint32_t lanes, std::uint32_t &number) {
    const std::uint32_t rank = rank_in(lanes);
    const std::uint32_t first = words_.at(2 * rank % (2 * warp_size)),
                        second = words_.at((2 * rank + 1) % (2 * warp_size));
    if ((lanes >> this_lane() & 1) != 0) {
      number = state_.x << 16 | first;
      state_.x = (state_.x & 0xFFFF0000) | second;
    }
    words_.pass(2 * __popc(lanes));
  }

  const std::uint32_t *entries_;
  const std::uint32_t *sides_;
  Words words_;
  States state_;
};

}  // namespace gpz::cuda
