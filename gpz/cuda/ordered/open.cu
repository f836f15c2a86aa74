// SPDX-License-Identifier: BSD-3-Clause
// Opens an ordered section: header and records. Every length is checked against the available bytes before it is used.
#include "gpz/core/block.hpp"
#include "gpz/cuda/block/decode.cuh"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/warp.cuh"
#include "gpz/cuda/ordered/kernels.hpp"

namespace gpz::cuda {
namespace {

constexpr unsigned record_threads = 128;

// Reads whether the section has runs, and its number of rows. Returns false if it is damaged.
__device__ bool read_kind(const OrderedDecode &params, OrderedLayout &layout, std::uint64_t &at) {
  at = 0;
  layout.rows = params.particles;
  layout.runs = false;
  if (params.size == 0 || params.size % 8 != 0) return false;
  const auto *bytes = reinterpret_cast<const std::uint8_t *>(params.section);
  if (params.field.components != 1 || bytes[0] != core::ordered_runs_kind) return true;
  if (params.size < core::ordered_runs_header) return false;
  const std::uint64_t runs = word_pair(params.section + 2);
  if (word_pair(params.section) != core::ordered_runs_kind || runs == 0 || runs > core::max_runs(params.particles))
    return false;
  at = core::ordered_runs_header;
  layout.rows = runs;
  layout.runs = true;
  return true;
}

// Called by all lanes of a warp. The layout is complete if it returns true.
__device__ bool open_header(const OrderedDecode &params, OrderedLayout &shared) {
  OrderedLayout layout{};
  std::uint64_t at;
  if (!read_kind(params, layout, at)) return false;
  const int components = layout.runs ? core::run_components : params.field.components;
  const std::uint64_t header = core::ordered_header_size(components);
  if (params.size - at < header) return false;
  const auto *bytes = reinterpret_cast<const std::uint8_t *>(params.section) + at;
  if (bytes[0] != core::ordered_values_kind || bytes[1] >> components != 0) return false;
  layout.predictor.swapped = bytes[1];
  for (int k = 0; k < 2; ++k) {
    layout.predictor.lag[k] = bytes[2 + 2 * k] | static_cast<std::uint32_t>(bytes[3 + 2 * k]) << 8;
    if (layout.predictor.lag[k] > core::max_lag) return false;
  }
  const auto lane = static_cast<int>(threadIdx.x);
  const int items = core::ordered_items(components);
  const auto padded = static_cast<int>(core::ordered_widths_end(components) - core::ordered_widths_at);
  const std::uint32_t width = lane < padded ? bytes[core::ordered_widths_at + static_cast<unsigned>(lane)] : 0;
  if (__any_sync(full_mask, static_cast<int>(width) > core::max_ordered_item_width(components, lane)) != 0)
    return false;
  const std::uint32_t *numbers = params.section + (at + core::ordered_widths_end(components)) / 4;
  for (int d = 0; d < components; ++d) {
    if (!layout.runs) layout.axis[d] = params.axis[d];
    for (int k = 0; k < 2; ++k) {
      layout.predictor.offset[k][d] = static_cast<std::int64_t>(word_pair(numbers + 2 * (k * components + d)));
      if (!core::is_offset(layout.predictor.offset[k][d], layout.axis[d])) return false;
    }
    layout.base[d] = static_cast<std::int64_t>(word_pair(numbers + 2 * (2 * components + d)));
  }
  layout.record_bits = warp_sum(width);
  layout.blocks = core::blocks_of(layout.rows);
  const std::uint64_t room = params.size - at - header;
  if (!core::directory_fits(layout.record_bits, layout.blocks, room)) return false;
  const std::uint64_t size = core::directory_size(layout.record_bits, layout.blocks);
  layout.directory = (at + header) / 4;
  layout.payload = layout.directory + size / 4;
  layout.end = params.size / 4;
  bool zeros = true;
  for (std::uint64_t bit = layout.blocks * layout.record_bits + threadIdx.x; bit < size * 8; bit += warp_size)
    zeros &= core::get_bits(params.section + layout.directory, bit, 1) == 0;
  if (lane == 0) shared = layout;
  __syncwarp();
  if (lane < items) shared.width[lane] = static_cast<std::uint8_t>(width);
  return __all_sync(full_mask, zeros) != 0;
}

__global__ void open_section(const __grid_constant__ OrderedDecode params) {
  const bool good = open_header(params, *params.layout);
  if (threadIdx.x != 0) return;
  *params.status = good ? 0 : section_damaged;
  *params.other_count = 0;
  params.words[params.blocks] = 0;
}

// Reads a record and computes the words of the block's payload. Returns false if they are invalid.
__device__ bool read_record(const OrderedDecode &params, const OrderedLayout &layout, std::uint64_t block,
                            core::OrderedRecord &record, std::uint32_t &words) {
  const int components = layout.runs ? core::run_components : params.field.components;
  const std::uint32_t n = rows_of(layout, block);
  if (!core::read_ordered_record(layout.width, params.section + layout.directory, block * layout.record_bits,
                                 components, n, layout.base, record))
    return false;
  const std::uint64_t length = core::residual_words(record.residuals, components, n);
  if (length > layout.end - layout.payload || length > UINT32_MAX) return false;
  words = static_cast<std::uint32_t>(length);
  return true;
}

__global__ void __launch_bounds__(record_threads) read_records(const __grid_constant__ OrderedDecode params) {
  const std::uint64_t block = static_cast<std::uint64_t>(blockIdx.x) * record_threads + threadIdx.x;
  if (block >= params.blocks) return;
  core::OrderedRecord record{};
  std::uint32_t words = 0;
  if (*static_cast<volatile std::uint32_t *>(params.status) == 0 && block < params.layout->blocks &&
      !read_record(params, *params.layout, block, record, words)) {
    atomicOr(params.status, section_damaged);
    words = 0;
  }
  params.records[block] = record;
  params.words[block] = words;
}

}  // namespace

void launch_open_ordered(const OrderedDecode &params, cudaStream_t stream) {
  open_section<<<1, warp_size, 0, stream>>>(params);
  check(cudaGetLastError(), "opening an ordered section");
  const auto ctas = static_cast<unsigned>((params.blocks + record_threads - 1) / record_threads);
  read_records<<<ctas, record_threads, 0, stream>>>(params);
  check(cudaGetLastError(), "records of an ordered section");
}

}  // namespace gpz::cuda
