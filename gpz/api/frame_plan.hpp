// SPDX-License-Identifier: BSD-3-Clause
// Which frames will be read next, judged by those that were read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "gpz/api/ahead_source.hpp"
#include "gpz/container.hpp"

namespace gpz::api {

// Reads the records of frames as wholes, many in one request, and expects frames in their order, or every Nth, once
// three were read so. Threads may share it.
class FramePlan {
 public:
  struct Most {
    std::uint64_t request = 0;  // bytes, unless that is one frame
    std::uint64_t frame = 0;    // bytes: longer ones are read as the reader asks for their parts
    bool has_thread = false;    // for requests, while frames are decoded
  };

  // `frames` and `source` have to outlive this object.
  FramePlan(const std::vector<IndexEntry> &frames, AheadSource &source, const Most &most)
      : frames_(frames), source_(source), most_(most) {}

  // To be called before frame i is read, because somebody has asked for it. `anew`: as the source has it now, not as it
  // was read for another purpose.
  void asked_for(std::size_t i, bool anew);
  // To be called before frame i is read, because that is necessary for a frame that somebody has asked for: frames i to
  // `end` - 1 will be read now.
  void reading(std::size_t i, std::size_t end);
  // To be called when frame i was read: nothing follows the last one, and programs keep many files open.
  void was_read(std::size_t i);

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  static constexpr std::size_t most_frames = 64;  // of a request

  // The way: frames older_, ..., next_ - step_ are held or under way; next_, next_ + step_, ... before `end` come then.
  bool is_on_the_way(std::size_t i, std::size_t step) const;
  void forget();
  void go(std::size_t from, std::size_t step, std::size_t count);
  std::vector<AheadSource::Range> next_frames(std::size_t end);

  const std::vector<IndexEntry> &frames_;
  AheadSource &source_;
  const Most most_;
  std::mutex mutex_;
  // What was asked for.
  std::size_t asked_ = none;       // the last frame
  std::size_t distance_ = 0;       // from the one before; 0: it was not behind that
  bool is_regular_ = false;        // the distance was the same before
  bool between_are_read_ = false;  // frames between those that are asked for have to be read as well
  bool is_anew_ = false;           // the last frame was read anew
  // The way.
  std::size_t step_ = 1;
  std::size_t next_ = none;
  std::size_t older_ = 0;   // the first frame of the request before the newest
  std::size_t newest_ = 0;  // the first frame of the newest request: when that is read, the next request begins
  std::size_t count_ = 0;   // frames of the next request. Few at first, where it is not certain that they are read
};

}  // namespace gpz::api
