// SPDX-License-Identifier: BSD-3-Clause

#include "gpz/kernels/block_kernels.hpp"

namespace gpz::codec {

Scratch::Scratch(std::uint32_t size) : block_size(size) {
  const std::size_t n = size;
  std::size_t used = 0;
  const auto reserve = [&](std::size_t bytes) {
    const std::size_t at = used;
    used += (bytes + 63) / 64 * 64;
    return at;
  };
  const std::size_t at_index = reserve(n * 8);
  const std::size_t at_delta[3] = {reserve(n * 8), reserve(n * 8), reserve(n * 8)};
  const std::size_t at_offset = reserve(n * 8);
  const std::size_t at_sorted = reserve(n * 8);
  const std::size_t at_segment = reserve(n * 4);
  const std::size_t at_start = reserve((2 * n + 1) * 4);
  const std::size_t at_missed[3] = {reserve(n), reserve(n), reserve(n)};
  const std::size_t at_order = reserve(n * 2);
  const std::size_t at_words = reserve(std::size_t{max_words(size)} * 4);

  memory_ = std::make_unique<unsigned char[]>(used + 64);
  unsigned char *base = memory_.get();
  base += (64 - reinterpret_cast<std::uintptr_t>(base) % 64) % 64;
  index = reinterpret_cast<std::int64_t *>(base + at_index);
  for (int d = 0; d < 3; ++d) {
    delta[d] = reinterpret_cast<std::uint64_t *>(base + at_delta[d]);
    missed[d] = base + at_missed[d];
  }
  offset = reinterpret_cast<std::uint64_t *>(base + at_offset);
  sorted = reinterpret_cast<std::uint64_t *>(base + at_sorted);
  segment = reinterpret_cast<std::uint32_t *>(base + at_segment);
  start = reinterpret_cast<std::uint32_t *>(base + at_start);
  order = reinterpret_cast<std::uint16_t *>(base + at_order);
  words = reinterpret_cast<std::uint32_t *>(base + at_words);
}

Scratch::~Scratch() = default;

}  // namespace gpz::codec
