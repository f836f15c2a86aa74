// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/interval_cursors.hpp"

#include <algorithm>
#include <utility>

namespace gpz::api {

IntervalCursors::Lease &IntervalCursors::Lease::operator=(Lease &&other) noexcept {
  end();
  cursors_ = other.cursors_;
  cursor_ = std::move(other.cursor_);
  return *this;
}

void IntervalCursors::Lease::end() {
  if (cursor_) cursors_->give_back(std::move(cursor_));
}

IntervalCursors::Lease IntervalCursors::lease(std::size_t i, std::size_t since_key, bool anew, bool for_run) {
  const std::size_t key = i - std::min(i, since_key);
  const auto precedes = [&](const Use &use) { return use.key == key && use.frame <= i; };
  std::unique_lock<std::mutex> lock(mutex_);
  if (since_key != 0) returned_.wait(lock, [&] { return std::none_of(in_use_.begin(), in_use_.end(), precedes); });
  Lease lease;
  lease.cursors_ = this;
  in_use_.reserve(in_use_.size() + 1);
  if (const auto found = find(i, since_key, anew); found != idle_.end()) {
    lease.cursor_ = std::move(*found);
    idle_.erase(found);
  } else {
    idle_.reserve(count_ + 1);  // so that give_back() does not allocate
    lease.cursor_ = std::make_unique<IntervalCursor>(file_);
    ++count_;
  }
  if (!for_run) in_use_.push_back({lease.cursor_.get(), key, i});
  return lease;
}

IntervalCursors::Idle::iterator IntervalCursors::find(std::size_t i, std::size_t since_key, bool anew) {
  auto nearest = idle_.end();
  auto free = idle_.end();
  for (auto cursor = idle_.begin(); cursor != idle_.end(); ++cursor) {
    const auto frame = (*cursor)->frame();
    // A loop that reaches the next key interval goes on with the same memory.
    const bool serves = (*cursor)->is_before(i, since_key, anew) || (since_key == 0 && frame && *frame + 1 == i);
    if (serves && (nearest == idle_.end() || *frame > *(*nearest)->frame())) nearest = cursor;
    if (!frame) free = cursor;
  }
  if (nearest != idle_.end()) return nearest;
  if (free != idle_.end()) return free;
  // Two of them stay, so that a frame that is read again and again, such as a reference, does not disturb a loop.
  return idle_.size() > 1 ? idle_.begin() : idle_.end();
}

void IntervalCursors::give_back(std::unique_ptr<IntervalCursor> cursor) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto is_this = [&](const Use &use) { return use.cursor == cursor.get(); };
    in_use_.erase(std::remove_if(in_use_.begin(), in_use_.end(), is_this), in_use_.end());
    idle_.push_back(std::move(cursor));
  }
  returned_.notify_all();
}

bool IntervalCursors::clear() {
  Idle idle;
  const std::lock_guard<std::mutex> lock(mutex_);
  idle.swap(idle_);
  idle_.reserve(count_);
  count_ -= idle.size();
  return idle.size() > 1;
}

}  // namespace gpz::api
