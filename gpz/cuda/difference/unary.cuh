// SPDX-License-Identifier: BSD-3-Clause
// Reads the unary codes of a block of a difference section with one warp: each lane reads those of its own row.
#pragma once

#include "gpz/core/residual.hpp"
#include "gpz/cuda/difference/steps.cuh"

namespace gpz::cuda {

// Position of one number k, counted from 0, in a word that has more than k ones.
__device__ __forceinline__ std::uint32_t bit_of_one(std::uint32_t word, std::uint32_t k) {
  std::uint32_t at = 0;
#pragma unroll
  for (std::uint32_t half = 16; half > 0; half /= 2) {
    const auto below = static_cast<std::uint32_t>(__popc(word & ((1u << half) - 1)));
    const bool above = k >= below;
    k -= above ? below : 0;
    at += above ? half : 0;
    word = above ? word >> half : word;
  }
  return at;
}

// Walks over the ones of a bitmap.
struct UnaryReader {
  const std::uint32_t *words;
  std::uint32_t word = 0;  // number of the current word
  std::uint32_t bits = 0;  // its bits that are not read yet
  std::uint32_t next = 0;  // position after the last one that was read

  // Returns the zeros before the next one, which must exist.
  __device__ __forceinline__ std::uint32_t read() {
    while (bits == 0) bits = words[++word];
    const std::uint32_t at = word * 32 + static_cast<std::uint32_t>(__ffs(static_cast<int>(bits))) - 1;
    const std::uint32_t zeros = at - next;
    next = at + 1;
    bits &= bits - 1;
    return zeros;
  }
};

// Counts and finds ones. Each lane handles some consecutive words.
struct UnaryIndex {
  const std::uint32_t *words;
  std::uint32_t per_lane;
  std::uint32_t before;  // ones of earlier lanes
  std::uint32_t total;

  // Called by all lanes.
  __device__ __forceinline__ UnaryIndex(const std::uint32_t *bitmap, std::uint32_t count)
      : words(bitmap), per_lane((count + warp_size - 1) / warp_size) {
    const std::uint32_t first = min(this_lane() * per_lane, count);
    const std::uint32_t end = min(first + per_lane, count);
    std::uint32_t ones = 0;
#pragma unroll 4
    for (std::uint32_t w = first; w < end; ++w) ones += static_cast<std::uint32_t>(__popc(words[w]));
    before = warp_exclusive_sum(ones, &total);
  }

  // Returns a reader that starts at one number `first`. Called by all lanes; `reads` is false in lanes that read
  // nothing.
  __device__ __forceinline__ UnaryReader from(std::uint32_t first, bool reads) const {
    const std::uint32_t target = first == 0 ? 0 : first - 1;
    std::uint32_t owner = 0;
#pragma unroll
    for (std::uint32_t step = warp_size / 2; step > 0; step /= 2) {
      const std::uint32_t ones = __shfl_sync(full_mask, before, static_cast<int>(owner + step));
      if (ones <= target) owner += step;
    }
    const std::uint32_t skipped = __shfl_sync(full_mask, before, static_cast<int>(owner));
    UnaryReader reader{words};
    if (!reads) return reader;
    if (first == 0) {
      reader.bits = words[0];
      return reader;
    }
    std::uint32_t left = target - skipped;
    reader.word = owner * per_lane;
    std::uint32_t bits = words[reader.word];
    for (auto ones = static_cast<std::uint32_t>(__popc(bits)); ones <= left;
         ones = static_cast<std::uint32_t>(__popc(bits))) {
      left -= ones;
      bits = words[++reader.word];
    }
    const std::uint32_t at = bit_of_one(bits, left);
    reader.next = reader.word * 32 + at + 1;
    reader.bits = bits & ~((2u << at) - 1);
    return reader;
  }
};

// Number of values with a unary code, in the row of this lane.
__device__ __forceinline__ std::uint32_t count_unary(const std::uint32_t *u, core::ResidualCode code, std::uint32_t n) {
  if (code.head == 1) return 0;
  const int particles = own_row_particles(n);
  if (code.head == 0) return static_cast<std::uint32_t>(particles);
  const std::uint32_t *row = u + this_lane() * padded_row;
  const std::uint32_t top = core::head_end(code) << core::low_bits(code);
  std::uint32_t count = 0;
#pragma unroll 8
  for (int k = 0; k < particles; ++k) count += row[k] >= top ? 1 : 0;
  return count;
}

// Adds the unary codes to the values.
__device__ __forceinline__ void add_unary(std::uint32_t *u, core::ResidualCode code, std::uint32_t n,
                                          UnaryReader reader) {
  std::uint32_t *row = u + this_lane() * padded_row;
  const int low = core::low_bits(code);
  const std::uint32_t top = core::head_end(code) << low;
  const int particles = own_row_particles(n);
#pragma unroll 4
  for (int k = 0; k < particles; ++k) {
    const std::uint32_t value = row[k];
    if (value >= top) row[k] = value + (reader.read() << low);
  }
}

}  // namespace gpz::cuda
