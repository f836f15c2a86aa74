// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/frame_plan.hpp"

#include <algorithm>
#include <new>
#include <numeric>
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
  if (std::exchange(between_are_read_, false) || !is_regular_) {
    const std::size_t first = distance == 0 ? probable_key(i) : std::max(probable_key(i), before + 1);
    lock.unlock();
    if (most_.is_distant) read_interval(i, first, most_.request);
    return;
  }
  if (!is_on_path(i, distance))
    go(i + distance, distance, most_.is_distant ? 4 : 2);
  else if (i < newest_)
    return;
  const std::vector<AheadSource::Range> ranges = next_frames(frames_.size());
  lock.unlock();
  source_.expect(ranges);
}

void FramePlan::reading(std::size_t i, std::size_t end) {
  std::unique_lock<std::mutex> lock(mutex_);
  between_are_read_ = true;
  // A loop reads on beyond this frame if it leaves out fewer frames than were read for this one.
  const bool goes_on = is_regular_ && i < end && distance_ <= end - i;
  const std::size_t needed = std::max<std::size_t>(std::min(end, frames_.size()) - std::min(i, frames_.size()), 1);
  end = goes_on ? frames_.size() : std::min(end, frames_.size());
  std::vector<AheadSource::Range> now, next;
  if (!is_on_path(i, 1)) {
    go(i, 1, most_.is_distant ? needed : most_frames);
    now = next_frames(end);
  }
  if (i >= newest_) next = next_frames(end);
  lock.unlock();
  if (most_.is_distant)
    now.erase(
        std::remove_if(now.begin(), now.end(), [&](const AheadSource::Range &range) { return source_.holds(range); }),
        now.end());
  source_.read_now(now);
  source_.expect(next);
}

void FramePlan::reading_head(std::size_t i) {
  if (!most_.is_distant || i >= frames_.size()) return;
  // So few bytes arrive as fast as the head alone.
  constexpr std::uint64_t few = std::uint64_t{256} << 10;
  std::size_t first = 0;
  bool is_one_of_many = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    first = probable_key(i);
    // A loop that reads frames as well has been noticed before that.
    is_one_of_many = heads_.follow(i) >= 16;
  }
  std::vector<AheadSource::Range> ranges;
  add_head(i, ranges);
  const auto is_held = [&](const AheadSource::Range &range) { return source_.holds(range); };
  if (std::all_of(ranges.begin(), ranges.end(), is_held)) return;
  if (is_one_of_many)
    for (std::size_t next = i + 1; next < frames_.size() && next < i + most_frames; ++next) add_head(next, ranges);
  else if (read_interval(i, first, few) || read_interval(i, i, few / 4))
    return;
  source_.read_now(ranges);
}

void FramePlan::reading_space(std::size_t i) {
  if (!most_.is_distant || i == 0 || i >= frames_.size()) return;
  constexpr std::size_t most_spaces = 256;
  constexpr std::uint64_t most_size = std::uint64_t{1} << 20;
  bool is_one_of_many = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_one_of_many = spaces_.follow(i) >= 4;
  }
  const auto space = [&](std::size_t k) {
    const std::uint64_t begin = frames_[k - 1].offset + frames_[k - 1].length;
    return AheadSource::Range{begin, frames_[k].offset - begin};
  };
  std::vector<AheadSource::Range> ranges = {space(i)};
  if (ranges[0].size > most_size || source_.holds(ranges[0])) return;
  std::uint64_t size = ranges[0].size;
  for (std::size_t next = i + 1; is_one_of_many && next < frames_.size() && ranges.size() < most_spaces; ++next) {
    const AheadSource::Range range = space(next);
    if (range.size > most_size - size) break;
    size += range.size;
    if (range.size > 0) ranges.push_back(range);
  }
  source_.read_now(ranges);
}

// How many numbers, i included, have followed each other. A number may come several times.
std::size_t FramePlan::Sequence::follow(std::size_t i) {
  if (i != last) count = last != none && i == last + 1 ? count + 1 : 1;
  last = i;
  return count;
}

// The end of a record has its checksum.
void FramePlan::add_head(std::size_t i, std::vector<AheadSource::Range> &ranges) const {
  constexpr std::uint64_t head_size = 4096, end_size = 64;
  const IndexEntry &frame = frames_[i];
  if (frame.length <= head_size + end_size) {
    ranges.push_back({frame.offset, frame.length});
    return;
  }
  ranges.push_back({frame.offset, head_size});
  ranges.push_back({frame.offset + frame.length - end_size, end_size});
}

void FramePlan::reading_frame(std::size_t i) {
  if (most_.is_distant && i < frames_.size()) read_interval(i, i, most_.frame);
}

void FramePlan::drop() {
  if (!most_.is_distant) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  forget();
}

void FramePlan::found(std::size_t i, std::size_t since_key) {
  if (!most_.is_distant || since_key > i) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  keys_divisor_ = std::gcd(keys_divisor_, i - since_key);
  most_since_key_ = std::max(most_since_key_, since_key);
}

// The key frame of frame i, if key frames are at even distances: the least distance that does not contradict the frames
// found so far. A wrong answer costs one request more.
std::size_t FramePlan::probable_key(std::size_t i) const {
  constexpr std::size_t most_interval = 1000;
  for (std::size_t interval = most_since_key_ + 1; interval <= std::min(keys_divisor_, most_interval); ++interval)
    if (keys_divisor_ % interval == 0) return i - i % interval;
  return i;
}

// Reads the frames from `first` to i in one request. Returns false if they have more than `most` bytes.
bool FramePlan::read_interval(std::size_t i, std::size_t first, std::uint64_t most) {
  const IndexEntry &begin = frames_[first], &end = frames_[i];
  const std::uint64_t size = end.offset + end.length - begin.offset;
  if (size > most) return false;
  if (!source_.holds({end.offset, end.length})) source_.read_now({{begin.offset, size}});
  return true;
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

bool FramePlan::is_on_path(std::size_t i, std::size_t step) const {
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
