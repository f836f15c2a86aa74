// SPDX-License-Identifier: BSD-3-Clause
// The parts of a section of steps in front of its words (docs/format.md, section 9d), for decoders on CPU and GPU.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "gpz/core/residual.hpp"
#include "gpz/lanes/codes.hpp"
#include "gpz/lanes/constants.hpp"
#include "gpz/lanes/images.hpp"
#include "gpz/lanes/plan.hpp"
#include "gpz/lanes/templates.hpp"

namespace gpz::lanes {

enum SectionFlag : unsigned {
  new_plan = 1,
  new_constants = 2,
  new_codes = 4,
  wraps = 8,
  tilted = 16,
  brick = 32,
  motion_ends = 64,
  all_flags = 127
};

struct Numbers {
  std::vector<ClassConstants> constants;

  // For kernels of the CPU. `key`: the headings of a key frame; nullptr in others.
  const float *columns_for(const Plan &plan, const std::vector<Heading> *key) {
    const Filled now = key != nullptr ? Filled::key : Filled::difference;
    if (filled_ != now) columns_.fill(plan.layout, constants, plan.molecules.have_bonds(), key);
    filled_ = now;
    return columns_.data();
  }
  // Call where constants or their classes have changed. Keeps memory.
  void forget_columns() { filled_ = Filled::nothing; }
  std::size_t memory_usage() const { return columns_.memory_usage(); }

 private:
  enum class Filled { nothing, difference, key };

  ConstantColumns columns_;
  Filled filled_ = Filled::nothing;
};

// The models that sections share until one replaces them. Without a plan, the others only have memory.
struct Models {
  std::shared_ptr<Plan> plan;
  std::shared_ptr<Numbers> numbers;
  std::shared_ptr<Codes> codes;

  // Takes those of `newer` that are not null.
  void take(Models newer) {
    if (newer.plan != nullptr) plan = std::move(newer.plan);
    if (newer.numbers != nullptr) numbers = std::move(newer.numbers);
    if (newer.codes != nullptr) codes = std::move(newer.codes);
  }
};

// Part of the last frame in the means of particles, after so many sections with these molecules: means of all frames,
// and then of the last ones.
inline float gain_of_means(std::uint64_t sections) {
  constexpr std::uint64_t most = 16;
  return 1.0F / static_cast<float>(std::min(sections + 1, most));
}
// The same of the mean positions of particles without bonds, after so many frames since the key frame, which counts.
inline float gain_of_motions(std::uint64_t frames) {
  constexpr std::uint64_t most = 64;
  return 1.0F / static_cast<float>(std::min(frames, most));
}
// The one that the particles of a plan need.
inline float gain_of(const Plan &plan, std::uint64_t sections, std::uint64_t frames) {
  return plan.molecules.have_bonds() ? gain_of_means(sections) : gain_of_motions(frames);
}

// Returns `count` bytes of a section from `offset` on, all of which it has. They are valid until the next call.
using ReadBytes = std::function<const std::uint8_t *(std::size_t offset, std::size_t count)>;

struct OpenedSection {
  unsigned flags = 0;
  Cell cell;
  Models models;        // those that are new; null: as before
  Templates templates;  // of a key frame
  ImageExceptions images;
  std::vector<std::uint32_t> words;  // of each block
  std::size_t words_at = 0;          // bytes in front of the first one

  bool has(SectionFlag flag) const { return (flags & flag) != 0; }
};
// Opens a section of `size` bytes; `is_key`: of a key frame. `last`: the models of the section before; tables that
// nobody else has are written over. Throws corrupt, limit_exceeded, std::bad_alloc.
OpenedSection open_section(const ReadBytes &read, std::size_t size, const core::GridBox &axes, std::size_t particles,
                           bool is_key, Models &last, KnownPlans &known, int threads);

}  // namespace gpz::lanes
