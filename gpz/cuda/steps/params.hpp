// SPDX-License-Identifier: BSD-3-Clause
// Parameters of the kernels of steps, as plain data.
#pragma once

#include <cstdint>

#include "gpz/core/steps.hpp"
#include "gpz/cuda/difference/params.hpp"
#include "gpz/kernels/step_kernels.hpp"
#include "gpz/molecule/cell.hpp"

namespace gpz::cuda {

// lanes::Layout in device memory.
struct StepLayout {
  struct Block {
    std::uint32_t first, end;  // steps
  };

  const codec::Step *steps;
  const std::uint32_t *parent, *axis, *second;  // of slots: their rows, in integers, as in codec::StepTable
  const std::uint8_t *of_class;                 // of slots; lanes that are not in use have that of lane 0
  const std::uint32_t *particle_at;             // of slots; UINT32_MAX: none
  const std::uint32_t *slot_of;                 // of particles
  const Block *blocks;
  std::uint32_t block_count;
  std::uint64_t slots;
  std::uint64_t particles;
};

// Rows and means of the particles, as in codec::StepKernels and codec::StepMeans. The row at 4 - now is that of the
// frame before.
struct StepRows {
  std::int32_t *rows;
  unsigned now;  // 0 or 4
  const float *means;
  float *next_means;  // may be the same
  float gain;
};

// Constants of classes: a table of spheres behind that of other kinds, both with a column for each constant.
struct StepConstants {
  const float *values;
  std::uint32_t classes;

  std::uint32_t size() const { return 2 * core::step_constants * classes; }
};

struct StepDecode {
  StepLayout layout;
  StepRows rows;
  StepConstants constants;
  const std::uint32_t *entries;  // as in codec::StepCodes
  const std::uint32_t *sides;
  const std::uint16_t *words;       // of all blocks
  const std::uint64_t *first_word;  // of each block, and the end
  std::uint32_t *status;
};

// An image that is not the usual one.
struct StepImage {
  std::uint32_t slot;
  std::uint32_t code;
};

struct StepPlacing {
  StepLayout layout;
  std::int32_t *rows;
  unsigned now;
  molecule::Cell cell;
  bool wraps;
  const StepImage *images;
  std::uint32_t image_count;
  DifferenceHistory history;
  bool rests;  // the history knows no motion afterwards
  std::uint32_t *status;
};

}  // namespace gpz::cuda
