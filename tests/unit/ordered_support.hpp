// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of chunks in the order of ids.
#pragma once

#include "gpz/format/fields.hpp"
#include "gpz/trajectory/independent_writer.hpp"
#include "trajectory_support.hpp"

namespace gpz::test {

// In the order of the ids even where that is larger.
inline EncodedChunk ordered_chunk(const Snapshot &snapshot, std::size_t particles, const int *rows = nullptr,
                                  std::uint32_t features = 0, int threads = 1) {
  std::vector<FieldInput> fields = snapshot.inputs();
  format::prepare_fields(fields, particles);
  EncodedChunk chunk;
  trajectory::EncoderTools tools(threads);
  trajectory::encode_independent(ChunkKind::ordered, fields, particles, rows, snapshot.info.box, features, tools,
                                 chunk);
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
      gas.particles[i].position[d] =
          (static_cast<double>(cell[d]) + gas.random.uniform(-0.02, 0.02)) / static_cast<double>(edge);
  }
  return gas;
}

// Rigid waters O H H all over the box, one after the other, and `others` free particles behind each.
inline Gas waters(std::size_t count, std::size_t others = 0) {
  Gas gas((3 + others) * count);
  const double edge[3] = {10, 12, 8};
  for (std::size_t m = 0; m < count; ++m) {
    Gas::Particle *const atom = &gas.particles[(3 + others) * m];
    double a[3];
    double b[3];
    double aa = 0;
    double ab = 0;
    double bb = 0;
    for (double &x : a) x = gas.random.uniform(-1, 1);
    for (double &x : b) x = gas.random.uniform(-1, 1);
    for (int d = 0; d < 3; ++d) aa += a[d] * a[d], ab += a[d] * b[d];
    for (int d = 0; d < 3; ++d) b[d] -= ab / aa * a[d];
    for (const double x : b) bb += x * x;
    // 0.9572 from O, 1.5139 from each other.
    for (int h = 1; h <= 2; ++h)
      for (int d = 0; d < 3; ++d) {
        const double component = 0.58588 * a[d] / std::sqrt(aa) + (h == 1 ? 0.75695 : -0.75695) * b[d] / std::sqrt(bb);
        atom[h].position[d] = atom[0].position[d] + component / edge[d];
      }
  }
  return gas;
}

}  // namespace gpz::test
