// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/read_ahead.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "gpz/error.hpp"

namespace gpz::api {
namespace {

// Calls f() without the lock. Returns its exception; by then this thread has none of it left.
template <typename F>
std::exception_ptr unlocked(std::unique_lock<std::mutex> &lock, const F &f) {
  lock.unlock();
  std::exception_ptr failure;
  try {
    f();
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  return failure;
}

}  // namespace

ReadAhead::ReadAhead(const FrameFile &file, Landing &landing, const Settings &settings)
    : file_(file), landing_(landing), settings_(settings) {
  slots_.reserve(settings_.frames);
  for (std::size_t k = 0; k < settings_.frames; ++k) slots_.emplace_back(k);
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
  // Slots have frames without a gap.
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
      end_ = next_;  // take() meets the same, if it comes to this frame
    }
  }
}

void ReadAhead::begin(std::size_t i) {
  std::uint64_t position = 0;
  format::FrameHead head = file_.head(i, &position);
  std::size_t size = 0;  // less than that of the file
  for (const ChunkEntry &chunk : head.chunks) size += static_cast<std::size_t>(chunk.length);
  Slot &slot = *std::find_if(slots_.begin(), slots_.end(), [](const Slot &any) { return !any.in_use; });
  slot.frame = i;
  slot.head = std::move(head);
  slot.position = position;
  slot.bytes = landing_.reserve(slot.index, size);
  slot.size = size;
  slot.pieces = (size + settings_.piece - 1) / settings_.piece;
  slot.next = 0;
  slot.left = slot.pieces;
  slot.arrived.assign(slot.pieces, 0);
  slot.complete = slot.pieces == 0;
  slot.checked = 0;
  slot.chunk = slot.begin = slot.end = 0;
  slot.checksum.restart();
  slot.unread = slot.damaged = nullptr;
  if (slot.pieces == 0) {
    landing_.complete(slot.index);
    try {
      check_up_to(slot, 0);
    } catch (...) {
      slot.damaged = std::current_exception();
    }
  } else {
    start_threads();
  }
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
    drop(slot);  // who tries again reads it again
    std::rethrow_exception(failure);
  }
  return {slot.index, &slot.head, slot.position, slot.bytes};
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
  if (const auto failure = unlocked(lock, [&] { landing_.begin_thread(); })) {
    idle_ = failure;
    progress_.notify_all();
    return;
  }
  Slot *last = nullptr;
  while (!stopping_) {
    if (Slot *const slot = slot_to_check(last)) {
      check_piece(*slot, lock);
    } else if (Slot *const unread = slot_to_read()) {
      read_piece(*unread, lock);
      last = unread;
    } else {
      work_.wait(lock);
    }
  }
}

// First the slot of the piece that this thread has read last: it is in its cache.
ReadAhead::Slot *ReadAhead::slot_to_check(Slot *last) {
  if (last != nullptr && last->can_be_checked()) return last;
  const auto found = std::find_if(slots_.begin(), slots_.end(), [](const Slot &slot) { return slot.can_be_checked(); });
  return found == slots_.end() ? nullptr : &*found;
}

// The first frame that has not enough threads, or else the one that has the fewest.
ReadAhead::Slot *ReadAhead::slot_to_read() {
  Slot *best = nullptr;
  const auto rank = [&](const Slot &slot) {
    return std::make_pair(slot.busy < settings_.threads_a_frame ? 0 : slot.busy, slot.frame);
  };
  for (Slot &slot : slots_)
    if (slot.can_be_read() && (best == nullptr || rank(slot) < rank(*best))) best = &slot;
  return best;
}

void ReadAhead::read_piece(Slot &slot, std::unique_lock<std::mutex> &lock) {
  const std::size_t piece = slot.next++;
  const std::size_t from = piece * settings_.piece;
  const std::size_t size = std::min(settings_.piece, slot.size - from);
  ++slot.busy;
  auto failure = unlocked(lock, [&] {
    file_.source().read_at(slot.position + from, slot.bytes + from, size);
    landing_.arrived(slot.index, from, size);
  });
  if (!failure) {
    slot.arrived[piece] = 1;
    if (--slot.left == 0) {
      failure = unlocked(lock, [&] { landing_.complete(slot.index); });
      slot.complete = !failure;
    }
  }
  if (failure) {
    slot.unread = std::move(failure);
    slot.next = slot.pieces;
  }
  --slot.busy;
  if (slot.left == 0 || slot.unread || !slot.in_use) progress_.notify_all();
}

void ReadAhead::check_piece(Slot &slot, std::unique_lock<std::mutex> &lock) {
  slot.checking = true;
  ++slot.busy;
  const std::size_t end = std::min((slot.checked + 1) * settings_.piece, slot.size);
  slot.damaged = unlocked(lock, [&] { check_up_to(slot, end); });
  if (!slot.damaged) ++slot.checked;
  slot.checking = false;
  --slot.busy;
  if (slot.is_checked() || !slot.in_use) progress_.notify_all();
}

// Goes on with the checksums up to this byte of the slot.
void ReadAhead::check_up_to(Slot &slot, std::size_t end) const {
  const std::vector<ChunkEntry> &chunks = slot.head.chunks;
  for (; slot.chunk < chunks.size(); ++slot.chunk) {
    const ChunkEntry &chunk = chunks[slot.chunk];
    const std::size_t chunk_end = slot.begin + static_cast<std::size_t>(chunk.length);
    const std::size_t to = std::min(end, chunk_end);
    slot.checksum.add(slot.bytes + slot.end, to - slot.end);
    slot.end = to;
    if (to < chunk_end) return;
    file_.check_chunk(chunk, slot.position + slot.begin, slot.head.info.fields.size(), slot.bytes + slot.begin,
                      slot.checksum.value());
    slot.begin = chunk_end;
    slot.checksum.restart();
  }
}

}  // namespace gpz::api
