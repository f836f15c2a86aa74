// SPDX-License-Identifier: BSD-3-Clause
// Encodes the sections of a difference chunk, one field after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/difference/difference.hpp"
#include "gpz/cuda/trajectory/frame_call.hpp"
#include "gpz/cuda/trajectory/frame_report.hpp"
#include "gpz/cuda/trajectory/history.hpp"
#include "gpz/cuda/trajectory/match.hpp"
#include "gpz/cuda/trajectory/output.hpp"
#include "gpz/cuda/trajectory/step_encoder.hpp"
#include "gpz/cuda_codec.hpp"
#include "gpz/format/section_head.hpp"

namespace gpz::cuda {

// Works for a ChunkEncoder and uses its state of this frame and of earlier ones.
class SectionEncoder {
 public:
  SectionEncoder(Codec &codec, DeviceHistory &history, const FrameMatch &matched, const FrameReport &report,
                 ChunkOutput &out, const DeviceBuffer &scratch)
      : codec_(codec), history_(history), matched_(matched), report_(report), out_(out), scratch_(scratch) {}

  // Largest size of a section in bytes, with any coding.
  static std::size_t room(const FieldInput &input, std::uint64_t particles);

  // Positions are encoded in these steps from now on; null: as predicted.
  void use(StepEncoder *steps) { steps_ = steps; }
  // Plain fields must not change from now on: a CPU would try codings that are not encoded here.
  void set_plain_fields_fixed(bool fixed) { plain_fields_fixed_ = fixed; }

  // Starts the sections of a frame, whose ids are field `id`.
  void start(const FrameCall &call, std::size_t id);
  // True if a field counts the edges that particles of field 0 cross; the room for crossings is then cleared.
  bool counts_crossings() const { return counts_crossings_; }

  // True if a field has integers that count no edges, so that it may well equal that of the last frame.
  bool may_stay(const FrameCall &call, std::size_t f) const {
    return call.field(f).type == ValueType::integer && crossed_[f] == format::Crossed{};
  }

  // Queues the section of a predicted field at the end of the chunk, which does not grow yet.
  void queue(const FrameCall &call, std::size_t f, const BesidesEncoding &besides);
  // Queues the test whether a field without prediction has changed, apart from edges that it counts.
  void queue_comparison(const FrameCall &call, std::size_t f, const std::uint32_t *cancelled, cudaStream_t stream);
  // Call when the flags of the frame have arrived: adds the section to the chunk. If a section of integers is at least
  // as large as in the key frame, block coding is tried as well. Returns false if no section is possible.
  bool end(const FrameCall &call, std::size_t f, std::uint64_t usual_size, double &largest_error);

 private:
  void encode_steps(const FrameCall &call, std::size_t prefix, const BesidesEncoding &besides);
  DeviceValues values(const FrameCall &call, std::size_t f) const;
  const DeviceChunk &encode_block_coded(const FrameCall &call, std::size_t f);
  void append_block_coded(const DeviceChunk &alone, cudaStream_t stream);

  Codec &codec_;
  DeviceHistory &history_;
  const FrameMatch &matched_;
  const FrameReport &report_;
  ChunkOutput &out_;
  const DeviceBuffer &scratch_;

  std::size_t id_ = 0;
  StepEncoder *steps_ = nullptr;
  bool plain_fields_fixed_ = false;
  std::vector<format::Crossed> crossed_;
  bool counts_crossings_ = false;
};

}  // namespace gpz::cuda
