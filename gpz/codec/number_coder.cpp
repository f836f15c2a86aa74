// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/codec/number_coder.hpp"

#include <algorithm>
#include <functional>

#include "gpz/codec/number_symbols.hpp"
#include "gpz/codec/number_tables.hpp"
#include "gpz/codec/parallel.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::codec {

using format::corrupt;

namespace {

constexpr std::size_t state_bytes = core::ans_states * sizeof(std::uint32_t);

std::uint32_t push(std::uint32_t x, const NumberSymbol &symbol) {
  return core::ans_push_exactly(x, symbol.start, symbol.frequency, core::ans_quotient(x, symbol.inverse));
}

// Writes bits backwards from the end of a buffer. Clears the eight bytes in front of the written ones.
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

// Segments in pieces, so that threads share the work on a long one.
std::vector<NumberSegment> pieces_of(const std::vector<NumberSegment> &segments) {
  constexpr std::size_t most = 16384;
  std::vector<NumberSegment> pieces;
  for (const NumberSegment &segment : segments)
    for (std::size_t at = 0; at < segment.count; at += most)
      pieces.push_back({segment.items + at, std::min(most, segment.count - at)});
  return pieces;
}

// Counts of all contexts, as choose_symbols() takes them. Afterwards each item holds its token's index over all
// contexts in place of the context.
std::vector<std::uint32_t> count_tokens(const std::vector<NumberSegment> &segments, unsigned contexts, int threads) {
  const std::vector<NumberSegment> pieces = pieces_of(segments);
  const int used = thread_count(threads, pieces.size());
  std::vector<std::vector<std::uint32_t>> counts_of(static_cast<std::size_t>(used));
  parallel_ranges(used, pieces.size(), [&](int t, std::uint64_t first, std::uint64_t last) {
    std::vector<std::uint32_t> &counts = counts_of[static_cast<std::size_t>(t)];
    counts.resize(std::size_t{contexts} * core::number_tokens);
    for (std::uint64_t p = first; p < last; ++p) {
      const NumberSegment &piece = pieces[p];
      for (std::size_t i = 0; i < piece.count; ++i) {
        const std::uint64_t item = piece.items[i];
        const auto number = static_cast<std::uint32_t>(item);
        const std::uint64_t context = item >> 32;
        const std::uint64_t token = context * core::number_tokens + core::token_of(number);
        ++counts[token];
        piece.items[i] = token << 32 | number;
      }
    }
  });
  std::vector<std::uint32_t> &counts = counts_of[0];
  for (std::size_t t = 1; t < counts_of.size(); ++t)
    std::transform(counts_of[t].begin(), counts_of[t].end(), counts.begin(), counts.begin(), std::plus<>());
  return std::move(counts);
}

// Appends states, words and raw bits. The padding to 8 bytes counts from `start` in `bytes`.
void append_numbers(const NumberSegment &segment, const NumberSymbols &symbols, std::size_t start,
                    std::vector<std::uint8_t> &bytes) {
  const std::uint64_t *const items = segment.items;
  const auto symbol_of = [&](std::uint64_t item) -> const NumberSymbol & { return symbols.of_token[item >> 32]; };
  std::uint64_t raw_bits = 0;
  const std::size_t most_words = segment.count;
  const std::unique_ptr<std::uint16_t[]> words(new std::uint16_t[most_words]);
  std::size_t first_word = most_words;
  const auto step = [&](std::uint64_t item, std::uint32_t &x) {
    const NumberSymbol &symbol = symbol_of(item);
    raw_bits += symbol.bits;
    // No branch, as it would be unpredictable: an unneeded word is overwritten later.
    const bool full = core::ans_is_full(x, symbol.frequency);
    words[first_word - 1] = static_cast<std::uint16_t>(x);
    first_word -= full ? 1 : 0;
    x = push(full ? x >> 16 : x, symbol);
  };
  // Encodes in reverse order, since the decoder undoes the steps. The states take turns.
  static_assert(core::ans_states == 2);
  std::uint32_t even = core::ans_low, odd = core::ans_low;
  std::size_t i = segment.count;
  if (i % 2 != 0) step(items[--i], even);
  while (i != 0) {
    step(items[--i], odd);
    step(items[--i], even);
  }

  for (const std::uint32_t x : {even, odd}) format::ByteWriter(bytes).u32(x);
  const std::size_t words_at = bytes.size();
  const std::size_t word_bytes = (most_words - first_word) * sizeof(std::uint16_t);
  bytes.resize(start + format::round_up_8(words_at + word_bytes - start + (raw_bits + 7) / 8));
  // Raw bits are written towards the words and clear eight bytes in front; keep those bytes.
  std::array<std::uint8_t, sizeof(std::uint64_t)> kept;
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(words_at - kept.size()), kept.size(), kept.begin());
  BackwardBits out(bytes.data() + bytes.size());
  for (i = 0; i < segment.count; ++i) out.put(static_cast<std::uint32_t>(items[i]), symbol_of(items[i]).bits);
  std::copy(kept.begin(), kept.end(), bytes.begin() + static_cast<std::ptrdiff_t>(words_at - kept.size()));
  if (word_bytes != 0) std::memcpy(bytes.data() + words_at, &words[first_word], word_bytes);
}

}  // namespace

