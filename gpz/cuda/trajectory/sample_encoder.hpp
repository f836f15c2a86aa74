// SPDX-License-Identifier: BSD-3-Clause
// Codings of positions for a GPU's encoder: a CPU encodes a sample of the particles, and the GPU takes its choices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "gpz/cuda/trajectory/chunk_encoder.hpp"
#include "gpz/cuda/trajectory/frame_call.hpp"
#include "gpz/cuda_transfer.hpp"
#include "gpz/trajectory.hpp"

namespace gpz::cuda {

class SampleEncoder {
 public:
  SampleEncoder(int device, int threads);
  void set_features(std::uint32_t features) { cpu_.set_effort(Effort::standard, features); }
  void set_threads(int threads) { cpu_.set_threads(threads); }

  // Frames have at least model::large_section particles, and ids in field `id`. `rows` (device memory): all particles
  // in the order of ids.
  // The axes of an independent frame in coding 3, as that of particles without bonds is; nothing if it has another one.
  std::optional<core::GridBox> ordered_axes(const FrameCall &call, std::size_t id, const std::uint32_t *rows);
  // Call for each frame after it, with the same particles, until codings stay.
  ChunkEncoder::Advice advise(const FrameCall &call, std::size_t id, const std::uint32_t *rows);

  std::size_t host_memory_usage() const;

 private:
  // Returns the coding of the positions.
  std::uint8_t encode(const FrameCall &call, std::size_t id, const std::uint32_t *rows, bool key);

  TrajectoryEncoder cpu_;
  Download download_;
  EncodedChunk encoded_;
};

}  // namespace gpz::cuda
