// What comes before the blocks of a difference section: header and records. Nothing is believed before it was compared
// with the lengths there are.
#include "gpz/core/directory.hpp"
#include "gpz/core/pack.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/difference/kernels.hpp"
#include "gpz/cuda/difference/steps.cuh"

namespace gpz::cuda {
namespace {

constexpr unsigned record_threads = 128;

// All lanes of a warp together.
__device__ bool open_header(const DifferenceDecode &params, int components, DifferenceLayout &layout) {
  const std::uint64_t header = difference_header_size(components);
  if (params.size < header || params.size % 8 != 0) return false;
  const auto lane = static_cast<int>(threadIdx.x);
  const int items = difference_items(components);
  const auto *bytes = reinterpret_cast<const std::uint8_t *>(params.section);
  if (bytes[0] != 1 || (params.plain && (bytes[1] | bytes[2] | bytes[3]) != 0)) return false;
  const std::uint32_t width = lane < static_cast<int>(header) - 4 ? bytes[4 + lane] : 0;
  if (__any_sync(full_mask, lane < items ? width > 32 : width != 0) != 0) return false;
  const std::uint32_t bits = warp_sum(width);
  const std::uint64_t room = params.size - header;
  const std::uint64_t blocks = params.history.blocks;
  if (bits != 0 && blocks > room * 8 / bits) return false;
  const std::uint64_t size = core::directory_size(bits, blocks);
  if (size > room) return false;
  const std::uint32_t *directory = params.section + header / 4;
  bool zeros = true;
  for (std::uint64_t bit = blocks * bits + threadIdx.x; bit < size * 8; bit += warp_size)
    zeros &= core::get_bits(directory, bit, 1) == 0;
  if (lane < items) layout.width[lane] = width;
  if (lane == 0) {
    layout.record_bits = bits;
    layout.predictor = {static_cast<std::int8_t>(bytes[1]), static_cast<std::int8_t>(bytes[2]),
                        static_cast<std::int8_t>(bytes[3])};
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

// Words of the payload of a block of n particles; false if they cannot be.
__device__ bool read_record(const DifferenceDecode &params, const DifferenceLayout &layout, int components,
                            std::uint64_t block, DifferenceRecord &record, std::uint32_t &words) {
  const std::uint32_t n = particles_of(params.history, block);
  std::uint32_t item[max_difference_items];
  std::uint64_t at = block * layout.record_bits;
  for (int i = 0; i < difference_items(components); ++i) {
    const auto width = static_cast<int>(layout.width[i]);
    item[i] = static_cast<std::uint32_t>(core::get_bits(params.section + layout.directory, at, width));
    at += static_cast<unsigned>(width);
  }
  record.triples = components == core::max_components && item[components] >= core::triples_head;
  if (record.triples) item[components] -= core::triples_head;
  std::uint64_t length = 0;
  for (int d = 0; d < components; ++d) {
    const std::uint32_t width = item[d];
    const std::uint32_t head = item[components + d];
    if (record.triples && d != 0 && (width != 0 || head != 1)) return false;
    if (width > core::max_residual_width || head > 3) return false;
    record.code[d] = {static_cast<std::uint8_t>(width), static_cast<std::uint8_t>(head)};
    if (!core::is_valid(record.code[d])) return false;
    length += core::packed_words(n, static_cast<int>(width), core::lanes_of(n, difference_block));
  }
  const std::uint32_t values = static_cast<std::uint32_t>(components) * n;
  record.bitmap = item[2 * components];
  record.margin = item[2 * components + 1];
  record.flags = item[2 * components + 2];
  record.exceptions = item[2 * components + 3];
  if (record.margin > INT32_MAX || record.flags > core::words_for_bits(values) || record.exceptions > values)
    return false;
  length += std::uint64_t{record.bitmap} + record.flags + std::uint64_t{record.exceptions} * 3;
  if (length > layout.end - layout.payload || length > UINT32_MAX) return false;
  words = static_cast<std::uint32_t>(length);
  return true;
}

__global__ void __launch_bounds__(record_threads)
    read_records(const __grid_constant__ DifferenceDecode params, int components) {
  const std::uint64_t block = static_cast<std::uint64_t>(blockIdx.x) * record_threads + threadIdx.x;
  if (block >= params.history.blocks) return;
  DifferenceRecord record{};
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
