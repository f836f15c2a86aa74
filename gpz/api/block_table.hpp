// SPDX-License-Identifier: BSD-3-Clause
// Blocks of a source that were read, for gpz::CachedSource.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>
#include <utility>

namespace gpz::api {

// A part of the source. The thread that adds it reads its bytes; afterwards they do not change.
struct Block {
  enum class State : std::uint8_t { reading, ready, failed };

  State state = State::reading;  // guarded by the mutex
  std::unique_ptr<std::uint8_t[]> bytes;
};
using BlockPointer = std::shared_ptr<Block>;

// Blocks by their number, which is position / block size. Not thread-safe.
class BlockTable {
 public:
  // The block, which becomes the newest; nullptr if there is none.
  BlockPointer find(std::uint64_t number) {
    const auto found = entries_.find(number);
    if (found == entries_.end()) return nullptr;
    order_.splice(order_.begin(), order_, found->second);
    return found->second->second;
  }
  bool has(std::uint64_t number) const { return entries_.count(number) != 0; }
  void add(std::uint64_t number, const BlockPointer &block) {
    order_.emplace_front(number, block);
    try {
      entries_.emplace(number, order_.begin());
    } catch (...) {
      order_.pop_front();
      throw;
    }
  }
  // Removes this block, unless another one has its number.
  void remove(std::uint64_t number, const BlockPointer &block) {
    const auto found = entries_.find(number);
    if (found == entries_.end() || found->second->second != block) return;
    order_.erase(found->second);
    entries_.erase(found);
  }
  void keep(std::size_t most) {
    while (order_.size() > most) {
      entries_.erase(order_.back().first);
      order_.pop_back();
    }
  }

 private:
  std::list<std::pair<std::uint64_t, BlockPointer>> order_;  // the one that was used last comes first
  std::unordered_map<std::uint64_t, decltype(order_)::iterator> entries_;
};

}  // namespace gpz::api
