// SPDX-License-Identifier: BSD-3-Clause
// Host side of ordered sections: workspace and launches.
#include "gpz/core/block.hpp"
#include "gpz/cuda/block/field_arguments.hpp"
#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/difference/section_driver.cuh"
#include "gpz/cuda/difference/state.hpp"
#include "gpz/cuda/ordered/kernels.hpp"
#include "gpz/cuda/ordered/ordered.hpp"
#include "gpz/error.hpp"

namespace gpz::cuda {
namespace {

class OrderedArrays : public DecodeArrays<OrderedLayout, core::OrderedRecord> {
 public:
  OrderedArrays(Carver &carver, std::uint64_t particles, int components)
      : DecodeArrays(carver, particles),
        other_count_(carver.take<std::uint32_t>(1)),
        others_(carver.take<std::uint32_t>(core::blocks_of(particles))) {
    if (components != 1) return;
    const std::uint64_t runs = core::max_runs(particles);
    runs_.gap = carver.take<std::int64_t>(runs);
    runs_.more = carver.take<std::int64_t>(runs);
    runs_.particles = carver.take<std::uint64_t>(core::blocks_of(runs));
    runs_.growth = carver.take<std::uint64_t>(core::blocks_of(runs));
  }

  void give(OrderedDecode &params) const {
    DecodeArrays::give(params);
    params.other_count = other_count_;
    params.others = others_;
    params.runs = runs_;
  }

 private:
  std::uint32_t *other_count_;
  std::uint32_t *others_;
  RunColumns runs_{};
};

struct OrderedEncodeArrays {
  OrderedEncodeArrays(Carver &carver, std::uint64_t particles, std::size_t capacity)
      : totals(carver.take<OrderedTotals>(1)),
        blocks(carver, core::blocks_of(particles)),
        result(carver.take<DifferenceResult>(1)),
        staged(carver.take<std::uint64_t>(core::blocks_of(particles))),
        staging(carver.take<std::uint32_t>(capacity / sizeof(std::uint32_t))) {}

  OrderedTotals *totals;  // must be zero before each call
  BlockArrays<OrderedLayout, core::OrderedRecord> blocks;
  DifferenceResult *result;
  std::uint64_t *staged;
  std::uint32_t *staging;
};

void require(bool good, const char *what) {
  if (!good) throw Error(Status::invalid_argument, what);
}

}  // namespace

std::size_t decode_ordered_workspace(std::uint64_t particles, int components) {
  return workspace_of<OrderedArrays>(particles, components);
}

void decode_ordered(std::uint64_t particles, const std::int64_t *ids, const SectionDecoding &call,
                    const FieldOutput &output) {
  require(particles < std::uint64_t{1} << 32, "an ordered section has fewer than 2^32 particles");
  check_outputs({output}, particles);
  const auto components = static_cast<int>(output.field.components.size());
  require(components >= 1 && components <= core::max_components, "a section has 1 to 3 components");
  require(output.field.type == ValueType::integer || output.field.step > 0, "floats of an ordered section have a grid");
  OrderedDecode params{};
  params.field = decode_field(output);
  for (int d = 0; d < components; ++d) params.axis[d] = core::checked_axis(call.box[static_cast<std::size_t>(d)]);
  params.ids = ids;
  params.particles = particles;
  params.blocks = core::blocks_of(particles);
  const auto open = [&] { launch_open_ordered(params, call.stream); };
  const auto decode = [&] {
    launch_decode_ordered(params, false, call.stream);
    launch_decode_other_ordered(params, false, call.stream);
    if (components != 1) return;
    const OrderedDecode runs = as_runs(params);
    launch_decode_ordered(runs, true, call.stream);
    launch_decode_other_ordered(runs, true, call.stream);
    launch_expand_runs(params, call.stream);
  };
  decode_section<OrderedArrays>(call, params, open, decode, particles, components);
}

std::size_t ordered_bound(std::uint64_t particles, int components) {
  // Records have one more item for each component, and headers have more numbers than that of a difference section.
  return difference_bound(particles, components) + core::ordered_header_size(components) +
         core::blocks_of(particles) * static_cast<std::uint64_t>(components) * 4 + 8;
}

std::size_t encode_ordered_workspace(std::uint64_t particles, std::size_t capacity) {
  return workspace_of<OrderedEncodeArrays>(particles, capacity);
}

void encode_ordered(std::uint64_t particles, const std::int64_t *ids, const DeviceValues &values, int components,
                    const core::OrderedPredictor &predictor, const SectionEncoding &call) {
  require(particles < std::uint64_t{1} << 32, "an ordered section has fewer than 2^32 particles");
  require(components >= 1 && components <= core::max_components, "a section has 1 to 3 components");
  require(can_follow(call.box), "a box whose edges have too many grid units");
  const ConstArray::Type given = values.component[0].type;
  const bool are_integers = given == ConstArray::Type::int32 || given == ConstArray::Type::int64;
  const ConstArray::Type type = check_values(values, particles, components, are_integers);
  check_memory(call.out, call.capacity, chunk_alignment, "the memory for the section");
  Carver carver(call.workspace);
  const OrderedEncodeArrays memory(carver, particles, call.capacity);
  check_workspace(call.workspace, call.workspace_size, carver.used());
  OrderedEncode params{};
  params.source = source_of(values, components);
  for (int d = 0; d < components; ++d) params.axis[d] = core::checked_axis(call.box[static_cast<std::size_t>(d)]);
  params.ids = ids;
  params.particles = particles;
  params.blocks = core::blocks_of(particles);
  params.predictor = predictor;
  params.totals = memory.totals;
  memory.blocks.give(params);
  params.staged = memory.staged;
  params.staging = memory.staging;
  params.staging_words = call.capacity / sizeof(std::uint32_t);
  params.out = static_cast<std::uint32_t *>(call.out);
  params.capacity = call.capacity;
  params.result = memory.result;
  if (params.blocks == 0) {
    const DifferenceResult empty{0, 0, 1, 0, 0};
    check(cudaMemcpyAsync(call.result, &empty, sizeof(empty), cudaMemcpyDefault, call.stream), "result");
    return;
  }
  check(cudaMemsetAsync(memory.totals, 0, sizeof(*memory.totals), call.stream), "clearing");
  memory.blocks.clear_last(call.stream);
  launch_encode_ordered(params, components, type, call.stream);
  memory.blocks.place_payloads(call.stream);
  launch_write_ordered(params, components, call.stream);
  check(cudaMemcpyAsync(call.result, memory.result, sizeof(DifferenceResult), cudaMemcpyDefault, call.stream),
        "result");
}

}  // namespace gpz::cuda
