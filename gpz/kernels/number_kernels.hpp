// SPDX-License-Identifier: BSD-3-Clause
// Numbers of several streams at once, one in each lane (docs/format.md, sections 9c and 10a). Compiled once for each
// instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/core/ans.hpp"
#include "gpz/kernels/way_batch.hpp"

namespace gpz::codec {

// A token of a context in 8 bytes, which vectors load at once.
struct NumberToken {
  static constexpr unsigned start_bits = 12, frequency_bits = 13, bits_bits = 6;

  std::uint32_t first;
  std::uint32_t start : start_bits;
  std::uint32_t frequency : frequency_bits;
  std::uint32_t bits : bits_bits;
};
static_assert(sizeof(NumberToken) == sizeof(std::uint64_t));
static_assert(core::ans_bits <= NumberToken::start_bits && core::ans_bits < NumberToken::frequency_bits);

inline constexpr std::size_t tokens_of_context = core::number_tokens + 1;
// Vectors load 8 bytes from tables of bytes: as many are behind the last one.
inline constexpr std::size_t bytes_behind_table = 7;

// Streams of the lanes: the members of NumberCursor, with pointers as numbers. Those of idle lanes must be readable
// too.
struct NumberLanes {
  using Words = Lanes<std::int64_t>;

  const std::uint8_t *slots = nullptr;
  const NumberToken *tokens = nullptr;
  Words state, other_state, words, word, last_word, last_raw, bit, last_byte;
};

// Places of contexts: those of a component depend on its group (molecule::Group), level and part; those of the levels
// of sides follow.
inline constexpr unsigned component_groups = 3;
inline constexpr unsigned places_of_group = ExpectedNumber::levels * ExpectedNumber::parts;
inline constexpr unsigned place_of_sides = component_groups * places_of_group;

// How the components of bond vectors and displacements are coded.
struct ComponentCoding {
  const std::uint8_t *contexts = nullptr;  // of decoders, by place; bytes_behind_table follow
  std::int64_t first_side = 0;             // context of the least reliable sides
  std::int64_t most = 0;                   // limit of a component
  unsigned step = 0;
  unsigned coded = 0;  // bits of the lanes that have a number; components of others are in `way`
};

// Numbers of an encoder. An item is a number, and the place of its context from bit item_place_shift on.
struct NumberItems {
  Lanes<std::int64_t> item;
  // Levels that components have had so far, in each lane.
  Lanes<std::int64_t> least_level, most_level;
};
inline constexpr int item_place_shift = 32;

struct NumberKernels {
  // Encoders: number of the component of a step, which is in `way`. Sets `value`.
  void (*write)(const ComponentCoding &, const WayBatch &, NumberItems &, Lanes<std::int32_t> &value);
  // Encoders: numbers of the sides, which are in `way`. Returns the bits of lanes that have one. Sets what read_sides()
  // sets.
  unsigned (*write_sides)(const ComponentCoding &, WayBatch &, NumberItems &);
  // Decoders: reads the component of a step. Sets `value` and the component of `way`.
  void (*read)(NumberLanes &, const ComponentCoding &, WayBatch &, Lanes<std::int32_t> &value);
  // Decoders: reads the sides of the lanes that have two. Step 0 sets `near`, step 1 `side`.
  void (*read_sides)(NumberLanes &, const ComponentCoding &, WayBatch &);
  // Decoders: reads the numbers of the lanes whose bits are set, all in one context. Returns the bits that are in any
  // of them.
  std::uint32_t (*get)(NumberLanes &, unsigned context, unsigned coded, Lanes<std::int64_t> &numbers);
};

namespace GPZ_ISA {
extern const NumberKernels number_kernels;
}

}  // namespace gpz::codec
