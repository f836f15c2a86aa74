// SPDX-License-Identifier: BSD-3-Clause
// Blocks of steps (docs/format.md, section 9d): decodes positions, and finds the numbers that an encoder codes.
// Compiled once for each instruction set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpz/core/config.hpp"
#include "gpz/core/steps.hpp"
#include "gpz/core/types.hpp"

namespace gpz::codec {

struct Step {
  core::StepKind kind;
  std::uint8_t lanes;           // in use: 1 to core::step_lanes
  bool is_regular;              // the references of its lanes are neighbours in memory
  bool has_seconds;             // some of its particles have a second reference
  std::uint32_t constants = 0;  // number of its columns of constants
};

// The tables that the steps of a frame share. Slot s of step t has number 32 t + s. Lanes that are not in use have the
// references and constants of lane 0.
struct StepTable {
  const Step *steps;
  // Row, in integers, of the references of each slot: 8 times the number of a slot.
  const std::uint32_t *parent, *axis, *second;
  const float *constants;  // step_constants columns of step_lanes floats, aligned to 64 bytes
  // The row of all roots of a key frame, which has no frame before it. All circles are wide then.
  const std::int32_t *key_root = nullptr;
};

// Tables of contexts and of levels of sides. Entry: token from bit 24 on, increment of the state from bit 12 on, and
// frequency.
struct StepCodes {
  const std::uint32_t *entries;  // step_table_size of each context
  const std::uint32_t *sides;    // frequency of the nearer side; step_side_levels of them
};

// Means of particles, core::step_means columns of step_lanes floats for each step; may be the same columns. The gain
// is the part of the last frame in them. Particles without bonds have motions, core::motion_columns columns, in their
// place.
struct StepMeans {
  const float *before;
  float *after;
  float gain;
  bool are_motions = false;
};

// How tokens are coded, for the encoder. Entry: the first slot of a token, and its frequency from bit 16 on; 0: the
// token has none. The last entry of a context is the escape.
struct StepShares {
  static constexpr std::size_t tokens = 256;  // entries of a context, from that of the lowest token on

  const std::uint32_t *entries;
  const std::uint32_t *sides;  // as in StepCodes
};

// A number of each lane, for the encoder. `context` is one of core::step_contexts, or `side` plus a level, whose number
// is 0 or 1, or `nothing`.
struct StepItems {
  static constexpr std::uint16_t side = core::step_contexts;
  static constexpr std::uint16_t nothing = UINT16_MAX;

  alignas(64) std::array<std::int32_t, core::step_lanes> number;
  alignas(64) std::array<std::int32_t, core::step_lanes> context;
};
// Most numbers of a step.
inline constexpr std::size_t step_most_items = 4;
// Most words of a step: of a component those of a token, of further bits, and of an escape.
inline constexpr std::size_t step_most_words = core::step_lanes * (3 * 4 + 1);
inline constexpr std::size_t step_most_item_words = core::step_lanes * 4;

// Rows of a frame, and the edges that move them to positions, with limits: positions fit into 32 bits.
struct StepFrame {
  static constexpr std::int32_t most_row = 1 << 30;
  static constexpr std::int32_t most_edge = 1 << 25;
  static constexpr std::int32_t most_image = 7;
  static_assert(std::int64_t{most_row} + 3 * std::int64_t{most_edge} * most_image < INT64_C(1) << 31);

  const std::int32_t *rows;      // 8 integers from slot to slot
  const std::uint32_t *slot_of;  // of each particle
  core::Vector<std::int32_t> edges[3];
  // The box in which images stay as they are.
  core::Vector<std::int32_t> least, most;
};

// Positions of a frame, and the box, for the rows of an encoder. All numbers fit into 32 bits.
struct StepPositions {
  static constexpr std::int64_t most = (1 << 30) - 1;  // of positions and rows
  static constexpr std::int64_t most_edge = INT32_MAX, most_tilted = 1 << 28;
  static constexpr std::int32_t most_image = 99;  // the next frame's image fits as well

  const std::int64_t *q[core::max_components];
  const std::uint32_t *particle_at;           // of each slot; UINT32_MAX: none
  core::Vector<std::int32_t> edges[3], half;  // half: of a period; INT32_MAX: an open axis
  // The box in which images do not wrap; the least is above the most where that is not known.
  core::Vector<std::int32_t> least, most_inside;
};

// A row: x, y, z, and the image, which tells how many edges are added: i8 for x, y and z from the lowest byte on.
struct StepKernels {
  // Decodes steps first, ... end - 1 of a block into the rows at `now` (0 or 4) of `rows`, which is aligned to 16
  // bytes; the others are those of the frame before, whose images they get. In a key frame, images are 0, and neither
  // rows of a frame before nor means are used. Returns false if the words do not fit.
  // `words` are followed by step_most_words that can be read.
  bool (*decode)(const StepTable &table, const StepCodes &codes, std::size_t first, std::size_t end, std::int32_t *rows,
                 unsigned now, const StepMeans &means, const std::uint16_t *words, std::size_t count);
  // The numbers of the steps, of both frames. Returns how many.
  std::size_t (*find)(const StepTable &table, std::size_t first, std::size_t end, std::int32_t *rows, unsigned now,
                      const StepMeans &means, StepItems *items);
  // Rows at `now` of the particles of steps first to end - 1, with the images that make bond vectors, and the
  // displacements of roots, short. Particles whose image is not the last one, or outside the box, are left for the
  // caller to look at: their slots go to `left`, which has room for all. Returns how many; SIZE_MAX if a row or an
  // image does not fit. Positions must be within StepPositions::most.
  std::size_t (*find_rows)(const StepTable &table, const StepPositions &from, std::size_t first, std::size_t end,
                           std::int32_t *rows, unsigned now, std::uint32_t *left);
  // Whether magnitudes are at most StepPositions::most.
  bool (*are_within)(const std::int64_t *x, std::size_t count);
  // The words of the numbers of a block of `steps`, and its states, in the order in which decode() reads them: they end
  // at `end`. Returns how many there are. step_most_item_words for each item, and as many again, must be writable
  // before `end`.
  std::size_t (*encode)(const StepShares &shares, std::size_t steps, const StepItems *items, std::size_t count,
                        std::uint16_t *end);
  // Adds `weight` times the part of a normal distribution with deviation 1 / `over` that lies below each edge.
  void (*add_below)(double weight, double over, const double *edges, std::size_t count, double *sums);
  // Positions of particles first to end - 1. Particles with rows or images beyond the limits, or outside the box, are
  // left to the caller: their numbers go to `left`, which has room for all. Returns how many.
  std::size_t (*find_positions)(const StepFrame &from, std::size_t first, std::size_t end,
                                const std::array<std::int64_t *, 3> &positions, std::uint32_t *left);
};

namespace GPZ_ISA {
extern const StepKernels step_kernels;
}

}  // namespace gpz::codec
