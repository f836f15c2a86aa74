// SPDX-License-Identifier: BSD-3-Clause
// A number stream of one segment, read by one thread (docs/format.md, sections 10a and 10h): codec::NumberDecoder on a
// GPU.
#pragma once

#include "gpz/core/ans.hpp"
#include "gpz/cuda/molecule/params.hpp"

namespace gpz::cuda {

class SegmentNumbers {
 public:
  // The stream is bytes[begin, end); both are multiples of 8. Streams without room for states read nothing.
  __device__ SegmentNumbers(const MoleculeDecode &params, std::uint64_t begin, std::uint64_t end)
      : slots_(params.slots), tokens_(params.tokens), contexts_(params.context_count) {
    if (begin > end || end - begin < state_bytes) {
      damaged_ = true;
      return;
    }
    const std::uint8_t *const bytes = params.numbers + begin;
    size_ = end - begin;
    state_ = reinterpret_cast<const std::uint32_t *>(bytes)[0];
    other_state_ = reinterpret_cast<const std::uint32_t *>(bytes)[1];
    damaged_ = state_ < core::ans_low || other_state_ < core::ans_low;
    words_ = reinterpret_cast<const std::uint16_t *>(bytes + state_bytes);
    word_count_ = (size_ - state_bytes) / sizeof(std::uint16_t);
    raw_end_ = reinterpret_cast<const std::uint64_t *>(bytes + size_);
    held_ = *(raw_end_ - 1);
    next_held_ = size_ > 8 ? *(raw_end_ - 2) : 0;
  }

  // The next number. Damaged or exhausted streams give arbitrary numbers; is_complete() detects them.
  __device__ __forceinline__ std::uint32_t get(unsigned context) {
    context = min(context, contexts_ - 1);
    if (damaged_) return 0;
    const std::uint32_t slot = slots_[context * core::ans_total + state_ % core::ans_total];
    const codec::NumberSlots::Token token = tokens_[context * codec::NumberSlots::tokens_of_context + slot];
    const std::uint32_t next = core::ans_pop(state_, token.start, token.frequency);
    state_ = other_state_;
    other_state_ = next;
    if (next < core::ans_low) {
      other_state_ = next << 16 | (word_ < word_count_ ? words_[word_] : 0);
      ++word_;
    }
    return token.first + raw(token.bits);
  }

  // True if exactly all numbers were read.
  __device__ bool is_complete() const {
    if (damaged_ || state_ != core::ans_low || other_state_ != core::ans_low) return false;
    const std::uint64_t words_end = state_bytes + 2 * word_;
    const std::uint64_t raw_bytes = (bit_ + 7) / 8;
    if (words_end > size_ || raw_bytes > size_ - words_end || size_ - words_end - raw_bytes >= 8) return false;
    const auto *const bytes = reinterpret_cast<const std::uint8_t *>(raw_end_) - size_;
    std::uint32_t rest = 0;
    for (std::uint64_t i = words_end; i < size_ - raw_bytes; ++i) rest |= bytes[i];
    if (bit_ % 8 != 0) rest |= bytes[size_ - raw_bytes] & ((1u << (8 - bit_ % 8)) - 1);
    return rest == 0;
  }

 private:
  static constexpr std::uint64_t state_bytes = core::ans_states * sizeof(std::uint32_t);

  // Raw bits are read from words of 8 bytes, backwards from the end, the highest bit first.
  __device__ __forceinline__ std::uint32_t raw(unsigned bits) {
    if (bits == 0) return 0;
    const unsigned at = static_cast<unsigned>(bit_ % 64);
    const std::uint64_t word = held_ << at | (at == 0 ? 0 : next_held_ >> (64 - at));
    bit_ += bits;
    if (at + bits >= 64) {
      held_ = next_held_;
      const std::uint64_t words = bit_ / 64 + 2;  // from the end, with the one to be held next
      next_held_ = words * 8 <= size_ ? raw_end_[-static_cast<std::int64_t>(words)] : 0;
    }
    return static_cast<std::uint32_t>(word >> (64 - bits));
  }

  const std::uint8_t *slots_;
  const codec::NumberSlots::Token *tokens_;
  unsigned contexts_;
  bool damaged_ = false;
  std::uint32_t state_ = 0;
  std::uint32_t other_state_ = 0;
  const std::uint16_t *words_ = nullptr;
  const std::uint64_t *raw_end_ = nullptr;
  std::uint64_t word_ = 0;
  std::uint64_t word_count_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t bit_ = 0;
  std::uint64_t held_ = 0;
  std::uint64_t next_held_ = 0;
};

}  // namespace gpz::cuda
