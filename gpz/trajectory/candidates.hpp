// SPDX-License-Identifier: BSD-3-Clause
// What encoders try, as tables: which kinds of independent chunks, and which codings of a section. Nothing else
// chooses.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gpz/trajectory.hpp"
#include "gpz/trajectory/codings.hpp"

namespace gpz::trajectory {

struct SectionCandidate {
  ChunkKind chunk;
  std::uint8_t fields;  // FieldClass
  format::FieldCodingKind coding;
  enum When : std::uint8_t {
    always,
    costly,  // not for every section: see SectionChoice
    if_none  // only where no coding before serves the values
  } when;
};

// In the order in which they are tried; of equal sizes the first one stays. `features`: those that codings may need.
std::vector<SectionCandidate> section_candidates(ChunkKind chunk, FieldClass field, std::uint32_t features);

// What an independent chunk is encoded from.
struct ChunkRequest {
  const std::vector<Field> &fields;
  std::uint64_t particles;
  Order order;
  std::uint32_t features;  // allowed by both effort and file header
};

// The kind of chunk that competes with a block chunk; none for most.
std::optional<ChunkKind> chunk_candidate(const ChunkRequest &request);

}  // namespace gpz::trajectory
