// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/codec/number_coder.hpp"

#include <algorithm>

#include "gpz/codec/number_choice.hpp"
#include "gpz/codec/number_tables.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::cpu {

using format::corrupt;

namespace {

constexpr std::size_t state_bytes = core::ans_states * sizeof(std::uint32_t);

std::size_t checked_size(std::size_t size) {
  if (size % 8 != 0) corrupt("length of a stream of numbers", size);
  return size;
}

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

// What the encoder needs to know of the numbers of a range.
struct Symbol {
  std::uint64_t inverse;  // core::ans_inverse
  std::uint16_t start;
  std::uint16_t frequency;
  std::uint8_t bits;
};

std::uint32_t push(std::uint32_t x, const Symbol &symbol) {
  return core::ans_push(x, symbol.start, symbol.frequency, core::ans_quotient(x, symbol.inverse));
}
void find_symbols(const Table &table, const Histogram &used, Symbol *symbols) {
  for (std::uint32_t r = 0; r < core::number_tokens; ++r) {
    if (used[r] == 0) continue;
    const std::uint32_t token = table.token(static_cast<std::uint32_t>(core::token_first(r)));
    const core::TokenShare share = table.share[token];
    symbols[r] = {core::ans_inverse(share.frequency), static_cast<std::uint16_t>(share.start),
                  static_cast<std::uint16_t>(share.frequency), static_cast<std::uint8_t>(table.bits(token))};
  }
}

// Writes bits from the end of some memory to its front. Eight bytes before those that are written are cleared.
class BackwardBits {
 public:
  explicit BackwardBits(std::uint8_t *end) : next_(end - sizeof held_) {}

  // The low `width` <= 32 bits.
  void put(std::uint32_t value, int width) {
    const std::uint64_t low = std::uint64_t{value} & ((std::uint64_t{1} << width) - 1);
    held_ |= low << 1 << (63 - count_ - width);
    std::memcpy(next_, &held_, sizeof held_);
    count_ += width;
    next_ -= count_ / 8;
    held_ <<= count_ & ~7;
    count_ &= 7;
  }

 private:
  std::uint8_t *next_;
  std::uint64_t held_ = 0;
  int count_ = 0;
};

// Tables for all numbers, and the symbols of their tokens.
struct Coded {
  NumberTables tables;
  std::vector<Symbol> symbols;  // of the tokens of all contexts

  const Symbol &of(std::uint64_t item) const { return symbols[item >> 32]; }
};

Coded choose(std::vector<std::uint64_t> &items, unsigned contexts) {
  // From here on the number of the token, over all contexts, stands above each number.
  std::vector<std::uint32_t> counts(std::size_t{contexts} * core::number_tokens);
  for (std::uint64_t &item : items) {
    const auto number = static_cast<std::uint32_t>(item);
    const std::uint64_t token = (item >> 32) * core::number_tokens + core::token_of(number);
    ++counts[token];
    item = token << 32 | number;
  }
  std::vector<Histogram> histograms(contexts);
  for (unsigned c = 0; c < contexts; ++c)
    std::copy_n(&counts[std::size_t{c} * core::number_tokens], core::number_tokens, histograms[c].begin());
  Coded coded{choose_tables(histograms), {}};
  coded.symbols.resize(counts.size());
  for (unsigned c = 0; c < contexts; ++c)
    find_symbols(Table(coded.tables, c), histograms[c], &coded.symbols[std::size_t{c} * core::number_tokens]);
  return coded;
}

// Items first to end - 1. What stands in `bytes` from `begin` on is part of the multiple of 8 bytes.
void append_stream(const Coded &coded, const std::vector<std::uint64_t> &items, std::size_t first, std::size_t end,
                   std::size_t begin, std::vector<std::uint8_t> &bytes) {
  // The last number first, as the decoder undoes the steps.
  std::array<std::uint32_t, core::ans_states> state;
  state.fill(core::ans_low);
  std::vector<std::uint16_t> words(end - first);
  std::size_t first_word = words.size();
  std::uint64_t raw_bits = 0;
  for (std::size_t i = end; i-- > first;) {
    const Symbol &symbol = coded.of(items[i]);
    raw_bits += symbol.bits;
    std::uint32_t &turn = state[(i - first) % core::ans_states];
    std::uint32_t x = turn;
    // Without a branch, which nothing can predict: a word that is not given away is written over.
    const bool full = core::ans_is_full(x, symbol.frequency);
    words[first_word - 1] = static_cast<std::uint16_t>(x);
    first_word -= full ? 1 : 0;
    x = full ? x >> 16 : x;
    turn = push(x, symbol);
  }

  const std::size_t start = bytes.size();
  for (const std::uint32_t x : state) format::ByteWriter(bytes).u32(x);
  const std::size_t words_at = bytes.size();
  const std::size_t word_bytes = (words.size() - first_word) * sizeof(std::uint16_t);
  bytes.resize(begin + format::round_up_8(words_at + word_bytes - begin + (raw_bits + 7) / 8));
  // Words follow the bits, which clear what is before them; states are as long as that.
  static_assert(state_bytes >= sizeof(std::uint64_t));
  std::array<std::uint8_t, state_bytes> kept;
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(start), kept.size(), kept.begin());
  BackwardBits out(bytes.data() + bytes.size());
  for (std::size_t i = first; i < end; ++i) out.put(static_cast<std::uint32_t>(items[i]), coded.of(items[i]).bits);
  std::copy(kept.begin(), kept.end(), bytes.begin() + static_cast<std::ptrdiff_t>(start));
  if (word_bytes != 0) std::memcpy(bytes.data() + words_at, &words[first_word], word_bytes);
}

}  // namespace

