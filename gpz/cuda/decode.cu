// Decoding of a chunk in device memory. Nothing is read or written outside the chunk and the outputs, whatever its
// bytes are.
#include <type_traits>

#include "gpz/core/directory.hpp"
#include "gpz/cuda/decode.cuh"
#include "gpz/cuda/device_block.cuh"

namespace gpz::cuda {

namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

__device__ void damaged(const DecodeParams &params) { *params.damaged = 1; }

__device__ U64 word_pair(const U32 *words) { return words[0] | static_cast<U64>(words[1]) << 32; }

__device__ bool open_section(const DecodeParams &params, int f, U64 at, U64 length, DecodeSection &section) {
  const int components = params.field[f].components;
  const auto *bytes = reinterpret_cast<const std::uint8_t *>(params.chunk) + at;
  if (length < core::section_header_size(components)) return false;
  section.shape.components = components;
  const int items = core::record_items(components);
  const auto padded = static_cast<int>(core::section_widths_size(components));
  for (int i = 0; i < padded; ++i) {
    if (i < items ? bytes[i] > 64 : bytes[i] != 0) return false;
    if (i < items) section.shape.width[i] = bytes[i];
  }
  for (int d = 0; d < components; ++d) section.shape.base[d] = word_pair(params.chunk + (at + padded) / 4 + 2 * d);
  const U64 room = length - core::section_header_size(components);
  const U32 bits = core::record_bits(section.shape);
  if (bits == 0 || params.blocks > room * 8 / bits || core::directory_size(section.shape, params.blocks) > room)
    return false;
  section.directory = at + core::section_header_size(components);
  section.payload = section.directory + core::directory_size(section.shape, params.blocks);
  section.payload_words = (at + length - section.payload) / 4;
  for (U64 bit = params.blocks * bits; bit < (section.payload - section.directory) * 8; ++bit)
    if (core::get_bits(params.chunk + section.directory / 4, bit, 1) != 0) return false;
  return true;
}

__device__ U32 particles_of(const DecodeParams &params, U64 block) {
  const U64 left = params.particles - block * params.block_size;
  return left < params.block_size ? static_cast<U32>(left) : params.block_size;
}

struct DecodeShared {
  std::uint16_t segment[block_size];
  std::uint32_t slots[warps];
};

// Value i of a packed array: core::unpack for one value. Full blocks have 32 lanes, which needs no division.
__device__ U32 packed_value(const U32 *words, U32 i, int width, U32 lanes) {
  if (width == 0) return 0;
  const U32 bit = (lanes == core::warp_lanes ? i / core::warp_lanes : i) * static_cast<U32>(width);
  const U32 *word = words + (lanes == core::warp_lanes ? bit / 32 * core::warp_lanes + i % core::warp_lanes : bit / 32);
  const U32 shift = bit % 32;
  U32 value = word[0] >> shift;
  if (shift + static_cast<U32>(width) > 32) value |= word[lanes] << (32 - shift);
  return value & static_cast<U32>(core::low_mask(width));
}

template <typename O>
__device__ O wide_value(const U32 *words, U32 n, U32 i, int width, U32 lanes) {
  if (sizeof(O) == 4 || width <= 32) return packed_value(words, i, width, lanes);
  const U32 low = packed_value(words, i, 32, lanes);
  return static_cast<O>(
      low | static_cast<U64>(packed_value(words + core::packed_words(n, 32, lanes), i, width - 32, lanes)) << 32);
}

template <typename T>
__device__ void store(const DecodeField &field, int d, U64 particle, T value) {
  char *at = field.data[d] + static_cast<std::int64_t>(particle) * field.stride[d];
  switch (field.type[d]) {
    case ArrayType::int32:
      *reinterpret_cast<std::int32_t *>(at) = static_cast<std::int32_t>(value);
      break;
    case ArrayType::int64:
      *reinterpret_cast<std::int64_t *>(at) = static_cast<std::int64_t>(value);
      break;
    case ArrayType::float32:
      *reinterpret_cast<float *>(at) = static_cast<float>(value);
      break;
    case ArrayType::float64:
      *reinterpret_cast<double *>(at) = static_cast<double>(value);
      break;
  }
}

// Sorted segment ids into shared memory; false unless they are n ids below `segments`.
__device__ bool read_bitmap(const U32 *words, U32 n, U32 segments, DecodeShared &shared) {
  const U32 count = core::words_for_bits(static_cast<U64>(n) + segments);
  U32 bits = threadIdx.x < count ? words[threadIdx.x] : 0;
  U32 have = exclusive_scan(static_cast<U32>(__popc(bits)), 0u, Sum{}, shared.slots);
  bool good = have + __popc(bits) <= n;
  if (threadIdx.x == threads - 1) good &= have + __popc(bits) == n;
  if (good) {
    while (bits != 0) {
      const U32 id = threadIdx.x * 32 + static_cast<U32>(__ffs(static_cast<int>(bits))) - 1 - have;
      good &= id < segments;
      shared.segment[have++] = static_cast<std::uint16_t>(id);
      bits &= bits - 1;
    }
  }
  return __syncthreads_and(good) != 0;
}

__device__ bool read_runs(const core::BlockRecord &record, const U32 *words, U32 n, U32 segments,
                          DecodeShared &shared) {
  const int width = record.gap_width + record.count_width;
  U32 next = 0;
  U32 have = 0;
  bool good = true;
  for (U32 first = 0; first < record.runs; first += threads) {
    const U32 k = first + threadIdx.x;
    U32 gap = 0;
    U32 count = 0;
    if (k < record.runs) {
      const U64 item = core::get_bits(words, static_cast<U64>(k) * static_cast<unsigned>(width), width);
      gap = static_cast<U32>(item & core::low_mask(record.gap_width)) + 1;
      count = static_cast<U32>(item >> record.gap_width) + 1;
    }
    const U32 id = next + exclusive_scan(gap, 0u, Sum{}, shared.slots) + gap - 1;
    const U32 at = have + exclusive_scan(count, 0u, Sum{}, shared.slots);
    if (count != 0) good &= id < segments && at <= n && count <= n - at;
    if (good)
      for (U32 i = 0; i < count; ++i) shared.segment[at + i] = static_cast<std::uint16_t>(id);
    next += reduce(gap, Sum{}, shared.slots);
    have += reduce(count, Sum{}, shared.slots);
  }
  return __syncthreads_and(good && have == n) != 0;
}

__device__ double min_index(const core::BlockRecord &record, int d) {
  return static_cast<double>(core::value_of<std::int64_t>(record.min[d]));
}

// Values of a sorted block. O: 32 bits where offsets and all differences from the block's minimum fit into them.
template <typename T, typename O>
__device__ void place_sorted(const DecodeField &field, const core::BlockRecord &record, const core::BlockLayout &layout,
                             const U32 *offsets, U64 first, U32 n, const DecodeShared &shared) {
  const core::Segments &segments = layout.segments;
  const core::CellFinder find(segments);
  double min[core::max_components];
  int at[core::max_components];
  int shift[core::max_components];
  O mask[core::max_components];
#pragma unroll
  for (int d = 0; d < core::max_components; ++d) {
    min[d] = d < field.components ? min_index(record, d) : 0;
    at[d] = segments.offset_at[d] & (static_cast<int>(sizeof(O)) * 8 - 1);
    shift[d] = segments.shift[d];
    mask[d] = static_cast<O>(core::low_mask(segments.offset_bits[d]));
  }
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const U32 i = static_cast<U32>(k) * threads + threadIdx.x;
    if (i >= n) continue;
    const O offset = wide_value<O>(offsets, n, i, segments.offset_width, layout.lanes);
    U32 cell[core::max_components];
    find(shared.segment[i], cell);
#pragma unroll
    for (int d = 0; d < core::max_components; ++d) {
      if (d >= field.components || field.data[d] == nullptr) continue;
      const O delta = (static_cast<O>(cell[d]) << shift[d]) + (offset >> at[d] & mask[d]);
      store(field, d, first + i, core::grid_value<T>(core::index_as_double(min[d], delta), field.step));
    }
  }
}

