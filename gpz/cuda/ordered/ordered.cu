// SPDX-License-Identifier: BSD-3-Clause
// Host side of ordered sections: workspace, launches.
#include "gpz/core/block.hpp"
#include "gpz/cuda/block/field_arguments.hpp"
#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/carver.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/scan.cuh"
#include "gpz/cuda/difference/state.hpp"
#include "gpz/cuda/ordered/kernels.hpp"
#include "gpz/cuda/ordered/ordered.hpp"
#include "gpz/error.hpp"

namespace gpz::cuda {
namespace {

struct DecodeWorkspace {
  OrderedLayout *layout;
  std::uint32_t *status;
  std::uint32_t *other_count;
  core::OrderedRecord *records;
  std::uint32_t *words;
  std::uint64_t *word_offsets;
  std::uint32_t *others;
  RunColumns runs;
  char *scan;
  std::size_t scan_bytes;
  std::size_t used;
};

DecodeWorkspace carve_decode(void *base, std::uint64_t particles, int components) {
  const std::uint64_t blocks = core::blocks_of(particles);
  Carver carver(base);
  DecodeWorkspace memory{};
  memory.layout = carver.take<OrderedLayout>(1);
  memory.status = carver.take<std::uint32_t>(1);
  memory.other_count = carver.take<std::uint32_t>(1);
  memory.records = carver.take<core::OrderedRecord>(blocks);
  memory.words = carver.take<std::uint32_t>(blocks + 1);
  memory.word_offsets = carver.take<std::uint64_t>(blocks + 1);
  memory.others = carver.take<std::uint32_t>(blocks);
  if (components == 1) {
    const std::uint64_t runs = core::max_runs(particles);
    memory.runs.gap = carver.take<std::int64_t>(runs);
    memory.runs.more = carver.take<std::int64_t>(runs);
    memory.runs.particles = carver.take<std::uint64_t>(core::blocks_of(runs));
    memory.runs.growth = carver.take<std::uint64_t>(core::blocks_of(runs));
  }
  memory.scan_bytes = scan_size(blocks + 1);
  memory.scan = carver.take<char>(memory.scan_bytes);
  memory.used = carver.used();
  return memory;
}

void require(bool good, const char *what) {
  if (!good) throw Error(Status::invalid_argument, what);
}

}  // namespace

std::size_t decode_ordered_workspace(std::uint64_t particles, int components) {
  return carve_decode(nullptr, particles, components).used;
}

void decode_ordered(const DeviceOrderedShape &shape, const void *section, std::size_t size, const FieldOutput &output,
                    void *workspace, std::size_t workspace_size, std::uint32_t *status, Stream stream) {
  require(shape.particles < std::uint64_t{1} << 32, "an ordered section has fewer than 2^32 particles");
  check_outputs({output}, shape.particles);
  const auto components = static_cast<int>(output.field.components.size());
  require(components >= 1 && components <= core::max_components, "a section has 1 to 3 components");
  require(output.field.type == ValueType::integer || output.field.step > 0, "floats of an ordered section have a grid");
  check_memory(section, size, chunk_alignment, "the section");
  const DecodeWorkspace memory = carve_decode(workspace, shape.particles, components);
  check_workspace(workspace, workspace_size, memory.used);
  OrderedDecode params{};
  params.field = decode_field(output);
  for (int d = 0; d < components; ++d) params.axis[d] = core::checked_axis(shape.box[static_cast<std::size_t>(d)]);
  params.ids = shape.ids;
  params.particles = shape.particles;
  params.blocks = core::blocks_of(shape.particles);
  params.section = static_cast<const std::uint32_t *>(section);
  params.size = size;
  params.layout = memory.layout;
  params.records = memory.records;
  params.words = memory.words;
  params.word_offsets = memory.word_offsets;
  params.others = memory.others;
  params.other_count = memory.other_count;
  params.status = memory.status;
  params.runs = memory.runs;
  if (params.blocks == 0) {
    const std::uint32_t empty = size == 0 ? 0 : ordered_damaged;
    check(cudaMemcpyAsync(status, &empty, sizeof(empty), cudaMemcpyDefault, stream), "result");
    return;
  }
  launch_open_ordered(params, stream);
  std::size_t scan_bytes = memory.scan_bytes;
  check(exclusive_sum(memory.scan, scan_bytes, memory.words, memory.word_offsets, params.blocks + 1, stream), "scan");
  launch_decode_ordered(params, false, stream);
  launch_decode_other_ordered(params, false, stream);
  if (components == 1) {
    const OrderedDecode runs = as_runs(params);
    launch_decode_ordered(runs, true, stream);
    launch_decode_other_ordered(runs, true, stream);
    launch_expand_runs(params, stream);
  }
  check(cudaMemcpyAsync(status, memory.status, sizeof(std::uint32_t), cudaMemcpyDefault, stream), "result");
}

}  // namespace gpz::cuda
