// SPDX-License-Identifier: BSD-3-Clause
// Coding 13: positions of a difference frame in steps of 32 lanes (docs/format.md, section 9d).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/lanes/codes.hpp"
#include "gpz/lanes/constants.hpp"
#include "gpz/lanes/fit.hpp"
#include "gpz/lanes/images.hpp"
#include "gpz/lanes/layout.hpp"
#include "gpz/lanes/opened_section.hpp"
#include "gpz/lanes/plan.hpp"
#include "gpz/lanes/words.hpp"
#include "gpz/molecule/section.hpp"

namespace gpz::lanes {

// Changes that take effect only if the section is kept.
struct Update {
  Models models;  // those that are new
  // Encoder: of the first frames with this plan.
  std::optional<Fit> fit;
  std::shared_ptr<Counts> counts;
  bool has_settled = false;       // encoder: nothing is fitted to sums of frames any more
  format::Column<float> means;    // encoder; empty: they were written over
  std::size_t words = 0;          // of the last section whose tables were compared with better ones
  std::uint64_t frames = 0;       // of the history, including this one
  bool rests = false;             // the motion of particles ends in this frame
  std::size_t lasting_bytes = 0;  // of the section: molecules, constants and tables, which later ones use as well

  // For a new plan: number of particles whose bond lengths hardly change between frames.
  std::size_t firmly_bound() const;
};

class State {
 public:
  bool empty() const { return models_.plan == nullptr; }
  // Whether motion ended in the last section, once.
  bool take_rest() { return std::exchange(rests_, false); }
  void commit(Update &&update);
  // Begins anew: at an independent chunk, and where particles leave or arrive. Keeps memory for what comes.
  void restart();
  std::size_t memory_usage() const;

 private:
  friend class SectionPass;
  friend class SectionEncoder;
  friend class SectionDecoder;

  Models models_;
  bool rests_ = false;
  std::uint64_t frames_ = 0;    // of the history, when the rows were written
  std::uint64_t sections_ = 0;  // with this plan
  // Rows of the frames before and now take turns: place 8 s and 8 s + 4 for slot s.
  format::Column<std::int32_t> rows_;
  unsigned now_ = 0;             // 0 or 4: the rows of the last frame
  format::Column<float> means_;  // of the particles in the slots
  // Encoder.
  Fit fit_;
  std::shared_ptr<const Counts> counts_;
  std::size_t words_ = 0;
  KnownPlan known_plan_;  // decoder
  // The blocks of the plan that have particles which are followed, if not all are.
  format::Column<std::uint32_t> followed_blocks_;
};

// As molecule::encode and molecule::decode. With `rests`, what the history knows of motion ends with this frame, which
// is faster: steps do not need it.
std::optional<Update> encode(State &state, const codec::DifferenceState &history, const codec::IndexColumns &q,
                             const molecule::Edges &edges, std::vector<std::uint8_t> &bytes, int threads = 1,
                             bool rests = false);
// Only blocks of steps with particles that are `followed` are decoded, and only these particles get indices; nullptr:
// all. The same particles must be followed until the state begins anew. Throws AllSlotsNeeded if rows have to be made
// of indices that are not known.
void decode(State &state, const codec::DifferenceState &history, const std::uint8_t *bytes, std::size_t size,
            const core::GridBox &axes, int threads, const codec::IndexOutput &q,
            const codec::FollowedBlocks *followed = nullptr);

}  // namespace gpz::lanes