template <typename T>
__device__ bool decode_block(const DecodeParams &params, const DecodeField &field, const core::BlockRecord &record,
                             const U32 *words, U64 block, DecodeShared &shared) {
  const U32 n = particles_of(params, block);
  const U64 first = block * params.block_size;
  core::BlockLayout layout;
  if (!core::block_layout(record, field.components, field.value, n, params.block_size, layout)) return false;
  if (record.mode == core::Mode::runs || record.mode == core::Mode::elias_fano) {
    if constexpr (!std::is_same_v<T, std::int64_t>) {
      const core::Segments &segments = layout.segments;
      if (record.mode == core::Mode::runs ? !read_runs(record, words, n, segments.count, shared)
                                          : !read_bitmap(words, n, segments.count, shared))
        return false;
      const U32 *offsets = words + layout.order_words;
      bool narrow = segments.offset_width <= 32;
      for (int d = 0; d < core::max_components; ++d) narrow &= core::bit_length(record.extent[d]) <= 31;
      if (narrow)
        place_sorted<T, U32>(field, record, layout, offsets, first, n, shared);
      else
        place_sorted<T, U64>(field, record, layout, offsets, first, n, shared);
    }
  } else {
    const U32 *at = words;
    for (int d = 0; d < field.components; ++d) {
      const int width = core::bit_length(record.extent[d]);
      for (U32 i = threadIdx.x; field.data[d] != nullptr && i < n; i += threads) {
        const U64 key = record.min[d] + wide_value<U64>(at, n, i, width, layout.lanes);
        if (record.mode == core::Mode::exact) {
          store(field, d, first + i, core::value_of<T>(key));
        } else if constexpr (!std::is_same_v<T, std::int64_t>) {
          store(field, d, first + i,
                core::grid_value<T>(core::index_as_double(min_index(record, d), key - record.min[d]), field.step));
        }
      }
      at += core::packed_words(n, width, layout.lanes);
    }
  }
  if constexpr (!std::is_same_v<T, std::int64_t>) {
    __syncthreads();
    const U32 *places = words + layout.order_words + layout.value_words;
    for (U32 e = threadIdx.x; e < record.exceptions; e += threads) {
      const U32 i = places[e] & 0xFFFFu;
      const U32 d = places[e] >> 16;
      if (i >= n || d >= static_cast<U32>(field.components)) {
        damaged(params);
        continue;
      }
      if (field.data[d] == nullptr) continue;
      const U32 *bits = places + record.exceptions + e * (sizeof(T) / 4);
      if constexpr (sizeof(T) == 4)
        store(field, static_cast<int>(d), first + i, core::bit_cast<T>(bits[0]));
      else
        store(field, static_cast<int>(d), first + i, core::bit_cast<T>(word_pair(bits)));
    }
  }
  return true;
}

}  // namespace

