// SPDX-License-Identifier: BSD-3-Clause
// Opens a chunk: headers and directories, and the offsets of payloads that follow from these. Every length is checked
// against the available bytes before it is used.
#include <algorithm>
#include <cub/agent/single_pass_scan_operators.cuh>
#include <cub/block/block_scan.cuh>

#include "gpz/chunk.hpp"
#include "gpz/core/block.hpp"
#include "gpz/core/directory.hpp"
#include "gpz/cuda.hpp"
#include "gpz/cuda/block/decode.cuh"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/common/warp.cuh"
#include "gpz/format/chunk_head.hpp"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr U32 record_threads = 128;  // as many records fill whole words, whatever their size

// Sums of lengths up to each tile of record_threads records of a field, by decoupled look-back.
using Tiles = cub::ScanTileState<U64>;
using TilePrefix = cub::TilePrefixCallbackOp<U64, ::cuda::std::plus<U64>, Tiles>;
using TileScan = cub::BlockScan<U64, record_threads>;

U64 tiles_of_field(U64 blocks) { return (blocks + record_threads - 1) / record_threads; }

// Called by all lanes of a warp.
__device__ bool open_section(const DecodeParams &params, int f, U64 at, U64 length, DecodeSection &section) {
  const int components = params.field[f].components;
  if (length < core::section_header_size(components)) return false;
  const auto lane = static_cast<int>(threadIdx.x);
  const int items = core::record_items(components);
  const auto padded = static_cast<int>(core::section_widths_size(components));
  const U32 byte = lane < padded ? reinterpret_cast<const std::uint8_t *>(params.chunk)[at + lane] : 0;
  if (__any_sync(full_mask, lane < items ? byte > 64 : byte != 0) != 0) return false;
  const U32 bits = warp_sum(byte);
  const U64 room = length - core::section_header_size(components);
  if (bits == 0 || params.blocks > room * 8 / bits) return false;
  const U64 size = core::directory_size(bits, params.blocks);
  if (size > room) return false;
  if (lane < items) section.shape.width[lane] = static_cast<std::uint8_t>(byte);
  if (lane < components) section.shape.base[lane] = word_pair(params.chunk + (at + padded) / 4 + 2 * lane);
  const U64 directory = at + core::section_header_size(components);
  if (lane == 0) {
    section.shape.components = components;
    section.directory = directory;
    section.payload = directory + size;
    section.payload_words = (at + length - section.payload) / 4;
  }
  bool zeros = true;
  for (U64 bit = params.blocks * bits + threadIdx.x; bit < size * 8; bit += warp_size)
    zeros &= core::get_bits(params.chunk + directory / 4, bit, 1) == 0;
  return __all_sync(full_mask, zeros) != 0;
}

// Value of *damaged that follows from the first 8 bytes. Chunks of other kinds or block sizes may be intact, but these
// kernels do not support them.
__device__ U32 check_head(const DecodeParams &params) {
  if (params.size < format::chunk_start_size) return chunk_damaged;
  const U32 size = params.chunk[0];
  const U32 kind = params.chunk[1];
  if (kind >= format::chunk_kinds) return chunk_damaged;
  const bool has_blocks = format::rule_of(static_cast<ChunkKind>(kind)).family == format::Family::blocks;
  if (has_blocks && size == params.block_size) return 0;
  const bool sound = has_blocks ? core::is_block_size(size) : size == core::default_block_size;
  return sound ? chunk_unsupported : chunk_damaged;
}

__device__ bool open_sections(const DecodeParams &params) {
  const U64 head = format::chunk_head_size(ChunkKind::block, static_cast<std::size_t>(params.fields));
  if (params.size < head) return false;
  U64 at = head;
  for (int f = 0; f < params.fields; ++f) {
    const U64 length =
        word_pair(params.chunk + format::section_length_at(ChunkKind::block, static_cast<std::size_t>(f)) / 4);
    if (length % 8 != 0 || length > params.size - at || (params.particles == 0 && length != 0)) return false;
    if (params.particles != 0 && !open_section(params, f, at, length, params.sections[f])) return false;
    at += length;
  }
  return at == params.size;
}

// Words of the payload of block `block`, whose record is number `record_of_tile` in `directory`. Stores the record.
__device__ __forceinline__ U32 read_payload_words(const DecodeParams &params, const DecodeSection &section, int f,
                                                  const U32 *directory, U32 record_of_tile, U64 block) {
  const DecodeField &field = params.field[f];
  core::BlockRecord record;
  core::BlockLayout layout;
  if (!core::read_record(section.shape, directory, record_of_tile, record) ||
      !core::mode_is_allowed(record.mode, field.step > 0, field.leading) ||
      !core::block_layout(record, field.components, field.value, particles_of(params, block), params.block_size,
                          layout)) {
    *params.damaged = chunk_damaged;
    return 0;
  }
  params.records[static_cast<U64>(f) * params.blocks + block] = record;
  return layout.total();
}

