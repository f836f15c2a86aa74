// SPDX-License-Identifier: BSD-3-Clause
// Independent chunks: block, ordered, cell and sequence chunks (docs/format.md, sections 4, 10, 10e and 10f).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/codec/chunk_codec.hpp"
#include "gpz/codec/target.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/frame.hpp"
#include "gpz/trajectory/gridded_chunk.hpp"
#include "gpz/trajectory/ordered_chunk.hpp"

namespace gpz::trajectory {

// A chunk that was opened: the sections that are wanted have the particles that it is said to have.
class IndependentChunk {
 public:
  // `bytes` and `fields` have to outlive this object; an empty `wanted` wants all fields. Throws corrupt, truncated,
  // std::bad_alloc.
  IndependentChunk(const std::uint8_t *bytes, std::size_t size, std::uint64_t particles,
                   const std::vector<Field> &fields, const std::vector<bool> &wanted);

  std::uint64_t particles() const { return particles_; }
  const std::vector<Field> &fields() const { return *fields_; }
  // Decodes a wanted field. Throws corrupt, limit_exceeded (see cpu::store), std::bad_alloc.
  void write(std::size_t field, const cpu::Target &target, int threads) const;
  // With memory that may have been used before.
  void write(std::size_t field, const cpu::Target &target, int threads, Indices &memory) const;
  // The bonds between its particles that a field's section found; empty for most. Throws as write.
  model::Bonds bonds(std::size_t field) const { return ordered_ != nullptr ? ordered_->bonds(field) : model::Bonds(); }

 private:
  const std::vector<Field> *fields_;
  std::uint64_t particles_;
  format::Column<std::uint32_t> aligned_;  // the bytes, if they were not
  std::unique_ptr<cpu::Decoder> blocks_;
  std::unique_ptr<OrderedChunk> ordered_;
  std::unique_ptr<GriddedChunk> gridded_;  // one of the three
};

}  // namespace gpz::trajectory
