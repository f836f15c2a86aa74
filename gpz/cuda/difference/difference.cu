// SPDX-License-Identifier: BSD-3-Clause
// Host side of difference sections: workspace and launches.
#include <algorithm>

#include "gpz/core/block.hpp"
#include "gpz/core/directory.hpp"
#include "gpz/cuda/block/field_arguments.hpp"
#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/carver.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/scan.cuh"
#include "gpz/cuda/difference/difference.hpp"
#include "gpz/cuda/difference/kernels.hpp"
#include "gpz/cuda/difference/state.hpp"
#include "gpz/cuda/difference/steps.cuh"
#include "gpz/error.hpp"

namespace gpz::cuda {
namespace {

struct EncodeWorkspace {
  // Must be zero before each call; contiguous.
  DifferenceFit *fit;
  DifferenceTotals *totals;
  std::size_t zeros;
  DifferenceLayout *layout;
  DifferenceResult *result;
  core::ResidualRecord *records;
  std::uint32_t *words;
  std::uint64_t *staged;
  std::uint64_t *word_offsets;
  std::uint32_t *staging;
  char *scan;
  std::size_t scan_bytes;
  std::size_t used;
};

EncodeWorkspace carve_encode(void *base, std::uint64_t particles, std::size_t capacity) {
  const std::uint64_t blocks = core::blocks_of(particles);
  Carver carver(base);
  EncodeWorkspace memory{};
  memory.fit = carver.take<DifferenceFit>(1);
  memory.totals = carver.take<DifferenceTotals>(1);
  memory.zeros = carver.used();
  memory.layout = carver.take<DifferenceLayout>(1);
  memory.result = carver.take<DifferenceResult>(1);
  memory.records = carver.take<core::ResidualRecord>(blocks);
  memory.words = carver.take<std::uint32_t>(blocks + 1);
  memory.staged = carver.take<std::uint64_t>(blocks);
  memory.word_offsets = carver.take<std::uint64_t>(blocks + 1);
  memory.staging = carver.take<std::uint32_t>(capacity / sizeof(std::uint32_t));
  memory.scan_bytes = scan_size(blocks + 1);
  memory.scan = carver.take<char>(memory.scan_bytes);
  memory.used = carver.used();
  return memory;
}

struct DecodeWorkspace {
  DifferenceLayout *layout;
  std::uint32_t *status;
  core::ResidualRecord *records;
  std::uint32_t *words;
  std::uint64_t *word_offsets;
  char *scan;
  std::size_t scan_bytes;
  std::size_t used;
};

DecodeWorkspace carve_decode(void *base, std::uint64_t particles) {
  const std::uint64_t blocks = core::blocks_of(particles);
  Carver carver(base);
  DecodeWorkspace memory{};
  memory.layout = carver.take<DifferenceLayout>(1);
  memory.status = carver.take<std::uint32_t>(1);
  memory.records = carver.take<core::ResidualRecord>(blocks);
  memory.words = carver.take<std::uint32_t>(blocks + 1);
  memory.word_offsets = carver.take<std::uint64_t>(blocks + 1);
  memory.scan_bytes = scan_size(blocks + 1);
  memory.scan = carver.take<char>(memory.scan_bytes);
  memory.used = carver.used();
  return memory;
}

}  // namespace

std::size_t encode_difference_workspace(const DeviceDifferenceState &state, std::size_t capacity) {
  return carve_encode(nullptr, state.particles, capacity).used;
}

std::size_t difference_bound(std::uint64_t particles, int components) {
  const std::uint64_t values = particles * static_cast<std::uint64_t>(components);
  const std::uint64_t blocks = core::blocks_of(particles);
  // For each value: at most 31 bits of the plane, a unary code of 96 or an exception with its unary bit, and a flag.
  const std::uint64_t payload = values * (core::max_residual_width + core::exception_bits + 2) / 32 +
                                blocks * (3 + static_cast<std::uint64_t>(components));
  return core::difference_header_size(core::coefficients_end, components) +
         blocks * static_cast<std::uint64_t>(core::residual_items(components)) * 4 + 8 +
         payload * sizeof(std::uint32_t) + 8;
}

void encode_difference(DeviceDifferenceState &state, const DeviceValues &values, const core::GridBox &box,
                       const InvalidValues &invalid, void *workspace, std::size_t workspace_size, void *out,
                       std::size_t capacity, DifferenceResult *result, Stream stream, const BesidesEncoding &besides) {
  const ConstArray::Type type = check_values(values, state.particles, state.components, state.plain);
  check_memory(out, capacity, chunk_alignment, "the memory for the section");
  const EncodeWorkspace memory = carve_encode(workspace, state.particles, capacity);
  check_workspace(workspace, workspace_size, memory.used);
  DifferenceEncode params{};
  params.history = history_of(state, box, besides.crossings);
  params.source = source_of(values, state.components);
  params.invalid = invalid;
  params.fit = memory.fit;
  params.totals = memory.totals;
  params.records = memory.records;
  params.words = memory.words;
  params.staged = memory.staged;
  params.word_offsets = memory.word_offsets;
  params.staging = memory.staging;
  params.staging_words = capacity / sizeof(std::uint32_t);
  params.layout = memory.layout;
  params.out = static_cast<std::uint32_t *>(out);
  params.capacity = capacity;
  params.result = memory.result;
  params.cancelled = besides.cancelled;
  std::copy(besides.comparisons.begin(), besides.comparisons.end(), params.comparison);
  if (params.history.blocks == 0) {
    const DifferenceResult empty{0, 0, 1, 0, 0};
    check(cudaMemcpyAsync(result, &empty, sizeof(empty), cudaMemcpyDefault, stream), "result");
    return count_frame(state);
  }
  const std::uint64_t blocks = params.history.blocks;
  check(cudaMemsetAsync(memory.fit, 0, memory.zeros, stream), "clearing");
  // The scan includes one more element, whose offset is the total.
  check(cudaMemsetAsync(memory.words + blocks, 0, sizeof(std::uint32_t), stream), "clearing");
  if (!state.plain && state.frames > 1) launch_fit_differences(params, state.components, type, stream);
  if (besides.known != nullptr) check(cudaStreamWaitEvent(stream, besides.known), "waiting for an event");
  launch_encode_differences(params, state.components, type, stream);
  std::size_t scan_bytes = memory.scan_bytes;
  check(exclusive_sum(memory.scan, scan_bytes, memory.words, memory.word_offsets, blocks + 1, stream), "scan");
  launch_write_differences(params, state.components, stream);
  check(cudaMemcpyAsync(result, memory.result, sizeof(DifferenceResult), cudaMemcpyDefault, stream), "result");
  count_frame(state);
}

std::size_t decode_difference_workspace(std::uint64_t particles) { return carve_decode(nullptr, particles).used; }

namespace {

// Opens header and records and computes the offsets of payloads. Returns false if there is nothing to decode; *status
// is set then.
bool open_section(DifferenceDecode &params, const void *section, std::size_t size, int components, void *workspace,
                  std::size_t workspace_size, std::uint32_t *status, Stream stream) {
  check_memory(section, size, chunk_alignment, "the section");
  if (params.history.blocks == 0) {
    const std::uint32_t empty = size == 0 ? 0 : section_damaged;
    check(cudaMemcpyAsync(status, &empty, sizeof(empty), cudaMemcpyDefault, stream), "result");
    return false;
  }
  const DecodeWorkspace memory = carve_decode(workspace, params.history.particles);
  check_workspace(workspace, workspace_size, memory.used);
  params.section = static_cast<const std::uint32_t *>(section);
  params.size = size;
  params.layout = memory.layout;
  params.records = memory.records;
  params.words = memory.words;
  params.word_offsets = memory.word_offsets;
  params.status = memory.status;
  launch_open_differences(params, components, stream);
  std::size_t scan_bytes = memory.scan_bytes;
  check(exclusive_sum(memory.scan, scan_bytes, memory.words, memory.word_offsets, params.history.blocks + 1, stream),
        "scan");
  return true;
}

void report_status(const DifferenceDecode &params, std::uint32_t *status, Stream stream) {
  check(cudaMemcpyAsync(status, params.status, sizeof(std::uint32_t), cudaMemcpyDefault, stream), "result");
}

}  // namespace

namespace {

void decode_to(const DecodeField &field, DeviceDifferenceState &state, const void *section, std::size_t size,
               const core::GridBox &box, void *workspace, std::size_t workspace_size, std::uint32_t *status,
               Stream stream, const DeviceCrossings &crossings, std::uint8_t prediction) {
  if (prediction != core::temporal_predictor && prediction != core::neighbour_predictor)
    throw Error(Status::invalid_argument, "unknown prediction");
  if (field.components != state.components || state.plain)
    throw Error(Status::invalid_argument, "a state of as many components, not a plain one");
  DifferenceDecode params{};
  params.history = history_of(state, box, crossings);
  params.field = field;
  params.prediction = prediction;
  if (open_section(params, section, size, state.components, workspace, workspace_size, status, stream)) {
    if (prediction == core::neighbour_predictor)
      launch_decode_neighbours(params, stream);
    else
      launch_decode_differences(params, stream);
    report_status(params, status, stream);
  }
  count_frame(state);
}

}  // namespace

void decode_difference(DeviceDifferenceState &state, const void *section, std::size_t size, const core::GridBox &box,
                       const FieldOutput &output, void *workspace, std::size_t workspace_size, std::uint32_t *status,
                       Stream stream, const DeviceCrossings &crossings, std::uint8_t prediction) {
  check_outputs({output}, state.particles);
  if (output.field.type == ValueType::integer)
    throw Error(Status::invalid_argument, "integers have no states but keys");
  decode_to(decode_field(output), state, section, size, box, workspace, workspace_size, status, stream, crossings,
            prediction);
}

void decode_packed_difference(DeviceDifferenceState &state, const void *section, std::size_t size,
                              const core::GridBox &box, PackedIndices *packed, void *workspace,
                              std::size_t workspace_size, std::uint32_t *status, Stream stream,
                              const DeviceCrossings &crossings, std::uint8_t prediction) {
  DecodeField field{};
  field.value = core::Value::integer;
  field.components = core::max_components;
  field.data[0] = reinterpret_cast<char *>(packed);
  decode_to(field, state, section, size, box, workspace, workspace_size, status, stream, crossings, prediction);
}

void decode_key_differences(const DeviceKeys &keys, std::uint64_t n, const void *section, std::size_t size,
                            const core::GridBox &box, void *workspace, std::size_t workspace_size,
                            std::uint32_t *status, Stream stream, const DeviceCrossings &crossings) {
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
    params.history.axis[d].grid = core::checked_axis(box[d]);
  }
  if (!open_section(params, section, size, keys.components, workspace, workspace_size, status, stream)) return;
  launch_decode_keys(params, keys.components, stream);
  report_status(params, status, stream);
}

}  // namespace gpz::cuda
