// What comes before the blocks of a chunk: headers and directories. Nothing is believed before it was compared with the
// lengths there are.
#include "gpz/core/block.hpp"
#include "gpz/core/directory.hpp"
#include "gpz/cuda/decode.cuh"
#include "gpz/cuda/warp.cuh"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr U32 record_threads = 128;  // as many records fill whole words, whatever their length

// All lanes of a warp together.
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

__device__ bool open_sections(const DecodeParams &params) {
  const U64 head = 8 + static_cast<U64>(params.fields) * 8;
  if (params.size < head || params.chunk[0] != params.block_size || params.chunk[1] != 0) return false;
  U64 at = head;
  for (int f = 0; f < params.fields; ++f) {
    const U64 length = word_pair(params.chunk + 2 + 2 * f);
    if (length % 8 != 0 || length > params.size - at || (params.particles == 0 && length != 0)) return false;
    if (params.particles != 0 && !open_section(params, f, at, length, params.sections[f])) return false;
    at += length;
  }
  return at == params.size;
}

// One thread a record; field blockIdx.y.
__global__ void __launch_bounds__(record_threads) read_records(const __grid_constant__ DecodeParams params) {
  extern __shared__ U32 words[];
  __shared__ DecodeSection section;
  if (*params.damaged != 0) return;
  const auto f = static_cast<int>(blockIdx.y);
  const DecodeField &field = params.field[f];
  for (U32 w = threadIdx.x; w < sizeof(DecodeSection) / 4; w += record_threads)
    reinterpret_cast<U32 *>(&section)[w] = reinterpret_cast<const U32 *>(&params.sections[f])[w];
  __syncthreads();
  const U32 count = record_threads / 32 * core::record_bits(section.shape);
  const U64 first = static_cast<U64>(blockIdx.x) * count;
  const U64 room = (section.payload - section.directory) / 4;
  const U32 *directory = params.chunk + section.directory / 4;
  for (U32 w = threadIdx.x; w < count && first + w < room; w += record_threads) words[w] = directory[first + w];
  __syncthreads();
  const U64 block = static_cast<U64>(blockIdx.x) * record_threads + threadIdx.x;
  if (block >= params.blocks) return;
  const U64 slot = static_cast<U64>(f) * params.blocks + block;
  core::BlockRecord record;
  core::BlockLayout layout;
  if (!core::read_record(section.shape, words, threadIdx.x, record) ||
      !core::mode_is_allowed(record.mode, field.step > 0, field.leading) ||
      !core::block_layout(record, field.components, field.value, particles_of(params, block), params.block_size,
                          layout)) {
    params.words[slot] = 0;
    *params.damaged = 1;
    return;
  }
  params.records[slot] = record;
  params.words[slot] = layout.total();
}

}  // namespace

__global__ void open_chunk(DecodeParams params) {
  if (threadIdx.x == 0) {
    *params.damaged = 0;
    *params.other_count = 0;
    // The scan runs over one more element, whose offset is the total.
    params.words[static_cast<U64>(params.fields) * params.blocks] = 0;
  }
  if (!open_sections(params) && threadIdx.x == 0) *params.damaged = 1;
}

void launch_read_records(const DecodeParams &params, cudaStream_t stream) {
  constexpr std::size_t most_words = record_threads / 32 * 64 * core::max_record_items;
  const auto parts = static_cast<U32>((params.blocks + record_threads - 1) / record_threads);
  read_records<<<dim3(parts, static_cast<U32>(params.fields)), record_threads, most_words * sizeof(U32), stream>>>(
      params);
}

}  // namespace gpz::cuda
