// SPDX-License-Identifier: BSD-3-Clause
// Host side of decoding a sequence chunk: workspace and launches.
#include "gpz/cuda/block/field_arguments.hpp"
#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/carver.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/common/scan.cuh"
#include "gpz/cuda/sequence/params.hpp"
#include "gpz/cuda/sequence/sequence.hpp"
#include "gpz/error.hpp"

namespace gpz::cuda {
namespace {

std::size_t carve(void *base, SequenceDecode &params) {
  const std::uint64_t blocks = params.blocks;
  Carver carver(base);
  params.report = carver.take<SequenceReport>(1);
  params.tables = carver.take<SequenceTables>(1);
  params.words = carver.take<std::uint32_t>(blocks + 1);
  params.entries = carver.take<std::uint32_t>(max_sequence_tables * entry_stride);
  params.quick = carver.take<std::uint16_t>(max_sequence_tables * quick_stride);
  params.used = carver.take<std::uint32_t>(max_sequence_tables);
  params.records = carver.take<core::SequenceRecord>(blocks);
  params.word_offsets = carver.take<std::uint64_t>(blocks + 1);
  for (int d = 0; d < params.field.components; ++d) {
    if (params.field.data[d] != nullptr) continue;
    auto *const steps = carver.take<std::int32_t>(blocks * core::sequence_block_size);
    params.steps[d] = {reinterpret_cast<char *>(steps), core::sequence_block_size * sizeof(std::int32_t),
                       sizeof(std::int32_t), true, false};
  }
  params.scan_bytes = scan_size(blocks + 1);
  params.scan = carver.take<char>(params.scan_bytes);
  return carver.used();
}

// All parameters except those in the workspace and the chunk.
SequenceDecode params_of(const FieldOutput &output, std::uint64_t particles) {
  SequenceDecode params{};
  params.field = decode_field(output);
  params.particles = particles;
  params.blocks = core::sequence_blocks(particles);
  for (int d = 0; d < params.field.components; ++d) {
    const std::int64_t stride = params.field.stride[d];
    const std::size_t element = params.field.type[d] == ArrayType::float32 ? 4 : 8;
    const bool packed = is_packed(params.field.data[d], stride, element);
    const bool halfway = reinterpret_cast<std::uintptr_t>(params.field.data[d]) % 32 != 0;
    params.steps[d] = {params.field.data[d], core::sequence_block_size * stride,
                       packed ? static_cast<std::int64_t>(sizeof(std::int32_t)) : stride, packed, halfway};
  }
  return params;
}

int attribute(cudaDeviceAttr which, const char *what) {
  int device = 0;
  int value = 0;
  check_handled(cudaGetDevice(&device), "current device");
  check_handled(cudaDeviceGetAttribute(&value, which, device), what);
  return value;
}

}  // namespace

std::size_t decode_sequence_workspace(const FieldOutput &output, std::uint64_t particles) {
  SequenceDecode params = params_of(output, particles);
  return carve(nullptr, params);
}

void decode_sequence_chunk(const void *chunk, std::size_t size, std::uint64_t particles, const FieldOutput &output,
                           void *workspace, std::size_t workspace_size, std::uint32_t *status, Stream stream) {
  const int shared = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, "shared memory");
  if (static_cast<std::size_t>(shared) < decode_shared(core::max_components))
    throw Error(Status::unsupported, "sequence chunks need more shared memory than this device has");
  check_memory(chunk, size, chunk_alignment, "the chunk");
  SequenceDecode params = params_of(output, particles);
  check_workspace(workspace, workspace_size, carve(workspace, params));
  params.processors = static_cast<unsigned>(attribute(cudaDevAttrMultiProcessorCount, "processors"));
  params.chunk = static_cast<const std::uint32_t *>(chunk);
  params.size = size;
  check(cudaMemsetAsync(params.report, 0, sizeof(*params.report), stream), "zeros");
  open_sequence(params, stream);
  decode_sequence(params, stream);
  check(cudaMemcpyAsync(status, &params.report->failed, sizeof(*status), cudaMemcpyDefault, stream), "result");
}

}  // namespace gpz::cuda
