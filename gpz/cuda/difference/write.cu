// SPDX-License-Identifier: BSD-3-Clause
// Assembles difference sections once the lengths of all blocks are known: header, directory and payloads.
#include "gpz/core/directory.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/difference/kernels.hpp"
#include "gpz/cuda/difference/section_writer.cuh"
#include "gpz/cuda/difference/steps.cuh"

namespace gpz::cuda {
namespace {

// Runs in one warp.
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

__device__ __forceinline__ WrittenParts parts_of(const DifferenceEncode &params) {
  const DifferenceLayout &layout = *params.layout;
  return {layout.width,   layout.record_bits, layout.directory, layout.payload,      params.history.blocks,
          params.staging, params.staged,      params.words,     params.word_offsets, params.out};
}

// The first thread blocks write the directory, the others the payload.
__global__ void __launch_bounds__(write_threads)
    write_section(const __grid_constant__ DifferenceEncode params, int components) {
  __shared__ std::uint32_t words[directory_part * core::max_residual_items];  // at most 32 bits per item
  if (params.result->fits == 0) return;
  const std::uint64_t parts = directory_parts(params.history.blocks);
  const auto item_of = [&](const core::ResidualRecord &record, int i) {
    return core::residual_item(record, components, i);
  };
  if (blockIdx.x < parts)
    write_directory(parts_of(params), params.records, core::residual_items(components), blockIdx.x, item_of, words);
  else
    copy_payload(parts_of(params), (blockIdx.x - parts) * (write_threads / warp_size) + threadIdx.x / warp_size);
}

}  // namespace

void launch_write_differences(const DifferenceEncode &params, int components, cudaStream_t stream) {
  lay_out<<<1, warp_size, 0, stream>>>(params, components);
  check(cudaGetLastError(), "layout of a difference section");
  write_section<<<writing_ctas(params.history.blocks), write_threads, 0, stream>>>(params, components);
  check(cudaGetLastError(), "writing of a difference section");
}

namespace {
const KernelFile kernels(reinterpret_cast<const void *>(lay_out));
}  // namespace

}  // namespace gpz::cuda
