// Stage 4 of the paper (section 4.4): once the lengths of all blocks are known, headers, directories and payloads go to
// their places. Three steps, as in the paper: staging (encode_*.cu), a device-wide scan (codec.cu), and a copy (here).
#include <type_traits>

#include "gpz/core/directory.hpp"
#include "gpz/cuda/device_block.cuh"
#include "gpz/cuda/kernels.cuh"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

}  // namespace

// Each thread looks at some records of field blockIdx.y; then a reduction over the warp, and few atomics.
__global__ void collect_stats(EncodeParams params) {
  const int f = static_cast<int>(blockIdx.y);
  const int n = params.field[f].components;
  SectionStats own{};
  for (auto &min : own.smallest_min) min = ~U64{0};
  const auto raise = [](auto &to, auto value) { to = value > to ? value : to; };
  for (U64 b = blockIdx.x * static_cast<U64>(blockDim.x) + threadIdx.x; b < params.blocks;
       b += static_cast<U64>(gridDim.x) * blockDim.x) {
    const StagedBlock &staged = params.staged[static_cast<U64>(f) * params.blocks + b];
    const core::BlockRecord &record = staged.record;
#pragma unroll
    for (int d = 0; d < core::max_components; ++d) {
      if (d >= n) continue;
      own.smallest_min[d] = core::min_of(own.smallest_min[d], record.min[d]);
      raise(own.largest_min[d], record.min[d]);
      raise(own.extent[d], record.extent[d]);
      raise(own.shift[d], static_cast<U32>(record.shift[d]));
    }
    raise(own.mode, static_cast<U32>(record.mode));
    raise(own.runs, record.runs);
    raise(own.gap_width, static_cast<U32>(record.gap_width));
    raise(own.count_width, static_cast<U32>(record.count_width));
    raise(own.exceptions, record.exceptions);
    raise(own.error_bits, staged.error_bits);
  }
  SectionStats &all = params.stats[f];
  const auto warp_max = [](auto value) {
    for (int offset = 16; offset > 0; offset /= 2)
      value = core::max_of(value, __shfl_xor_sync(full_mask, value, offset));
    return value;
  };
  const auto publish = [&](auto &to, auto value) {
    value = warp_max(value);
    using Word = std::conditional_t<sizeof(value) == 8, unsigned long long, unsigned>;
    if (threadIdx.x % 32 == 0) atomicMax(reinterpret_cast<Word *>(&to), static_cast<Word>(value));
  };
#pragma unroll
  for (int d = 0; d < core::max_components; ++d) {
    if (d >= n) continue;
    const U64 smallest = ~warp_max(~own.smallest_min[d]);
    if (threadIdx.x % 32 == 0)
      atomicMin(reinterpret_cast<unsigned long long *>(&all.smallest_min[d]),
                static_cast<unsigned long long>(smallest));
    publish(all.largest_min[d], own.largest_min[d]);
    publish(all.extent[d], own.extent[d]);
    publish(all.shift[d], own.shift[d]);
  }
  publish(all.mode, own.mode);
  publish(all.runs, own.runs);
  publish(all.gap_width, own.gap_width);
  publish(all.count_width, own.count_width);
  publish(all.exceptions, own.exceptions);
  publish(all.error_bits, own.error_bits);
}

