// SPDX-License-Identifier: BSD-3-Clause
// Difference sections, once the lengths of all blocks are known: header, directory and payloads go to their places.
#include <algorithm>

#include "gpz/core/directory.hpp"
#include "gpz/core/pack.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/difference/kernels.hpp"
#include "gpz/cuda/difference/steps.cuh"

namespace gpz::cuda {
namespace {

constexpr std::uint32_t write_threads = 256;
constexpr std::uint32_t directory_part = 128;  // records: whole words, however many bits a record has

// One thread.
__global__ void lay_out(const __grid_constant__ DifferenceEncode params, int components) {
  DifferenceLayout &layout = *params.layout;
  if (is_cancelled(params)) {
    *params.result = {};
    return;
  }
  const int items = core::residual_items(components);
  layout.record_bits = 0;
  for (int i = 0; i < items; ++i) {
    layout.width[i] = static_cast<std::uint8_t>(core::bit_length(params.totals->items[i]));
    layout.record_bits += layout.width[i];
  }
  layout.predictor = chosen_predictor(*params.fit);
  const std::uint64_t blocks = params.history.blocks;
  layout.directory = core::difference_header_size(core::coefficients_end, components) / 4;
  layout.payload = layout.directory + core::directory_size(layout.record_bits, blocks) / 4;
  layout.end = layout.payload + (params.word_offsets[blocks] + 1) / 2 * 2;
  const bool fits = layout.end * 4 <= params.capacity;
  *params.result = {layout.end * 4, params.totals->invalid, fits ? 1u : 0u, params.totals->wide,
                    core::bit_cast<double>(params.totals->error)};
  if (!fits) return;
  auto *bytes = reinterpret_cast<std::uint8_t *>(params.out);
  bytes[0] = core::temporal_predictor;
  bytes[1] = static_cast<std::uint8_t>(layout.predictor.velocity);
  bytes[2] = static_cast<std::uint8_t>(layout.predictor.previous);
  bytes[3] = static_cast<std::uint8_t>(layout.predictor.mean);
  constexpr int widths_at = static_cast<int>(core::coefficients_end);
  for (int i = 0; i < static_cast<int>(layout.directory) * 4 - widths_at; ++i)
    bytes[widths_at + i] = i < items ? layout.width[i] : 0;
  if (params.word_offsets[blocks] % 2 != 0) params.out[layout.end - 1] = 0;
}

// `directory_part` records; `words` is shared memory for them.
__device__ void write_directory(const DifferenceEncode &params, int components, std::uint64_t part,
                                std::uint32_t *words) {
  const DifferenceLayout &layout = *params.layout;
  const std::uint32_t count = directory_part / 32 * layout.record_bits;
  for (std::uint32_t w = threadIdx.x; w < count; w += blockDim.x) words[w] = 0;
  __syncthreads();
  const std::uint64_t block = part * directory_part + threadIdx.x;
  if (threadIdx.x < directory_part && block < params.history.blocks) {
    const core::ResidualRecord record = params.records[block];
    std::uint32_t bit = threadIdx.x * layout.record_bits;
    for (int i = 0; i < core::residual_items(components); ++i) {
      const std::uint32_t width = layout.width[i];
      if (width == 0) continue;
      const std::uint32_t item = core::residual_item(record, components, i);
      atomicOr(&words[bit / 32], item << bit % 32);
      if (bit % 32 + width > 32) atomicOr(&words[bit / 32 + 1], item >> (32 - bit % 32));
      bit += width;
    }
  }
  __syncthreads();
  std::uint32_t *to = params.out + layout.directory + part * count;
  const std::uint64_t room = layout.payload - layout.directory - part * count;
  for (std::uint32_t w = threadIdx.x; w < count && w < room; w += blockDim.x) to[w] = words[w];
  // The directory ends at a multiple of 8 bytes.
  if (part == (params.history.blocks - 1) / directory_part)
    for (std::uint64_t w = count + threadIdx.x; w < room; w += blockDim.x) to[w] = 0;
}

// One warp a block of particles.
__device__ void copy_payload(const DifferenceEncode &params, std::uint64_t block) {
  if (block >= params.history.blocks) return;
  const std::uint32_t *from = params.staging + params.staged[block];
  std::uint32_t *to = params.out + params.layout->payload + params.word_offsets[block];
  const std::uint32_t words = params.words[block];
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

// Thread blocks for the directory, then those for the payload.
__global__ void __launch_bounds__(write_threads)
    write_section(const __grid_constant__ DifferenceEncode params, int components) {
  __shared__ std::uint32_t words[directory_part * core::max_residual_items];  // 32 bits an item at most
  if (params.result->fits == 0) return;
  const std::uint64_t parts = (params.history.blocks + directory_part - 1) / directory_part;
  if (blockIdx.x < parts)
    write_directory(params, components, blockIdx.x, words);
  else
    copy_payload(params, (blockIdx.x - parts) * (write_threads / warp_size) + threadIdx.x / warp_size);
}

}  // namespace

void launch_write_differences(const DifferenceEncode &params, int components, cudaStream_t stream) {
  lay_out<<<1, 1, 0, stream>>>(params, components);
  check(cudaGetLastError(), "layout of a difference section");
  constexpr std::uint64_t warps = write_threads / warp_size;
  const std::uint64_t parts = (params.history.blocks + directory_part - 1) / directory_part;
  const std::uint64_t copies = (params.history.blocks + warps - 1) / warps;
  write_section<<<static_cast<unsigned>(parts + copies), write_threads, 0, stream>>>(params, components);
  check(cudaGetLastError(), "writing of a difference section");
}

}  // namespace gpz::cuda
