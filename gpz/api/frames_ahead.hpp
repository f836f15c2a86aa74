// SPDX-License-Identifier: BSD-3-Clause
// Decodes the next frames of a caller's loop on its own threads. Key intervals are decoded side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "gpz/api/frame_file.hpp"
#include "gpz/api/held_values.hpp"
#include "gpz/api/interval_cursors.hpp"

namespace gpz::api {

// Thread-safe. In a forked child process nothing is decoded ahead.
class FramesAhead {
 public:
  // Decodes frame i with this many threads. Throws as Reader::read.
  using Decode = std::function<void(std::size_t i, const FrameRequest &request, int threads, IntervalCursor &cursor,
                                    HeldValues &values)>;

  // Decoding smaller frames takes less time than passing them between threads.
  static constexpr std::uint64_t least_particles = 2000;

  // `file` and `cursors` must outlive this object. Holds about `most` bytes of values at most.
  FramesAhead(const FrameFile &file, IntervalCursors &cursors, std::uint64_t most, Decode decode);
  // Waits for frames in progress.
  ~FramesAhead();

  // Call when a caller reads frame i, `since_key` frames after its key frame. If the frame was decoded ahead, calls
  // use(values) and returns true; otherwise the caller has to decode it, on as many threads as `threads` says then.
  // Decodes ahead on `threads` threads (0: one per core), the caller's among them, if callers request the same columns
  // of frames at ascending, equal distances. With one thread nothing is decoded ahead.
  bool take(std::size_t i, std::size_t since_key, const FrameRequest &request, int &threads,
            const std::function<bool(const HeldValues &)> &use);
  // Ends the threads for good, and frees their memory. Returns whether there were any.
  bool stop();

 private:
  struct Shared;

  bool is_forked() const;

  std::unique_ptr<Shared> shared_;
  unsigned long generation_;  // of the process that started the threads
};

}  // namespace gpz::api
