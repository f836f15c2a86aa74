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
#include "gpz/lanes/model_choice.hpp"
#include "gpz/lanes/opened_section.hpp"

namespace gpz::lanes {

class State {
 public:
  bool empty() const { return learned_.models.plan == nullptr; }
  bool have_bonds() const { return !empty() && learned_.models.plan->molecules.have_bonds(); }
  // Whether motion ended in the last section, once.
  bool take_rest() { return std::exchange(rests_, false); }
  void commit(Update &&update);
  // Begins anew: at an independent chunk, and where particles leave or arrive. Keeps memory for what comes.
  void restart();
  // Plans that states share are made once.
  const std::shared_ptr<KnownPlans> &known_plans() const { return known_plans_; }
  void share(const std::shared_ptr<KnownPlans> &plans) { known_plans_ = plans; }
  std::size_t memory_usage() const;

  const Learned &learned() const { return learned_; }

 private:
  friend class SectionPass;
  friend class SectionEncoder;
  friend class SectionDecoder;

  Learned learned_;
  bool rests_ = false;
  std::uint64_t frames_ = 0;  // of the history, when the rows were written
  // Rows of the frames before and now take turns: index 8 s and 8 s + 4 for slot s.
  format::Column<std::int32_t> rows_;
  unsigned now_ = 0;             // 0 or 4: the rows of the last frame
  format::Column<float> means_;  // of the particles in the slots
  std::shared_ptr<KnownPlans> known_plans_ = std::make_shared<KnownPlans>();
  struct Work {  // encoder: memory, which is used again
    std::vector<codec::StepItems> items;
    format::Column<std::uint32_t> others;  // slots with images that are not those of the last frame
    format::Column<float> means;           // those before the last section
    std::shared_ptr<const Codes> codes;
    std::shared_ptr<const Shares> shares;  // of these codes
  };
  Work work_;
  format::Column<std::uint16_t> last_words_;  // decoder: of the last block, with what may be read after them
  // The blocks of the plan that have particles which are followed, if not all are.
  format::Column<std::uint32_t> followed_blocks_;
};

// The section of a key frame q of at least one particle, which needs no history. As encode() below.
std::optional<Update> encode_key(State &state, std::size_t particles, const codec::IndexColumns &q, const Edges &edges,
                                 std::vector<std::uint8_t> &bytes, int threads = 1);
void decode_key(State &state, std::size_t particles, const std::uint8_t *bytes, std::size_t size,
                const core::GridBox &axes, int threads, const codec::IndexOutput &q);

// Appends the section of frame q, a multiple of 8 bytes, for a history of three components and at least one particle.
// Commit the update if the section is kept; until then `state` changes only memory whose content is out of date.
// Returns and appends nothing if there are no molecules that it may use. Throws std::bad_alloc.
struct EncodeOptions {
  int threads = 1;
  bool rests = false;  // what the history knows of motion ends with this frame, which is faster: steps do not need it
  bool use_bonds = true;  // in the first section; otherwise particles have none
};
std::optional<Update> encode(State &state, const codec::DifferenceState &history, const codec::IndexColumns &q,
                             const Edges &edges, std::vector<std::uint8_t> &bytes, const EncodeOptions &options = {});
// Whether a section with this update, which was not committed yet, has particles with bonds.
bool have_bonds(const State &state, const Update &update);
// Inverse of encode, for a section of exactly `size` bytes, aligned to 4. Commits the changes of the section. Throws
// gpz::Error (corrupt); q is unspecified and `state` is empty then.
// Only blocks of steps with particles that are `followed` are decoded, and only these particles get indices; nullptr:
// all. The same particles must be followed until the state begins anew. Throws AllSlotsNeeded if rows have to be made
// of indices that are not known.
void decode(State &state, const codec::DifferenceState &history, const std::uint8_t *bytes, std::size_t size,
            const core::GridBox &axes, int threads, const codec::IndexOutput &q,
            const codec::FollowedBlocks *followed = nullptr);

}  // namespace gpz::lanes
