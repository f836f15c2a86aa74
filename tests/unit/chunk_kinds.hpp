// SPDX-License-Identifier: BSD-3-Clause
// One crystal as a chunk of each kind.
#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "codec_support.hpp"
#include "gpz/trajectory.hpp"

namespace gpz::test {

// A simple cubic crystal whose ids go row by row: as differences once it has moved, in the order of ids where the
// encoder may choose that.
class ChunkKinds {
 public:
  static constexpr std::size_t particles = 16 * 16 * 16;

  ChunkKinds() {
    Random random(11);
    for (std::size_t i = 0; i < particles; ++i) {
      for (const std::size_t cell : {i % 16, i / 16 % 16, i / 256})
        x_.push_back(static_cast<double>(cell) + random.uniform(-0.02, 0.02));
      id_.push_back(static_cast<std::int32_t>(i) + 1);
    }
  }

  std::vector<FieldInput> fields() const {
    std::vector<FieldInput> inputs = {field("x", x_, 3, 0.001, true), field("id", id_, 1, 0, false)};
    inputs[1].field.components[0].name = "id";
    return inputs;
  }

  EncodedChunk chunk(ChunkKind kind) {
    TrajectoryEncoder encoder;
    encoder.set_order(Order::place);
    encoder.set_effort(Effort::fast);
    if (kind == ChunkKind::ordered) encoder.set_order(Order::id);
    EncodedChunk chunk;
    encoder.encode(fields(), particles, nullptr, {}, true, chunk);
    if (kind == ChunkKind::difference) {
      for (double &x : x_) x += 0.01;
      encoder.encode(fields(), particles, nullptr, {}, false, chunk);
    }
    if (chunk_kind(chunk.bytes.data(), chunk.bytes.size()) != kind) throw std::runtime_error("another kind of chunk");
    return chunk;
  }

 private:
  std::vector<double> x_;
  std::vector<std::int32_t> id_;
};

}  // namespace gpz::test
