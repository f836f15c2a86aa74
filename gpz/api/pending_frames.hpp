// SPDX-License-Identifier: BSD-3-Clause
// Frames that a writer has accepted, and that threads encode; key intervals are encoded side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/container.hpp"
#include "gpz/frame.hpp"
#include "gpz/trajectory.hpp"

namespace gpz::api {

// A copy of a frame's input, and the encoded chunk.
struct PendingFrame {
  std::vector<StoredRecord> records;  // in front of the frame
  FrameInfo info;                     // since_key 0 starts a key interval
  std::vector<FieldInput> fields;
  Encoding encoding;

  EncodedChunk chunk;
  std::exception_ptr error;  // instead of the chunk

  // Copies the values of the fields. Throws std::bad_alloc.
  void copy(const std::vector<FieldInput> &from, std::size_t particles, const int *rows);
  std::size_t bytes() const { return room_; }

 private:
  std::unique_ptr<std::uint8_t[]> values_;
  std::size_t room_ = 0;
};

class PendingFrames {
 public:
  // Encodes on this many threads, at least one. Throws std::system_error, std::bad_alloc.
  explicit PendingFrames(int threads);
  // Drops frames that are not encoded yet.
  ~PendingFrames();

  // An empty frame, which reuses the memory of an earlier one.
  std::unique_ptr<PendingFrame> new_frame();
  void add(std::unique_ptr<PendingFrame> frame);
  // Whether more frames would not speed up encoding: every thread has a key interval, or frames that are not encoded
  // take `most` bytes.
  bool is_full(std::uint64_t most) const;
  std::size_t size() const;
  // Removes and returns the oldest frame once it is encoded; nullptr if there is none, or if it is not encoded yet and
  // `waits` is false.
  std::unique_ptr<PendingFrame> take(bool waits);
  void recycle(std::unique_ptr<PendingFrame> frame);
  void clear();

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

}  // namespace gpz::api
