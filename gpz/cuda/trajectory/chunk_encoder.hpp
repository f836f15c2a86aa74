// SPDX-License-Identifier: BSD-3-Clause
// A frame as a difference chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/difference/difference.hpp"
#include "gpz/cuda/trajectory/frame_call.hpp"
#include "gpz/cuda/trajectory/frame_report.hpp"
#include "gpz/cuda/trajectory/history.hpp"
#include "gpz/cuda/trajectory/last_frame.hpp"
#include "gpz/cuda/trajectory/match.hpp"
#include "gpz/cuda/trajectory/output.hpp"
#include "gpz/cuda/trajectory/section_encoder.hpp"
#include "gpz/cuda_codec.hpp"
#include "gpz/format/difference_rules.hpp"

namespace gpz::cuda {

// Keeps what the next frame is compared with. Of the device that is current in each call.
class ChunkEncoder {
 public:
  explicit ChunkEncoder(Codec &codec) : codec_(codec) {}

  // Takes pinned memory, of which it has some until give_back().
  void make() { report_.make(); }
  void give_back() { report_.give_back(); }

  // The history begins with the codec's chunk, which has these fields. Throws out_of_memory.
  void start(const FrameCall &call, const std::vector<Field> &fields, std::size_t id);
  bool started() const { return history_.started(); }
  void forget();
  // forget(), and frees the device memory.
  void release();

  enum class Outcome : std::uint8_t {
    encoded,
    impossible,  // not for this frame: few particles stay, or values are not what a section can have
    wide,        // an index does not fit: the history is of no use
  };
  // The next frame; it has to be one that the history can follow.
  Outcome encode(const FrameCall &call);
  // What was encoded, until the next call. Its size, and what that would be if frames were independent.
  DeviceChunk chunk(std::uint64_t particles) const {
    return {out_.data(), out_.size(), particles, largest_error_, ChunkKind::difference};
  }
  std::size_t size() const { return out_.size(); }
  std::uint64_t independent_size(std::uint64_t particles) const { return sizes_.scaled(sizes_.all, particles); }

  // After an exception: waits for what was queued on a stream of its own.
  void settle() const;

  std::size_t device_bytes() const;
  std::uint64_t allocations() const;

 private:
  void reserve_scratch(const FrameCall &call, std::uint64_t before);

  enum class Match : std::uint8_t { found, few, wide };
  Match match(const FrameCall &call);
  // The frame if its particles are in the rows of the last one: all is queued as if they were, and comes to nothing if
  // they are not. Waits once.
  enum class Repeated : std::uint8_t { encoded, impossible, wide, moved };
  Repeated encode_repeated(const FrameCall &call);
  // The frame once its particles are matched; false: it cannot be.
  bool encode_matched(const FrameCall &call);

  // Returns the head, as far as it is known.
  std::vector<std::uint8_t> start_chunk(const FrameCall &call);
  void queue_sections(const FrameCall &call, const std::uint32_t *cancelled);
  bool compare_besides(const FrameCall &call, std::size_t f, BesidesEncoding &besides, std::size_t &comparisons) const;
  void remember(const FrameCall &call, bool repeated);
  bool end_chunk(const FrameCall &call, std::vector<std::uint8_t> &head);
  void encode_arrivals(const FrameCall &call, std::vector<std::uint8_t> &head);

  Codec &codec_;
  FrameReport report_;
  DeviceHistory history_;
  std::size_t id_ = 0;
  format::KeySizes sizes_;
  FrameMatch matched_;
  LastFrame last_;  // if `matched_` may be repeated
  ChunkOutput out_;
  DeviceBuffer scratch_;
  std::uint64_t scratch_before_ = 0;  // what `scratch_` is large enough for
  std::uint64_t scratch_particles_ = 0;
  std::uint64_t allocations_ = 0;
  SectionEncoder sections_{codec_, history_, matched_, report_, out_, scratch_};

  // A second stream, and where it begins and ends.
  struct Beside {
    OwnStream stream;
    Event begin, end;
  };
  std::unique_ptr<Beside> beside_;

  std::vector<double> largest_error_;  // of the frame
};

}  // namespace gpz::cuda
