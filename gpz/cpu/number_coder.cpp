// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cpu/number_coder.hpp"

#include <algorithm>

#include "gpz/cpu/number_choice.hpp"
#include "gpz/cpu/number_tables.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::cpu {

using format::corrupt;

namespace {

constexpr std::size_t state_bytes = core::ans_states * sizeof(std::uint32_t);

// The table of one context.
struct Table {
  std::uint32_t tokens = 0;  // without the escape
  int low = 0;               // bits of a number that its token does not look at
  std::array<core::TokenShare, core::number_tokens + 1> share;

  Table(const NumberTables &tables, unsigned context) {
    const ContextTable &of = tables.contexts[context];
    NumberShape shape;
    if (of.shape != 0) shape = tables.shapes[of.shape - 1U];
    low = core::low_bits_of_scale(of.scale);
    tokens = core::tokens_at_scale(shape.tokens, of.scale);
    core::fill_shares(weights_of(shape).data(), shape.tokens, of.scale, share.data());
  }

  std::uint32_t token(std::uint32_t u) const { return std::min(core::token_of(u >> low), tokens); }
  int bits(std::uint32_t token) const { return token == tokens ? 32 : core::token_bits(token) + low; }
};

std::vector<Histogram> count(const std::vector<std::uint32_t> &numbers, const std::vector<std::uint8_t> &context,
                             unsigned contexts) {
  std::vector<Histogram> histograms(contexts);
  for (std::size_t i = 0; i < numbers.size(); ++i) ++histograms[context[i]][range_of(numbers[i])];
  return histograms;
}

// Writes bits from the end of some memory to its front.
class BackwardBits {
 public:
  explicit BackwardBits(std::uint8_t *end) : end_(end) {}

  void put(std::uint32_t value, int width) {
    held_ = held_ << width | (width < 32 ? value & ((1u << width) - 1) : value);
    count_ += width;
    while (count_ >= 8) *--end_ = static_cast<std::uint8_t>(held_ >> (count_ -= 8));
  }
  void finish() {
    if (count_ > 0) *--end_ = static_cast<std::uint8_t>(held_ << (8 - count_));
  }

 private:
  std::uint8_t *end_;
  std::uint64_t held_ = 0;
  int count_ = 0;
};

}  // namespace

void NumberEncoder::finish(std::vector<std::uint8_t> &bytes) {
  const NumberTables chosen = choose_tables(count(number_, context_, contexts_));
  std::vector<Table> tables;
  for (unsigned c = 0; c < contexts_; ++c) tables.emplace_back(chosen, c);

  // The last number first, as the decoder undoes the steps.
  std::array<std::uint32_t, core::ans_states> state;
  state.fill(core::ans_low);
  std::vector<std::uint16_t> words;
  std::uint64_t raw_bits = 0;
  for (std::size_t i = number_.size(); i-- > 0;) {
    const Table &table = tables[context_[i]];
    const std::uint32_t token = table.token(number_[i]);
    const core::TokenShare share = table.share[token];
    std::uint32_t &x = state[i % core::ans_states];
    if (core::ans_is_full(x, share.frequency)) {
      words.push_back(static_cast<std::uint16_t>(x));
      x >>= 16;
    }
    x = core::ans_push(x, share.start, share.frequency);
    raw_bits += static_cast<std::uint64_t>(table.bits(token));
  }

  const std::size_t first = bytes.size();
  write_tables(chosen, bytes);
  for (const std::uint32_t x : state) format::ByteWriter(bytes).u32(x);
  for (std::size_t i = words.size(); i-- > 0;) format::ByteWriter(bytes).u16(words[i]);
  bytes.resize(first + format::round_up_8(bytes.size() - first + (raw_bits + 7) / 8));
  BackwardBits out(bytes.data() + bytes.size());
  for (std::size_t i = 0; i < number_.size(); ++i) {
    const Table &table = tables[context_[i]];
    out.put(number_[i], table.bits(table.token(number_[i])));
  }
  out.finish();
  number_.clear();
  context_.clear();
}

NumberDecoder::NumberDecoder(const std::uint8_t *bytes, std::size_t size, unsigned contexts)
    : bytes_(bytes), size_(size) {
  if (size % 8 != 0) corrupt("length of a stream of numbers", size);
  NumberTables tables;
  const std::size_t at = read_tables(bytes, size, contexts, tables);
  if (state_bytes > size - at) corrupt("states of numbers exceed their section", at);
  for (std::size_t s = 0; s < state_.size(); ++s) {
    state_[s] = format::load_little<std::uint32_t>(bytes + at + s * sizeof(std::uint32_t));
    if (state_[s] < core::ans_low) corrupt("state of a stream of numbers", at);
  }
  words_ = bytes + at + state_bytes;
  last_word_ = static_cast<std::int64_t>((size - at - state_bytes) / sizeof(std::uint16_t)) - 1;
  last_raw_ = bytes + size - sizeof(std::uint64_t);
  last_byte_ = size - sizeof(std::uint64_t);

  slot_.resize(std::size_t{contexts} * core::ans_total);
  token_.resize(contexts * tokens_of_context);
  for (unsigned c = 0; c < contexts; ++c) {
    const Table table(tables, c);
    for (std::uint32_t t = 0; t <= table.tokens; ++t) {
      const core::TokenShare &share = table.share[t];
      const std::uint64_t number = t == table.tokens ? 0 : core::token_first(t) << table.low;
      token_[c * tokens_of_context + t] = {static_cast<std::uint32_t>(number), static_cast<std::uint16_t>(share.start),
                                           static_cast<std::uint16_t>(share.frequency),
                                           static_cast<std::uint8_t>(table.bits(t))};
      std::fill_n(slot_.begin() + c * core::ans_total + share.start, share.frequency, static_cast<std::uint8_t>(t));
    }
  }
}

void NumberDecoder::end() const {
  for (const std::uint32_t x : state_)
    if (x != core::ans_low) corrupt("numbers do not end where their stream does");
  const auto words_end = static_cast<std::uint64_t>(words_ - bytes_) + 2 * static_cast<std::uint64_t>(word_);
  const std::uint64_t raw_bytes = bit_ / 8 + (bit_ % 8 != 0 ? 1 : 0);
  if (words_end > size_ || raw_bytes > size_ - words_end || size_ - words_end - raw_bytes >= 8)
    corrupt("numbers do not fill their stream", size_);
  std::uint32_t rest = 0;
  for (std::uint64_t i = words_end; i < size_ - raw_bytes; ++i) rest |= bytes_[i];
  if (bit_ % 8 != 0) rest |= bytes_[size_ - raw_bytes] & ((1u << (8 - bit_ % 8)) - 1);
  if (rest != 0) corrupt("padding of a stream of numbers", words_end);
}

}  // namespace gpz::cpu
