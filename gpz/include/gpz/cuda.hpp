// The codec on NVIDIA GPUs: device memory in, device memory out, the same bytes as gpz::ChunkEncoder. Work is queued on
// the caller's stream and nothing waits for it; the caller brings the workspace, so nothing is allocated. Built with
// GPZ_CUDA=ON only.
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

// What compress() reports, in memory of the caller that the device can write (pinned host memory, or device memory).
struct CompressResult {
  std::uint64_t bytes;  // of the chunk
  std::uint32_t fits;   // 0: `capacity` was too small, nothing was written
  std::uint32_t reserved;
  double largest_error[max_fields];  // per field, units of the field
};

// Bytes of workspace for `particles` particles with these fields (only types and components matter), and the most a
// chunk can have.
GPZ_API std::size_t compress_workspace_size(const std::vector<FieldInput> &fields, std::uint64_t particles);
GPZ_API std::size_t compressed_bound(const std::vector<FieldInput> &fields, std::uint64_t particles);

// Encodes a chunk into out[0 .. capacity). Arrays and `rows` (nullptr: all particles in order) are in device memory,
// with the meaning they have for ChunkEncoder::encode; so have errors, which are thrown before anything is queued.
// `out` is aligned to 8, `workspace` to 256.
GPZ_API void compress(const std::vector<FieldInput> &fields, std::uint64_t particles, const int *rows, void *workspace,
                      std::size_t workspace_size, void *out, std::size_t capacity, CompressResult *result,
                      Stream stream);

// Where a decoded component goes: element i at data + i * stride bytes of device memory; data nullptr: not wanted.
struct DeviceArray {
  void *data = nullptr;
  std::ptrdiff_t stride = 0;
  ConstArray::Type type = ConstArray::Type::float64;
};
struct FieldOutput {
  Field field;  // type, components and step as in the frame's head
  DeviceArray components[3];
};

// Blocks of a chunk, of chunk_block_size particles each but for the last. A count of 0 stands for all that follow.
inline constexpr std::uint64_t chunk_block_size = 1024;
struct BlockRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

GPZ_API std::size_t decompress_workspace_size(const std::vector<FieldOutput> &fields, std::uint64_t particles);

// What *damaged becomes if a chunk is not decoded.
inline constexpr std::uint32_t chunk_damaged = 1;  // the bytes contradict the format
// By its head the chunk is one of the format that decode_chunk or Reader decodes on the CPU: its kind is not
// ChunkKind::block (see chunk_kind in gpz/chunk.hpp), or its blocks do not have 1,024 particles.
inline constexpr std::uint32_t chunk_unsupported = 2;

// Decodes a chunk of ChunkKind::block of `size` bytes (device memory, aligned to 8). *damaged (as CompressResult,
// memory that the device can write) becomes 0 or one of the above; outputs are unspecified then. Never reads or writes
// outside of what it was given. Particle i of `range` goes to element i of the arrays; a range beyond the chunk is an
// invalid_argument.
GPZ_API void decompress(const void *chunk, std::size_t size, std::uint64_t particles,
                        const std::vector<FieldOutput> &fields, void *workspace, std::size_t workspace_size,
                        std::uint32_t *damaged, Stream stream, BlockRange range = {});

}  // namespace gpz::cuda
