// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/pending_frames.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "gpz/format/fields.hpp"

namespace gpz::api {
namespace {

template <typename Word>
void copy_rows(const ConstArray &from, std::size_t n, const int *rows, std::uint8_t *to) {
  const auto *const base = static_cast<const char *>(from.data);
  for (std::size_t i = 0; i < n; ++i) {
    const std::ptrdiff_t row = rows != nullptr ? rows[i] : static_cast<std::ptrdiff_t>(i);
    Word word;
    std::memcpy(&word, base + row * from.stride, sizeof word);
    std::memcpy(to + i * sizeof word, &word, sizeof word);
  }
}

}  // namespace

void PendingFrame::copy(const std::vector<FieldInput> &from, std::size_t particles, const int *rows) {
  constexpr std::size_t alignment = 8;
  std::size_t needed = 0;
  const auto padded = [&](const ConstArray &array) {
    return (element_size(array.type) * particles + alignment - 1) / alignment * alignment;
  };
  for (const FieldInput &input : from)
    for (std::size_t d = 0; d < input.field.components.size(); ++d) needed += padded(input.components[d]);
  if (needed > room_) {
    values_.reset();
    room_ = 0;
    values_.reset(new std::uint8_t[needed]);
    room_ = needed;
  }
  fields = from;
  std::uint8_t *at = values_.get();
  for (FieldInput &input : fields)
    for (std::size_t d = 0; d < input.field.components.size(); ++d) {
      ConstArray &array = input.components[d];
      const std::size_t size = element_size(array.type);
      const std::size_t length = padded(array);
      if (size == 4)
        copy_rows<std::uint32_t>(array, particles, rows, at);
      else
        copy_rows<std::uint64_t>(array, particles, rows, at);
      array = {at, static_cast<std::ptrdiff_t>(size), array.type};
      at += length;
    }
}

struct PendingFrames::Shared {
  using Lock = std::unique_lock<std::mutex>;

  struct Entry {
    std::unique_ptr<PendingFrame> frame;
    bool is_encoded = false;
  };
  // A key interval, encoded frame by frame, by one thread at a time. The threads allocate only inside encoders.
  struct Run {
    std::deque<Entry *> waits;
    std::unique_ptr<IntervalEncoder> encoder;
    bool is_busy = false;
    bool is_over = false;  // the next interval has begun
  };

  std::mutex mutex;
  std::condition_variable work, done;
  std::vector<std::thread> threads;
  bool stopping = false;
  std::deque<std::unique_ptr<Entry>> entries;  // the oldest first
  std::deque<std::shared_ptr<Run>> runs;
  std::size_t waiting_bytes = 0;
  std::vector<std::unique_ptr<PendingFrame>> spare;
  std::vector<std::unique_ptr<IntervalEncoder>> encoders;  // of finished runs

  // The threads that a run may take for each of its frames.
  int share() const {
    const auto works = [](const std::shared_ptr<Run> &run) { return run->is_busy || !run->waits.empty(); };
    const auto count = static_cast<std::size_t>(std::count_if(runs.begin(), runs.end(), works));
    return static_cast<int>(std::max<std::size_t>(1, threads.size() / std::max<std::size_t>(1, count)));
  }

  void encode_next(const std::shared_ptr<Run> &run, Lock &lock) {
    const int share_of_run = share();
    Entry *const entry = run->waits.front();
    run->waits.pop_front();
    run->is_busy = true;
    if (!run->encoder && !encoders.empty()) {
      run->encoder = std::move(encoders.back());
      encoders.pop_back();
    }
    PendingFrame &frame = *entry->frame;
    lock.unlock();
    try {
      if (!run->encoder) run->encoder = std::make_unique<IntervalEncoder>();
      run->encoder->set_threads(share_of_run);
      run->encoder->encode(frame.info, frame.fields, nullptr, frame.encoding, frame.chunk);
    } catch (...) {
      frame.error = std::current_exception();
    }
    lock.lock();
    run->is_busy = false;
    entry->is_encoded = true;
    waiting_bytes -= frame.bytes();
    retire();
    done.notify_all();
    work.notify_all();
  }

  void retire() {
    const auto is_finished = [&](const std::shared_ptr<Run> &run) {
      if (!run->is_over || run->is_busy || !run->waits.empty()) return false;
      // Within the reserved capacity, because this must not allocate.
      if (run->encoder && encoders.size() < encoders.capacity()) encoders.push_back(std::move(run->encoder));
      return true;
    };
    runs.erase(std::remove_if(runs.begin(), runs.end(), is_finished), runs.end());
  }

