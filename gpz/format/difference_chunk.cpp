// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/format/difference_chunk.hpp"

#include <string>

#include "gpz/chunk.hpp"
#include "gpz/core/pack.hpp"
#include "gpz/core/types.hpp"
#include "gpz/error.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::format {
namespace {

// The ascending slots that leave, of `reference`: Elias-Fano, `low` bits of each apart.
struct SlotList {
  std::uint64_t count;
  int low;
  std::uint64_t upper_words;
  std::uint64_t low_words;

  SlotList(std::uint64_t reference, std::uint64_t leaving)
      : count(leaving),
        low(leaving == 0 ? 0 : core::bit_length(reference / leaving) - 1),
        upper_words(leaving == 0 ? 0 : core::words_for_bits(leaving + (reference >> low) + 1)),
        low_words(core::words_for_bits(leaving * static_cast<unsigned>(low))) {}

  std::uint64_t words() const { return (upper_words + low_words + 1) / 2 * 2; }
};

std::vector<std::uint32_t> read_slots(const std::uint8_t *bytes, const SlotList &list, std::uint64_t reference,
                                      std::size_t position) {
  Column<std::uint32_t> words(list.words());
  ByteReader in(bytes, words.size() * 4);
  for (auto &word : words) word = in.u32();
  const std::uint32_t *const lows = words.data() + list.upper_words;
  std::vector<std::uint32_t> slots;
  slots.reserve(list.count);
  for (std::uint64_t bit = 0; bit < list.upper_words * 32; ++bit) {
    if (core::get_bits(words.data(), bit, 1) == 0) continue;
    const std::uint64_t i = slots.size();
    if (i == list.count) corrupt("more leaving particles than announced", position);
    const std::uint64_t slot =
        ((bit - i) << list.low) | core::get_bits(lows, i * static_cast<unsigned>(list.low), list.low);
    if (slot >= reference || (i > 0 && slot <= slots.back())) corrupt("leaving particles", position);
    slots.push_back(static_cast<std::uint32_t>(slot));
  }
  if (slots.size() != list.count) corrupt("fewer leaving particles than announced", position);
  for (std::uint64_t bit = list.count * static_cast<unsigned>(list.low); bit < (words.size() - list.upper_words) * 32;
       ++bit)
    if (core::get_bits(lows, bit, 1) != 0) corrupt("padding of the leaving particles", position);
  return slots;
}

}  // namespace

void append_difference_head(std::uint64_t reference, const std::vector<std::uint32_t> &leaving, std::uint64_t arriving,
                            std::size_t fields, std::vector<std::uint8_t> &bytes) {
  constexpr std::uint64_t arrivals_length = 0;  // until it is known
  append_chunk_head(ChunkKind::difference, {reference, leaving.size(), arriving, arrivals_length}, fields, bytes);
  const SlotList list(reference, leaving.size());
  std::vector<std::uint32_t> words(list.words());
  for (std::uint64_t i = 0; i < leaving.size(); ++i) {
    core::put_bits(words.data(), (leaving[i] >> list.low) + i, 1, 1);
    core::put_bits(words.data() + list.upper_words, i * static_cast<unsigned>(list.low), list.low,
                   leaving[i] & ((std::uint64_t{1} << list.low) - 1));
  }
  ByteWriter out(bytes);
  for (const std::uint32_t word : words) out.u32(word);
}

void set_arrivals_length(std::vector<std::uint8_t> &bytes, std::uint64_t length) {
  store_little(bytes.data() + arrivals_length_at, length);
}

std::size_t difference_head_size(const std::uint8_t *bytes, std::size_t size, std::size_t fields) {
  const std::size_t head = chunk_head_size(ChunkKind::difference, fields);
  if (size < head) throw Error(Status::truncated, "chunk header", {}, size);
  const auto reference = load_little<std::uint64_t>(bytes + 8);
  const auto leaving = load_little<std::uint64_t>(bytes + 16);
  if (leaving > reference || reference > UINT32_MAX) corrupt("leaving and arriving particles", 16);
  const std::uint64_t list = SlotList(reference, leaving).words() * 4;
  if (list > size - head) corrupt("leaving particles exceed their chunk", head);
  return head + static_cast<std::size_t>(list);
}

DifferenceChunk read_difference_head(const std::uint8_t *bytes, std::size_t size, std::uint64_t reference,
                                     std::uint64_t particles, std::size_t fields) {
  const std::size_t head = chunk_head_size(ChunkKind::difference, fields);
  if (size < head) throw Error(Status::truncated, "chunk header", {}, size);
  ByteReader in(bytes, size);
  if (in.u32() != core::default_block_size) corrupt("block size", 0);
  in.u32();  // the kind
  if (in.u64() != reference) corrupt("a chunk that builds on another than the one before it", 8);
  const std::uint64_t leaving = in.u64();
  DifferenceChunk chunk;
  chunk.arriving = in.u64();
  if (leaving > reference || chunk.arriving > particles || reference - leaving != particles - chunk.arriving)
    corrupt("leaving and arriving particles", 16);
  if (reference > UINT32_MAX) corrupt("more particles than differences can have", 8);
  const std::uint64_t arrivals = in.u64();

  std::uint64_t at = head;
  const SlotList list(reference, leaving);
  if (list.words() * 4 > size - at) corrupt("leaving particles exceed their chunk", at);
  chunk.charge = Charge(leaving * sizeof(std::uint32_t));
  chunk.leaving = read_slots(bytes + at, list, reference, at);
  at += list.words() * 4;
  for (std::size_t f = 0; f < fields; ++f) {
    const std::uint64_t length = in.u64();
    if (length % 8 != 0 || length > size - at) corrupt("section length", section_length_at(ChunkKind::difference, f));
    if (length != 0 && chunk.arriving == particles)
      corrupt("section of no particles", section_length_at(ChunkKind::difference, f));
    chunk.sections.push_back({at, static_cast<std::size_t>(length)});
    at += length;
  }
  if (arrivals != size - at || (arrivals == 0) != (chunk.arriving == 0))
    corrupt("length of arrivals", arrivals_length_at);
  chunk.arrivals = {at, static_cast<std::size_t>(arrivals)};
  return chunk;
}

}  // namespace gpz::format

namespace gpz {

ChunkKind chunk_kind(const std::uint8_t *bytes, std::size_t size) {
  if (size < format::chunk_start_size) throw Error(Status::truncated, "chunk header", {}, size);
  const auto kind = static_cast<ChunkKind>(format::load_little<std::uint32_t>(bytes + format::chunk_kind_at));
  if (kind != ChunkKind::block && kind != ChunkKind::difference && kind != ChunkKind::ordered &&
      kind != ChunkKind::cells && kind != ChunkKind::sequence)
    throw Error(Status::corrupt, "unknown kind of chunk", {}, format::chunk_kind_at);
  return kind;
}

}  // namespace gpz
