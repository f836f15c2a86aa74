// SPDX-License-Identifier: BSD-3-Clause
// Decodes frames whose bytes are in device memory, with the frames that they build on and with chunks of several
// writers.
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

// Uses the device that is current in each call.
class FrameDecoder {
 public:
  // Consecutive chunks of a frame in device memory, and a function by which the host reads them.
  struct Bytes {
    const std::uint8_t *device = nullptr;
    ReadBytes read;
  };

  // `features`: those that the file header names. `threads`: for sections that the CPU decodes.
  FrameDecoder(int device, std::uint32_t features, int threads)
      : device_(device), features_(features), threads_(threads) {}

  // Returns the first frame to decode or pass for frame i with this head: its key frame, or the frame after the last
  // one. Sets the wanted fields from there on. Throws corrupt if there is no such frame.
  std::size_t first_frame(std::size_t i, const format::FrameHead &head, const std::vector<FieldOutput> &outputs);

  // Decodes frame j after the work in the stream, and returns when it is done. `sorted_by` is the field of the ids by
  // which particles are sorted, or format::no_field. Throws as TrajectoryDecoder does, corrupt if frame j does not
  // build on the last one, and limit_exceeded.
  void decode(std::size_t j, const format::FrameHead &head, const Bytes &bytes, const std::vector<FieldOutput> &outputs,
              std::size_t sorted_by, Stream stream);
  // Decodes a frame only because later frames build on it.
  void pass(std::size_t j, const format::FrameHead &head, const Bytes &bytes, Stream stream);
  // The next frame must be a key frame.
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
  std::uint32_t features_;
  int threads_;
  std::vector<TrajectoryDecoder> decoders_;  // one per chunk
  format::Charge charge_;                    // for the decoders
  // The last frame that was decoded.
  bool complete_ = false;
  std::size_t frame_ = 0;
  std::uint16_t since_key_ = 0;
  std::uint64_t checksum_ = 0;  // of its head
  // Fields that are followed since its key frame; empty: all.
  std::vector<bool> wanted_;
  bool joined_ = false;  // fields of several calls are followed
  // For several chunks in the order of ids.
  FrameOrder order_;
  StagedValues staged_;
};

}  // namespace gpz::cuda
