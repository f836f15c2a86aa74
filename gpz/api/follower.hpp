// SPDX-License-Identifier: BSD-3-Clause
// Decodes the difference frames of a file: from a key frame on, or from the frame decoded last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gpz/api/frame_file.hpp"
#include "gpz/api/frame_memory.hpp"
#include "gpz/error.hpp"
#include "gpz/trajectory/frame_history.hpp"

namespace gpz::api {

// `wanted` with one more field, unless it is empty (all fields) or the field is format::no_field.
std::vector<bool> with_field(std::vector<bool> wanted, std::size_t field);

// Reads the chunks of a frame, the first of which is at `position`, into `frame`, which has begun it. `keeps`: the
// bytes of all chunks stay in `memory`. Throws corrupt, truncated, limit_exceeded, io_error.
void read_frame(const FrameFile &file, const format::FrameHead &head, std::uint64_t position, bool keeps, int threads,
                FrameMemory &memory, trajectory::FrameHistory &frame);

// Frames are given by their number in the file. Not thread-safe.
class Follower {
 public:
  struct How {
    int threads = 1;
    bool anew = false;       // reads the frame's bytes again, even if it is the frame decoded last
    bool announces = false;  // reports the frames that come next, so that their bytes are read ahead
    // Only these particles are written; nullptr: all.
    std::shared_ptr<const Selection> selection = nullptr;
    bool in_order = false;  // see ReadOptions
  };

  // The file must outlive this object.
  explicit Follower(const FrameFile &file) : file_(&file) {}

  // Decodes these fields (an empty list: all) of frame i. Throws corrupt, truncated, limit_exceeded, io_error.
  trajectory::FrameHistory &go_to(std::size_t i, const format::FrameHead &head, std::vector<bool> wanted,
                                  const How &how, SpareMemory &memory);

  // Whether the frame before frame i was decoded last. If i is a key frame, a loop has reached the next key interval.
  bool is_at(std::size_t i) const { return history_.complete() && last_ + 1 == i; }
  // Whether the frame decoded last is in the key interval of frame i, `since_key` frames after its key frame, and not
  // after it.
  bool is_before(std::size_t i, std::size_t since_key) const { return lies_before(i, since_key, false); }

 private:
  bool lies_before(std::size_t i, std::size_t since_key, bool anew) const;
  void follow(std::size_t j, const std::vector<bool> &wanted, const How &how, SpareMemory &memory);
  [[noreturn]] void throw_behind(const Error &error, std::size_t frame) const;

  const FrameFile *file_;
  trajectory::FrameHistory history_;
  std::size_t last_ = 0;  // frame of the history
  bool joined_ = false;   // fields of several calls are followed
  // Histories of selected particles alone are tried, until a frame needs all slots.
  bool may_limit_ = true;
  // Damage of frame failed_: later frames up to the next key frame cannot be decoded. A distant source may send the
  // right bytes the next time, so they are read again.
  std::optional<Error> failure_;
  std::size_t failed_ = 0;
};

}  // namespace gpz::api
