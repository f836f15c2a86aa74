// SPDX-License-Identifier: BSD-3-Clause
// Stage 4 of the paper (section 4.4): moves headers, directories and payloads to their final offsets once the lengths
// of all blocks are known. It has three steps, as in the paper: staging (encode_*.cu), a scan and a copy (both here).
// Encoding adds up the lengths of 64 blocks at a time. The scan runs over these sums, and the copy adds the lengths
// within a group.
#include <type_traits>

#include "gpz/core/directory.hpp"
#include "gpz/cuda/block/device_block.cuh"
#include "gpz/cuda/block/kernels.cuh"
#include "gpz/cuda/common/chained.cuh"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/format/chunk_head.hpp"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr U32 write_threads = 256;
constexpr U32 directory_part = 128;  // in records

}  // namespace

namespace {

// Computes the widths of all items of a section and the offsets of its parts. Called by all lanes of a warp. Returns
// the end of the section.
__device__ U64 lay_out_section(const EncodeParams &params, int f, U64 words, U64 at, SectionLayout &section) {
  const SectionStats &stats = params.stats[f];
  const int n = params.field[f].components;
  const int items = core::record_items(n);
  const auto lane = static_cast<int>(threadIdx.x);
  // Each lane has one item: mode, then min, extent and shift of each component, then runs and so on.
  const int group = lane == 0 ? 0 : lane <= 3 * n ? (lane - 1) / n : 3;
  const int d = lane == 0 ? 0 : lane <= 3 * n ? (lane - 1) % n : lane - 1 - 3 * n;
  int width = 0;
  if (lane < items) {
    U64 value = 0;
    if (lane == 0)
      value = stats.largest[of_mode];
    else if (group == 0)
      value = stats.largest[of_largest_min + d] - ~stats.largest[of_smallest_min + d];
    else
      value = stats.largest[(group == 1 ? of_extent : group == 2 ? of_shift : of_runs) + static_cast<U32>(d)];
    width = core::bit_length(value);
    section.shape.width[lane] = static_cast<std::uint8_t>(width);
  }
  if (lane < n) section.shape.base[lane] = ~stats.largest[of_smallest_min + lane];
  const U64 directory = at + core::section_header_size(n);
  const U64 payload = directory + core::directory_size(warp_sum(static_cast<U32>(width)), params.blocks);
  const U64 end = core::round_up_to_8(payload + words * 4);
  if (lane == 0) {
    section.shape.components = n;
    section.header = at;
    section.directory = directory;
    section.payload = payload;
    section.end = end;
    section.words = words;
  }
  return end;
}

// Called by all lanes of a warp.
__device__ void write_section_header(const SectionLayout &section, U32 *out) {
  const auto lane = static_cast<int>(threadIdx.x);
  const core::DirectoryShape &shape = section.shape;
  const auto padded = static_cast<int>(core::section_widths_size(shape.components));
  auto *bytes = reinterpret_cast<std::uint8_t *>(out) + section.header;
  if (lane < padded) bytes[lane] = lane < core::record_items(shape.components) ? shape.width[lane] : 0;
  if (lane < shape.components) reinterpret_cast<U64 *>(bytes + padded)[lane] = shape.base[lane];
  if (lane == 0 && section.words % 2 != 0) out[section.end / 4 - 1] = 0;
}

}  // namespace

// Computes the offsets of the groups' payloads within the payload of their section. Called by all threads of a block.
// Returns the words of the section.
__device__ U64 scan_groups(const U32 *group_words, U64 groups, U64 *group_offsets) {
  constexpr U32 warps = single_threads / warp_size;
  __shared__ U64 sums[warps];
  const U64 share = (groups + single_threads - 1) / single_threads;
  const U64 first = core::min_of(threadIdx.x * share, groups);
  const U64 last = core::min_of(first + share, groups);
  U64 sum = 0;
  for (U64 g = first; g < last; ++g) sum += group_words[g];
  U64 of_warp;
  U64 offset = warp_exclusive_sum(sum, &of_warp);
  const U32 warp = threadIdx.x / warp_size;
  __syncthreads();  // other threads may still read the sums of the previous section
  if (this_lane() == 0) sums[warp] = of_warp;
  __syncthreads();
  U64 all;
  offset += __shfl_sync(full_mask, warp_exclusive_sum(sums[this_lane()], &all), static_cast<int>(warp));
  static_assert(warps == warp_size);
  for (U64 g = first; g < last; ++g) {
    group_offsets[g] = offset;
    offset += group_words[g];
  }
  return all;
}

