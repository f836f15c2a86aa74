// SPDX-License-Identifier: BSD-3-Clause
// A range coder for adaptive bits and choices of equal probability, with a separate string of raw bits (docs/format.md,
// section 10e). Encoder and decoder have the same interface, so that one walk serves both: functions take the value and
// return it. The decoder ignores its argument.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/range_code.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::codec {

class RangeEncoder {
 public:
  static constexpr bool decodes = false;

  bool bit(core::AdaptiveBit &model, bool value) {
    const std::uint64_t zero = core::range_of_zero(range_, model);
    if (value)
      take(zero, range_ - zero);
    else
      range_ = zero;
    core::learn(model, value);
    normalise();
    return value;
  }
  // One of `outcomes`, at most core::most_outcomes.
  std::uint32_t choice(std::uint32_t outcomes, std::uint32_t value) {
    const std::uint64_t part = range_ / outcomes;
    take(part * value, part);
    normalise();
    return value;
  }
  // The low `width` bits, 0 to 56.
  std::uint64_t plain(int width, std::uint64_t value) {
    held_ |= value << filled_;
    const int before = filled_;
    filled_ += width;
    if (filled_ >= 64) {
      plain_.push_back(held_);
      filled_ -= 64;
      held_ = before == 0 ? 0 : value >> (64 - before);
    }
    return value;
  }

  // Appends the number of words, the words of the range coder and the raw bits, each padded to 8 bytes. The encoder
  // cannot be used afterwards.
  void finish(std::vector<std::uint8_t> &bytes) {
    const std::uint64_t last = low_ + (core::least_range - 1);
    if (last < low_) carry();
    words_.push_back(static_cast<std::uint32_t>(last >> 32));
    if (filled_ != 0) plain_.push_back(held_);
    format::ByteWriter out(bytes);
    out.u64(words_.size());
    if (words_.size() % 2 != 0) words_.push_back(0);
    for (const std::uint32_t word : words_) out.u32(word);
    for (const std::uint64_t word : plain_) out.u64(word);
  }

 private:
  void take(std::uint64_t below, std::uint64_t range) {
    low_ += below;
    if (low_ < below) carry();
    range_ = range;
  }
  void carry() {
    for (std::size_t i = words_.size(); i-- > 0;)
      if (++words_[i] != 0) break;
  }
  void normalise() {
    if (range_ >= core::least_range) return;
    words_.push_back(static_cast<std::uint32_t>(low_ >> 32));
    low_ <<= 32;
    range_ <<= 32;
  }

  std::uint64_t low_ = 0;
  std::uint64_t range_ = ~std::uint64_t{0};
  std::vector<std::uint32_t> words_;
  std::uint64_t held_ = 0;
  int filled_ = 0;
  std::vector<std::uint64_t> plain_;
};

class RangeDecoder {
 public:
  static constexpr bool decodes = true;

  // Reads exactly the bytes that RangeEncoder::finish() appended. All functions throw corrupt.
  RangeDecoder(const std::uint8_t *bytes, std::size_t size) {
    format::ByteReader in(bytes, size);
    words_ = in.u64();
    if (size % 8 != 0 || words_ == 0 || words_ > in.left() / 4) format::corrupt("number of words of a range coder", 0);
    word_ = in.take(static_cast<std::size_t>(format::round_up_8(words_ * 4)));
    if (words_ % 2 != 0 && format::load_little<std::uint32_t>(word_ + words_ * 4) != 0)
      format::corrupt("padding of a range coder", in.position());
    plain_words_ = in.left() / 8;
    plain_ = in.take(in.left());
    code_ = std::uint64_t{next_word()} << 32;
    code_ |= next_word();
  }

  bool bit(core::AdaptiveBit &model, bool = false) {
    const std::uint64_t zero = core::range_of_zero(range_, model);
    const bool value = code_ >= zero;
    if (value) {
      code_ -= zero;
      range_ -= zero;
    } else {
      range_ = zero;
    }
    core::learn(model, value);
    normalise();
    return value;
  }
  std::uint32_t choice(std::uint32_t outcomes, std::uint32_t = 0) {
    const std::uint64_t part = range_ / outcomes;
    const std::uint64_t value = code_ / part;
    if (value >= outcomes) format::corrupt("a choice that is none");
    code_ -= part * value;
    range_ = part;
    normalise();
    return static_cast<std::uint32_t>(value);
  }
  std::uint64_t plain(int width, std::uint64_t = 0) {
    if (width == 0) return 0;
    std::uint64_t value = held_;
    const int before = left_;
    left_ -= width;
    if (left_ < 0) {
      if (next_plain_ == plain_words_) format::corrupt("too few plain bits");
      held_ = format::load_little<std::uint64_t>(plain_ + next_plain_++ * 8);
      value |= held_ << before;
      held_ >>= width - before;
      left_ += 64;
    } else {
      held_ >>= width;
    }
    return value & core::low_mask(width);
  }

  // Throws corrupt unless everything was read.
  void finish() const {
    if (next_ != words_ + 1) format::corrupt("words of a range coder that nobody reads");
    if (next_plain_ != plain_words_ || held_ != 0) format::corrupt("plain bits that nobody reads");
  }

 private:
  // One word beyond the end is read, as a 0.
  std::uint32_t next_word() {
    if (next_ > words_) format::corrupt("a range coder without a next word");
    const std::uint32_t word = next_ < words_ ? format::load_little<std::uint32_t>(word_ + next_ * 4) : 0;
    ++next_;
    return word;
  }
  void normalise() {
    if (range_ >= core::least_range) return;
    code_ = code_ << 32 | next_word();
    range_ <<= 32;
  }

  std::uint64_t words_ = 0;
  std::uint64_t next_ = 0;
  const std::uint8_t *word_ = nullptr;
  std::uint64_t code_ = 0;
  std::uint64_t range_ = ~std::uint64_t{0};
  const std::uint8_t *plain_ = nullptr;
  std::size_t plain_words_ = 0;
  std::size_t next_plain_ = 0;
  std::uint64_t held_ = 0;  // loaded raw bits
  int left_ = 0;            // number of loaded bits
};

}  // namespace gpz::codec
