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
  free_spare();
}

void Budget::free_spare() noexcept {
  const std::uint64_t now = used();
  std::uint64_t most = most_used_.load(std::memory_order_relaxed);
  while (now > most && !most_used_.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
  // Half as much again: what key frames need and what other frames need is not in use at the same time.
  most = std::min(limit_, most + most / 2);
  spare_.free_above(most > now ? most - now : 0);
}

KeptBlocks::Block Budget::allocate(std::size_t head, std::size_t bytes) {
  KeptBlocks::Block block = spare_.take(head + bytes);
  try {
    take(bytes);
  } catch (...) {
    if (block.memory != nullptr) spare_.keep(block);
    throw;
  }
  if (block.memory != nullptr) return block;
  block = {::operator new(head + bytes, std::nothrow), head + bytes};
  if (block.memory == nullptr && spare_.size() != 0) {
    spare_.free_above(0);
    block.memory = ::operator new(block.size, std::nothrow);
  }
  if (block.memory == nullptr) {
    give_back(bytes);
    throw std::bad_alloc();
  }
  return block;
}

void Budget::deallocate(const KeptBlocks::Block &block, std::size_t bytes) noexcept {
  give_back(bytes);
  spare_.keep(block);
  free_spare();
}

void Budget::require(std::uint64_t count, std::uint64_t size) const {
  if (size != 0 && count > (limit_ - used()) / size) exceed(count, size);
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
