// SPDX-License-Identifier: BSD-3-Clause
// Reads and decodes the frames of a file: from a key frame on, or from the frame decoded last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gpz/api/frame_file.hpp"
#include "gpz/error.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/trajectory/interval_decoder.hpp"

namespace gpz::api {

struct LocatedFrame {
  std::size_t i;
  std::uint64_t chunks = 0;  // position of the first chunk
  format::FrameHead head;

  LocatedFrame(const FrameFile &file, std::size_t number) : i(number), head(file.head(number, &chunks)) {}
};

// Frames are given by their number in the file. Not thread-safe.
class IntervalCursor {
 public:
  struct How {
    int threads = 1;
    bool anew = false;       // reads the frame's bytes again, even if it is the frame decoded last
    bool announces = false;  // reports the frames that come next, so that their bytes are read ahead
    // Only these particles are written; nullptr: all.
    std::shared_ptr<const Selection> selection = nullptr;
  };

  // The file must outlive this object.
  explicit IntervalCursor(const FrameFile &file) : file_(&file) {}

  // Decodes these fields (an empty list: all) of a frame. Throws corrupt, truncated, limit_exceeded, io_error.
  trajectory::IntervalDecoder &go_to(const LocatedFrame &frame, std::vector<bool> wanted, const How &how);

  // The frame decoded last; nothing after an error.
  std::optional<std::size_t> frame() const { return decoder_.complete() ? std::optional(last_) : std::nullopt; }
  // Whether that frame is in the key interval of frame i, `since_key` frames after its key frame, and not
  // after it.
  bool is_before(std::size_t i, std::size_t since_key, bool anew) const {
    return decoder_.complete() && last_ < i + (anew ? 0 : 1) && last_ + since_key >= i;
  }

 private:
  // Keeps its memory between frames: new pages cost as much time as decoding.
  struct Buffer {
    std::unique_ptr<std::uint8_t[]> bytes;  // limited by the size of the file, because its records are complete
    std::size_t size = 0;
    format::Charge charge;

    void reserve(std::size_t wanted);
  };

  void decode(const LocatedFrame &frame, std::size_t wanted_frame, const std::vector<bool> &wanted, const How &how);
  void read_chunks(const LocatedFrame &frame, int threads);
  [[noreturn]] void throw_behind(const Error &error, std::size_t frame) const;

  const FrameFile *file_;
  trajectory::IntervalDecoder decoder_;
  Buffer buffer_;         // chunks of a key frame, or one chunk
  std::size_t last_ = 0;  // frame that was decoded last
  bool joined_ = false;   // fields of several calls are followed
  // Selected particles alone are followed, until a frame needs all slots.
  bool may_limit_ = true;
  // Damage of frame failed_: later frames up to the next key frame cannot be decoded. A distant source may send the
  // right bytes the next time, so they are read again.
  std::optional<Error> failure_;
  std::size_t failed_ = 0;
};

}  // namespace gpz::api
