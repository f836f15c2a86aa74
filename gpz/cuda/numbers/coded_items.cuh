// SPDX-License-Identifier: BSD-3-Clause
// Where the encoder keeps words and raw bits of a segment: in place of the items, which it reads from the last one to
// the first. Memory of their own would need 6 bytes an item.
#pragma once

#include <cstdint>

namespace gpz::cuda {

// Items are in groups that begin at multiples of 128 bytes; some items are in front of the first group, and some behind
// the last one. Words and raw bits come in chunks of 8 bytes. There are no more chunks of words than a quarter of the
// items, as an item gives at most one word, and no more of raw bits than half of the items, as an item has at most 32
// raw bits. So a group has room for as many chunks as its items can give. What is left is in the items outside of
// groups.
class CodedItems {
 public:
  static constexpr std::uint32_t group_size = 16;
  static constexpr std::uint32_t words_of_group = group_size / 4;
  static constexpr std::uint32_t raw_of_group = group_size / 2;

  __device__ CodedItems(std::uint64_t *items, std::uint32_t count) : items_(items), count_(count) {
    const auto at = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(items) / sizeof(*items));
    before_ = min((0 - at) % group_size, count);
    groups_ = (count - before_) / group_size;
    behind_ = (count - before_) % group_size;
  }

  __device__ std::uint32_t before() const { return before_; }
  __device__ std::uint32_t groups() const { return groups_; }
  __device__ std::uint32_t behind() const { return behind_; }
  // Groups in the order in which they are encoded.
  __device__ __forceinline__ std::uint64_t *group(std::uint32_t g) const {
    return items_ + before_ + std::uint64_t{groups_ - 1 - g} * group_size;
  }
  // Item v in the order in which they are encoded, of those outside of groups.
  __device__ __forceinline__ std::uint64_t *spare(std::uint32_t v) const {
    return items_ + (v < behind_ ? count_ - 1 - v : before_ + behind_ - 1 - v);
  }

  // Chunks, oldest first; those of a group are contiguous.
  __device__ __forceinline__ std::uint64_t *words(std::uint32_t k) const {
    if (k < words_of_group * groups_) return group(k / words_of_group) + raw_of_group + k % words_of_group;
    return spare(before_ + behind_ - 1 - (k - words_of_group * groups_));
  }
  __device__ __forceinline__ std::uint64_t *raw(std::uint32_t k) const {
    if (k < raw_of_group * groups_) return group(k / raw_of_group) + k % raw_of_group;
    return spare(k - raw_of_group * groups_);
  }

 private:
  std::uint64_t *items_;
  std::uint32_t count_;
  std::uint32_t before_;
  std::uint32_t groups_;
  std::uint32_t behind_;
};

}  // namespace gpz::cuda
