// SPDX-License-Identifier: BSD-3-Clause
// Tables of candidates for an encoder: kinds of independent chunks, and codings of sections. All choices are made here.
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
    costly,  // only for some sections: see model::Contest
    if_none  // only if no earlier candidate can code the values
  } when;
};

// Candidates in the order of trial; the first of equal sizes wins. `features`: features that codings may need.
std::vector<SectionCandidate> section_candidates(ChunkKind chunk, FieldClass field, std::uint32_t features);

// Input for the choice of an independent chunk's kind.
struct ChunkRequest {
  const std::vector<Field> &fields;
  std::uint64_t particles;
  Order order;
  std::uint32_t features;  // allowed by both effort and file header
};

// Kind of chunk that competes with a block chunk; empty for most requests.
std::optional<ChunkKind> chunk_candidate(const ChunkRequest &request);

}  // namespace gpz::trajectory
