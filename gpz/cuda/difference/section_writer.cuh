// SPDX-License-Identifier: BSD-3-Clause
// Writes directory and payload of a section of residuals, once the lengths of all blocks are known.
#pragma once

#include "gpz/core/directory.hpp"
#include "gpz/core/pack.hpp"
#include "gpz/cuda/common/warp.cuh"

namespace gpz::cuda {

inline constexpr std::uint32_t write_threads = 256;
inline constexpr std::uint32_t directory_part = 128;  // in records, which fill whole words with any number of bits

// Offsets are in words from the start of `out`.
struct WrittenParts {
  const std::uint8_t *width;  // for each item of a record, at most 32 bits
  std::uint32_t record_bits;
  std::uint64_t directory;
  std::uint64_t payload;
  std::uint64_t blocks;
  const std::uint32_t *staging;
  const std::uint64_t *staged;  // offset of each block's payload in staging
  const std::uint32_t *words;   // per block
  const std::uint64_t *word_offsets;
  std::uint32_t *out;
};

// The first thread blocks write directory_part records each, the others the payload.
__host__ __device__ inline std::uint64_t directory_parts(std::uint64_t blocks) {
  return (blocks + directory_part - 1) / directory_part;
}
inline unsigned writing_ctas(std::uint64_t blocks) {
  constexpr std::uint64_t warps = write_threads / warp_size;
  return static_cast<unsigned>(directory_parts(blocks) + (blocks + warps - 1) / warps);
}

// Writes `directory_part` records, collected in shared memory `words`. item_of(record, i) is item i of `items`.
template <typename Record, typename ItemOf>
__device__ void write_directory(const WrittenParts &section, const Record *records, int items, std::uint64_t part,
                                const ItemOf &item_of, std::uint32_t *words) {
  const std::uint32_t count = directory_part / 32 * section.record_bits;
  for (std::uint32_t w = threadIdx.x; w < count; w += blockDim.x) words[w] = 0;
  __syncthreads();
  const std::uint64_t block = part * directory_part + threadIdx.x;
  if (threadIdx.x < directory_part && block < section.blocks) {
    const Record record = records[block];
    std::uint32_t bit = threadIdx.x * section.record_bits;
    for (int i = 0; i < items; ++i) {
      const std::uint32_t width = section.width[i];
      if (width == 0) continue;
      const std::uint32_t item = item_of(record, i);
      atomicOr(&words[bit / 32], item << bit % 32);
      if (bit % 32 + width > 32) atomicOr(&words[bit / 32 + 1], item >> (32 - bit % 32));
      bit += width;
    }
  }
  __syncthreads();
  std::uint32_t *to = section.out + section.directory + part * count;
  const std::uint64_t room = section.payload - section.directory - part * count;
  for (std::uint32_t w = threadIdx.x; w < count && w < room; w += blockDim.x) to[w] = words[w];
  // Pads the directory to a multiple of 8 bytes.
  if (part == (section.blocks - 1) / directory_part)
    for (std::uint64_t w = count + threadIdx.x; w < room; w += blockDim.x) to[w] = 0;
}

// Copies the payload of one block of particles, with one warp.
__device__ inline void copy_payload(const WrittenParts &section, std::uint64_t block) {
  if (block >= section.blocks) return;
  const std::uint32_t *from = section.staging + section.staged[block];
  std::uint32_t *to = section.out + section.payload + section.word_offsets[block];
  const std::uint32_t words = section.words[block];
  constexpr std::uint32_t at_once = 4;
  for (std::uint32_t w = this_lane(); w < words; w += at_once * warp_size) {
    std::uint32_t value[at_once];
#pragma unroll
    for (std::uint32_t k = 0; k < at_once; ++k) value[k] = w + k * warp_size < words ? from[w + k * warp_size] : 0;
#pragma unroll
    for (std::uint32_t k = 0; k < at_once; ++k)
      if (w + k * warp_size < words) to[w + k * warp_size] = value[k];
  }
}

}  // namespace gpz::cuda
