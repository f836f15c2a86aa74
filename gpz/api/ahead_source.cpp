// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/ahead_source.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "gpz/api/forks.hpp"

namespace gpz::api {

// The bytes of one request.
struct AheadSource::Batch {
  enum class State : std::uint8_t { waiting, reading, ready, failed };

  std::vector<Piece> pieces;  // ascending; neighbouring ranges are one
  std::unique_ptr<std::uint8_t[]> bytes;
  std::size_t room = 0;  // bytes
  State state = State::waiting;
  std::atomic<int> readers{0};  // that wait for these bytes or copy them. Only the last step is made without the mutex

  // Keeps the bytes for a reader.
  class Use {
   public:
    explicit Use(Batch &batch) : batch_(batch) { batch_.readers.fetch_add(1, std::memory_order_relaxed); }
    ~Use() { batch_.readers.fetch_sub(1, std::memory_order_release); }
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;

   private:
    Batch &batch_;
  };

  // Where the bytes are, or will be; nullptr if they are not among those of the batch.
  const std::uint8_t *find(std::uint64_t position, std::size_t size) const {
    auto piece = std::upper_bound(pieces.begin(), pieces.end(), position,
                                  [](std::uint64_t place, const Piece &at) { return place < at.position; });
    if (piece == pieces.begin()) return nullptr;
    --piece;
    const std::uint64_t from = position - piece->position;
    if (from > piece->size || size > piece->size - from) return nullptr;
    return static_cast<const std::uint8_t *>(piece->data) + from;
  }

  // Takes memory for the ranges. The memory of an earlier use stays, as far as it is enough: pages cost time.
  void set(const std::vector<Range> &ranges) {
    std::uint64_t size = 0;
    for (const Range &range : ranges) size += range.size;
    pieces.clear();
    if (size > room) {
      bytes.reset();
      room = 0;
      bytes.reset(new std::uint8_t[static_cast<std::size_t>(size)]);
      room = static_cast<std::size_t>(size);
    }
    std::uint8_t *at = bytes.get();
    for (const Range &range : ranges) {
      const auto length = static_cast<std::size_t>(range.size);
      if (!pieces.empty() && pieces.back().position + pieces.back().size == range.position)
        pieces.back().size += length;
      else
        pieces.push_back({range.position, at, length});
      at += length;
    }
    state = State::waiting;
  }
};

// What the thread shares with those that read.
struct AheadSource::Shared {
  using Lock = std::unique_lock<std::mutex>;

  std::mutex mutex;
  std::condition_variable work, progress;
  std::deque<std::shared_ptr<Batch>> batches;  // the newest last
  bool stopping = false;
  std::thread thread;

  // Reads a batch that waits, without the lock. Whoever needs bytes that could not be read reads them again, and gets
  // the error of that.
  void read(const std::shared_ptr<Batch> &batch, const Source &source, Lock &lock) {
    batch->state = Batch::State::reading;
    lock.unlock();
    auto state = Batch::State::ready;
    try {
      source.read_pieces(batch->pieces);
    } catch (...) {
      state = Batch::State::failed;
    }
    lock.lock();
    batch->state = state;
    progress.notify_all();
  }

  void run(const Source &source) {
    Lock lock(mutex);
    while (!stopping) {
      const auto waiting = std::find_if(batches.begin(), batches.end(), [](const std::shared_ptr<Batch> &batch) {
        return batch->state == Batch::State::waiting;
      });
      if (waiting == batches.end()) {
        work.wait(lock);
      } else {
        const std::shared_ptr<Batch> batch = *waiting;
        read(batch, source, lock);
      }
    }
  }
};

AheadSource::AheadSource(std::shared_ptr<Source> source, bool has_thread)
    : source_(std::move(source)),
      shared_(std::make_unique<Shared>()),
      has_thread_(has_thread),
      generation_(fork_generation()) {}

AheadSource::~AheadSource() {
  if (is_forked()) {
    (void)shared_.release();  // its thread is not in this process, and what that had locked stays locked
    return;
  }
  {
    const std::lock_guard<std::mutex> lock(shared_->mutex);
    shared_->stopping = true;
  }
  shared_->work.notify_all();
  if (shared_->thread.joinable()) shared_->thread.join();
}

bool AheadSource::is_forked() const { return fork_generation() != generation_; }

// Adds a batch that waits to be read; nullptr without memory. The mutex is locked.
std::shared_ptr<AheadSource::Batch> AheadSource::new_batch(const std::vector<Range> &ranges) {
  constexpr std::size_t most_batches = 2;
  std::deque<std::shared_ptr<Batch>> &batches = shared_->batches;
  try {
    std::shared_ptr<Batch> batch;
    if (batches.size() == most_batches) {
      // Its memory, unless somebody still copies from it, or it is being read.
      const Batch &oldest = *batches.front();
      if (oldest.state != Batch::State::reading && oldest.readers.load(std::memory_order_acquire) == 0)
        batch = std::move(batches.front());
      batches.pop_front();
    }
    if (!batch) batch = std::make_shared<Batch>();
    batch->set(ranges);
    batches.push_back(batch);
    return batch;
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

void AheadSource::expect(const std::vector<Range> &ranges) {
  if (!has_thread_) {
    read_now(ranges);
    return;
  }
  if (is_forked() || ranges.empty()) return;
  {
    const std::lock_guard<std::mutex> lock(shared_->mutex);
    try {
      if (!shared_->thread.joinable()) shared_->thread = std::thread([this] { shared_->run(*source_); });
    } catch (const std::system_error &) {  // no thread
      return;
    } catch (const std::bad_alloc &) {
      return;
    }
    new_batch(ranges);
  }
  shared_->work.notify_one();
}

void AheadSource::read_now(const std::vector<Range> &ranges) {
  if (is_forked() || ranges.empty()) return;
  Shared::Lock lock(shared_->mutex);
  if (const std::shared_ptr<Batch> batch = new_batch(ranges)) shared_->read(batch, *source_, lock);
}

void AheadSource::forget() {
  if (is_forked()) return;
  const std::lock_guard<std::mutex> lock(shared_->mutex);
  shared_->batches.clear();
}

void AheadSource::read_at(std::uint64_t position, void *data, std::size_t size) const {
  if (size == 0) return;
  if (!is_forked()) {
    Shared::Lock lock(shared_->mutex);
    for (const std::shared_ptr<Batch> &held : shared_->batches) {
      const std::uint8_t *const from = held->find(position, size);
      if (from == nullptr) continue;
      const std::shared_ptr<Batch> batch = held;  // stays while others are expected
      const Batch::Use use(*batch);
      // The thread is slow, or reads another one.
      if (batch->state == Batch::State::waiting) shared_->read(batch, *source_, lock);
      shared_->progress.wait(lock, [&] { return batch->state != Batch::State::reading; });
      if (batch->state == Batch::State::failed) break;
      lock.unlock();
      std::memcpy(data, from, size);
      return;
    }
  }
  source_->read_at(position, data, size);
}

}  // namespace gpz::api
