// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/frame_plan.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace gpz::api {

void FramePlan::asked_for(std::size_t i, bool anew) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (i >= frames_.size()) return;
  const std::size_t before = std::exchange(asked_, i);
  if (anew && (!std::exchange(is_anew_, true) || before == none || i <= before)) forget();
  is_anew_ = anew;
  if (before == i) return;
  // A frame that does not ascend, as with threads in turn, ends a regular sequence.
  const std::size_t distance = before != none && i > before ? i - before : 0;
  is_regular_ = distance > 0 && std::exchange(distance_, distance) == distance;
  distance_ = distance;
  if (std::exchange(between_are_read_, false) || !is_regular_) return;
  if (!is_on_the_way(i, distance))
    go(i + distance, distance, 2);
  else if (i < newest_)
    return;
  const std::vector<AheadSource::Range> ranges = next_frames(frames_.size());
  lock.unlock();
  source_.expect(ranges);
}

void FramePlan::reading(std::size_t i, std::size_t end) {
  std::unique_lock<std::mutex> lock(mutex_);
  between_are_read_ = true;
  end = is_regular_ ? frames_.size() : std::min(end, frames_.size());
  std::vector<AheadSource::Range> now, next;
  if (!is_on_the_way(i, 1)) {
    go(i, 1, most_frames);
    now = next_frames(end);
  }
  if (i >= newest_) next = next_frames(end);
  lock.unlock();
  source_.read_now(now);
  source_.expect(next);
}

void FramePlan::was_read(std::size_t i) {
  if (i + 1 < frames_.size()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  forget();
}

void FramePlan::forget() {
  next_ = none;
  source_.forget();
}

bool FramePlan::is_on_the_way(std::size_t i, std::size_t step) const {
  return next_ != none && step == step_ && older_ <= i && i < next_ && (next_ - i) % step == 0;
}

void FramePlan::go(std::size_t from, std::size_t step, std::size_t count) {
  next_ = newest_ = older_ = from;
  step_ = step;
  count_ = count;
}

std::vector<AheadSource::Range> FramePlan::next_frames(std::size_t end) {
  std::vector<AheadSource::Range> ranges;
  std::uint64_t bytes = 0;
  const std::size_t first = next_;
  try {
    ranges.reserve(count_);
  } catch (const std::bad_alloc &) {
    return ranges;
  }
  for (; next_ < end && ranges.size() < count_; next_ += step_) {
    const IndexEntry &frame = frames_[next_];
    const bool fits = ranges.empty() || frame.length <= most_.request - std::min(bytes, most_.request);
    if (!fits || frame.length > most_.frame) break;
    bytes += frame.length;
    ranges.push_back({frame.offset, frame.length});
  }
  if (!ranges.empty()) {
    older_ = std::exchange(newest_, first);
    count_ = std::min(2 * count_, most_frames);
  }
  return ranges;
}

}  // namespace gpz::api