// One thread: chunk header and section headers.
__global__ void open_chunk(DecodeParams params) {
  if (threadIdx.x != 0 || blockIdx.x != 0) return;
  *params.damaged = 0;
  params.words[static_cast<U64>(params.fields) * params.blocks] = 0;
  const U64 head = 8 + static_cast<U64>(params.fields) * 8;
  if (params.size < head || params.chunk[0] != params.block_size || params.chunk[1] != 0) return damaged(params);
  U64 at = head;
  for (int f = 0; f < params.fields; ++f) {
    const U64 length = word_pair(params.chunk + 2 + 2 * f);
    if (length % 8 != 0 || length > params.size - at || (params.particles == 0 && length != 0)) return damaged(params);
    if (params.particles != 0 && !open_section(params, f, at, length, params.sections[f])) return damaged(params);
    at += length;
  }
  if (at != params.size) damaged(params);
}

// One thread a record.
__global__ void read_records(DecodeParams params) {
  if (*params.damaged != 0) return;
  const U64 slot = blockIdx.x * static_cast<U64>(blockDim.x) + threadIdx.x;
  if (slot >= params.blocks * static_cast<U64>(params.fields)) return;
  const int f = static_cast<int>(slot / params.blocks);
  const DecodeField &field = params.field[f];
  const DecodeSection &section = params.sections[f];
  core::BlockRecord record;
  core::BlockLayout layout;
  if (!core::read_record(section.shape, params.chunk + section.directory / 4, slot % params.blocks, record) ||
      !core::mode_is_allowed(record.mode, field.step > 0, field.leading) ||
      !core::block_layout(record, field.components, field.value, particles_of(params, slot % params.blocks),
                          params.block_size, layout)) {
    params.words[slot] = 0;
    return damaged(params);
  }
  params.records[slot] = record;
  params.words[slot] = layout.total();
}

__global__ void __launch_bounds__(threads) decode_blocks(const __grid_constant__ DecodeParams params) {
  if (*static_cast<volatile U32 *>(params.damaged) != 0) return;
  __shared__ DecodeShared shared;
  const U64 block = blockIdx.x;
  for (int f = 0; f < params.fields; ++f) {
    const DecodeField &field = params.field[f];
    const U64 slot = static_cast<U64>(f) * params.blocks + block;
    const DecodeSection &section = params.sections[f];
    const U64 first = params.word_offsets[slot] - params.word_offsets[static_cast<U64>(f) * params.blocks];
    const core::BlockRecord &record = params.records[slot];
    // The blocks fill their section but for the padding to 8 bytes.
    const U64 used = params.word_offsets[(static_cast<U64>(f) + 1) * params.blocks] -
                     params.word_offsets[static_cast<U64>(f) * params.blocks];
    if (used > section.payload_words || section.payload_words - used > 1 ||
        (section.payload_words - used == 1 && params.chunk[section.payload / 4 + used] != 0)) {
      if (threadIdx.x == 0) damaged(params);
      continue;
    }
    bool good = first <= section.payload_words && params.words[slot] <= section.payload_words - first;
    if (good) {
      const U32 *words = params.chunk + section.payload / 4 + first;
      good = field.value == core::Value::integer
                 ? decode_block<std::int64_t>(params, field, record, words, block, shared)
             : field.value == core::Value::float32 ? decode_block<float>(params, field, record, words, block, shared)
                                                   : decode_block<double>(params, field, record, words, block, shared);
    }
    if (!good && threadIdx.x == 0) damaged(params);
    __syncthreads();
  }
}

}  // namespace gpz::cuda
