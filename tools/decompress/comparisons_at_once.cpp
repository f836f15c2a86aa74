// SPDX-License-Identifier: BSD-3-Clause
#include "comparisons_at_once.hpp"

#include <algorithm>
#include <functional>
#include <system_error>
#include <utility>

namespace gpz::tool {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;  // of frames that wait

std::uint64_t bytes_of(const Frame &frame) { return 8 * frame.info.particles * frame.columns.size() + 1; }

}  // namespace

void ComparisonsAtOnce::forget() {
  for (const std::unique_ptr<Work> &work : running_)
    if (work->thread.joinable()) work->thread.join();
  running_.clear();
}

void ComparisonsAtOnce::add(Frame frame, Frame reference, const TypeNames &reference_names) {
  const std::uint64_t room = most_bytes / (bytes_of(frame) + bytes_of(reference));
  const std::size_t most = std::min<std::uint64_t>(threads_ - 1, room);
  while (running_.size() > most) take_first();
  auto compare = [one = total_.empty(), frame = std::move(frame), reference = std::move(reference),
                  reference_names]() mutable {
    one.add(std::move(frame), std::move(reference), reference_names);
    return std::move(one);
  };
  auto made = std::make_unique<Work>();
  Work &work = *made;
  work.task = std::packaged_task<Comparison()>(std::move(compare));
  running_.push_back(std::move(made));
  if (most > 0) {
    try {
      work.thread = std::thread(std::ref(work.task));
      return;
    } catch (const std::system_error &) {
      // The system has no more threads: this one compares.
    }
  }
  work.task();
}

void ComparisonsAtOnce::finish() {
  while (!running_.empty()) take_first();
}

void ComparisonsAtOnce::take_first() {
  const std::unique_ptr<Work> first = std::move(running_.front());
  running_.pop_front();
  if (first->thread.joinable()) first->thread.join();
  try {
    total_.merge(first->task.get_future().get());
  } catch (...) {
    forget();
    throw;
  }
}

}  // namespace gpz::tool