// Runs in one thread block. `report` is the caller's memory.
__global__ void __launch_bounds__(single_threads)
    lay_out_chunk(const __grid_constant__ EncodeParams params, U64 *group_offsets, SectionLayout *sections, U32 *out,
                  U64 capacity, CompressResult *result, CompressResult *report) {
  __shared__ U64 section_words[max_fields];
  wait_in_chain();
  for (int f = 0; f < params.fields; ++f) {
    const U64 first = static_cast<U64>(f) * params.groups;
    const U64 words = scan_groups(params.group_words + first, params.groups, group_offsets + first);
    if (threadIdx.x == 0) section_words[f] = words;
  }
  if (threadIdx.x >= warp_size) return;
  __syncwarp();
  const auto fields = static_cast<U32>(params.fields);
  U64 at = format::chunk_head_size(ChunkKind::block, fields);
  for (int f = 0; f < params.fields; ++f) {
    if (params.particles != 0) {
      at = lay_out_section(params, f, section_words[f], at, sections[f]);
    } else if (threadIdx.x == 0) {
      sections[f] = {{}, at, at, at, at, 0};  // an empty section
    }
    if (threadIdx.x == 0)
      report->largest_error[f] =
          params.particles != 0 ? core::bit_cast<double>(params.stats[f].largest[of_error]) : 0.0;
  }
  if (threadIdx.x == 0) {
    report->bytes = at;
    report->fits = result->fits = at <= capacity ? 1 : 0;
  }
  if (at > capacity) return;
  __syncwarp();
  if (threadIdx.x == 0) {
    out[0] = block_size;
    out[1] = 0;
  }
  for (int f = 0; f < params.fields; ++f) {
    const U64 length = sections[f].end - sections[f].header;
    if (threadIdx.x == 0) reinterpret_cast<U64 *>(out)[1 + f] = length;
    if (length != 0) write_section_header(sections[f], out);
  }
}

