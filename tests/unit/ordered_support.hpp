// SPDX-License-Identifier: BSD-3-Clause
// What the tests of chunks in the order of ids share.
#pragma once

#include "gpz/format/fields.hpp"
#include "gpz/trajectory/ordered_chunk.hpp"
#include "trajectory_support.hpp"

namespace gpz::test {

// In the order of the ids even where that is larger.
inline EncodedChunk ordered_chunk(const Snapshot &snapshot, std::size_t particles, const int *rows = nullptr,
                                  bool modelled = false) {
  std::vector<FieldInput> fields = snapshot.inputs();
  format::prepare_fields(fields, particles);
  std::size_t identity = 0;
  while (fields[identity].field.components[0].name != "id") ++identity;
  cpu::Encoder encoder(1);
  EncodedChunk chunk;
  trajectory::encode_ordered_chunk(fields, identity, particles, rows, snapshot.info.box, modelled, encoder, chunk);
  chunk.checksum = chunk_checksum(chunk.bytes.data(), chunk.bytes.size());
  return chunk;
}
inline EncodedChunk ordered_chunk(const Snapshot &snapshot) { return ordered_chunk(snapshot, snapshot.info.particles); }

// A simple cubic crystal whose ids go row by row.
inline Gas crystal(std::size_t edge) {
  Gas gas(edge * edge * edge);
  for (std::size_t i = 0; i < gas.particles.size(); ++i) {
    const std::size_t cell[3] = {i % edge, i / edge % edge, i / edge / edge};
    for (int d = 0; d < 3; ++d)
      gas.particles[i].place[d] =
          (static_cast<double>(cell[d]) + gas.random.uniform(-0.02, 0.02)) / static_cast<double>(edge);
  }
  return gas;
}

}  // namespace gpz::test
