// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/reader/read_ahead.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "gpz/error.hpp"

namespace gpz::cuda {
namespace {

template <typename F>
std::exception_ptr exception_of(const F &f) {
  try {
    f();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

// Calls f() without the lock. Returns its exception, which this thread no longer refers to.
template <typename F>
std::exception_ptr unlocked(std::unique_lock<std::mutex> &lock, const F &f) {
  lock.unlock();
  std::exception_ptr failure = exception_of(f);
  lock.lock();
  return failure;
}

}  // namespace

ReadAhead::ReadAhead(const api::FrameFile &file, ByteLanding &landing, const Settings &settings)
    : file_(file), landing_(landing), settings_(settings) {
  slots_.reserve(settings_.frames);
  for (std::size_t k = 0; k < settings_.frames; ++k) slots_.emplace_back(k, file_);
  threads_.reserve(static_cast<std::size_t>(settings_.threads));
}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  for (std::thread &thread : threads_) thread.join();
}

const ReadAhead::Slot *ReadAhead::find(std::size_t i) const {
  const auto found =
      std::find_if(slots_.begin(), slots_.end(), [&](const Slot &slot) { return slot.in_use && slot.frame == i; });
  return found == slots_.end() ? nullptr : &*found;
}

ReadAhead::Slot &ReadAhead::present(std::size_t i) {
  const Slot *const slot = find(i);
  if (slot == nullptr) throw Error(Status::internal, "frame " + std::to_string(i) + " was not taken");
  return slots_[slot->index];
}

const format::FrameHead *ReadAhead::head(std::size_t i) const {
  const Slot *const slot = find(i);
  return slot == nullptr ? nullptr : &slot->head;
}

void ReadAhead::aim(std::size_t first, std::size_t end) {
  // Slots hold consecutive frames.
  const bool goes_on = first == next_ || find(first) != nullptr;
  for (Slot &slot : slots_)
    if (slot.in_use && (!goes_on || slot.frame < first || slot.frame >= end)) drop(slot);
  next_ = goes_on ? std::min(next_, std::max(first, end)) : first;
  end_ = end;
  fill();
}

void ReadAhead::fill() {
  while (next_ < std::min(end_, file_.scan().frames.size()) && in_use_ < settings_.frames) {
    const std::uint64_t length = file_.scan().frames[next_].length;
    if (in_use_ >= 2 && (bytes_ > settings_.bytes || length > settings_.bytes - bytes_)) return;
    try {
      begin(next_);
    } catch (...) {
      end_ = next_;  // take() meets the same error if it is called for this frame
    }
  }
}

void ReadAhead::begin(std::size_t i) {
  std::uint64_t position = 0;
  format::FrameHead head = file_.head(i, &position);
  std::size_t size = 0;  // below the size of the file
  for (const ChunkEntry &chunk : head.chunks) size += static_cast<std::size_t>(chunk.length);
  Slot &slot = *std::find_if(slots_.begin(), slots_.end(), [](const Slot &any) { return !any.in_use; });
  slot.frame = i;
  slot.head = std::move(head);
  slot.position = position;
  landing_.reserve(slot.index, size);
  slot.checks.start(slot.head, position, settings_.piece);
  slot.next = 0;
  slot.left = slot.pieces();
  slot.complete = false;
  slot.looked_at.assign(slot.pieces(), 0);
  slot.finished = 0;
  slot.unread = slot.damaged = nullptr;
  start_threads();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    slot.in_use = true;
  }
  work_.notify_all();
  next_ = i + 1;
  ++in_use_;
  bytes_ += file_.scan().frames[i].length;
}

void ReadAhead::drop(Slot &slot) {
  std::unique_lock<std::mutex> lock(mutex_);
  slot.in_use = false;
  progress_.wait(lock, [&] { return slot.busy == 0; });
  --in_use_;
  bytes_ -= file_.scan().frames[slot.frame].length;
}

void ReadAhead::start_threads() {
  if (!threads_.empty()) return;
  try {
    while (threads_.size() < static_cast<std::size_t>(settings_.threads)) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error &) {
    if (threads_.empty()) throw Error(Status::out_of_memory, "no thread to read the file", file_.name());
  }
}

ReadAhead::Frame ReadAhead::take(std::size_t i) {
  if (find(i) == nullptr) {
    aim(i, std::max(end_, i + 1));
    if (find(i) == nullptr) begin(i);
  }
  Slot &slot = present(i);
  std::unique_lock<std::mutex> lock(mutex_);
  progress_.wait(lock, [&] { return slot.complete || slot.unread || idle_; });
  if (!slot.complete) {
    const std::exception_ptr failure = slot.unread ? slot.unread : idle_;
    lock.unlock();
    drop(slot);  // a repeated call reads it again
    std::rethrow_exception(failure);
  }
  return {slot.index, &slot.head, slot.position};
}

void ReadAhead::check(std::size_t i) {
  Slot &slot = present(i);
  std::unique_lock<std::mutex> lock(mutex_);
  progress_.wait(lock, [&] { return slot.is_checked() || idle_; });
  if (slot.damaged) std::rethrow_exception(slot.damaged);
  if (slot.unread) std::rethrow_exception(slot.unread);
  if (!slot.is_checked()) std::rethrow_exception(idle_);
}

void ReadAhead::give_back(std::size_t i) {
  drop(present(i));
  fill();
}

void ReadAhead::work() {
  std::unique_lock<std::mutex> lock(mutex_);
  try {
    read(lock);
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    idle_ = std::current_exception();
    progress_.notify_all();
  }
}

void ReadAhead::read(std::unique_lock<std::mutex> &lock) {
  lock.unlock();
  const std::unique_ptr<ByteLanding::Lane> lane = landing_.lane();
  lock.lock();
  std::uint8_t *room = nullptr;
  while (!stopping_) {
    Slot *const slot = slot_to_read();
    if (slot == nullptr) {
      work_.wait(lock);
    } else if (room == nullptr) {
      // Wait for room before choosing a slot: other threads can then take its pieces.
      lock.unlock();
      room = lane->room();
      lock.lock();
    } else {
      read_load(*slot, *lane, room, lock);
      room = nullptr;
    }
  }
}

// The slot of the first frame with pieces to read.
ReadAhead::Slot *ReadAhead::slot_to_read() {
  Slot *first = nullptr;
  for (Slot &slot : slots_)
    if (slot.can_be_read() && (first == nullptr || slot.frame < first->frame)) first = &slot;
  return first;
}

void ReadAhead::read_load(Slot &slot, ByteLanding::Lane &lane, std::uint8_t *room, std::unique_lock<std::mutex> &lock) {
  const std::size_t first = slot.next;
  const std::size_t end = std::min(first + settings_.load, slot.pieces());
  slot.next = end;
  ++slot.busy;
  std::exception_ptr damage;
  auto failure = unlocked(lock, [&] { damage = read_and_look(slot, first, end, lane, room); });
  if (!failure) {
    slot.left -= end - first;
    if (slot.left == 0) failure = unlocked(lock, [&] { landing_.complete(slot.index); });
    slot.complete = slot.left == 0 && !failure;
  }
  if (failure) {
    slot.unread = std::move(failure);
    slot.next = slot.pieces();
  }
  if (damage) slot.damaged = std::move(damage);
  std::fill(slot.looked_at.begin() + static_cast<std::ptrdiff_t>(first),
            slot.looked_at.begin() + static_cast<std::ptrdiff_t>(end), char{1});
  if (slot.complete || slot.unread) progress_.notify_all();
  finish_checks(slot, lock);
  --slot.busy;
  if (slot.is_checked() || !slot.in_use) progress_.notify_all();
}

// Reads, checks and sends pieces. Sends damaged ones, too, and returns the damage.
std::exception_ptr ReadAhead::read_and_look(Slot &slot, std::size_t first, std::size_t end, ByteLanding::Lane &lane,
                                            std::uint8_t *room) const {
  std::exception_ptr damage;
  std::size_t size = 0;
  for (std::size_t p = first; p < end; ++p) {
    const FrameChecks::Piece &piece = slot.checks.pieces()[p];
    std::uint8_t *const to = room + size;
    file_.source().read_at(slot.position + piece.from, to, piece.size);
    if (!damage) damage = exception_of([&] { slot.checks.look_at(p, to); });
    size += piece.size;
  }
  if (size != 0) lane.send(slot.index, slot.checks.pieces()[first].from, size);
  return damage;
}

// Finishes checks in order, up to the first piece that no thread has looked at.
void ReadAhead::finish_checks(Slot &slot, std::unique_lock<std::mutex> &lock) {
  while (slot.in_use && slot.can_be_finished()) {
    slot.finishing = true;
    const std::size_t next = slot.finished;
    if (auto failure = unlocked(lock, [&] { slot.checks.finish(next); }))
      slot.damaged = std::move(failure);
    else
      ++slot.finished;
    slot.finishing = false;
  }
}

}  // namespace gpz::cuda
