// SPDX-License-Identifier: BSD-3-Clause
// The sections of a difference chunk, one field after the other.
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
#include "gpz/cuda_codec.hpp"
#include "gpz/format/section_head.hpp"

namespace gpz::cuda {

// Works for a ChunkEncoder, with what that knows of the frame and of the ones before.
class SectionEncoder {
 public:
  SectionEncoder(Codec &codec, DeviceHistory &history, const FrameMatch &matched, const FrameReport &report,
                 ChunkOutput &out, const DeviceBuffer &scratch)
      : codec_(codec), history_(history), matched_(matched), report_(report), out_(out), scratch_(scratch) {}

  // Most bytes of a section, however it is coded.
  static std::size_t room(const FieldInput &input, std::uint64_t particles);

  // Before the sections of a frame, whose ids are field `id`. Whether a field counts the edges that particles of field
  // 0 go through; the room for that is cleared then.
  bool start(const FrameCall &call, std::size_t id);

  // Whether a field is of integers that do not count edges, and so may well be those of the last frame.
  bool may_stay(const FrameCall &call, std::size_t f) const {
    return call.field(f).type == ValueType::integer && crossed_[f] == format::Crossed{};
  }

  // The section of a predicted field behind what the chunk has, which does not grow yet.
  void queue(const FrameCall &call, std::size_t f, const BesidesEncoding &besides);
  // Whether a field that is not predicted has changed, edges counted.
  void queue_comparison(const FrameCall &call, std::size_t f, const std::uint32_t *cancelled);
  // Once the flags of the frame are there: the chunk grows by the section. One of integers that has as many bytes as
  // usual, those of the key frame, is tried in blocks. False: there cannot be one.
  bool end(const FrameCall &call, std::size_t f, std::uint64_t usual_size, double &largest_error);

 private:
  DeviceValues values(const FrameCall &call, std::size_t f) const;
  const DeviceChunk &encode_block_coded(const FrameCall &call, std::size_t f);
  void append_block_coded(const DeviceChunk &alone, cudaStream_t stream);

  Codec &codec_;
  DeviceHistory &history_;
  const FrameMatch &matched_;
  const FrameReport &report_;
  ChunkOutput &out_;
  const DeviceBuffer &scratch_;

  // Of the frame.
  std::size_t id_ = 0;
  std::vector<format::Crossed> crossed_;
};

}  // namespace gpz::cuda