namespace {

// Writes the records of 128 blocks. They fill four words for each bit of a record.
__device__ void write_directory(const EncodeParams &params, const SectionLayout &section, int f, U64 part, U32 *out) {
  extern __shared__ U32 words[];
  const core::DirectoryShape &shape = section.shape;
  const U32 record_bits = core::record_bits(shape);
  const U32 count = directory_part / 32 * record_bits;
  for (U32 w = threadIdx.x; w < count; w += blockDim.x) words[w] = 0;
  __syncthreads();
  const U64 block = part * directory_part + threadIdx.x;
  if (threadIdx.x < directory_part && block < params.blocks) {
    const core::BlockRecord record = params.staged[static_cast<U64>(f) * params.blocks + block].record;
    U32 bit = threadIdx.x * record_bits;
    const int items = core::record_items(shape.components);
    for (int i = 0; i < items; ++i) {
      U64 value = core::record_item(record, shape, i);
      for (int left = shape.width[i]; left > 0;) {
        const int taken = core::min_of(left, 32 - static_cast<int>(bit % 32));
        atomicOr(&words[bit / 32], static_cast<U32>(value) << bit % 32);
        value >>= taken;
        bit += static_cast<U32>(taken);
        left -= taken;
      }
    }
  }
  __syncthreads();
  U32 *to = out + section.directory / 4 + part * count;
  const U64 room = (section.payload - section.directory) / 4 - part * count;
  for (U32 w = threadIdx.x; w < count && w < room; w += blockDim.x) to[w] = words[w];
  // Pads the directory to a multiple of 8 bytes.
  if (part == (params.blocks - 1) / directory_part)
    for (U64 w = count + threadIdx.x; w < room; w += blockDim.x) to[w] = 0;
}

// Copies the payload of one block from staging to the chunk, with one warp.
__device__ void copy_payload(const EncodeParams &params, const U64 *group_offsets, const SectionLayout &section, int f,
                             U64 block, bool fits, U32 *out) {
  if (block >= params.blocks) return;
  const U32 *from = staged_payload(params, params.field[f], block);
  const U64 group = block / group_blocks;
  const U32 *lengths = params.words + static_cast<U64>(f) * params.blocks + group * group_blocks;
  const auto rank = static_cast<U32>(block % group_blocks);
  U32 before = 0;
#pragma unroll
  for (U32 k = this_lane(); k < group_blocks; k += warp_size) before += k < rank ? lengths[k] : 0;
  const U32 words = lengths[rank];
  U32 *to = out + section.payload / 4 + group_offsets[static_cast<U64>(f) * params.groups + group] + warp_sum(before);
  constexpr U32 at_once = 4;
  for (U32 w = this_lane(); w < words; w += at_once * warp_size) {
    U32 value[at_once];
#pragma unroll
    for (U32 k = 0; k < at_once; ++k) value[k] = w + k * warp_size < words ? from[w + k * warp_size] : 0;
    if (!fits) return;
#pragma unroll
    for (U32 k = 0; k < at_once; ++k)
      if (w + k * warp_size < words) to[w + k * warp_size] = value[k];
  }
}

// The first thread blocks write the directory, the others the payload. The field is blockIdx.y.
__global__ void __launch_bounds__(write_threads)
    write_sections(const __grid_constant__ EncodeParams params, const U64 *group_offsets, const SectionLayout *sections,
                   U32 *out, const CompressResult *result) {
  wait_in_chain();
  const bool fits = result->fits != 0;
  const int f = static_cast<int>(blockIdx.y);
  const U64 parts = (params.blocks + directory_part - 1) / directory_part;
  if (blockIdx.x < parts) {
    if (!fits) return;
    write_directory(params, sections[f], f, blockIdx.x, out);
  } else {
    // Start with the last block: recently staged payloads are most likely still in the cache.
    copy_payload(params, group_offsets, sections[f], f,
                 static_cast<U64>(gridDim.x - 1 - blockIdx.x) * (write_threads / warp_size) + threadIdx.x / warp_size,
                 fits, out);
  }
}

}  // namespace

void launch_write_sections(const EncodeParams &params, const U64 *group_offsets, const SectionLayout *sections,
                           U32 *out, const CompressResult *result, cudaStream_t stream) {
  constexpr U64 warps_of_cta = write_threads / warp_size;
  const U64 parts = (params.blocks + directory_part - 1) / directory_part;
  const U64 copies = (params.blocks + warps_of_cta - 1) / warps_of_cta;
  constexpr std::size_t most_words = directory_part / 32 * 64 * core::max_record_items;
  launch_chained(write_sections, dim3(static_cast<U32>(parts + copies), static_cast<U32>(params.fields)), write_threads,
                 most_words * sizeof(U32), stream, params, group_offsets, sections, out, result);
}

// Sets the start values of the atomics of the encoding kernels. Runs in one thread block.
__global__ void start_encoding(const __grid_constant__ EncodeParams params) {
  wait_in_chain();
  if (threadIdx.x == 0) {
    // encode_full.cu skips a last block that is not full.
    const bool partial = params.particles % block_size != 0;
    if (partial) params.other_blocks[0] = static_cast<U32>(params.blocks - 1);
    *params.other_count = partial ? 1 : 0;
    U32 followers = 0;
    for (int f = params.followers_from; partial && f < params.fields; ++f)
      params.other_followers[followers++] = (static_cast<U64>(f) + 1) * params.blocks - 1;
    *params.other_follower_count = followers;
    *params.reach = 0;
  }
  for (U64 g = threadIdx.x; g < params.groups * static_cast<U64>(params.fields); g += blockDim.x)
    params.group_words[g] = 0;
  for (int f = static_cast<int>(threadIdx.x); f < params.fields; f += static_cast<int>(blockDim.x)) {
    params.stats[f] = SectionStats{};
  }
}

namespace {
const KernelFile kernels(reinterpret_cast<const void *>(lay_out_chunk));
}  // namespace

}  // namespace gpz::cuda
