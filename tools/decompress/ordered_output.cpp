// SPDX-License-Identifier: BSD-3-Clause
#include "ordered_output.hpp"

#include <algorithm>
#include <utility>

namespace gpz::tool {

OrderedOutput::OrderedOutput(OutputFile &out, int threads)
    : out_(out), window_(4 * static_cast<std::size_t>(std::max(threads, 1))) {
  if (threads <= 1) return;
  workers_.reserve(static_cast<std::size_t>(threads));
  try {
    for (int i = 0; i < threads; ++i) workers_.emplace_back([this] { work(); });
  } catch (...) {
    // The system has no more threads: those that there are do the work, without any the caller's.
  }
}

OrderedOutput::~OrderedOutput() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_ready_.notify_all();
  for (std::thread &worker : workers_) worker.join();
}

void OrderedOutput::submit(Job job) {
  if (workers_.empty()) {
    inline_text_.clear();
    job(inline_text_);
    out_.write(inline_text_);
    return;
  }
  while (slots_.size() >= window_) write_first();
  auto slot = std::make_unique<Slot>();
  slot->job = std::move(job);
  {
    const std::lock_guard lock(mutex_);
    slots_.push_back(std::move(slot));
  }
  work_ready_.notify_one();
}

void OrderedOutput::finish() {
  while (!slots_.empty()) write_first();
}

// Only the submitting thread changes the deque, so that it may look at its size without the lock.
void OrderedOutput::write_first() {
  std::unique_ptr<Slot> slot;
  {
    std::unique_lock lock(mutex_);
    text_ready_.wait(lock, [this] { return slots_.front()->done; });
    slot = std::move(slots_.front());
    slots_.pop_front();
  }
  if (slot->error) std::rethrow_exception(slot->error);
  out_.write(slot->text);
}

void OrderedOutput::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    Slot *slot = nullptr;
    work_ready_.wait(lock, [&] {
      if (stopping_) return true;
      const auto free = std::find_if(slots_.begin(), slots_.end(), [](const auto &s) { return !s->taken; });
      if (free != slots_.end()) slot = free->get();
      return slot != nullptr;
    });
    if (stopping_) return;
    slot->taken = true;
    lock.unlock();
    try {
      slot->job(slot->text);
    } catch (...) {
      slot->error = std::current_exception();
    }
    slot->job = nullptr;
    lock.lock();
    slot->done = true;
    text_ready_.notify_one();
  }
}

}  // namespace gpz::tool
