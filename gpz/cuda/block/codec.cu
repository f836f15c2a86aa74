// SPDX-License-Identifier: BSD-3-Clause
// Host side of block chunks: workspace and launches.
#include <cuda_runtime.h>

#include <algorithm>
#include <string>

#include "gpz/core/block.hpp"
#include "gpz/core/directory.hpp"
#include "gpz/cuda.hpp"
#include "gpz/cuda/block/decode.cuh"
#include "gpz/cuda/block/device_block.cuh"
#include "gpz/cuda/block/field_arguments.hpp"
#include "gpz/cuda/block/kept.hpp"
#include "gpz/cuda/block/kernels.cuh"
#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/carver.hpp"
#include "gpz/cuda/common/chained.cuh"
#include "gpz/cuda/common/check.hpp"
#include "gpz/error.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::cuda {
namespace {

template <typename Fields>
std::uint64_t staging_words(const Fields &fields, std::uint64_t particles) {
  std::uint64_t words = 0;
  for (const auto &input : fields)
    words +=
        payload_room(core::blocks_of(particles), format::core_value(input.field.type), input.field.components.size());
  return words;
}

std::uint64_t groups_of(std::uint64_t blocks) { return (blocks + group_blocks - 1) / group_blocks; }

struct EncodeMemory {
  std::uint32_t *staging;
  StagedBlock *staged;
  std::uint32_t *words;
  std::uint32_t *group_words;
  std::uint64_t *group_offsets;
  SectionStats *stats;
  SectionLayout *sections;
  std::uint32_t *reach;
  std::uint32_t *other_blocks;
  std::uint32_t *other_count;
  std::uint64_t *other_followers;
  std::uint32_t *other_follower_count;
  std::uint16_t *order;
  CompressResult *result;
  std::size_t used;
};

EncodeMemory carve(void *base, const std::vector<FieldInput> &fields, std::uint64_t particles) {
  const std::uint64_t blocks = core::blocks_of(particles);
  const std::uint64_t slots = blocks * fields.size();
  Carver carver(base);
  EncodeMemory memory{};
  memory.staging = carver.take<std::uint32_t>(staging_words(fields, particles));
  memory.staged = carver.take<StagedBlock>(slots);
  memory.words = carver.take<std::uint32_t>(slots);
  memory.group_words = carver.take<std::uint32_t>(groups_of(blocks) * fields.size());
  memory.group_offsets = carver.take<std::uint64_t>(groups_of(blocks) * fields.size());
  memory.stats = carver.take<SectionStats>(fields.size());
  memory.sections = carver.take<SectionLayout>(fields.size());
  memory.reach = carver.take<std::uint32_t>(1);
  memory.other_blocks = carver.take<std::uint32_t>(blocks);
  memory.other_count = carver.take<std::uint32_t>(1);
  memory.other_followers = carver.take<std::uint64_t>(slots);
  memory.other_follower_count = carver.take<std::uint32_t>(1);
  memory.order = carver.take<std::uint16_t>(fields.size() > 1 ? blocks * block_size : 0);
  memory.result = carver.take<CompressResult>(1);
  memory.used = carver.used();
  return memory;
}

}  // namespace

std::size_t compress_workspace_size(const std::vector<FieldInput> &fields, std::uint64_t particles) {
  return carve(nullptr, fields, particles).used;
}

std::size_t compressed_bound(const std::vector<FieldInput> &fields, std::uint64_t particles) {
  std::size_t bytes = format::chunk_head_size(ChunkKind::block, fields.size()) + staging_words(fields, particles) * 4;
  for (const auto &input : fields) {
    core::DirectoryShape widest;
    widest.components = static_cast<int>(input.field.components.size());
    std::fill(std::begin(widest.width), std::end(widest.width), std::uint8_t{64});
    bytes +=
        core::section_header_size(widest.components) + core::directory_size(widest, core::blocks_of(particles)) + 8;
  }
  return bytes;
}

