// SPDX-License-Identifier: BSD-3-Clause
// Decodes the next frames of a loop on threads of its own, while the caller works on this one. Key intervals are
// decoded side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "gpz/api/follower.hpp"
#include "gpz/api/frame_file.hpp"
#include "gpz/api/held_values.hpp"

namespace gpz::api {

// Threads may share it. In a child process that was forked nothing is decoded ahead.
class FramesAhead {
 public:
  // Decodes frame i with so many threads. Throws as Reader::read.
  using Decode = std::function<void(std::size_t i, const FrameRequest &request, int threads, Follower &follower,
                                    SpareMemory &memory, HeldValues &values)>;
  // A follower that is in the key interval of the loop's first frame, before it; nothing if there is none.
  using Start = std::function<std::optional<Follower>()>;

  // Smaller frames are decoded in less time than threads need to hand them over.
  static constexpr std::uint64_t least_particles = 2000;

  // `file` has to outlive this object, which holds at most about `most` bytes of values.
  FramesAhead(const FrameFile &file, std::uint64_t most, Decode decode);
  // Waits for the frames that are being decoded.
  ~FramesAhead();

  // To be called when a caller reads frame i, whose key interval starts with frame `key`. If it was decoded ahead,
  // calls use(values) and returns true. After false the caller has to decode it. Decodes frames ahead on `threads`
  // threads (0: one for each core) if callers ask for the same columns of frames whose numbers ascend evenly. One
  // thread decodes none.
  bool take(std::size_t i, std::size_t key, const FrameRequest &request, int threads, const Start &start,
            const std::function<bool(const HeldValues &)> &use);
  // Whether the last frames that were asked for made a loop, which goes on.
  bool is_active() const;
  // Ends the threads for good, and frees their memory. True if there were any.
  bool stop();

 private:
  struct Shared;

  bool is_forked() const;

  std::unique_ptr<Shared> shared_;
  unsigned long generation_;  // of the process that has the threads
};

}  // namespace gpz::api