void append_segments(const std::vector<NumberSegment> &segments, unsigned contexts, int threads,
                     std::vector<std::uint8_t> &bytes) {
  const NumberSymbols symbols = choose_symbols(count_tokens(segments, contexts, threads), contexts);
  std::uint64_t numbers = 0;
  for (const NumberSegment &segment : segments) numbers += segment.count;
  const int used = thread_count(threads_for_particles(threads, numbers), segments.size());
  std::vector<std::vector<std::uint8_t>> streams(static_cast<std::size_t>(used));
  std::vector<std::uint32_t> lengths(segments.size());
  parallel_ranges(used, segments.size(), [&](int t, std::uint64_t begin, std::uint64_t end) {
    std::vector<std::uint8_t> &stream = streams[static_cast<std::size_t>(t)];
    for (std::uint64_t s = begin; s < end; ++s) {
      const std::size_t start = stream.size();
      append_numbers(segments[s], symbols, start, stream);
      lengths[s] = static_cast<std::uint32_t>(stream.size() - start);
    }
  });
  append_segment_tables(symbols.tables, lengths, bytes);
  for (const auto &stream : streams) bytes.insert(bytes.end(), stream.begin(), stream.end());
}

void NumberEncoder::append(NumberEncoder &&behind) {
  items_.insert(items_.end(), behind.items_.begin(), behind.items_.end());
  behind.items_ = {};
}

void NumberEncoder::finish(std::vector<std::uint8_t> &bytes, int threads) {
  const NumberSegment all{items_.data(), items_.size()};
  const NumberSymbols symbols = choose_symbols(count_tokens({all}, contexts_, threads), contexts_);
  const std::size_t start = bytes.size();
  write_tables(symbols.tables, bytes);
  append_numbers(all, symbols, start, bytes);
  items_.clear();
}

std::vector<NumberSegment> NumberEncoder::segments() {
  std::vector<NumberSegment> all;
  std::size_t begin = 0;
  for (const std::size_t end : segments_) {
    all.push_back({items_.data() + begin, end - begin});
    begin = end;
  }
  return all;
}

NumberSlots::NumberSlots(const std::uint8_t *stream, std::size_t size, unsigned contexts) {
  NumberTables tables;
  bytes = read_tables(stream, size, contexts, tables);
  slot.resize(std::size_t{contexts} * core::ans_total);
  token.resize(contexts * tokens_of_context);
  for (unsigned c = 0; c < contexts; ++c) {
    const NumberTable table(tables, c);
    for (std::uint32_t t = 0; t <= table.tokens; ++t) {
      const core::TokenShare &share = table.share[t];
      const std::uint64_t number = t == table.tokens ? 0 : core::token_first(t) << table.low;
      Token &to = token[c * tokens_of_context + t];
      to.first = static_cast<std::uint32_t>(number);
      to.start = share.start & ((1u << Token::start_bits) - 1);
      to.frequency = share.frequency & ((1u << Token::frequency_bits) - 1);
      to.bits = static_cast<std::uint32_t>(table.bits(t)) & ((1u << Token::bits_bits) - 1);
      std::fill_n(slot.begin() + c * core::ans_total + share.start, share.frequency, static_cast<std::uint8_t>(t));
    }
  }
}

