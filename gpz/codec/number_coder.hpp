// SPDX-License-Identifier: BSD-3-Clause
// Codes numbers below 2^32, each in a context, by rANS with a static table per context (docs/format.md, section 10a).
// Adjacent contexts should have numbers of similar scale: their tables then cost least.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "gpz/core/ans.hpp"
#include "gpz/format/budget.hpp"

namespace gpz::codec {

inline constexpr unsigned max_number_contexts = 256;

// The numbers of a segment, in memory of the caller. An item has a number in its low 32 bits, and above them a context.
struct NumberSegment {
  std::uint64_t *items;
  std::size_t count;
};

// Appends the segmented stream (docs/format.md, section 10h) of these numbers, a multiple of 8 bytes. Each segment can
// be decoded without the others. Changes the items. Throws std::bad_alloc.
void append_segments(const std::vector<NumberSegment> &segments, unsigned contexts, int threads,
                     std::vector<std::uint8_t> &bytes);

class NumberEncoder {
 public:
  // Contexts are 0 to contexts - 1; at most max_number_contexts.
  explicit NumberEncoder(unsigned contexts) : contexts_(contexts) {}

  void reserve(std::size_t count) { items_.reserve(count); }
  void put(unsigned context, std::uint32_t u) { items_.push_back(std::uint64_t{context} << 32 | u); }
  // Appends the stream of all numbers, a multiple of 8 bytes, and clears the encoder. Throws std::bad_alloc.
  void finish(std::vector<std::uint8_t> &bytes, int threads = 1);

  // Takes the numbers of another encoder after its own. Neither has segments.
  void append(NumberEncoder &&behind);
  // Ends a segment.
  void end_segment() { segments_.push_back(items_.size()); }
  // The segments, for append_segments(). No number may follow the last one.
  std::vector<NumberSegment> segments();

 private:
  unsigned contexts_;
  std::vector<std::uint64_t> items_;   // context in the high bits, number in the low bits
  std::vector<std::size_t> segments_;  // end of each
};

struct NumberSlots {
  // In 8 bytes, which are loaded at once.
  struct Token {
    static constexpr unsigned start_bits = 12, frequency_bits = 13, bits_bits = 6;

    std::uint32_t first;
    std::uint32_t start : start_bits;
    std::uint32_t frequency : frequency_bits;
    std::uint32_t bits : bits_bits;
  };
  static_assert(sizeof(Token) == sizeof(std::uint64_t));
  static_assert(core::ans_bits <= Token::start_bits && core::ans_bits < Token::frequency_bits);
  static constexpr std::size_t tokens_of_context = core::number_tokens + 1;

  format::Column<std::uint8_t> slot;  // token of each slot of each context
  format::Column<Token> token;
  std::size_t bytes = 0;  // of the tables

  // Throws corrupt.
  NumberSlots(const std::uint8_t *tables, std::size_t size, unsigned contexts);
};

// A position in a stream. Loops that decode many numbers copy it to a local variable, so that the compiler can keep it
// in registers across stores.
class NumberCursor {
 public:
  // The next number; `context` is below `contexts`. Damaged or exhausted streams give arbitrary numbers;
  // NumberDecoder::end() detects them. Inlined by force: key frames decode a third slower otherwise.
  [[gnu::always_inline]] std::uint32_t get(unsigned context) { return take(peek(context)); }
  // get() in two steps, so that other work can be interleaved: first the next token, then its number.
  [[gnu::always_inline]] const NumberSlots::Token &peek(unsigned context) const {
    return token_[context * NumberSlots::tokens_of_context +
                  slot_[context * core::ans_total + state_ % core::ans_total]];
  }
  [[gnu::always_inline]] std::uint32_t take(const NumberSlots::Token &token) {
    const std::uint32_t next = core::ans_pop(state_, token.start, token.frequency);
    std::uint16_t word;
    std::memcpy(&word, words_ + 2 * (word_ < last_word_ ? word_ : last_word_), sizeof word);
    // Arithmetic, because a branch here is unpredictable.
    const std::uint32_t takes = next < core::ans_low ? 1 : 0;
    state_ = other_state_;
    other_state_ = next << 16 * takes | (word & (0 - takes));
    word_ += takes;

    const std::uint64_t byte = bit_ / 8;
    std::uint64_t raw;
    std::memcpy(&raw, last_raw_ - (byte < last_byte_ ? byte : last_byte_), sizeof raw);
    raw = raw << bit_ % 8 >> 1 >> (63 - token.bits);
    bit_ += token.bits;
    return token.first + static_cast<std::uint32_t>(raw);
  }

 protected:
  NumberCursor() = default;

  const std::uint8_t *slot_ = nullptr;
  const NumberSlots::Token *token_ = nullptr;
  // Two states take turns.
  std::uint32_t state_ = 0;
  std::uint32_t other_state_ = 0;
  static_assert(core::ans_states == 2);
  const std::uint8_t *words_ = nullptr;     // forward from here
  const std::uint8_t *last_raw_ = nullptr;  // the last 8 bytes; raw bits are read backwards
  std::int64_t word_ = 0;
  std::int64_t last_word_ = 0;  // -1: no words; half a state is read instead
  std::uint64_t bit_ = 0;
  std::uint64_t last_byte_ = 0;
};

class NumberDecoder : public NumberCursor {
 public:
  // A stream of exactly `size` bytes, which must outlive the decoder. Throws corrupt.
  NumberDecoder(const std::uint8_t *bytes, std::size_t size, unsigned contexts);
  // A stream without tables of its own.
  NumberDecoder(std::shared_ptr<const NumberSlots> slots, const std::uint8_t *bytes, std::size_t size);

  // Copy it for a fast loop, then pass the copy to go_to().
  const NumberCursor &cursor() const { return *this; }
  void go_to(const NumberCursor &cursor) { NumberCursor::operator=(cursor); }
  // Throws corrupt unless exactly all numbers were read.
  void end() const;

 private:
  void start(const std::uint8_t *bytes, std::size_t at, std::size_t size);

  std::shared_ptr<const NumberSlots> slots_;
  const std::uint8_t *bytes_;
  std::size_t size_;
};

// The streams of a segmented stream of exactly `size` bytes, which must outlive them. Throws corrupt.
std::vector<NumberDecoder> open_segments(const std::uint8_t *bytes, std::size_t size, unsigned contexts,
                                         std::size_t segments);

}  // namespace gpz::codec
