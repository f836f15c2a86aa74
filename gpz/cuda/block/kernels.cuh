// SPDX-License-Identifier: BSD-3-Clause
// Kernels of compression, in the order in which they run, and functions that they share.
#pragma once

#include <cuda_runtime.h>

#include "gpz/cuda/block/device_block.cuh"
#include "gpz/cuda/block/encode_params.hpp"

namespace gpz::cuda {

// Offsets of the parts of a section, in bytes from the start of the chunk.
struct SectionLayout {
  core::DirectoryShape shape;
  std::uint64_t header;
  std::uint64_t directory;
  std::uint64_t payload;
  std::uint64_t end;
  std::uint64_t words;  // of the payload
};

// Largest number of words of a field's blocks: that of their values (core::exact_is_smaller).
GPZ_HD std::uint64_t payload_room(std::uint64_t blocks, core::Value value, std::size_t components) {
  return blocks * block_size * core::words_of_value(value) * components;
}

// Staging memory of a block's payload, until all lengths are known.
__device__ __forceinline__ std::uint32_t *staged_payload(const EncodeParams &params, const FieldParams &field,
                                                         std::uint64_t block) {
  return params.staging + field.staging + payload_room(block, field.value, static_cast<unsigned>(field.components));
}

// Threads of start_encoding and lay_out_chunk, which run in one thread block each.
inline constexpr unsigned single_threads = 1024;
__global__ void start_encoding(const __grid_constant__ EncodeParams params);

// Stages 1 to 3: the leading field, first common blocks, then others; then the fields in its order.
void launch_encode_full(const EncodeParams &params, cudaStream_t stream);
void launch_encode_leading(const EncodeParams &params, cudaStream_t stream);
void launch_encode_follower_full(const EncodeParams &params, int f, cudaStream_t stream);
__global__ void encode_followers(const __grid_constant__ EncodeParams params);

// Stage 4 (compact.cu).
__global__ void lay_out_chunk(const __grid_constant__ EncodeParams params, std::uint64_t *group_offsets,
                              SectionLayout *sections, std::uint32_t *out, std::uint64_t capacity,
                              CompressResult *result, CompressResult *report);
void launch_write_sections(const EncodeParams &params, const std::uint64_t *group_offsets,
                           const SectionLayout *sections, std::uint32_t *out, const CompressResult *result,
                           cudaStream_t stream);

}  // namespace gpz::cuda
