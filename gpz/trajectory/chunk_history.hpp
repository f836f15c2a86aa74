// SPDX-License-Identifier: BSD-3-Clause
// History of a chunk's particles from frame to frame, for writer and reader.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/format/difference_rules.hpp"
#include "gpz/frame.hpp"
#include "gpz/lanes/section.hpp"
#include "gpz/model/classed_section.hpp"
#include "gpz/model/modelled_section.hpp"
#include "gpz/trajectory/codings.hpp"
#include "gpz/trajectory/independent_chunk.hpp"
#include "gpz/trajectory/indices.hpp"
#include "gpz/trajectory/other_fields.hpp"

namespace gpz::trajectory {

// Slots 0, 1, ... are the particles in stored order. start() begins a history; a Step continues it by one difference
// frame. After an exception the history must be started again.
class ChunkHistory {
 public:
  // For each field, values that indices cannot represent.
  using ExactValues = std::vector<format::Column<format::ExactValue>>;

  // Starts with an independent chunk. Follows the fields in `wanted` (empty: all). `exact` receives the exact values of
  // all fields unless it is null. Throws as IndependentChunk::write.
  // `only`: if it is not null, fields with a history of motion need to be followed only in the blocks of slots that it
  // has rows for. All slots are followed as long as nothing is gained otherwise: if the independent chunk, or sections
  // of later chunks, cannot be decoded in part. After that a step throws AllSlotsNeeded if a section needs all slots.
  void start(const IndependentChunk &chunk, const std::vector<bool> &wanted, int threads, ExactValues *exact = nullptr,
             const codec::Target *only = nullptr);
  void forget() { started_ = false; }
  // Forgets the history, and frees what the next one will not overwrite.
  void restart();
  // Whether these fields have the same grids as in the previous frame: a condition of differences.
  bool fits(const std::vector<Field> &fields) const;
  std::uint64_t particles() const { return particles_; }
  bool follows(std::size_t field) const { return wanted_.empty() || wanted_[field]; }
  // Whether only some blocks of slots need to be followed: of any field, of this field.
  bool is_limited() const { return !followed_blocks_.all(); }
  bool is_limited(std::size_t field) const { return is_limited() && !fields_[field].plain; }
  // These blocks, of a field that is limited.
  codec::FollowedBlocks followed_blocks(std::size_t field) const { return {followed_blocks_, has_all_[field]}; }
  // Whether all slots of all fields are followed so far.
  bool has_all_slots() const { return std::find(has_all_.begin(), has_all_.end(), false) == has_all_.end(); }
  // Throws AllSlotsNeeded unless all slots of this field are.
  void require_all_slots(std::size_t field) const {
    if (!has_all_[field]) throw AllSlotsNeeded{};
  }
  // All slots of all fields are followed from now on. Throws AllSlotsNeeded if they were not so far.
  void follow_all_slots();
  const std::vector<bool> &wanted() const { return wanted_; }
  const std::vector<Field> &fields() const { return described_; }
  const codec::DifferenceState &state(std::size_t field) const { return fields_[field]; }
  // The fields that sections of field `field` may use. Fields with lower numbers already have the indices of this
  // frame.
  OtherFields others(std::size_t field) const;
  // State of modelled and classed sections of a field.
  model::ModelledState &modelled(std::size_t field) { return modelled_[field]; }
  const model::ModelledState &modelled(std::size_t field) const { return modelled_[field]; }
  model::ClassedState &classed(std::size_t field) { return classed_[field]; }
  // The state that start() will use, before that.
  lanes::State &key_steps(std::size_t field) {
    modelled_.resize(std::max(modelled_.size(), field + 1));
    return modelled_[field].steps;
  }

  std::size_t memory_usage() const;

  class Step;
  // A field with the indices of the previous frame, crossings included. One of its calls completes the field.
  class FieldStep {
   public:
    FieldStep(FieldStep &&) = default;
    FieldStep(const FieldStep &) = delete;
    FieldStep &operator=(const FieldStep &) = delete;
    ~FieldStep() = default;

    void follow(const codec::IndexColumns &indices, const core::GridBox &box) && {
      history_.follow(field_, indices, box);
    }
    // The same. May leave other indices in the columns.
    void follow(Indices &indices, const core::GridBox &box) && {
      history_.follow(field_, indices.columns(history_.described_[field_].components.size()), box, &indices.column);
    }
    // The same for the blocks that are followed of a field that is limited.
    void follow_blocks(Indices &indices, const core::GridBox &box) && {
      history_.follow_blocks(field_, indices.columns(history_.described_[field_].components.size()), box);
    }
    // Follows a section by Coding::follow. Not for field 0 if other fields count its crossings.
    void follow_section(Follow &follow, const Payload &payload) && { history_.follow_section(field_, follow, payload); }

   private:
    friend class Step;
    FieldStep(ChunkHistory &history, std::size_t field) : history_(history), field_(field) {}

    ChunkHistory &history_;
    std::size_t field_;
  };

  // The step to the next frame: particles leave, the fields of staying particles are followed, then particles arrive.
  class Step {
   public:
    // `staying`: ascending slots of the staying particles; nullptr: all stay. `counts_crossings`: other fields count
    // crossings of field 0.
    Step(ChunkHistory &history, const format::Column<std::uint32_t> *staying, int threads, bool counts_crossings = true)
        : history_(history) {
      history_.threads_ = threads;
      history_.remembers_crossings_ = counts_crossings;
      if (staying != nullptr) history_.keep(*staying);
    }
    Step(const Step &) = delete;
    Step &operator=(const Step &) = delete;
    ~Step() = default;

    // Call with ascending fields: field 0 must be followed before others count its crossings in this frame.
    FieldStep field(std::size_t f, const format::Crossed &crossed) {
      history_.expect_crossings(f, crossed);
      return {history_, f};
    }
    // Appends the particles of a chunk of arrivals, and their exact values to `exact`. Throws as start.
    void add(const IndependentChunk &chunk, ExactValues *exact = nullptr) && { history_.add(chunk, exact); }

   private:
    ChunkHistory &history_;
  };

 private:
  void keep(const format::Column<std::uint32_t> &slots);
  void expect_crossings(std::size_t field, const format::Crossed &crossed);
  using Columns = std::array<format::Column<std::int64_t>, core::max_components>;
  void follow(std::size_t field, const codec::IndexColumns &indices, const core::GridBox &box,
              Columns *columns = nullptr);
  void follow_blocks(std::size_t field, const codec::IndexColumns &indices, const core::GridBox &box);
  void follow_section(std::size_t field, Follow &follow, const Payload &payload);
  void add(const IndependentChunk &chunk, ExactValues *exact);
  const codec::DifferenceState *followed(std::size_t field) const;
  // `only`: decodes the blocks that it has rows for, and no others.
  void load(const IndependentChunk &chunk, std::size_t field, const codec::Target *only, lanes::State *steps = nullptr);

  bool started_ = false;
  std::uint64_t particles_ = 0;
  std::vector<bool> wanted_;
  std::vector<Field> described_;
  std::vector<codec::DifferenceState> fields_;
  std::vector<model::ModelledState> modelled_;
  std::vector<model::ClassedState> classed_;
  Indices indices_;  // of one field of a chunk
  codec::WantedBlocks followed_blocks_;
  std::vector<bool> has_all_;  // of each field: all slots have the indices of the last frame
  int threads_ = 1;            // of the last start or step
  bool remembers_crossings_ = true;
  std::array<format::Column<std::int8_t>, core::max_components> crossings_;  // of field 0 in this frame; empty: none
};

}  // namespace gpz::trajectory