NumberDecoder::NumberDecoder(const std::uint8_t *bytes, std::size_t size, unsigned contexts)
    : bytes_(bytes), size_(size) {
  if (size % 8 != 0) corrupt("length of a stream of numbers", size);
  slots_ = std::make_shared<const NumberSlots>(bytes, size, contexts);
  start(bytes, slots_->bytes, size);
}

NumberDecoder::NumberDecoder(std::shared_ptr<const NumberSlots> slots, const std::uint8_t *bytes, std::size_t size)
    : slots_(std::move(slots)), bytes_(bytes), size_(size) {
  if (size % 8 != 0) corrupt("length of a stream of numbers", size);
  start(bytes, 0, size);
}

void NumberDecoder::start(const std::uint8_t *bytes, std::size_t at, std::size_t size) {
  slot_ = slots_->slot.data();
  token_ = slots_->token.data();
  if (state_bytes > size - at) corrupt("states of numbers exceed their section", at);
  state_ = format::load_little<std::uint32_t>(bytes + at);
  other_state_ = format::load_little<std::uint32_t>(bytes + at + sizeof(std::uint32_t));
  if (state_ < core::ans_low || other_state_ < core::ans_low) corrupt("state of a stream of numbers", at);
  words_ = bytes + at + state_bytes;
  last_word_ = static_cast<std::int64_t>((size - at - state_bytes) / sizeof(std::uint16_t)) - 1;
  last_raw_ = bytes + size - sizeof(std::uint64_t);
  last_byte_ = size - sizeof(std::uint64_t);
}

std::vector<NumberDecoder> open_segments(const std::uint8_t *bytes, std::size_t size, unsigned contexts,
                                         std::size_t segments) {
  format::ByteReader in(bytes, size);
  const std::size_t table_bytes = in.u32();
  if (segments > in.left() / sizeof(std::uint32_t)) corrupt("segments of numbers exceed their section", size);
  std::vector<std::size_t> lengths(segments);
  for (std::size_t &length : lengths) length = in.u32();
  if (segments % 2 == 0 && in.u32() != 0) corrupt("padding of segments of numbers", in.position());
  const std::size_t tables_at = in.position();
  const std::uint8_t *const tables = in.take(table_bytes);
  const auto slots = std::make_shared<const NumberSlots>(tables, table_bytes, contexts);
  if (table_bytes != format::round_up_8(slots->bytes)) corrupt("length of tables of numbers", tables_at);
  for (std::size_t i = slots->bytes; i < table_bytes; ++i)
    if (tables[i] != 0) corrupt("padding of tables of numbers", tables_at);
  std::vector<NumberDecoder> streams;
  streams.reserve(segments);
  std::size_t at = in.position();
  for (const std::size_t length : lengths) {
    if (length > size - at) corrupt("segments of numbers exceed their section", at);
    if (length % 8 != 0) corrupt("length of a stream of numbers", at);
    if (length < state_bytes) corrupt("states of numbers exceed their section", at);
    streams.emplace_back(slots, bytes + at, length);
    at += length;
  }
  if (at != size) corrupt("segments of numbers do not fill their section", at);
  return streams;
}

void NumberDecoder::end() const {
  if (state_ != core::ans_low || other_state_ != core::ans_low) corrupt("numbers do not end where their stream does");
  const auto words_end = static_cast<std::uint64_t>(words_ - bytes_) + 2 * static_cast<std::uint64_t>(word_);
  const std::uint64_t raw_bytes = bit_ / 8 + (bit_ % 8 != 0 ? 1 : 0);
  if (words_end > size_ || raw_bytes > size_ - words_end || size_ - words_end - raw_bytes >= 8)
    corrupt("numbers do not fill their stream", size_);
  std::uint32_t rest = 0;
  for (std::uint64_t i = words_end; i < size_ - raw_bytes; ++i) rest |= bytes_[i];
  if (bit_ % 8 != 0) rest |= bytes_[size_ - raw_bytes] & ((1u << (8 - bit_ % 8)) - 1);
  if (rest != 0) corrupt("padding of a stream of numbers", words_end);
}

}  // namespace gpz::codec
