// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/format/leaving_slots.hpp"

#include "gpz/core/pack.hpp"
#include "gpz/core/types.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::format {
namespace {

// The `low` low bits of each slot are stored separately from its upper bits.
struct Shape {
  int low;
  std::uint64_t upper_words;
  std::uint64_t low_words;

  Shape(std::uint64_t before, std::uint64_t leaving)
      : low(leaving == 0 ? 0 : core::bit_length(before / leaving) - 1),
        upper_words(leaving == 0 ? 0 : core::words_for_bits(leaving + (before >> low) + 1)),
        low_words(core::words_for_bits(leaving * static_cast<unsigned>(low))) {}

  std::uint64_t words() const { return (upper_words + low_words + 1) / 2 * 2; }
};

}  // namespace

std::uint64_t leaving_slots_size(std::uint64_t before, std::uint64_t leaving) {
  return Shape(before, leaving).words() * sizeof(std::uint32_t);
}

void append_leaving_slots(std::uint64_t before, const std::vector<std::uint32_t> &leaving,
                          std::vector<std::uint8_t> &bytes) {
  const Shape shape(before, leaving.size());
  std::vector<std::uint32_t> words(shape.words());
  for (std::uint64_t i = 0; i < leaving.size(); ++i) {
    core::put_bits(words.data(), (leaving[i] >> shape.low) + i, 1, 1);
    core::put_bits(words.data() + shape.upper_words, i * static_cast<unsigned>(shape.low), shape.low,
                   leaving[i] & ((std::uint64_t{1} << shape.low) - 1));
  }
  ByteWriter out(bytes);
  for (const std::uint32_t word : words) out.u32(word);
}

Column<std::uint32_t> read_leaving_slots(const OpenedChunk &chunk, std::uint64_t before, std::uint64_t particles,
                                         const std::uint8_t *list) {
  if (chunk.before != before)
    corrupt("a chunk that builds on another than the one before it", leaving_at - sizeof(std::uint64_t));
  check_particles(chunk, particles);
  const Shape shape(chunk.before, chunk.leaving);
  const std::size_t position = chunk.slots.offset;
  Column<std::uint32_t> slots;
  slots.reserve(chunk.leaving);
  Column<std::uint32_t> words(shape.words());
  ByteReader in(list, words.size() * sizeof(std::uint32_t));
  for (auto &word : words) word = in.u32();
  const std::uint32_t *const lows = words.data() + shape.upper_words;
  for (std::uint64_t bit = 0; bit < shape.upper_words * 32; ++bit) {
    if (core::get_bits(words.data(), bit, 1) == 0) continue;
    const std::uint64_t i = slots.size();
    if (i == chunk.leaving) corrupt("more leaving particles than announced", position);
    const std::uint64_t slot =
        ((bit - i) << shape.low) | core::get_bits(lows, i * static_cast<unsigned>(shape.low), shape.low);
    if (slot >= chunk.before || (i > 0 && slot <= slots.back())) corrupt("leaving particles", position);
    slots.push_back(static_cast<std::uint32_t>(slot));
  }
  if (slots.size() != chunk.leaving) corrupt("fewer leaving particles than announced", position);
  for (std::uint64_t bit = chunk.leaving * static_cast<unsigned>(shape.low);
       bit < (words.size() - shape.upper_words) * 32; ++bit)
    if (core::get_bits(lows, bit, 1) != 0) corrupt("padding of the leaving particles", position);
  return slots;
}

}  // namespace gpz::format
