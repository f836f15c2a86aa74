// SPDX-License-Identifier: BSD-3-Clause
// Difference sections, once the lengths of all blocks are known: header, directory and payloads go to their places.
#include "gpz/core/directory.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/difference/kernels.hpp"
#include "gpz/cuda/difference/section_writer.cuh"
#include "gpz/cuda/difference/steps.cuh"

namespace gpz::cuda {
namespace {

// One thread.
__global__ void lay_out(const __grid_constant__ DifferenceEncode params, int components) {
  DifferenceLayout &layout = *params.layout;
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

__device__ __forceinline__ WrittenParts parts_of(const DifferenceEncode &params) {
  const DifferenceLayout &layout = *params.layout;
  return {layout.width,   layout.record_bits, layout.directory, layout.payload,      params.history.blocks,
          params.staging, params.staged,      params.words,     params.word_offsets, params.out};
}

// Thread blocks for the directory, then those for the payload.
__global__ void __launch_bounds__(write_threads)
    write_section(const __grid_constant__ DifferenceEncode params, int components) {
  __shared__ std::uint32_t words[directory_part * core::max_residual_items];  // 32 bits an item at most
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
  lay_out<<<1, 1, 0, stream>>>(params, components);
  check(cudaGetLastError(), "layout of a difference section");
  write_section<<<writing_ctas(params.history.blocks), write_threads, 0, stream>>>(params, components);
  check(cudaGetLastError(), "writing of a difference section");
}

}  // namespace gpz::cuda
