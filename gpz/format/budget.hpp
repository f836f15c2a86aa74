// SPDX-License-Identifier: BSD-3-Clause
// Memory for sizes that a file states (docs/decisions/0018-limits.md).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "gpz/limits.hpp"

namespace gpz::format {

// Counts bytes up to a limit, and keeps freed memory for reuse. Thread-safe.
class Budget {
 public:
  explicit Budget(const Limits &limits) : limit_(limits.memory == 0 ? default_memory_limit() : limits.memory) {}
  ~Budget() { drop_blocks(); }
  Budget(const Budget &) = delete;
  Budget &operator=(const Budget &) = delete;

  // Takes this many bytes. If too few are left, takes none and throws limit_exceeded.
  void take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes) noexcept { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  // Throws limit_exceeded if `count` times `size` bytes could not be taken. Takes nothing.
  void require(std::uint64_t count, std::uint64_t size) const;

  // Returns memory for a column whose bytes were taken, if possible a block of an earlier column; nullptr if there is
  // no memory. `capacity` receives the size of the block.
  void *allocate(std::size_t bytes, std::size_t &capacity) noexcept;
  // Takes a block back for the next column.
  void release(void *block, std::size_t capacity) noexcept;

  std::uint64_t limit() const { return limit_; }
  std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }

  // Budget to which this thread's columns are charged; nullptr if none.
  static Budget *current() { return current_; }
  // While it exists, columns that this thread creates are charged to `budget`.
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
  struct Block {
    void *memory;
    std::size_t capacity;
  };
  static constexpr std::size_t most_blocks = 64;
  static constexpr std::size_t least_kept = std::size_t{64} << 10;  // bytes; allocators keep smaller blocks themselves

  [[noreturn]] void exceed(std::uint64_t count, std::uint64_t size) const;
  void drop_blocks() noexcept;

  static thread_local Budget *current_;

  const std::uint64_t limit_;
  std::atomic<std::uint64_t> used_{0};
  // Freed blocks. New pages from the system cost as much time as decoding into them.
  std::mutex mutex_;
  std::array<Block, most_blocks> blocks_{};
  std::size_t count_ = 0;   // of blocks
  std::uint64_t kept_ = 0;  // bytes of blocks
};

// Throws limit_exceeded if less than `count` times `size` bytes are left in the current budget. Takes nothing.
inline void require_memory(std::uint64_t count, std::uint64_t size) {
  if (const Budget *const budget = Budget::current()) budget->require(count, size);
}

// Charges memory other than columns to the current budget during its lifetime.
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

// Allocator of columns. Stores the charged budget in front of the memory. The budget must outlive the column, and keeps
// the memory for the next one.
template <typename T>
struct ColumnAllocator {
  using value_type = T;

  ColumnAllocator() = default;
  template <typename U>
  ColumnAllocator(const ColumnAllocator<U> &) noexcept {}

  T *allocate(std::size_t count) {
    if (count > (PTRDIFF_MAX - head) / sizeof(T)) throw std::bad_array_new_length();
    const std::size_t bytes = count * sizeof(T);
    Owner owner{Budget::current(), head + bytes};
    if (owner.budget != nullptr) owner.budget->take(bytes);
    void *const memory = owner.budget != nullptr ? owner.budget->allocate(head + bytes, owner.capacity)
                                                 : ::operator new(head + bytes, std::nothrow);
    if (memory == nullptr) {
      if (owner.budget != nullptr) owner.budget->give_back(bytes);
      throw std::bad_alloc();
    }
    *static_cast<Owner *>(memory) = owner;
    return reinterpret_cast<T *>(static_cast<unsigned char *>(memory) + head);
  }
  void deallocate(T *data, std::size_t count) noexcept {
    void *const memory = reinterpret_cast<unsigned char *>(data) - head;
    const Owner owner = *static_cast<Owner *>(memory);
    if (owner.budget == nullptr) return ::operator delete(memory);
    owner.budget->give_back(count * sizeof(T));
    owner.budget->release(memory, owner.capacity);
  }

  friend bool operator==(const ColumnAllocator &, const ColumnAllocator &) { return true; }
  friend bool operator!=(const ColumnAllocator &, const ColumnAllocator &) { return false; }

 private:
  struct Owner {
    Budget *budget;
    std::size_t capacity;  // bytes of the block
  };
  static constexpr std::size_t head = alignof(std::max_align_t);
  static_assert(head >= sizeof(Owner) && head >= alignof(T));
};

// A vector whose length comes from a file.
template <typename T>
using Column = std::vector<T, ColumnAllocator<T>>;

}  // namespace gpz::format
