// SPDX-License-Identifier: BSD-3-Clause
// The cursors of a reader: as many as threads read at the same time, and one more.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "gpz/api/frame_file.hpp"
#include "gpz/api/interval_cursor.hpp"

namespace gpz::api {

// Thread-safe.
class IntervalCursors {
 public:
  // A cursor in use. Gives it back at its end.
  class Lease {
   public:
    Lease() = default;
    Lease(Lease &&other) noexcept = default;
    Lease &operator=(Lease &&other) noexcept;
    ~Lease() { end(); }
    explicit operator bool() const { return cursor_ != nullptr; }
    IntervalCursor &operator*() const { return *cursor_; }

   private:
    friend class IntervalCursors;
    void end();

    IntervalCursors *cursors_ = nullptr;
    std::unique_ptr<IntervalCursor> cursor_;
  };

  // `file` must outlive this object.
  explicit IntervalCursors(const FrameFile &file) : file_(file) {}

  // A cursor for frame i, `since_key` frames after its key frame: if possible one that has decoded frames of the
  // interval up to there. If another thread is about to decode such a frame, waits for its cursor. `anew`: as
  // IntervalCursor::is_before. `for_run`: the cursor stays in use for all frames of the interval from this one on, and
  // nobody waits for it.
  Lease lease(std::size_t i, std::size_t since_key, bool anew, bool for_run = false);
  // Frees cursors that are not in use. Returns whether there were several.
  bool clear();

 private:
  struct Use {
    const IntervalCursor *cursor;
    std::size_t key, frame;
  };
  using Idle = std::vector<std::unique_ptr<IntervalCursor>>;

  Idle::iterator find(std::size_t i, std::size_t since_key, bool anew);
  void give_back(std::unique_ptr<IntervalCursor> cursor);

  const FrameFile &file_;
  std::mutex mutex_;
  std::condition_variable returned_;
  Idle idle_;                // the one used last at the end
  std::vector<Use> in_use_;  // those that others may wait for
  std::size_t count_ = 0;    // of all cursors
};

}  // namespace gpz::api
