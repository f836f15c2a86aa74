// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/frames_ahead.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "gpz/api/forks.hpp"
#include "gpz/codec/parallel.hpp"

namespace gpz::api {

// State shared by the threads. A loop is a series of frames first, first + stride, ...; a run is its part in one key
// interval, which is decoded in order, by one thread at a time. The caller decodes an interval as well, straight into
// its arrays: the first one, and any other as soon as it needs a frame that is not decoded yet.
struct FramesAhead::Shared {
  using Lock = std::unique_lock<std::mutex>;

  struct Run {
    std::size_t key = 0;            // key frame of the interval
    std::deque<std::size_t> waits;  // frames to decode
    bool is_busy = false;
    bool is_left = false;  // the caller decodes the rest
    IntervalCursors::Lease cursor;
  };
  struct Entry {
    enum class State : std::uint8_t { waits, ready, failed };
    State state = State::waits;
    std::uint64_t bytes = 0;
    HeldValues values;
  };
  using RunOf = std::shared_ptr<Run>;

  Shared(const FrameFile &in, IntervalCursors &of, std::uint64_t bytes, Decode with)
      : file(in), cursors(of), most(bytes), decode(std::move(with)) {}

  const FrameFile &file;
  IntervalCursors &cursors;
  const std::uint64_t most;
  const Decode decode;
  std::mutex mutex;
  std::condition_variable work, done;
  std::vector<std::thread> threads;
  bool stopping = false;

  // Requests of callers.
  FrameRequest request;
  std::optional<std::size_t> last;
  std::size_t stride = 0;  // 0: the last two frames did not ascend
  bool is_active = false;
  unsigned long turn = 0;   // changes with every loop
  std::size_t next = 0;     // the first frame that may be added to a run
  std::size_t own_key = 0;  // key frame of the interval that the caller decodes
  bool is_extending = false;
  std::uint64_t held = 0;  // bytes of values that are decoded or waiting
  // number of frames to decode ahead; grows with each frame that is read, because a short loop may end
  std::size_t reach = 0;
  std::map<std::size_t, Entry> entries;
  std::deque<RunOf> runs;
  std::vector<HeldValues> spare;

  void reset() {
    is_active = false;
    ++turn;
    held = 0;
    entries.clear();
    runs.clear();
    spare.clear();
    done.notify_all();
  }

  bool may_extend() const {
    return is_active && !is_extending && next < file.scan().frames.size() &&
           (entries.empty() || (entries.size() < reach && held < most));
  }

  // Adds the next frame of the loop to a run. Reads its head without the lock.
  void extend(Lock &lock) {
    is_extending = true;
    const std::size_t i = next;
    const unsigned long begun = turn;
    lock.unlock();
    std::optional<FrameInfo> info;
    try {
      info = file.head(i).info;
      if (info->since_key > i) info.reset();
    } catch (const std::exception &) {
      // A caller that reads this frame gets the error.
    }
    lock.lock();
    is_extending = false;
    if (turn != begun || next != i) return;
    next += stride;
    if (!info || i - info->since_key == own_key) return;
    Entry &entry = entries[i];
    entry.bytes = size_of(request, info->particles);
    held += entry.bytes;
    const std::size_t key = i - info->since_key;
    if (runs.empty() || runs.back()->key != key) add_run(key);
    runs.back()->waits.push_back(i);
    work.notify_one();  // this thread decodes the run, another one may find the next
  }

  void add_run(std::size_t key) {
    // Only the last run gets more frames.
    const auto is_over = [](const RunOf &run) { return run->waits.empty() && !run->is_busy; };
    runs.erase(std::remove_if(runs.begin(), runs.end(), is_over), runs.end());
    runs.push_back(std::make_shared<Run>());
    runs.back()->key = key;
  }

  void remove(const std::map<std::size_t, Entry>::iterator &entry) {
    held -= entry->second.bytes;
    entries.erase(entry);
  }

  // Leaves the rest of an interval, and its cursor, to the caller.
  void leave(const RunOf &run) {
    for (const std::size_t i : run->waits) remove(entries.find(i));
    run->waits.clear();
    run->cursor = {};
    runs.erase(std::find(runs.begin(), runs.end(), run));
  }

  static bool is_idle(const RunOf &run) { return !run->is_busy && !run->waits.empty(); }

  // The number of threads for each frame, also of the caller.
  int share() const {
    const auto works = [](const RunOf &run) { return run->is_busy || is_idle(run); };
    const auto count = static_cast<std::size_t>(std::count_if(runs.begin(), runs.end(), works));
    return static_cast<int>(std::max<std::size_t>(1, (threads.size() + 1) / (count + 1)));
  }

  void decode_next(const RunOf &run, Lock &lock) {
    const int share_of_run = share();
    const std::size_t i = run->waits.front();
    run->waits.pop_front();
    run->is_busy = true;
    const FrameRequest wanted = request;
    const unsigned long begun = turn;
    HeldValues values;
    if (!spare.empty()) {
      values = std::move(spare.back());
      spare.pop_back();
    }
    lock.unlock();
    auto state = Entry::State::ready;
    try {
      if (!run->cursor) run->cursor = cursors.lease(i, i - run->key, false, true);
      decode(i, wanted, share_of_run, *run->cursor, values);
    } catch (const std::exception &) {
      state = Entry::State::failed;  // the caller decodes the frame again, and gets the error
    }
    lock.lock();
    run->is_busy = false;
    if (turn != begun) return;
    Entry &entry = entries[i];
    entry.state = state;
    entry.values = std::move(values);
    if (run->is_left) {
      leave(run);
      done.notify_all();
    }
  }

