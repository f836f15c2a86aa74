// SPDX-License-Identifier: BSD-3-Clause
// Bytes of a residual section after its header: directory, payload, padding (docs/format.md, section 9).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/codec/parallel.hpp"
#include "gpz/core/config.hpp"
#include "gpz/core/directory.hpp"
#include "gpz/core/pack.hpp"

namespace gpz::codec {

// The smallest widths of `count` items that hold item_of(record, i) of all records.
template <typename Record, typename ItemOf>
void find_item_widths(const std::vector<Record> &records, std::size_t count, const ItemOf &item_of,
                      std::uint8_t *width) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t all = 0;
    for (const Record &record : records) all |= item_of(record, i);
    width[i] = static_cast<std::uint8_t>(core::bit_length(all));
  }
}

inline std::uint32_t sum_of_widths(const std::uint8_t *width, std::size_t count) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < count; ++i) bits += width[i];
  return bits;
}

// Words of successive blocks, in parts.
using Payloads = std::vector<std::vector<std::uint32_t>>;

// Appends words, padded with zeros to a multiple of 8 bytes.
void append_words(Payloads &payloads, std::vector<std::uint8_t> &bytes);

// Calls encode(b, scratch), which writes scratch.words and returns how many there are, for each block. A thread has a
// scratch and a part of the payload.
template <typename Scratch, typename Encode>
Payloads encode_blocks(int threads, std::uint64_t blocks, const Encode &encode) {
  Payloads payloads(static_cast<std::size_t>(threads));
  parallel_ranges(threads, blocks, [&](int t, std::uint64_t first, std::uint64_t last) {
    const auto scratch = std::make_unique<Scratch>();
    std::vector<std::uint32_t> &payload = payloads[static_cast<std::size_t>(t)];
    for (std::uint64_t b = first; b < last; ++b) {
      const std::uint32_t words = encode(b, *scratch);
      // Blocks are of similar size.
      if (payload.capacity() - payload.size() < words && b != first)
        payload.reserve(payload.size() + words + (payload.size() / (b - first) + words / 16) * (last - b));
      payload.insert(payload.end(), scratch->words, scratch->words + words);
    }
  });
  return payloads;
}

template <typename Record, typename ItemOf>
void append_directory(const std::vector<Record> &records, std::size_t count, const ItemOf &item_of,
                      const std::uint8_t *width, std::vector<std::uint8_t> &bytes) {
  const std::uint32_t bits = sum_of_widths(width, count);
  std::vector<std::uint32_t> words(core::directory_size(bits, records.size()) / sizeof(std::uint32_t));
  std::uint64_t at = 0;
  for (const Record &record : records)
    for (std::size_t i = 0; i < count; at += width[i], ++i)
      core::put_bits(words.data(), at, width[i], item_of(record, i));
  Payloads alone;
  alone.push_back(std::move(words));
  append_words(alone, bytes);
}

// A block to decode. Once all blocks of a section are found, they can be decoded in any order.
template <typename Record>
struct StoredBlock {
  Record record;
  const std::uint32_t *words;
};

// Reads the payloads of a section in order.
class ResidualSection {
 public:
  // Opens a section of `size` bytes (a multiple of 8, aligned to 4) whose header takes `header` bytes. All functions
  // throw corrupt.
  ResidualSection(const std::uint8_t *bytes, std::size_t size, std::size_t header, std::uint32_t record_bits,
                  std::uint64_t blocks);

  const std::uint32_t *directory() const { return directory_; }
  // Takes the next `words` words, the payload of this block.
  const std::uint32_t *take(std::uint64_t words, std::uint64_t block);
  // Checks that only zeros are left.
  void end() const;

 private:
  const std::uint32_t *directory_;
  const std::uint32_t *payload_;
  std::uint64_t left_;  // words
  std::size_t header_;
};

}  // namespace gpz::codec
