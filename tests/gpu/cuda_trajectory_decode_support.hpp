// SPDX-License-Identifier: BSD-3-Clause
// What the tests of gpz::cuda::TrajectoryDecoder share: the decoders of the CPU and of the GPU side by side, and values
// that are stored apart.
#pragma once

#include <limits>

#include "decoder_outputs.hpp"
#include "gpz/cuda_trajectory_decoder.hpp"
#include "trajectory_support.hpp"

namespace gpz::test {

using cuda::OutputOrder;

inline std::vector<Field> fields_of(const Snapshot &snapshot) {
  std::vector<Field> fields;
  for (const Quantity &q : snapshot.quantities) {
    fields.push_back(q.field);
    fill_step(fields.back());
  }
  return fields;
}

// The CPU's reader of one chunk after the other.
class OnHost {
 public:
  void next(const EncodedChunk &chunk, const std::vector<Field> &fields) {
    const auto opened = format::open_chunk(chunk.bytes.data(), chunk.bytes.size(), fields.size());
    reader_.next(opened, chunk.particles, fields, {}, 1);
  }
  void write(const std::vector<Field> &fields, OutputOrder order, DecoderOutputs &outputs) const {
    write_sorted(reader_, fields, order, outputs);
  }

 private:
  trajectory::ChunkReader reader_;
};

// Both decoders, frame after frame.
class BothDecoders {
 public:
  explicit BothDecoders(std::uint64_t seed) : random_(seed) {}

  void next(const EncodedChunk &chunk, const std::vector<Field> &fields, const OutputChoice &choice = {}) {
    const OutputOrder order = random_.below(2) == 0 ? OutputOrder::stored : OutputOrder::id;
    next(chunk, fields, order, choice);
  }
  void next(const EncodedChunk &chunk, const std::vector<Field> &fields, OutputOrder order,
            const OutputChoice &choice = {}) {
    DecoderOutputs outputs(fields, chunk.particles, random_, choice);
    host_.next(chunk, fields);
    host_.write(fields, order, outputs);
    decode(chunk, outputs, order);
    EXPECT_EQ(gpu.particles(), chunk.particles);
    outputs.expect_equal();
    differences += chunk_kind(chunk.bytes.data(), chunk.bytes.size()) == ChunkKind::difference ? 1 : 0;
  }

  cuda::TrajectoryDecoder gpu;
  std::size_t differences = 0;

 private:
  // By one of four ways.
  void decode(const EncodedChunk &chunk, const DecoderOutputs &outputs, OutputOrder order) {
    const std::uint64_t way = random_.below(4);
    if (way == 0) {
      gpu.decode_from_host(chunk.bytes.data(), chunk.bytes.size(), chunk.particles, outputs.outputs(), order);
      return;
    }
    const DeviceMemory bytes(chunk.bytes.data(), chunk.bytes.size());
    if (way == 1) {
      gpu.decode(bytes.get(), chunk.bytes.size(), chunk.particles, outputs.outputs(), order, stream_.get());
      return;
    }
    if (way == 2) {
      gpu.queue(bytes.get(), chunk.bytes.data(), chunk.bytes.size(), chunk.particles, outputs.outputs(), order,
                stream_.get());
    } else {
      const auto read = [&](std::size_t offset, void *to, std::size_t count) {
        ASSERT_LE(offset + count, chunk.bytes.size());
        std::memcpy(to, chunk.bytes.data() + offset, count);
      };
      gpu.queue(bytes.get(), read, chunk.bytes.size(), chunk.particles, outputs.outputs(), order, stream_.get());
    }
    gpu.finish();
  }

  Random random_;
  OwnStream stream_;
  OnHost host_;
};

inline EncodedChunk encode_next(TrajectoryEncoder &encoder, const Snapshot &snapshot, bool key) {
  EncodedChunk chunk;
  encoder.encode(snapshot.inputs(), snapshot.info.particles, nullptr, snapshot.info.box, key, chunk);
  return chunk;
}

// What the grid cannot hold, integers of any size, integers that change in many ways.
inline void add_specials(Snapshot &snapshot, Random &random) {
  const std::size_t n = static_cast<std::size_t>(snapshot.info.particles);
  Quantity &position = snapshot.quantities[0];
  if (n != 0 && random.below(3) == 0)
    for (int k = 0; k < 3; ++k) {
      const double special[] = {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity(),
                                1e300};
      const std::size_t at = random.below(n * position.field.components.size());
      if (position.field.type == ValueType::float64)
        position.real[at] = special[k];
      else
        position.single[at] = static_cast<float>(special[k]);
    }
  Quantity kinds;
  kinds.field.type = ValueType::integer;
  kinds.field.components = {{"kind", 40}, {"state", 41}, {"big", 42}};
  const std::uint64_t how = random.below(4);
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t tag = snapshot.integers("tag")[i];
    kinds.integer.push_back(how == 1 && random.below(50) == 0 ? 9 : tag % 4);
    kinds.integer.push_back(how == 2 ? static_cast<std::int64_t>(random.below(1 << 20)) - 1000 : 7);
    kinds.integer.push_back((tag << 40) + (how == 3 ? static_cast<std::int64_t>(random.below(3)) : 0));
  }
  snapshot.quantities.push_back(kinds);
}

}  // namespace gpz::test