  void work_on() {
    Lock lock(mutex);
    while (!stopping) {
      const auto run = std::find_if(runs.begin(), runs.end(), [](const std::shared_ptr<Run> &candidate) {
        return !candidate->is_busy && !candidate->waits.empty();
      });
      if (run == runs.end())
        work.wait(lock);
      else
        encode_next(std::shared_ptr<Run>(*run), lock);
    }
  }

  // Drops waiting frames, and waits for frames in progress.
  void clear(Lock &lock) {
    for (const std::shared_ptr<Run> &run : runs) {
      run->waits.clear();
      run->is_over = true;
    }
    done.wait(lock, [&] {
      return std::none_of(runs.begin(), runs.end(), [](const std::shared_ptr<Run> &run) { return run->is_busy; });
    });
    runs.clear();
    entries.clear();
    waiting_bytes = 0;
  }
};

PendingFrames::PendingFrames(int threads) : shared_(std::make_unique<Shared>()) {
  shared_->encoders.reserve(static_cast<std::size_t>(threads) + 2);
  shared_->threads.reserve(static_cast<std::size_t>(threads));
  try {
    for (int t = 0; t < threads; ++t) shared_->threads.emplace_back([this] { shared_->work_on(); });
  } catch (const std::system_error &) {
    // The system has no more threads; continue with those that were started.
    if (shared_->threads.empty()) throw;
  }
}

PendingFrames::~PendingFrames() {
  {
    Shared::Lock lock(shared_->mutex);
    shared_->clear(lock);
    shared_->stopping = true;
  }
  shared_->work.notify_all();
  for (std::thread &thread : shared_->threads) thread.join();
}

std::unique_ptr<PendingFrame> PendingFrames::new_frame() {
  const std::lock_guard<std::mutex> lock(shared_->mutex);
  if (shared_->spare.empty()) return std::make_unique<PendingFrame>();
  std::unique_ptr<PendingFrame> frame = std::move(shared_->spare.back());
  shared_->spare.pop_back();
  return frame;
}

void PendingFrames::recycle(std::unique_ptr<PendingFrame> frame) {
  frame->error = nullptr;
  const std::lock_guard<std::mutex> lock(shared_->mutex);
  try {
    shared_->spare.push_back(std::move(frame));
  } catch (const std::bad_alloc &) {
    // Frees the frame instead of keeping it.
  }
}

void PendingFrames::add(std::unique_ptr<PendingFrame> frame) {
  auto entry = std::make_unique<Shared::Entry>();
  std::shared_ptr<Shared::Run> next;
  {
    const std::lock_guard<std::mutex> lock(shared_->mutex);
    if (shared_->runs.empty() || frame->info.since_key == 0) next = std::make_shared<Shared::Run>();
    Shared::Run &run = next ? *next : *shared_->runs.back();
    // Allocate first, so that nothing has changed if memory runs out.
    run.waits.push_back(entry.get());
    try {
      if (next) shared_->runs.push_back(next);
      try {
        shared_->entries.push_back(nullptr);
      } catch (...) {
        if (next) shared_->runs.pop_back();
        throw;
      }
    } catch (...) {
      run.waits.pop_back();
      throw;
    }
    if (next && shared_->runs.size() > 1) shared_->runs[shared_->runs.size() - 2]->is_over = true;
    shared_->retire();
    shared_->waiting_bytes += frame->bytes();
    entry->frame = std::move(frame);
    shared_->entries.back() = std::move(entry);
  }
  shared_->work.notify_one();
}

bool PendingFrames::is_full(std::uint64_t most) const {
  const std::lock_guard<std::mutex> lock(shared_->mutex);
  return shared_->runs.size() > shared_->threads.size() || shared_->waiting_bytes >= most;
}

std::size_t PendingFrames::size() const {
  const std::lock_guard<std::mutex> lock(shared_->mutex);
  return shared_->entries.size();
}

std::unique_ptr<PendingFrame> PendingFrames::take(bool waits) {
  Shared::Lock lock(shared_->mutex);
  if (shared_->entries.empty()) return nullptr;
  if (waits) shared_->done.wait(lock, [&] { return shared_->entries.front()->is_encoded; });
  if (!shared_->entries.front()->is_encoded) return nullptr;
  std::unique_ptr<PendingFrame> frame = std::move(shared_->entries.front()->frame);
  shared_->entries.pop_front();
  return frame;
}

void PendingFrames::clear() {
  Shared::Lock lock(shared_->mutex);
  shared_->clear(lock);
}

}  // namespace gpz::api
