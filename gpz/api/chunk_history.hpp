// What writer and reader remember of the particles of a chunk from frame to frame, and reading with it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/api/indices.hpp"
#include "gpz/cpu/difference_codec.hpp"
#include "gpz/format/difference_rules.hpp"
#include "gpz/frame.hpp"

namespace gpz::api {

// Particles have slots 0, 1, ...: the order in which they are stored. Not usable after an exception until it is started
// again.
class ChunkHistory {
 public:
  // The particles of rows [first, first + particles) of the frame, which a key chunk or Frame of the encoder gave.
  // Fields whose `wanted` entry is false are not followed (an empty `wanted`: all are).
  void start(const Frame &frame, std::size_t first, std::uint64_t particles, const std::vector<bool> &wanted = {});
  bool started() const { return started_; }
  void forget() { started_ = false; }
  // Whether values of these fields can be differences: the grids are those of before.
  bool fits(const std::vector<Field> &fields) const;
  std::uint64_t particles() const { return particles_; }

  // Decodes a chunk that follows, and appends it to the columns of `frame` as decode_chunk does. Throws corrupt,
  // truncated, invalid_argument, std::bad_alloc; the columns may have grown then.
  void next(const std::uint8_t *bytes, std::size_t size, std::uint64_t particles, Frame &frame, int threads);

  // The encoder's way through a frame: keep, then for each field encode with state() and follow, then add.
  // Only particles in these slots stay, ascending.
  void keep(const std::vector<std::uint32_t> &slots);
  const cpu::DifferenceState &state(std::size_t field) const { return fields_[field]; }
  // Counts the edges that field 0, which was followed before, has gone through in this frame.
  void expect_crossings(std::size_t field, const format::Crossed &crossed);
  void follow(std::size_t field, const cpu::IndexColumns &indices, const core::GridBox &box);
  // Particles that are new, behind the others.
  void add(const Frame &frame, std::size_t first, std::uint64_t particles);

  std::size_t memory_usage() const;

 private:
  bool is_wanted(std::size_t field) const { return wanted_.empty() || wanted_[field]; }
  void decode_section(std::size_t field, const std::uint8_t *bytes, std::size_t size, std::size_t first, Frame &frame,
                      int threads);
  void decode_predicted(std::size_t field, const std::uint8_t *bytes, std::size_t size, std::size_t first,
                        Frame &frame);

  bool started_ = false;
  std::uint64_t particles_ = 0;
  std::vector<bool> wanted_;
  std::vector<Field> described_;
  std::vector<cpu::DifferenceState> fields_;
  Indices indices_;                                                       // of one field of one frame
  std::array<std::vector<std::int8_t>, core::max_components> crossings_;  // by field 0 in this frame; empty: none
};

}  // namespace gpz::api