void compress(const std::vector<FieldInput> &fields, std::uint64_t particles, const int *rows, void *workspace,
              std::size_t workspace_size, void *out, std::size_t capacity, CompressResult *result, Stream stream) {
  std::vector<FieldInput> prepared = fields;
  format::prepare_fields(prepared, particles);
  check_inputs(prepared, particles);
  check_memory(out, capacity, chunk_alignment, "the memory for the chunk");
  const EncodeMemory memory = carve(workspace, fields, particles);
  check_workspace(workspace, workspace_size, memory.used);

  EncodeParams params{};
  params.fields = static_cast<int>(fields.size());
  params.blocks = core::blocks_of(particles);
  std::uint64_t staging = 0;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const FieldInput &input = prepared[f];
    FieldParams &field = params.field[f];
    field.value = format::core_value(input.field.type);
    field.components = static_cast<int>(input.field.components.size());
    field.staging = staging;
    staging += payload_room(params.blocks, field.value, input.field.components.size());
    field.grid = format::grid_of(input.field);
    for (int d = 0; d < field.components; ++d)
      field.array[d] = {static_cast<const char *>(input.components[d].data), input.components[d].stride,
                        array_type(input.components[d].type)};
  }
  params.rows = rows;
  params.particles = particles;
  params.staging = memory.staging;
  params.order = memory.order;
  params.staged = memory.staged;
  params.words = memory.words;
  params.group_words = memory.group_words;
  params.groups = groups_of(params.blocks);
  params.stats = memory.stats;
  params.reach = memory.reach;
  params.other_blocks = memory.other_blocks;
  params.other_count = memory.other_count;
  params.other_followers = memory.other_followers;
  params.other_follower_count = memory.other_follower_count;

  const std::uint64_t slots = params.blocks * fields.size();
  auto *words = static_cast<std::uint32_t *>(out);
  const bool leads = !fields.empty() && prepared[0].field.leading && params.field[0].grid.step > 0;
  params.followers_from = leads ? 1 : 0;
  start_encoding<<<1, single_threads, 0, stream>>>(params);
  if (slots != 0) {
    if (leads) {
      launch_encode_full(params, stream);
      launch_encode_leading(params, stream);
    }
    const int followers = params.fields - params.followers_from;
    for (int f = params.followers_from; f < params.fields; ++f) launch_encode_follower_full(params, f, stream);
    if (followers != 0)
      encode_followers<<<static_cast<unsigned>(std::min<std::uint64_t>(params.blocks * followers, 1024)), threads, 0,
                         stream>>>(params);
  }
  launch_chained(lay_out_chunk, 1, single_threads, 0, stream, params, memory.group_offsets, memory.sections, words,
                 capacity, memory.result, result);
  if (slots != 0) launch_write_sections(params, memory.group_offsets, memory.sections, words, memory.result, stream);
  check(cudaGetLastError(), "compression");
}

