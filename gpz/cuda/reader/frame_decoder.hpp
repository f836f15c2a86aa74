// SPDX-License-Identifier: BSD-3-Clause
// Decodes frames whose bytes are in device memory: what a frame builds on, and chunks of several writers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/cuda/reader/frame_order.hpp"
#include "gpz/cuda/reader/staged_values.hpp"
#include "gpz/cuda_trajectory_decoder.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/format/container_parse.hpp"

namespace gpz::cuda {

// Of the device that is current in each call.
class FrameDecoder {
 public:
  // The chunks of a frame, one behind the other, in device memory, and how the host reads them.
  struct Bytes {
    const std::uint8_t *device = nullptr;
    ReadBytes read;
  };

  explicit FrameDecoder(int device) : device_(device) {}

  // The frame from which on frames have to be decoded, or passed, in order to decode frame i with this head: its key
  // frame, or the one behind the last. Notes which fields are wanted from there on. Throws corrupt if there cannot be
  // such a frame.
  std::size_t first_frame(std::size_t i, const format::FrameHead &head, const std::vector<FieldOutput> &outputs);

  // Decodes frame j behind what is in the stream, and returns when it is done. `sorted_by` is the field of the ids, if
  // the particles are to be in their order, otherwise format::no_field. Throws as TrajectoryDecoder, and corrupt if
  // frame j does not build on the last one, limit_exceeded.
  void decode(std::size_t j, const format::FrameHead &head, const Bytes &bytes, const std::vector<FieldOutput> &outputs,
              std::size_t sorted_by, Stream stream);
  // Only for the frames behind it.
  void pass(std::size_t j, const format::FrameHead &head, const Bytes &bytes, Stream stream);
  // The next frame has to be a key frame.
  void forget() { complete_ = false; }

  MemoryUse memory() const;

 private:
  bool follows(const std::vector<bool> &wanted) const;
  void begin(const format::FrameHead &head, bool sorted);
  void queue(const format::FrameHead &head, const Bytes &bytes, const std::vector<FieldOutput> &outputs,
             OutputOrder order, Stream stream);
  void finish();
  void decode_merged(const format::FrameHead &head, const Bytes &bytes, const std::vector<FieldOutput> &outputs,
                     std::size_t sorted_by, Stream stream);

  int device_;
  std::vector<TrajectoryDecoder> decoders_;  // of the chunks
  format::Charge charge_;                    // for them
  // The last frame.
  bool complete_ = false;
  std::size_t frame_ = 0;
  std::uint16_t since_key_ = 0;
  std::uint64_t checksum_ = 0;  // of its head
  // From its key frame on.
  std::vector<bool> wanted_;
  bool joined_ = false;  // the fields were asked for in more than one call
  // Several chunks in the order of ids.
  FrameOrder order_;
  StagedValues staged_;
};

}  // namespace gpz::cuda