// One thread: a few hundred operations. Widths of all items, then where everything goes.
__global__ void lay_out_chunk(EncodeParams params, const U64 *word_offsets, SectionLayout *sections, U32 *out,
                              U64 capacity, CompressResult *result) {
  if (threadIdx.x != 0 || blockIdx.x != 0) return;
  const auto fields = static_cast<U32>(params.fields);
  U64 at = 8 + U64{fields} * 8;
  for (int f = 0; f < params.fields; ++f) {
    if (params.particles == 0) {  // sections without a byte
      sections[f] = {{}, at, at, at, at, 0, 0};
      result->largest_error[f] = 0;
      continue;
    }
    const SectionStats &stats = params.stats[f];
    SectionLayout &section = sections[f];
    const int n = params.field[f].components;
    core::DirectoryShape &shape = section.shape;
    shape.components = n;
    std::uint8_t *width = shape.width;
    *width++ = static_cast<std::uint8_t>(core::bit_length(stats.mode));
    for (int d = 0; d < n; ++d) {
      shape.base[d] = stats.smallest_min[d];
      *width++ = static_cast<std::uint8_t>(core::bit_length(stats.largest_min[d] - stats.smallest_min[d]));
    }
    for (int d = 0; d < n; ++d) *width++ = static_cast<std::uint8_t>(core::bit_length(stats.extent[d]));
    for (int d = 0; d < n; ++d) *width++ = static_cast<std::uint8_t>(core::bit_length(stats.shift[d]));
    *width++ = static_cast<std::uint8_t>(core::bit_length(stats.runs));
    *width++ = static_cast<std::uint8_t>(core::bit_length(stats.gap_width));
    *width++ = static_cast<std::uint8_t>(core::bit_length(stats.count_width));
    *width++ = static_cast<std::uint8_t>(core::bit_length(stats.exceptions));
    section.header = at;
    section.directory = at + core::section_header_size(n);
    section.payload = section.directory + core::directory_size(shape, params.blocks);
    section.first_word = word_offsets[static_cast<U64>(f) * params.blocks];
    const U64 words = word_offsets[(static_cast<U64>(f) + 1) * params.blocks] - section.first_word;
    section.end = core::round_up_to_8(section.payload + words * 4);
    section.words = words;
    at = section.end;
    result->largest_error[f] = core::bit_cast<double>(stats.error_bits);
  }
  result->bytes = at;
  result->fits = at <= capacity ? 1 : 0;
  if (at > capacity) return;

  out[0] = block_size;
  out[1] = 0;
  for (int f = 0; f < params.fields; ++f) {
    const SectionLayout &section = sections[f];
    const U64 length = section.end - section.header;
    out[2 + 2 * f] = static_cast<U32>(length);
    out[3 + 2 * f] = static_cast<U32>(length >> 32);
    if (length == 0) continue;
    const core::DirectoryShape &shape = section.shape;
    const int items = core::record_items(shape.components);
    const auto padded = static_cast<int>(core::section_widths_size(shape.components));
    auto *bytes = reinterpret_cast<std::uint8_t *>(out) + section.header;
    for (int i = 0; i < padded; ++i) bytes[i] = i < items ? shape.width[i] : 0;
    for (int d = 0; d < shape.components; ++d)
      for (int b = 0; b < 8; ++b) bytes[padded + d * 8 + b] = static_cast<std::uint8_t>(shape.base[d] >> (8 * b));
    if (section.words % 2 != 0) out[section.end / 4 - 1] = 0;
  }
}

// Each thread gathers whole words of the directory from the records that overlap them.
__global__ void write_directory(EncodeParams params, const SectionLayout *sections, U32 *out,
                                const CompressResult *result) {
  if (result->fits == 0) return;
  const int f = static_cast<int>(blockIdx.y);
  const SectionLayout &section = sections[f];
  const U64 words = (section.payload - section.directory) / 4;
  const core::DirectoryShape &shape = section.shape;
  const int items = core::record_items(shape.components);
  const U32 record_bits = core::record_bits(shape);
  for (U64 w = blockIdx.x * static_cast<U64>(blockDim.x) + threadIdx.x; w < words;
       w += static_cast<U64>(gridDim.x) * blockDim.x) {
    const U64 first = w * 32;
    U32 bits = 0;
    for (U64 b = first / record_bits; b < params.blocks && b * record_bits < first + 32; ++b) {
      const core::BlockRecord &record = params.staged[static_cast<U64>(f) * params.blocks + b].record;
      auto place = static_cast<std::int64_t>(b * record_bits) - static_cast<std::int64_t>(first);
      for (int i = 0; i < items; ++i) {
        const int width = shape.width[i];
        if (place < 32 && place + width > 0 && width > 0) {
          const U64 value = core::record_item(record, shape, i);
          bits |= static_cast<U32>(place >= 0 ? value << place : value >> -place);
        }
        place += width;
      }
    }
    out[section.directory / 4 + w] = bits;
  }
}

// One warp a block: its payload from staging to the stream.
__global__ void copy_payloads(EncodeParams params, const U64 *word_offsets, const SectionLayout *sections, U32 *out,
                              const CompressResult *result) {
  if (result->fits == 0) return;
  const U64 warp = (blockIdx.x * static_cast<U64>(blockDim.x) + threadIdx.x) / 32;
  const U32 lane = threadIdx.x % 32;
  if (warp >= params.blocks * static_cast<U64>(params.fields)) return;
  const SectionLayout &section = sections[warp / params.blocks];
  const FieldParams &field = params.field[warp / params.blocks];
  const U64 room =
      static_cast<U64>(block_size) * core::words_of_value(field.value) * static_cast<unsigned>(field.components);
  const U32 *from = params.staging + field.staging + warp % params.blocks * room;
  U32 *to = out + section.payload / 4 + (word_offsets[warp] - section.first_word);
  const U32 words = params.words[warp];
  for (U32 w = lane; w < words; w += 32) to[w] = from[w];
}

// What the atomics of the encoding kernels start from.
__global__ void start_encoding(EncodeParams params) {
  if (threadIdx.x == 0) {
    *params.wide_count = 0;
    // The scan runs over one more element, whose offset is the total.
    params.words[static_cast<U64>(params.fields) * params.blocks] = 0;
  }
  for (int f = static_cast<int>(threadIdx.x); f < params.fields; f += static_cast<int>(blockDim.x)) {
    params.stats[f] = SectionStats{};
    for (auto &min : params.stats[f].smallest_min) min = ~U64{0};
  }
}

}  // namespace gpz::cuda
