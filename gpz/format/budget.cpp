// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/format/budget.hpp"

#include <algorithm>
#include <string>

#include "gpz/error.hpp"

namespace gpz::format {

thread_local Budget *Budget::current_ = nullptr;

void Budget::take(std::uint64_t bytes) {
  std::uint64_t used = used_.load(std::memory_order_relaxed);
  do {
    if (bytes > limit_ - used) exceed(1, bytes);
  } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
}

void Budget::require(std::uint64_t count, std::uint64_t size) const {
  if (size != 0 && count > (limit_ - used()) / size) exceed(count, size);
}

void *Budget::allocate(std::size_t bytes, std::size_t &capacity) noexcept {
  capacity = bytes;
  if (bytes >= least_kept) {
    const std::lock_guard<std::mutex> lock(mutex_);
    // Best fit, if it is less than twice as large as needed.
    std::size_t best = count_;
    for (std::size_t k = 0; k < count_; ++k)
      if (blocks_[k].capacity >= bytes && blocks_[k].capacity / 2 <= bytes &&
          (best == count_ || blocks_[k].capacity < blocks_[best].capacity))
        best = k;
    if (best != count_) {
      const Block found = blocks_[best];
      blocks_[best] = blocks_[--count_];
      kept_ -= found.capacity;
      capacity = found.capacity;
      return found.memory;
    }
    // Blocks and columns together stay within the limit.
    if (kept_ > limit_ - std::min(limit_, used())) drop_blocks();
  }
  void *const memory = ::operator new(bytes, std::nothrow);
  if (memory != nullptr) return memory;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    drop_blocks();
  }
  return ::operator new(bytes, std::nothrow);
}

void Budget::release(void *block, std::size_t capacity) noexcept {
  if (capacity >= least_kept) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (count_ < most_blocks && capacity <= limit_ - std::min(limit_, used() + kept_)) {
      blocks_[count_++] = {block, capacity};
      kept_ += capacity;
      return;
    }
  }
  ::operator delete(block);
}

void Budget::drop_blocks() noexcept {
  for (std::size_t k = 0; k < count_; ++k) ::operator delete(blocks_[k].memory);
  count_ = 0;
  kept_ = 0;
}

void Budget::exceed(std::uint64_t count, std::uint64_t size) const {
  const std::uint64_t in_use = used();
  const bool fits = count <= (Limits::unlimited - in_use) / size;
  const std::string needed = fits ? std::to_string(in_use + count * size) + " bytes"
                                  : "more than " + std::to_string(Limits::unlimited) + " bytes";
  throw Error(Status::limit_exceeded, "reading this takes " + needed + " of memory, and the limit is " +
                                          std::to_string(limit_) +
                                          " (Limits::memory, in C max_memory, in gpz --max-memory)");
}

}  // namespace gpz::format