__global__ void open_chunk(const __grid_constant__ DecodeParams params, Tiles tiles, int tile_count) {
  tiles.InitializeStatus(tile_count);
  if (blockIdx.x != 0) return;
  if (threadIdx.x == 0) {
    *params.damaged = 0;
    *params.other_count = 0;
  }
  U32 damaged = check_head(params);
  if (damaged == 0) damaged = open_sections(params) ? 0 : chunk_damaged;
  if (damaged == 0) return;
  if (threadIdx.x == 0) *params.damaged = damaged;
  // Kernels call payload_of() before they check for damage: old contents of the workspace must not lead out of bounds.
  __syncwarp();
  for (int f = static_cast<int>(threadIdx.x); f < params.fields; f += warp_size) params.sections[f].payload_words = 0;
}

// One thread per record, one thread block per tile.
__global__ void __launch_bounds__(record_threads)
    read_records(const __grid_constant__ DecodeParams params, Tiles tiles, U32 tiles_a_field) {
  extern __shared__ U32 words[];
  __shared__ DecodeSection section;
  __shared__ TileScan::TempStorage scan_memory;
  __shared__ TilePrefix::TempStorage prefix_memory;
  const auto tile = static_cast<int>(blockIdx.x);
  const auto f = static_cast<int>(blockIdx.x / tiles_a_field);
  const U64 part = blockIdx.x % tiles_a_field;
  const U64 block = part * record_threads + threadIdx.x;
  // Every tile takes part in the scan, even in a damaged chunk, because the next tile waits for it.
  const bool opened = __syncthreads_and(*params.damaged == 0) != 0;
  U64 length = 0;
  if (opened) {
    for (U32 w = threadIdx.x; w < sizeof(DecodeSection) / 4; w += record_threads)
      reinterpret_cast<U32 *>(&section)[w] = reinterpret_cast<const U32 *>(&params.sections[f])[w];
    __syncthreads();
    const U32 count = record_threads / 32 * core::record_bits(section.shape);
    const U64 first = part * count;
    const U64 room = (section.payload - section.directory) / 4;
    const U32 *directory = params.chunk + section.directory / 4;
    for (U32 w = threadIdx.x; w < count && first + w < room; w += record_threads) words[w] = directory[first + w];
    __syncthreads();
    if (block < params.blocks) length = read_payload_words(params, section, f, words, threadIdx.x, block);
  }
  U64 offset;
  U64 end;
  if (tile == 0) {
    TileScan(scan_memory).ExclusiveSum(length, offset, end);
    if (threadIdx.x == 0) tiles.SetInclusive(0, end);
  } else {
    TilePrefix prefix(tiles, prefix_memory, {}, tile);
    TileScan(scan_memory).ExclusiveSum(length, offset, prefix);
    end = prefix.GetInclusivePrefix();
  }
  if (block >= params.blocks) return;
  params.word_offsets[static_cast<U64>(f) * params.blocks + block] = offset;
  if (f + 1 == params.fields && block + 1 == params.blocks)
    params.word_offsets[static_cast<U64>(params.fields) * params.blocks] = end;
}

}  // namespace

std::size_t open_chunk_memory(U64 blocks, int fields) {
  std::size_t bytes = 0;
  const U64 tiles = tiles_of_field(blocks) * static_cast<U64>(fields);
  check(Tiles::AllocationSize(static_cast<int>(tiles), bytes), "size of the sums");
  return bytes;
}

void launch_open_chunk(const DecodeParams &params, void *memory, std::size_t memory_bytes, cudaStream_t stream) {
  const auto tiles_a_field = static_cast<U32>(tiles_of_field(params.blocks));
  const U32 count = tiles_a_field * static_cast<U32>(params.fields);
  Tiles tiles;
  check(tiles.Init(static_cast<int>(count), memory, memory_bytes), "sums");
  constexpr U32 open_threads = warp_size;
  open_chunk<<<std::max(1u, (count + open_threads - 1) / open_threads), open_threads, 0, stream>>>(
      params, tiles, static_cast<int>(count));
  check(cudaGetLastError(),
        "opening a chunk");  // without this check, the next kernel could wait forever for uninitialised tiles
  if (count == 0) return;
  constexpr std::size_t most_words = record_threads / 32 * 64 * core::max_record_items;
  read_records<<<count, record_threads, most_words * sizeof(U32), stream>>>(params, tiles, tiles_a_field);
}

namespace {
const KernelFile kernels(reinterpret_cast<const void *>(open_chunk));
}  // namespace

}  // namespace gpz::cuda