namespace {

struct DecodeMemory {
  DecodeSection *sections;
  core::BlockRecord *records;
  std::uint64_t *word_offsets;
  std::uint64_t *other_slots;
  std::uint32_t *other_count;
  std::uint32_t *damaged;
  char *open;
  std::size_t open_bytes;
  std::size_t used;
};

DecodeMemory carve(void *base, std::size_t fields, std::uint64_t particles) {
  const std::uint64_t slots = core::blocks_of(particles) * fields;
  Carver carver(base);
  DecodeMemory memory{};
  memory.sections = carver.take<DecodeSection>(fields);
  memory.records = carver.take<core::BlockRecord>(slots);
  memory.word_offsets = carver.take<std::uint64_t>(slots + 1);
  memory.other_slots = carver.take<std::uint64_t>(slots);
  memory.other_count = carver.take<std::uint32_t>(1);
  memory.damaged = carver.take<std::uint32_t>(1);
  memory.open_bytes = open_chunk_memory(core::blocks_of(particles), static_cast<int>(fields));
  memory.open = carver.take<char>(memory.open_bytes);
  memory.used = carver.used();
  return memory;
}

// The parts of the caller's memory that decompression needs.
struct DecodeCall {
  const void *chunk;
  std::size_t size;
  std::uint64_t particles;
  void *workspace;
  std::size_t workspace_size;
  std::uint32_t *damaged;
  Stream stream;
};

void decode(const DecodeCall &call, const std::vector<DecodeField> &fields, BlockRange range) {
  const auto [chunk, size, particles, workspace, workspace_size, damaged, stream] = call;
  check_memory(chunk, size, chunk_alignment, "the chunk");
  const DecodeMemory memory = carve(workspace, fields.size(), particles);
  check_workspace(workspace, workspace_size, memory.used);
  DecodeParams params{};
  params.fields = static_cast<int>(fields.size());
  std::copy(fields.begin(), fields.end(), params.field);
  params.chunk = static_cast<const std::uint32_t *>(chunk);
  params.size = size;
  params.particles = particles;
  params.blocks = core::blocks_of(particles);
  params.block_size = block_size;
  params.first_block = range.first;
  params.end_block = range.count == 0 ? params.blocks : range.first + range.count;
  if (range.first > params.blocks || params.end_block < range.first || params.end_block > params.blocks)
    throw Error(Status::invalid_argument,
                "the chunk has " + std::to_string(params.blocks) + " blocks, fewer than asked for");
  params.sections = memory.sections;
  params.records = memory.records;
  params.word_offsets = memory.word_offsets;
  params.other_slots = memory.other_slots;
  params.other_count = memory.other_count;
  params.damaged = memory.damaged;

  const std::uint64_t slots = params.blocks * fields.size();
  launch_open_chunk(params, memory.open, memory.open_bytes, stream);
  if (slots != 0) {
    for (int f = 0; f < params.fields && params.first_block != params.end_block; ++f)
      launch_decode_full(params, f, stream);
    decode_other<<<static_cast<unsigned>(std::min<std::uint64_t>(slots, 1024)), threads, 0, stream>>>(params);
  }
  check(cudaMemcpyAsync(damaged, memory.damaged, sizeof(std::uint32_t), cudaMemcpyDefault, stream), "result");
  check(cudaGetLastError(), "decompression");
}

}  // namespace

std::size_t decompress_workspace_size(const std::vector<FieldOutput> &fields, std::uint64_t particles) {
  return carve(nullptr, fields.size(), particles).used;
}

void decompress(const void *chunk, std::size_t size, std::uint64_t particles, const std::vector<FieldOutput> &fields,
                void *workspace, std::size_t workspace_size, std::uint32_t *damaged, Stream stream, BlockRange range) {
  check_outputs(fields, particles);
  std::vector<DecodeField> to;
  for (const FieldOutput &output : fields) to.push_back(decode_field(output));
  decode({chunk, size, particles, workspace, workspace_size, damaged, stream}, to, range);
}

std::size_t decompress_kept_workspace_size(std::size_t fields, std::uint64_t particles) {
  return carve(nullptr, fields, particles).used;
}

void decompress_kept(const DeviceChunk &chunk, const std::vector<KeptOutput> &fields, std::uint32_t *wide,
                     void *workspace, std::size_t workspace_size, std::uint32_t *damaged, Stream stream) {
  check_size(fields.size(), chunk.particles);
  std::vector<DecodeField> to;
  for (const KeptOutput &output : fields) {
    DecodeField field = decode_field({output.field, {}});
    const core::Grid grid = format::grid_of(output.field);
    field.inverse_step = grid.inverse_step;
    field.bound = grid.bound;
    field.wide = output.keys ? nullptr : wide;
    for (int d = 0; d < field.components; ++d) {
      field.data[d] = static_cast<char *>(output.component[d]);
      field.stride[d] = output.keys ? sizeof(std::int64_t) : sizeof(std::int32_t);
      field.type[d] = output.keys ? ArrayType::key : ArrayType::index;
    }
    to.push_back(field);
  }
  decode({chunk.data, chunk.size, chunk.particles, workspace, workspace_size, damaged, stream}, to, {});
}

}  // namespace gpz::cuda
