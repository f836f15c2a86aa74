// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/ahead_source.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "gpz/api/forks.hpp"
#include "gpz/error.hpp"

namespace gpz::api {

// The ranges of one request, and their bytes.
struct AheadSource::Batch {
  enum class State : std::uint8_t { waiting, reading, ready, failed };

  std::vector<Piece> pieces;  // ascending; adjacent ranges are merged
  std::unique_ptr<std::uint8_t[]> bytes;
  std::size_t room = 0;  // bytes
  State state = State::waiting;
  std::atomic<int> readers{0};  // that wait for the bytes or copy them; only the decrement happens without the mutex

  // Prevents the batch from being reused while a reader needs its bytes.
  class Use {
   public:
    explicit Use(Batch &batch) : batch_(batch) { batch_.readers.fetch_add(1, std::memory_order_relaxed); }
    ~Use() { batch_.readers.fetch_sub(1, std::memory_order_release); }
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;

   private:
    Batch &batch_;
  };

  // Address of the bytes, whether read or not yet; nullptr if the batch does not contain them all.
  const std::uint8_t *find(std::uint64_t position, std::size_t size) const {
    auto piece = std::upper_bound(pieces.begin(), pieces.end(), position,
                                  [](std::uint64_t offset, const Piece &at) { return offset < at.position; });
    if (piece == pieces.begin()) return nullptr;
    --piece;
    const std::uint64_t from = position - piece->position;
    if (from > piece->size || size > piece->size - from) return nullptr;
    return static_cast<const std::uint8_t *>(piece->data) + from;
  }

  // Sets the ranges and their memory. Memory of an earlier use is kept if it is large enough, because new pages cost
  // time.
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

// State shared by the thread and the readers, guarded by the mutex.
struct AheadSource::Shared {
  using Lock = std::unique_lock<std::mutex>;

  std::mutex mutex;
  std::condition_variable work, progress;
  std::deque<std::shared_ptr<Batch>> batches;  // the newest last
  bool stopping = false;
  std::thread thread;

  // Reads a waiting batch, without the lock. After an error, readers of its bytes read them from the source, which
  // gives them the error. Other exceptions of the source go through a reader at once, and end here in the thread.
  void read(const std::shared_ptr<Batch> &batch, const Source &source, Lock &lock) {
    batch->state = Batch::State::reading;
    lock.unlock();
    auto state = Batch::State::ready;
    std::exception_ptr foreign;
    try {
      source.read_pieces(batch->pieces);
    } catch (const Error &) {
      state = Batch::State::failed;
    } catch (const std::bad_alloc &) {
      state = Batch::State::failed;
    } catch (...) {
      state = Batch::State::failed;
      foreign = std::current_exception();
    }
    lock.lock();
    batch->state = state;
    progress.notify_all();
    if (foreign && std::this_thread::get_id() != thread.get_id()) std::rethrow_exception(foreign);
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

AheadSource::AheadSource(std::shared_ptr<Source> source, bool has_thread, std::uint64_t kept)
    : source_(std::move(source)),
      shared_(std::make_unique<Shared>()),
      has_thread_(has_thread),
      kept_(kept),
      generation_(fork_generation()) {}

AheadSource::~AheadSource() {
  if (is_forked()) {
    (void)shared_.release();  // a forked child has no thread, and locks that the thread held stay locked
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

// Whether the oldest batch has to go before one of `size` bytes is added. Call with the mutex locked.
bool AheadSource::is_full(std::uint64_t size) const {
  constexpr std::size_t least_batches = 2, most_batches = 8;
  const std::deque<std::shared_ptr<Batch>> &batches = shared_->batches;
  if (batches.size() < least_batches) return false;
  for (const std::shared_ptr<Batch> &batch : batches) size += batch->room;
  return batches.size() >= most_batches || size > kept_;
}

// Adds a waiting batch; nullptr if memory runs out. Call with the mutex locked.
std::shared_ptr<AheadSource::Batch> AheadSource::new_batch(const std::vector<Range> &ranges) {
  std::deque<std::shared_ptr<Batch>> &batches = shared_->batches;
  try {
    std::shared_ptr<Batch> batch;
    std::uint64_t size = 0;
    for (const Range &range : ranges) size += range.size;
    while (is_full(size)) {
      batch.reset();
      // Reuse the oldest batch, unless it is being read or copied from.
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
    } catch (const std::system_error &) {  // no thread can be started
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

bool AheadSource::holds(const Range &range) const {
  if (is_forked()) return false;
  const std::lock_guard<std::mutex> lock(shared_->mutex);
  return std::any_of(shared_->batches.begin(), shared_->batches.end(), [&](const std::shared_ptr<Batch> &batch) {
    return batch->state != Batch::State::failed &&
           batch->find(range.position, static_cast<std::size_t>(range.size)) != nullptr;
  });
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
      const std::shared_ptr<Batch> batch = held;  // keeps the batch if later calls of expect() drop it
      const Batch::Use use(*batch);
      // The thread is late or busy with another batch: read it here.
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
