// SPDX-License-Identifier: BSD-3-Clause
// Assembles ordered sections once the lengths of all blocks are known: header, directory and payloads.
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/difference/section_writer.cuh"
#include "gpz/cuda/ordered/kernels.hpp"

namespace gpz::cuda {
namespace {

__device__ void put_number(std::uint32_t *words, std::int64_t number) {
  words[0] = static_cast<std::uint32_t>(number);
  words[1] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(number) >> 32);
}

// Runs in one thread.
__global__ void lay_out(const __grid_constant__ OrderedEncode params, int components) {
  OrderedLayout &layout = *params.layout;
  const OrderedTotals &totals = *params.totals;
  const int items = core::ordered_items(components);
  layout.record_bits = 0;
  for (int i = 0; i < items; ++i) {
    const bool is_first = i < components;
    // The largest first position less the base has the most bits.
    const std::uint32_t all = is_first ? totals.most[i] + totals.least[i] : totals.items[i - components];
    layout.width[i] = static_cast<std::uint8_t>(core::bit_length(all));
    layout.record_bits += layout.width[i];
  }
  for (int d = 0; d < components; ++d) layout.base[d] = static_cast<std::int32_t>((1u << 31) - totals.least[d]);
  const std::uint64_t header = core::ordered_header_size(components);
  layout.directory = header / 4;
  layout.payload = layout.directory + core::directory_size(layout.record_bits, params.blocks) / 4;
  layout.end = layout.payload + (params.word_offsets[params.blocks] + 1) / 2 * 2;
  const bool fits = layout.end * 4 <= params.capacity;
  *params.result = {layout.end * 4, totals.invalid, fits ? 1u : 0u, totals.wide, core::bit_cast<double>(totals.error)};
  if (!fits) return;
  auto *bytes = reinterpret_cast<std::uint8_t *>(params.out);
  bytes[0] = core::ordered_values_kind;
  bytes[1] = static_cast<std::uint8_t>(params.predictor.swapped);
  for (int k = 0; k < 2; ++k) {
    bytes[2 + 2 * k] = static_cast<std::uint8_t>(params.predictor.lag[k]);
    bytes[3 + 2 * k] = static_cast<std::uint8_t>(params.predictor.lag[k] >> 8);
  }
  const auto widths_at = static_cast<int>(core::ordered_widths_at);
  const auto widths_end = static_cast<int>(core::ordered_widths_end(components));
  for (int i = 0; i < widths_end - widths_at; ++i) bytes[widths_at + i] = i < items ? layout.width[i] : 0;
  std::uint32_t *numbers = params.out + widths_end / 4;
  for (int d = 0; d < components; ++d) {
    for (int k = 0; k < 2; ++k) put_number(numbers + 2 * (k * components + d), params.predictor.offset[k][d]);
    put_number(numbers + 2 * (2 * components + d), layout.base[d]);
  }
  if (params.word_offsets[params.blocks] % 2 != 0) params.out[layout.end - 1] = 0;
}

__device__ __forceinline__ WrittenParts parts_of(const OrderedEncode &params) {
  const OrderedLayout &layout = *params.layout;
  return {layout.width,   layout.record_bits, layout.directory, layout.payload,      params.blocks,
          params.staging, params.staged,      params.words,     params.word_offsets, params.out};
}

// The first thread blocks write the directory, the others the payload.
__global__ void __launch_bounds__(write_threads)
    write_section(const __grid_constant__ OrderedEncode params, int components) {
  __shared__ std::uint32_t words[directory_part * core::max_ordered_items];  // at most 32 bits per item
  if (params.result->fits == 0) return;
  const std::uint64_t parts = directory_parts(params.blocks);
  const OrderedLayout &layout = *params.layout;
  const auto item_of = [&](const core::OrderedRecord &record, int i) {
    if (i >= components) return core::residual_item(record.residuals, components, i - components);
    return static_cast<std::uint32_t>(core::difference_of(record.first[i], layout.base[i]));
  };
  if (blockIdx.x < parts)
    write_directory(parts_of(params), params.records, core::ordered_items(components), blockIdx.x, item_of, words);
  else
    copy_payload(parts_of(params), (blockIdx.x - parts) * (write_threads / warp_size) + threadIdx.x / warp_size);
}

}  // namespace

void launch_write_ordered(const OrderedEncode &params, int components, cudaStream_t stream) {
  lay_out<<<1, 1, 0, stream>>>(params, components);
  check(cudaGetLastError(), "layout of an ordered section");
  write_section<<<writing_ctas(params.blocks), write_threads, 0, stream>>>(params, components);
  check(cudaGetLastError(), "writing of an ordered section");
}

namespace {
const KernelFile kernels(reinterpret_cast<const void *>(lay_out));
}  // namespace

}  // namespace gpz::cuda