void NumberEncoder::finish(std::vector<std::uint8_t> &bytes) {
  const Coded coded = choose(items_, contexts_);
  const std::size_t begin = bytes.size();
  write_tables(coded.tables, bytes);
  append_stream(coded, items_, 0, items_.size(), begin, bytes);
  items_.clear();
}

void NumberEncoder::finish(const std::vector<std::size_t> &ends, std::vector<std::uint8_t> &bytes) {
  const Coded coded = choose(items_, contexts_);
  const std::size_t begin = bytes.size();
  write_tables(coded.tables, bytes);
  bytes.resize(begin + format::round_up_8(bytes.size() - begin));
  const std::size_t lengths = bytes.size();
  bytes.resize(lengths + format::round_up_8(ends.size() * sizeof(std::uint32_t)));
  std::size_t first = 0;
  for (std::size_t s = 0; s < ends.size(); ++s) {
    const std::size_t start = bytes.size();
    append_stream(coded, items_, first, ends[s], start, bytes);
    format::store_little(&bytes[lengths + s * sizeof(std::uint32_t)], static_cast<std::uint32_t>(bytes.size() - start));
    first = ends[s];
  }
  items_.clear();
}

NumberReader::NumberReader(const std::uint8_t *bytes, std::size_t size, unsigned contexts) {
  NumberTables tables;
  size_ = read_tables(bytes, size, contexts, tables);
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

NumberStream::NumberStream(const NumberReader &reader, const std::uint8_t *bytes, std::size_t size)
    : slot_(reader.slot_.data()), token_(reader.token_.data()), bytes_(bytes), size_(size) {
  if (state_bytes > size) corrupt("states of numbers exceed their section");
  for (std::size_t s = 0; s < state_.size(); ++s) {
    state_[s] = format::load_little<std::uint32_t>(bytes + s * sizeof(std::uint32_t));
    if (state_[s] < core::ans_low) corrupt("state of a stream of numbers");
  }
  words_ = bytes + state_bytes;
  last_word_ = static_cast<std::int64_t>((size - state_bytes) / sizeof(std::uint16_t)) - 1;
  last_raw_ = bytes + size - sizeof(std::uint64_t);
  last_byte_ = size - sizeof(std::uint64_t);
}

NumberDecoder::NumberDecoder(const std::uint8_t *bytes, std::size_t size, unsigned contexts)
    : reader_(bytes, checked_size(size), contexts), stream_(reader_, bytes + reader_.size(), size - reader_.size()) {}

std::vector<NumberStream> NumberSegments::open(const std::uint8_t *bytes, std::size_t size,
                                               std::size_t segments) const {
  std::size_t at = format::round_up_8(reader_.size());
  const std::size_t lengths = at;
  if (lengths > size || segments > (size - lengths) / sizeof(std::uint32_t))
    corrupt("lengths of streams of numbers", at);
  at += format::round_up_8(segments * sizeof(std::uint32_t));
  std::vector<NumberStream> streams;
  streams.reserve(segments);
  for (std::size_t s = 0; s < segments; ++s) {
    const auto length = format::load_little<std::uint32_t>(bytes + lengths + s * sizeof(std::uint32_t));
    if (at > size || length > size - at || length % 8 != 0) corrupt("length of a stream of numbers", lengths);
    streams.emplace_back(reader_, bytes + at, length);
    at += length;
  }
  if (at != size) corrupt("streams of numbers do not fill their section", at);
  return streams;
}

void NumberStream::end() const {
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
