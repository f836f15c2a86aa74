// SPDX-License-Identifier: BSD-3-Clause
// Host side of difference sections: workspace, launches.
#include <algorithm>

#include "gpz/core/block.hpp"
#include "gpz/core/directory.hpp"
#include "gpz/cuda/block/field_arguments.hpp"
#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/difference/difference.hpp"
#include "gpz/cuda/difference/kernels.hpp"
#include "gpz/cuda/difference/section_driver.cuh"
#include "gpz/cuda/difference/state.hpp"
#include "gpz/cuda/difference/steps.cuh"
#include "gpz/error.hpp"

namespace gpz::cuda {
namespace {

struct EncodeArrays {
  EncodeArrays(Carver &carver, std::uint64_t particles, std::size_t capacity)
      : fit(carver.take<DifferenceFit>(1)),
        totals(carver.take<DifferenceTotals>(1)),
        zeros(carver.used()),
        blocks(carver, core::blocks_of(particles)),
        result(carver.take<DifferenceResult>(1)),
        staged(carver.take<std::uint64_t>(core::blocks_of(particles))),
        staging(carver.take<std::uint32_t>(capacity / sizeof(std::uint32_t))) {}

  // Must be zero before each call; adjacent.
  DifferenceFit *fit;
  DifferenceTotals *totals;
  std::size_t zeros;
  BlockArrays<DifferenceLayout, core::ResidualRecord> blocks;
  DifferenceResult *result;
  std::uint64_t *staged;
  std::uint32_t *staging;
};

using DifferenceArrays = DecodeArrays<DifferenceLayout, core::ResidualRecord>;

}  // namespace

std::size_t encode_difference_workspace(const DeviceDifferenceState &state, std::size_t capacity) {
  return workspace_of<EncodeArrays>(state.particles, capacity);
}

std::size_t difference_bound(std::uint64_t particles, int components) {
  const std::uint64_t values = particles * static_cast<std::uint64_t>(components);
  const std::uint64_t blocks = core::blocks_of(particles);
  // Per value: at most 31 bits of the plane, a unary code of 96 bits or an exception with its unary bit, and a flag.
  const std::uint64_t payload = values * (core::max_residual_width + core::exception_bits + 2) / 32 +
                                blocks * (3 + static_cast<std::uint64_t>(components));
  return core::difference_header_size(core::coefficients_end, components) +
         blocks * static_cast<std::uint64_t>(core::residual_items(components)) * 4 + 8 +
         payload * sizeof(std::uint32_t) + 8;
}

void encode_difference(DeviceDifferenceState &state, const DeviceValues &values, const SectionEncoding &call,
                       const InvalidValues &invalid, const BesidesEncoding &besides) {
  const Stream stream = call.stream;
  const ConstArray::Type type = check_values(values, state.particles, state.components, state.plain);
  check_memory(call.out, call.capacity, chunk_alignment, "the memory for the section");
  Carver carver(call.workspace);
  const EncodeArrays memory(carver, state.particles, call.capacity);
  check_workspace(call.workspace, call.workspace_size, carver.used());
  DifferenceEncode params{};
  params.history = history_of(state, call.box, besides.crossings);
  params.source = source_of(values, state.components);
  params.invalid = invalid;
  params.fit = memory.fit;
  params.totals = memory.totals;
  memory.blocks.give(params);
  params.staged = memory.staged;
  params.staging = memory.staging;
  params.staging_words = call.capacity / sizeof(std::uint32_t);
  params.out = static_cast<std::uint32_t *>(call.out);
  params.capacity = call.capacity;
  params.result = memory.result;
  params.cancelled = besides.cancelled;
  std::copy(besides.comparisons.begin(), besides.comparisons.end(), params.comparison);
  if (params.history.blocks == 0) {
    const DifferenceResult empty{0, 0, 1, 0, 0};
    check(cudaMemcpyAsync(call.result, &empty, sizeof(empty), cudaMemcpyDefault, stream), "result");
    return count_frame(state);
  }
  check(cudaMemsetAsync(memory.fit, 0, memory.zeros, stream), "clearing");
  memory.blocks.clear_last(stream);
  if (!state.plain && state.frames > 1) launch_fit_differences(params, state.components, type, stream);
  if (besides.known != nullptr) check(cudaStreamWaitEvent(stream, besides.known), "waiting for an event");
  launch_encode_differences(params, state.components, type, stream);
  memory.blocks.place_payloads(stream);
  launch_write_differences(params, state.components, stream);
  check(cudaMemcpyAsync(call.result, memory.result, sizeof(DifferenceResult), cudaMemcpyDefault, stream), "result");
  count_frame(state);
}

std::size_t decode_difference_workspace(std::uint64_t particles) { return workspace_of<DifferenceArrays>(particles); }

namespace {

void decode_to(const DecodeField &field, DeviceDifferenceState &state, const SectionDecoding &call,
               const DeviceCrossings &crossings, std::uint8_t prediction) {
  if (prediction != core::temporal_predictor && prediction != core::neighbour_predictor)
    throw Error(Status::invalid_argument, "unknown prediction");
  if (field.components != state.components || state.plain)
    throw Error(Status::invalid_argument, "a state of as many components, not a plain one");
  DifferenceDecode params{};
  params.history = history_of(state, call.box, crossings);
  params.field = field;
  params.prediction = prediction;
  const auto open = [&] { launch_open_differences(params, state.components, call.stream); };
  const auto decode = [&] {
    if (prediction == core::neighbour_predictor)
      launch_decode_neighbours(params, call.stream);
    else
      launch_decode_differences(params, call.stream);
  };
  decode_section<DifferenceArrays>(call, params, open, decode, state.particles);
  count_frame(state);
}

}  // namespace

void decode_difference(DeviceDifferenceState &state, const SectionDecoding &call, const FieldOutput &output,
                       const DeviceCrossings &crossings, std::uint8_t prediction) {
  check_outputs({output}, state.particles);
  if (output.field.type == ValueType::integer)
    throw Error(Status::invalid_argument, "integers have no states but keys");
  decode_to(decode_field(output), state, call, crossings, prediction);
}

void decode_packed_difference(DeviceDifferenceState &state, const SectionDecoding &call, PackedIndices *packed,
                              const DeviceCrossings &crossings, std::uint8_t prediction) {
  DecodeField field{};
  field.value = core::Value::integer;
  field.components = core::max_components;
  field.data[0] = reinterpret_cast<char *>(packed);
  decode_to(field, state, call, crossings, prediction);
}

void decode_key_differences(const DeviceKeys &keys, std::uint64_t n, const SectionDecoding &call,
                            const DeviceCrossings &crossings) {
  if (keys.components < 1 || keys.components > core::max_components)
    throw Error(Status::invalid_argument, "keys have 1 to 3 components");
  DifferenceDecode params{};
  params.plain = true;
  params.prediction = core::temporal_predictor;
  params.history.particles = n;
  params.history.blocks = core::blocks_of(n);
  for (std::size_t d = 0; d < core::max_components; ++d) {
    params.history.keys[d] = keys.last[d];
    params.history.crossings[d] = crossings[d];
    params.history.axis[d].grid = core::checked_axis(call.box[d]);
  }
  const auto open = [&] { launch_open_differences(params, keys.components, call.stream); };
  const auto decode = [&] { launch_decode_keys(params, keys.components, call.stream); };
  decode_section<DifferenceArrays>(call, params, open, decode, n);
}

}  // namespace gpz::cuda
