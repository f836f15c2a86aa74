// SPDX-License-Identifier: BSD-3-Clause
// Decoder of independent chunks of any kind (docs/format.md, sections 4, 10, 10e and 10f).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/codec/chunk_codec.hpp"
#include "gpz/codec/target.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/format/opened_chunk.hpp"
#include "gpz/frame.hpp"
#include "gpz/lanes/section.hpp"
#include "gpz/trajectory/section_reader.hpp"

namespace gpz::trajectory {

// An opened chunk, whose wanted sections have been checked to have the stated number of particles.
class IndependentChunk {
 public:
  // `fields` and the bytes of the chunk, in memory, must outlive this object. An empty `wanted` means all fields.
  // Throws corrupt, truncated, std::bad_alloc.
  IndependentChunk(format::OpenedChunk chunk, std::uint64_t particles, const std::vector<Field> &fields,
                   const std::vector<bool> &wanted);

  std::uint64_t particles() const { return particles_; }
  const std::vector<Field> &fields() const { return *fields_; }
  // Decodes a wanted field. Throws corrupt, limit_exceeded (see codec::store), std::bad_alloc.
  // `steps` receives what a section of steps leaves to later ones, if it is not null.
  void write(std::size_t field, const codec::Target &target, int threads, lanes::State *steps = nullptr) const;
  // Decodes a wanted field on a grid to indices, as Indices::load_decoded with write() does. Returns false if its
  // section has no indices. Throws as write().
  bool load(std::size_t field, int threads, Indices &indices, lanes::State *steps) const;
  // Whether a wanted field is in steps.
  bool is_in_steps(std::size_t field) const;
  // Whether write() decodes only blocks with particles that its target wants.
  bool decodes_blocks(std::size_t field) const;
  // As write() above, reusing `memory`.
  void write(std::size_t field, const codec::Target &target, int threads, Indices &memory,
             lanes::State *steps = nullptr) const;

 private:
  void decode_ids();
  // Values of an integer field with one component.
  const std::int64_t *integers(std::size_t field, int threads) const;
  // Calls read(context, section) for the section of a field, if the chunk consists of sections. `only`: nullptr if all
  // particles are wanted.
  template <typename Read>
  void in_section(std::size_t field, int threads, Indices &memory, const codec::Target *only, const Read &read) const;

  const std::vector<Field> *fields_;
  std::uint64_t particles_;
  format::Column<std::uint32_t> aligned_;  // copy of the bytes if they were not aligned
  format::OpenedChunk chunk_;
  std::unique_ptr<codec::Decoder> blocks_;  // of Family::blocks
  format::Column<std::int64_t> ids_;        // for Population::by_id, where all other fields need them
  mutable IntegerColumns integers_;         // decoded for other fields
};

// Whether the first field of an independent chunk of an encoder is in steps.
bool leads_in_steps(const EncodedChunk &chunk, std::uint64_t particles, const std::vector<Field> &fields);

}  // namespace gpz::trajectory
