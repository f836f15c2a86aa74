// SPDX-License-Identifier: BSD-3-Clause
// The codec on NVIDIA GPUs: from device memory to device memory, with the same bytes as gpz::ChunkEncoder. compress()
// and decompress() queue work on the caller's stream and do not wait for it. They allocate nothing: the caller provides
// a workspace. Built with GPZ_CUDA=ON only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/export.h"
#include "gpz/frame.hpp"

struct CUstream_st;

namespace gpz::cuda {

using Stream = CUstream_st *;  // cudaStream_t

inline constexpr std::size_t max_fields = 32;

// Result of compress(), in memory of the caller that the device can write (pinned host memory, or device memory).
struct CompressResult {
  std::uint64_t bytes;  // of the chunk
  std::uint32_t fits;   // 0: `capacity` was too small, nothing was written
  std::uint32_t reserved;
  double largest_error[max_fields];  // per field, units of the field
};

// Bytes of workspace that compress() needs for `particles` particles with these fields, and the largest size of a
// chunk. Only types and components of the fields matter.
GPZ_API std::size_t compress_workspace_size(const std::vector<FieldInput> &fields, std::uint64_t particles);
GPZ_API std::size_t compressed_bound(const std::vector<FieldInput> &fields, std::uint64_t particles);

// Encodes a chunk into out[0 .. capacity). Arguments and errors are those of ChunkEncoder::encode, but the arrays and
// `rows` (nullptr: all particles in order) are in device memory. Errors are thrown before anything is queued. `out` is
// aligned to 8 bytes, `workspace` to 256. All memory must stay valid until the stream has finished the call.
GPZ_API void compress(const std::vector<FieldInput> &fields, std::uint64_t particles, const int *rows, void *workspace,
                      std::size_t workspace_size, void *out, std::size_t capacity, CompressResult *result,
                      Stream stream);

// Destination of a decoded component in device memory: element i goes to data + i * stride bytes. Nothing is written if
// data is nullptr.
struct DeviceArray {
  void *data = nullptr;
  std::ptrdiff_t stride = 0;
  ConstArray::Type type = ConstArray::Type::float64;
};
struct FieldOutput {
  Field field;  // type, components and step as in the frame's head
  DeviceArray components[3];
};

// A range of blocks of a chunk: `count` from `first` on, or all from `first` on if `count` is 0. Every block has
// chunk_block_size particles, except that the last may have fewer.
inline constexpr std::uint64_t chunk_block_size = 1024;
struct BlockRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

GPZ_API std::size_t decompress_workspace_size(const std::vector<FieldOutput> &fields, std::uint64_t particles);

// Values of *damaged if a chunk is not decoded.
inline constexpr std::uint32_t chunk_damaged = 1;  // the bytes contradict the format
// Only the CPU decodes the chunk (decode_chunk, Reader): its kind is not ChunkKind::block (see chunk_kind in
// gpz/chunk.hpp), or its blocks do not have 1,024 particles.
inline constexpr std::uint32_t chunk_unsupported = 2;

// Decodes a chunk of ChunkKind::block: `size` bytes of device memory, aligned to 8 bytes. Particle i of `range` goes to
// element i of the arrays. The device writes 0 or one of the numbers above to *damaged, in pinned host memory or in
// device memory. If it is not 0, the outputs are unspecified. Even a malicious chunk cannot make it access memory
// outside of the arguments. Throws invalid_argument for a range beyond the chunk.
GPZ_API void decompress(const void *chunk, std::size_t size, std::uint64_t particles,
                        const std::vector<FieldOutput> &fields, void *workspace, std::size_t workspace_size,
                        std::uint32_t *damaged, Stream stream, BlockRange range = {});

}  // namespace gpz::cuda
