// SPDX-License-Identifier: BSD-3-Clause
// Parameters of the kernels of steps, as plain data.
#pragma once

#include <cstdint>

#include "gpz/core/step_motion.hpp"
#include "gpz/cuda/difference/params.hpp"
#include "gpz/kernels/step_kernels.hpp"
#include "gpz/molecule/cell.hpp"

namespace gpz::cuda {

// lanes::Layout in device memory.
struct StepLayout {
  struct Block {
    std::uint32_t first, end;         // steps
    std::uint32_t first_item, items;  // numbers that an encoder finds; there is a spare one after each block
  };

  const codec::Step *steps;
  // Of slots, as in codec::StepTable: eight times the slot. nullptr: particles have no bonds.
  const std::uint32_t *parent, *axis, *second;
  const std::uint8_t *of_class;      // of slots; lanes that are not in use have that of lane 0
  const std::uint32_t *particle_at;  // of slots; UINT32_MAX: none
  const std::uint32_t *slot_of;      // of particles
  const std::uint32_t *first_item;   // of steps, from those of their block on
  const Block *blocks;
  std::uint32_t block_count;
  std::uint64_t slots;
  std::uint64_t particles;
  std::uint64_t items;  // with the spare ones
};

// Four integers of each slot: a row as in codec::StepKernels. Those of two frames are apart, so that neither is loaded
// with the other.
inline constexpr std::uint32_t row_integers = 4;

// Rows and means of the particles, or motions of those without bonds (codec::StepMeans).
struct StepRows {
  std::int32_t *now;
  std::int32_t *before;  // of the frame before
  const float *means;
  float *next_means;  // may be the same
  float gain;
  bool are_motions;
};

// Constants of classes, of a key frame or of difference frames: a table of spheres after that of other kinds.
struct StepConstants {
  static constexpr std::uint32_t row = 24;  // of a class

  const float *values;
  std::uint32_t classes;

  std::uint32_t size() const { return 2 * row * classes; }
  GPZ_HD const float *of(std::uint32_t of_class, bool is_sphere) const {
    return values + row * (of_class + (is_sphere ? classes : 0));
  }
};
static_assert(core::step_constants <= StepConstants::row);

struct StepDecode {
  StepLayout layout;
  StepRows rows;
  StepConstants constants;
  const std::uint32_t *entries;  // as in codec::StepCodes
  const std::uint32_t *sides;
  const std::uint16_t *words;       // of all blocks
  const std::uint64_t *first_word;  // of each block, and the end
  std::uint32_t *status;
  bool is_key;                          // a key frame
  core::Vector<std::int32_t> key_root;  // the row of its roots
};

// An image that is not the usual one.
struct StepImage {
  std::uint32_t slot;
  std::uint32_t code;
};

struct StepPlacing {
  StepLayout layout;
  std::int32_t *rows;  // of this frame
  molecule::Cell cell;
  bool wraps;
  const StepImage *images;
  std::uint32_t image_count;
  DifferenceHistory history;
  bool rests;  // the history knows no motion afterwards
  std::uint32_t *status;
};

// --- Encoders

// Results of the kernels for a frame; zeros before the call.
struct StepReport {
  static constexpr std::size_t most_rules = 3, most_images = 512;

  std::uint32_t is_unfit;                   // a row or an image is too far away
  std::uint32_t images[most_rules];         // that are not those of each rule
  std::uint32_t is_far[most_rules];         // not 0: one of them is too far from it
  std::uint32_t listed;                     // images
  StepImage list[most_rules][most_images];  // the first ones of each rule, in any order
};

// Rows of a frame and of the one before for the host, as in codec::StepKernels.
struct StepRowPair {
  static constexpr unsigned now = 4;

  std::int32_t values[2 * row_integers];
};

// Rows and motions of the lanes of a step.
struct StepSample {
  StepRowPair rows[core::step_lanes];
  float motions[core::motion_columns * core::step_lanes];
};

struct StepFinding {
  StepLayout layout;
  StepRows rows;
  const std::int32_t *index[core::max_components];  // of this frame
  molecule::Cell cell;
  bool is_key;  // there is no frame before
  StepReport *report;
};

struct StepImages {
  struct Rule {
    bool wraps;
    molecule::Cell cell;
  };
  StepLayout layout;
  const std::int32_t *now, *before;  // rows
  Rule rules[StepReport::most_rules];
  std::uint32_t rule_count;
  bool is_key;  // there is no frame before
  StepReport *report;
  StepImage *list;  // of rule 0, if not null
  std::uint32_t list_capacity;
};

// Numbers and contexts of the lanes of a step, as codec::StepItems.
struct StepItemRow {
  std::int32_t number[core::step_lanes];
  std::uint16_t context[core::step_lanes];
};

// Items of the blocks, one block after the other. The words of a block overwrite its items, from the end on. A lane has
// three words an item at most; the states take those of a spare item.
struct StepItemLists {
  StepItemRow *items;
  std::uint32_t *words;  // of each block; after coding

  GPZ_HD StepItemRow *items_of(const StepLayout::Block &block) const { return items + block.first_item; }
  GPZ_HD std::uint16_t *end_of_words(const StepLayout::Block &block) const {
    return reinterpret_cast<std::uint16_t *>(items_of(block) + block.items + 1);
  }
};

// lanes::Counts: counts of each token, with the escape, in each context; then sides.
inline constexpr std::uint32_t step_counted_tokens = 2 * core::step_last_token + 2;
inline constexpr std::uint32_t step_context_counts = core::step_contexts * step_counted_tokens;
inline constexpr std::uint32_t step_counts = step_context_counts + 2 * core::step_side_levels;

// As codec::StepShares.
struct StepCoding {
  StepLayout layout;
  StepItemLists lists;
  const std::uint32_t *entries;
  const std::uint32_t *sides;
};

}  // namespace gpz::cuda