  void work_on() {
    Lock lock(mutex);
    while (!stopping) {
      try {
        const auto run = std::find_if(runs.begin(), runs.end(), is_idle);
        if (run != runs.end())
          decode_next(std::shared_ptr<Run>(*run), lock);
        else if (may_extend())
          extend(lock);
        else
          work.wait(lock);
      } catch (const std::bad_alloc &) {
        // If memory for the lists runs out, callers decode the frames themselves.
        if (!lock.owns_lock()) lock.lock();
        is_extending = false;
        reset();
      }
    }
  }

  // Whether frame i continues the loop, or a sequence that may become one. Records the request.
  bool is_regular(std::size_t i, const FrameRequest &asked) {
    const bool same = last && asked == request;
    const std::size_t step = same && i > *last ? i - *last : 0;
    const bool regular = step != 0 && (step == stride || (step == 1 && *last == 0));
    if (is_active && !(regular && step == stride)) reset();
    if (!same) request = asked;
    stride = step;
    last = i;
    return regular;
  }

  // Starts a loop after frame i, which has this key frame, with `count` more threads. Returns false if no thread can be
  // started.
  bool begin(std::size_t i, std::size_t key, std::size_t count) {
    try {
      threads.reserve(count);
      while (threads.size() < count) threads.emplace_back([this] { work_on(); });
    } catch (const std::system_error &) {
      if (threads.empty()) return false;
    }
    reset();
    is_active = true;
    next = i + stride;
    own_key = key;
    reach = 2 * threads.size();
    return true;
  }

  // Returns the entry of frame i if it is decoded. Otherwise the caller decodes the rest of the interval.
  std::map<std::size_t, Entry>::iterator find(std::size_t i, std::size_t key, Lock &lock) {
    const auto is_of_interval = [&](const RunOf &run) { return run->key == key; };
    auto entry = entries.find(i);
    if (entry == entries.end() || entry->second.state == Entry::State::waits) {
      own_key = key;
      next = std::max(next, i + stride);
      const auto found = std::find_if(runs.begin(), runs.end(), is_of_interval);
      if (found != runs.end() && (*found)->is_busy) {
        const unsigned long begun = turn;
        const RunOf run = *found;
        run->is_left = true;
        done.wait(lock, [&] { return turn != begun || !run->is_busy; });
        entry = turn == begun ? entries.find(i) : entries.end();
      } else if (found != runs.end()) {
        leave(*found);
        entry = entries.end();
      }
    }
    return entry;
  }
};

FramesAhead::FramesAhead(const FrameFile &file, IntervalCursors &cursors, std::uint64_t most, Decode decode)
    : shared_(std::make_unique<Shared>(file, cursors, most, std::move(decode))), generation_(fork_generation()) {}

FramesAhead::~FramesAhead() {
  // A child process has no threads, and locks that they held stay locked.
  if (is_forked())
    (void)shared_.release();
  else
    stop();
}

bool FramesAhead::is_forked() const { return fork_generation() != generation_; }

bool FramesAhead::stop() {
  if (is_forked()) return false;
  std::vector<std::thread> threads;
  {
    const std::lock_guard<std::mutex> lock(shared_->mutex);
    shared_->stopping = true;
    shared_->reset();
    threads.swap(shared_->threads);
  }
  shared_->work.notify_all();
  for (std::thread &thread : threads) thread.join();
  return !threads.empty();
}

bool FramesAhead::take(std::size_t i, std::size_t since_key, const FrameRequest &request, int &threads,
                       const std::function<bool(const HeldValues &)> &use) {
  const int count = codec::thread_count(threads, UINT64_MAX);
  if (count == 1 || is_forked()) return false;
  const std::size_t key = i - since_key;
  Shared &shared = *shared_;
  Shared::Lock lock(shared.mutex);
  if (shared.stopping) return false;
  const bool regular = shared.is_regular(i, request);
  const bool was_active = shared.is_active;
  if (!was_active && (!regular || !shared.begin(i, key, static_cast<std::size_t>(count) - 1))) return false;
  shared.reach += 2;
  const auto entry = was_active ? shared.find(i, key, lock) : shared.entries.end();
  const unsigned long begun = shared.turn;
  threads = shared.share();
  bool used = false;
  if (entry != shared.entries.end()) {
    const bool is_ready = entry->second.state == Shared::Entry::State::ready;
    HeldValues values = std::move(entry->second.values);
    shared.remove(entry);
    lock.unlock();
    used = is_ready && use(values);
    lock.lock();
    if (shared.turn == begun) shared.spare.push_back(std::move(values));
  }
  const bool has_work = shared.may_extend() || std::any_of(shared.runs.begin(), shared.runs.end(), Shared::is_idle);
  lock.unlock();
  if (has_work) shared.work.notify_one();
  return used;
}

}  // namespace gpz::api
