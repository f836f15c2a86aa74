// SPDX-License-Identifier: BSD-3-Clause
// Encodes independent chunks that consist of sections: ordered, cell and sequence chunks (docs/format.md, sections 10,
// 10e and 10f; docs/decisions/0011, 0026 and 0035).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/codec/chunk_codec.hpp"
#include "gpz/frame.hpp"
#include "gpz/lanes/plan.hpp"
#include "gpz/trajectory/cell_search.hpp"
#include "gpz/trajectory/id_order.hpp"
#include "gpz/trajectory/indices.hpp"
#include "gpz/trajectory/rows.hpp"

namespace gpz::trajectory {

// Parts of an encoder that its chunks share.
struct EncoderTools {
  explicit EncoderTools(int threads) : encoder(threads) {}

  codec::Encoder encoder;  // of sections without prediction
  CellSearch cell;         // finds the axes of leading positions
  std::shared_ptr<lanes::KnownPlans> plans = std::make_shared<lanes::KnownPlans>();  // of field 0
  // Memory, which is used again.
  Rows rows;        // of the particles
  Indices indices;  // of a field
  IdOrder order;
};

// Encodes `particles` > 0 particles with prepared fields as a chunk of the kind that chunk_candidate returned; rows and
// box as in TrajectoryEncoder. `features`: features that sections may need. The caller computes the checksum. Returns
// whether an id of an ordered chunk occurs more than once; particles with equal ids keep the order of their rows.
// Throws std::bad_alloc, Error.
bool encode_independent(ChunkKind kind, const std::vector<FieldInput> &fields, std::size_t particles, const int *rows,
                        const Box &box, std::uint32_t features, EncoderTools &tools, EncodedChunk &out);

}  // namespace gpz::trajectory
