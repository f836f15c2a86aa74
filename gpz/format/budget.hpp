// SPDX-License-Identifier: BSD-3-Clause
// The memory that one reader takes for what the numbers of a file ask for (docs/decisions/0018-limits.md).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "gpz/format/kept_blocks.hpp"
#include "gpz/limits.hpp"

namespace gpz::format {

// Counts bytes up to a limit. Memory of columns that were freed is kept for other columns. With it, the memory is
// within the limit, and at most half as much again as the most bytes that were taken at once. Threads may share it.
class Budget {
 public:
  explicit Budget(const Limits &limits) : limit_(limits.memory == 0 ? default_memory_limit() : limits.memory) {}
  Budget(const Budget &) = delete;
  Budget &operator=(const Budget &) = delete;

  // Throws limit_exceeded if so many more are too many; then none are taken.
  void take(std::uint64_t bytes);
  // Takes so many bytes, and returns memory for them and for `head` more. Throws limit_exceeded, std::bad_alloc.
  KeptBlocks::Block allocate(std::size_t head, std::size_t bytes);
  void deallocate(const KeptBlocks::Block &block, std::size_t bytes) noexcept;
  void give_back(std::uint64_t bytes) noexcept { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  // Throws limit_exceeded if `count` times `size` more are too many. Takes nothing.
  void require(std::uint64_t count, std::uint64_t size) const;

  std::uint64_t limit() const { return limit_; }
  std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  std::uint64_t spare() const { return spare_.size(); }  // bytes that are kept

  // The budget that this thread's columns are charged to; nullptr: none.
  static Budget *current() { return current_; }
  // Charges the columns that this thread makes to `budget` while it exists.
  class Scope {
   public:
    explicit Scope(Budget &budget) : before_(current_) { current_ = &budget; }
    ~Scope() { current_ = before_; }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

   private:
    Budget *before_;
  };

 private:
  [[noreturn]] void exceed(std::uint64_t count, std::uint64_t size) const;
  // Frees spare memory beyond what columns had at once.
  void free_spare() noexcept;

  static thread_local Budget *current_;

  const std::uint64_t limit_;
  std::atomic<std::uint64_t> used_{0};
  std::atomic<std::uint64_t> most_used_{0};
  KeptBlocks spare_;
};

// Throws limit_exceeded if the current budget has not so much left for a moment.
inline void require_memory(std::uint64_t count, std::uint64_t size) {
  if (const Budget *const budget = Budget::current()) budget->require(count, size);
}

// Memory that is not of a column, charged to the current budget while this exists.
class Charge {
 public:
  Charge() = default;
  explicit Charge(std::uint64_t bytes) : budget_(Budget::current()), bytes_(bytes) {
    if (budget_ != nullptr) budget_->take(bytes_);
  }
  Charge(Charge &&other) noexcept : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_) {}
  Charge &operator=(Charge &&other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Charge() {
    if (budget_ != nullptr) budget_->give_back(bytes_);
  }

 private:
  Budget *budget_ = nullptr;
  std::uint64_t bytes_ = 0;
};

// Allocates for a Column. In front of its memory stand the budget that it was charged to, which has to outlive it, and
// the size of the block.
template <typename T>
struct ColumnAllocator {
  using value_type = T;

  ColumnAllocator() = default;
  template <typename U>
  ColumnAllocator(const ColumnAllocator<U> &) noexcept {}

  T *allocate(std::size_t count) {
    if (count > (PTRDIFF_MAX - sizeof(Head)) / sizeof(T)) throw std::bad_array_new_length();
    const std::size_t bytes = count * sizeof(T);
    Budget *const budget = Budget::current();
    const KeptBlocks::Block block = budget != nullptr ? budget->allocate(sizeof(Head), bytes)
                                                      : KeptBlocks::Block{::operator new(sizeof(Head) + bytes), 0};
    return reinterpret_cast<T *>(new (block.memory) Head{budget, block.size} + 1);
  }
  void deallocate(T *data, std::size_t count) noexcept {
    Head *const head = reinterpret_cast<Head *>(data) - 1;
    if (head->budget != nullptr)
      head->budget->deallocate({head, head->size}, count * sizeof(T));
    else
      ::operator delete(head);
  }

  friend bool operator==(const ColumnAllocator &, const ColumnAllocator &) { return true; }
  friend bool operator!=(const ColumnAllocator &, const ColumnAllocator &) { return false; }

 private:
  struct alignas(std::max_align_t) Head {
    Budget *budget;
    std::size_t size;  // of the block
  };
  static_assert(alignof(Head) >= alignof(T));
};

// What has as many elements as a number of a file says.
template <typename T>
using Column = std::vector<T, ColumnAllocator<T>>;

}  // namespace gpz::format
