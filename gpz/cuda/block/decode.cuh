// SPDX-License-Identifier: BSD-3-Clause
// Kernels of decompression, in the order in which they run, and functions that they share.
#pragma once

#include <cuda_runtime.h>

#include "gpz/cuda/block/block_store.cuh"
#include "gpz/cuda/block/decode_params.hpp"

namespace gpz::cuda {

// Reads headers and records and computes the offsets of payloads (open_chunk.cu). `memory` has open_chunk_memory()
// bytes.
std::size_t open_chunk_memory(std::uint64_t blocks, int fields);
void launch_open_chunk(const DecodeParams &params, void *memory, std::size_t memory_bytes, cudaStream_t stream);
// Decodes the common blocks of field f.
void launch_decode_full(const DecodeParams &params, int f, cudaStream_t stream);
__global__ void decode_other(const __grid_constant__ DecodeParams params);

__device__ __forceinline__ std::uint64_t word_pair(const std::uint32_t *words) {
  return words[0] | static_cast<std::uint64_t>(words[1]) << 32;
}

__device__ __forceinline__ std::uint32_t particles_of(const DecodeParams &params, std::uint64_t block) {
  const std::uint64_t left = params.particles - block * params.block_size;
  return left < params.block_size ? static_cast<std::uint32_t>(left) : params.block_size;
}

// Payload of a block. Null if the blocks of the section, with padding to 8 bytes, do not fill it exactly.
__device__ __forceinline__ const std::uint32_t *payload_of(const DecodeParams &params, int f, std::uint64_t block) {
  const std::uint64_t *offsets = params.word_offsets + static_cast<std::uint64_t>(f) * params.blocks;
  const DecodeSection &section = params.sections[f];
  const std::uint64_t first = offsets[0];
  const std::uint64_t used = offsets[params.blocks] - first;
  const std::uint64_t at = offsets[block] - first;
  const std::uint32_t *payload = params.chunk + section.payload / 4;
  if (used > section.payload_words || section.payload_words - used > 1) return nullptr;
  if (block + 1 == params.blocks && used != section.payload_words && payload[used] != 0) return nullptr;
  return payload + at;
}

__device__ __forceinline__ double index_base(const core::BlockRecord &record, int d) {
  return core::index_base(core::value_of<std::int64_t>(record.min[d]));
}

// `threads` threads share the work; `thread` is the number of this one.
template <typename T>
__device__ void place_exceptions(const DecodeParams &params, const DecodeField &field, const core::BlockRecord &record,
                                 const std::uint32_t *indices, std::uint64_t block, std::uint32_t thread,
                                 std::uint32_t threads) {
  const std::uint32_t n = particles_of(params, block);
  for (std::uint32_t e = thread; e < record.exceptions; e += threads) {
    const std::uint32_t i = indices[e] & 0xFFFFu;
    const std::uint32_t d = indices[e] >> 16;
    if (i >= n || d >= static_cast<std::uint32_t>(field.components)) {
      *params.damaged = chunk_damaged;
      continue;
    }
    if (field.data[d] == nullptr) continue;
    const std::uint32_t *bits = indices + record.exceptions + e * (sizeof(T) / 4);
    T value;
    if constexpr (sizeof(T) == 4)
      value = core::bit_cast<T>(bits[0]);
    else
      value = core::bit_cast<T>(word_pair(bits));
    store(field, static_cast<int>(d), (block - params.first_block) * params.block_size + i, value);
  }
}

}  // namespace gpz::cuda
