// SPDX-License-Identifier: BSD-3-Clause
// Predicts which frames will be read next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "gpz/api/ahead_source.hpp"
#include "gpz/container.hpp"

namespace gpz::api {

// Reads the records of whole frames, many in one request. After three requested frames at equal distances, it reads the
// following frames of the sequence ahead. Thread-safe.
class FramePlan {
 public:
  struct Most {
    std::uint64_t request = 0;  // bytes; one frame may exceed it
    std::uint64_t frame = 0;    // bytes; longer frames are not read as a whole
    bool has_thread = false;    // reads ahead while frames are decoded
    bool is_distant = false;    // requests have a high latency: whatever a frame needs is read in one
  };

  // `frames` and `source` must outlive this object.
  FramePlan(const std::vector<IndexEntry> &frames, AheadSource &source, const Most &most)
      : frames_(frames), source_(source), most_(most) {}

  // Call before reading frame i for a caller. `anew`: bytes that were read ahead earlier must not be used.
  void asked_for(std::size_t i, bool anew);
  // Call before reading frame i, which a requested difference frame needs: frames i to `end` - 1 are read now.
  void reading(std::size_t i, std::size_t end);
  // Call before reading the head of frame i, or the whole frame. From a distant source the bytes are then read at once,
  // unless they are in memory or requested.
  void reading_head(std::size_t i);
  void reading_frame(std::size_t i);
  // Call before reading the records in front of frame i.
  void reading_space(std::size_t i);
  // Call if bytes contradict the format: those of a distant source may be right the next time.
  void drop();
  // Whether bytes that contradict the format may be right the next time.
  bool is_distant() const { return most_.is_distant; }
  // Call after reading the head of frame i, which has its distance from the key frame.
  void found(std::size_t i, std::size_t since_key);
  // Call after reading frame i. After the last frame the memory is freed, because programs keep many files open.
  void was_read(std::size_t i);

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  static constexpr std::size_t most_frames = 64;  // of one request

  // The sequence: frames older_, ..., next_ - step_ are in memory or requested; next_, next_ + step_, ... before `end`
  // follow.
  bool is_on_path(std::size_t i, std::size_t step) const;
  void forget();
  void go(std::size_t from, std::size_t step, std::size_t count);
  std::vector<AheadSource::Range> next_frames(std::size_t end);
  void add_head(std::size_t i, std::vector<AheadSource::Range> &ranges) const;
  std::size_t probable_key(std::size_t i) const;
  bool read_interval(std::size_t i, std::size_t first, std::uint64_t most);

  const std::vector<IndexEntry> &frames_;
  AheadSource &source_;
  const Most most_;
  std::mutex mutex_;
  std::size_t asked_ = none;       // the last one
  std::size_t distance_ = 0;       // from the one before; 0: not ascending
  bool is_regular_ = false;        // the last two distances are equal
  bool between_are_read_ = false;  // frames between requested ones must be read as well
  bool is_anew_ = false;           // the last frame was requested anew
  std::size_t step_ = 1;
  std::size_t next_ = none;
  std::size_t older_ = 0;   // first frame of the second-newest request
  std::size_t newest_ = 0;  // first frame of the newest request; reading it starts the next request
  std::size_t count_ = 0;   // frames of the next request; doubles with each, because a short sequence may end
  // Frames whose heads, or the records in front of them, were read one after the other.
  struct Sequence {
    std::size_t last = none, count = 0;
    std::size_t follow(std::size_t i);
  };
  Sequence heads_, spaces_;
  // Statistics of the frames whose heads were read:
  std::size_t keys_divisor_ = 0;  // greatest common divisor of the numbers of their key frames
  std::size_t most_since_key_ = 0;
};

}  // namespace gpz::api
