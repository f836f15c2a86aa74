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

// One warp.
__global__ void __launch_bounds__(warp_size) lay_out(const __grid_constant__ DifferenceEncode params, int components) {
  static_assert(core::max_residual_items <= warp_size);
  DifferenceLayout &layout = *params.layout;
  const auto lane = static_cast<int>(this_lane());
  if (is_cancelled(params)) {
    if (lane == 0) *params.result = {};
    return;
  }
  const bool has_item = lane < core::residual_items(components);
  const std::uint64_t payload_words = params.word_offsets[params.history.blocks];
  const core::Predictor predictor = chosen_predictor(*params.fit);
  const auto width =
      has_item ? static_cast<std::uint32_t>(core::bit_length(params.totals->items[lane])) : std::uint32_t{0};
  const std::uint32_t record_bits = warp_sum(width);
  const std::uint64_t directory = core::difference_header_size(core::coefficients_end, components) / 4;
  const std::uint64_t payload = directory + core::directory_size(record_bits, params.history.blocks) / 4;
  const std::uint64_t end = payload + (payload_words + 1) / 2 * 2;
  const bool fits = end * 4 <= params.capacity;
  if (has_item) layout.width[lane] = static_cast<std::uint8_t>(width);
  if (lane == 0) {
    layout.record_bits = record_bits;
    layout.predictor = predictor;
    layout.directory = directory;
    layout.payload = payload;
    layout.end = end;
    *params.result = {end * 4, params.totals->invalid, fits ? 1u : 0u, params.totals->wide,
                      core::bit_cast<double>(params.totals->error)};
  }
  if (!fits) return;
  auto *bytes = reinterpret_cast<std::uint8_t *>(params.out);
  constexpr int widths_at = static_cast<int>(core::coefficients_end);
  for (int i = lane; i < static_cast<int>(directory) * 4 - widths_at; i += warp_size)
    bytes[widths_at + i] = static_cast<std::uint8_t>(i == lane ? width : 0);
  if (lane != 0) return;
  bytes[0] = core::temporal_predictor;
  bytes[1] = static_cast<std::uint8_t>(predictor.velocity);
  bytes[2] = static_cast<std::uint8_t>(predictor.previous);
  bytes[3] = static_cast<std::uint8_t>(predictor.mean);
  if (payload_words % 2 != 0) params.out[end - 1] = 0;
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
  lay_out<<<1, warp_size, 0, stream>>>(params, components);
  check(cudaGetLastError(), "layout of a difference section");
  constexpr std::uint64_t warps = write_threads / warp_size;
  const std::uint64_t parts = (params.history.blocks + directory_part - 1) / directory_part;
  const std::uint64_t copies = (params.history.blocks + warps - 1) / warps;
  write_section<<<static_cast<unsigned>(parts + copies), write_threads, 0, stream>>>(params, components);
  check(cudaGetLastError(), "writing of a difference section");
}

}  // namespace gpz::cuda
