// Frames that build on each other, read one after the other from their key frame on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/api/chunk_history.hpp"
#include "gpz/format/container_parse.hpp"

namespace gpz::api {

class FrameHistory {
 public:
  // Whether this frame can be next: a key frame, or the one behind the last. All chunks, in order, have to follow.
  bool can_follow(const format::FrameHead &head) const;
  // Throws corrupt if it cannot. Until end(), the history is that of no frame.
  void begin(const format::FrameHead &head, const std::vector<bool> &wanted);
  // Decodes chunk k, whose checksum holds, and appends it to the columns of `frame`, as decode_chunk does.
  void chunk(std::size_t k, const ChunkEntry &entry, const std::uint8_t *bytes, Frame &frame, int threads);
  void end(const format::FrameHead &head);

  void forget() { complete_ = false; }
  bool complete() const { return complete_; }
  const std::vector<bool> &wanted() const { return wanted_; }

 private:
  bool complete_ = false;
  std::uint16_t since_key_ = 0;
  std::uint64_t checksum_ = 0;  // of the last frame's head
  std::vector<bool> wanted_;
  std::vector<ChunkHistory> chunks_;
};

}  // namespace gpz::api
