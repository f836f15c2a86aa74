// SPDX-License-Identifier: BSD-3-Clause
// Opens a difference section: header and records. Every length is checked against the available bytes before it is
// used.
#include "gpz/core/directory.hpp"
#include "gpz/core/pack.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/difference/kernels.hpp"
#include "gpz/cuda/difference/steps.cuh"

namespace gpz::cuda {
namespace {

constexpr unsigned record_threads = 128;

// Reads levels and lags of the prediction from neighbours, without weights. Returns false if the section has another
// prediction or impossible numbers.
__device__ bool read_shape(const DifferenceDecode &params, const std::uint8_t *bytes, core::Neighbours &neighbours) {
  neighbours.levels = neighbours.lags = 0;
  if (bytes[0] != params.prediction) return false;
  if (bytes[0] != core::neighbour_predictor) return true;
  neighbours.levels = bytes[core::coefficients_end];
  neighbours.lags = bytes[core::coefficients_end + 1];
  return core::are_neighbours(neighbours.levels, neighbours.lags);
}

// Called by all lanes of a warp.
__device__ bool open_header(const DifferenceDecode &params, int components, DifferenceLayout &layout) {
  if (params.size < core::difference_header_size(core::coefficients_end, components) || params.size % 8 != 0)
    return false;
  const auto lane = static_cast<int>(threadIdx.x);
  const int items = core::residual_items(components);
  const auto *bytes = reinterpret_cast<const std::uint8_t *>(params.section);
  core::Neighbours neighbours;
  if (!read_shape(params, bytes, neighbours) || (params.plain && (bytes[1] | bytes[2] | bytes[3]) != 0)) return false;
  const bool has_neighbours = neighbours.levels != 0;
  const std::uint64_t widths_at =
      core::coefficients_end + (has_neighbours ? core::neighbour_header_size(neighbours.levels, neighbours.lags) : 0);
  const std::uint64_t header = core::difference_header_size(widths_at, components);
  if (params.size < header) return false;
  const std::uint32_t width = lane < static_cast<int>(header - widths_at) ? bytes[widths_at + lane] : 0;
  if (__any_sync(full_mask, lane < items ? width > core::max_residual_item_width : width != 0) != 0) return false;
  const std::uint32_t bits = warp_sum(width);
  const std::uint64_t room = params.size - header;
  const std::uint64_t blocks = params.history.blocks;
  if (!core::directory_fits(bits, blocks, room)) return false;
  const std::uint64_t size = core::directory_size(bits, blocks);
  const std::uint32_t *directory = params.section + header / 4;
  bool zeros = true;
  for (std::uint64_t bit = blocks * bits + threadIdx.x; bit < size * 8; bit += warp_size)
    zeros &= core::get_bits(directory, bit, 1) == 0;
  if (lane < items) layout.width[lane] = static_cast<std::uint8_t>(width);
  for (std::uint32_t k = threadIdx.x; k < core::max_neighbour_levels * core::max_neighbour_lags; k += warp_size) {
    const std::uint32_t level = k / core::max_neighbour_lags;
    const std::uint32_t lag = k % core::max_neighbour_lags;
    const bool has = level < neighbours.levels && lag < neighbours.lags;
    layout.neighbours.weight[level][lag] =
        has ? static_cast<std::int8_t>(bytes[core::coefficients_end + 2 + level * neighbours.lags + lag]) : 0;
  }
  if (lane == 0) {
    layout.record_bits = bits;
    layout.predictor = {static_cast<std::int8_t>(bytes[1]), static_cast<std::int8_t>(bytes[2]),
                        static_cast<std::int8_t>(bytes[3])};
    layout.neighbours.levels = neighbours.levels;
    layout.neighbours.lags = neighbours.lags;
    layout.directory = header / 4;
    layout.payload = (header + size) / 4;
    layout.end = params.size / 4;
  }
  return __all_sync(full_mask, zeros) != 0;
}

__global__ void open_section(const __grid_constant__ DifferenceDecode params, int components) {
  const bool good = open_header(params, components, *params.layout);
  if (threadIdx.x != 0) return;
  *params.status = good ? 0 : section_damaged;
  params.words[params.history.blocks] = 0;
}

// Reads a record and computes the words of the block's payload. Returns false if they are impossible.
__device__ bool read_record(const DifferenceDecode &params, const DifferenceLayout &layout, int components,
                            std::uint64_t block, core::ResidualRecord &record, std::uint32_t &words) {
  const std::uint32_t n = particles_of(params.history, block);
  if (!core::read_residual_record(layout.width, params.section + layout.directory, block * layout.record_bits,
                                  components, n, true, record))
    return false;
  const std::uint64_t length = core::residual_words(record, components, n);
  if (length > layout.end - layout.payload || length > UINT32_MAX) return false;
  words = static_cast<std::uint32_t>(length);
  return true;
}

__global__ void __launch_bounds__(record_threads)
    read_records(const __grid_constant__ DifferenceDecode params, int components) {
  const std::uint64_t block = static_cast<std::uint64_t>(blockIdx.x) * record_threads + threadIdx.x;
  if (block >= params.history.blocks) return;
  core::ResidualRecord record{};
  std::uint32_t words = 0;
  if (*static_cast<volatile std::uint32_t *>(params.status) == 0 &&
      !read_record(params, *params.layout, components, block, record, words)) {
    atomicOr(params.status, section_damaged);
    words = 0;
  }
  params.records[block] = record;
  params.words[block] = words;
}

}  // namespace

void launch_open_differences(const DifferenceDecode &params, int components, cudaStream_t stream) {
  open_section<<<1, warp_size, 0, stream>>>(params, components);
  check(cudaGetLastError(), "opening a difference section");
  const auto ctas = static_cast<unsigned>((params.history.blocks + record_threads - 1) / record_threads);
  read_records<<<ctas, record_threads, 0, stream>>>(params, components);
  check(cudaGetLastError(), "records of a difference section");
}

}  // namespace gpz::cuda
