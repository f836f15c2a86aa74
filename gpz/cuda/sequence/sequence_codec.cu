// SPDX-License-Identifier: BSD-3-Clause
// gpz::cuda::SequenceCodec: memory and checks.
#include <algorithm>

#include "gpz/cuda/block/field_arguments.hpp"
#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/carver.hpp"
#include "gpz/cuda/common/device_object.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/common/scan.cuh"
#include "gpz/cuda/sequence/params.hpp"
#include "gpz/cuda/sequence/sequence.hpp"
#include "gpz/cuda_sequence.hpp"
#include "gpz/error.hpp"
#include "gpz/format/difference_rules.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::cuda {
namespace {

void require_one_field(const Field &field, std::uint64_t particles) {
  if (field.type == ValueType::integer || field.bound == 0 || particles == 0)
    throw Error(Status::invalid_argument, "a sequence is of particles whose positions are floats with a bound");
}

constexpr std::size_t page_bytes = page_words * sizeof(std::uint16_t);
constexpr std::size_t most_pages = UINT32_MAX / page_words;  // words of pages are counted in 32 bits

}  // namespace

struct SequenceCodec::State : DeviceObject {
  explicit State(int on) : DeviceObject(on) {
    require_device(device);
    const CurrentDevice current(device);
    int shared = 0;
    check_handled(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "shared memory");
    check_handled(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "processors");
    has_room_for_tables = static_cast<std::size_t>(shared) >=
                          std::max(encode_shared(core::max_components), decode_shared(core::max_components));
  }
  ~State() {
    give_back([this] { release(); });
  }

  void release() {
    workspace.release();
    bytes.release();
    chunk = {};
  }

  // Little reserve: the lengths of streams vary little, and allocating memory costs more than filling it.
  void reserve(DeviceBuffer &buffer, std::size_t size) {
    if (size <= buffer.capacity()) return;
    buffer.release();
    try {
      buffer.allocate(size, size / 32);
    } catch (const Error &) {
      workspace.release();
      throw;
    }
    ++allocations;
  }

  // Waits for the queued kernels and returns their report.
  static SequenceReport finish(const SequenceReport *on_device, Stream stream, const char *what) {
    SequenceReport report{};
    check(cudaMemcpyAsync(&report, on_device, sizeof(SequenceReport), cudaMemcpyDeviceToHost, stream), what);
    check(cudaStreamSynchronize(stream), what);
    return report;
  }

  struct Carved {
    std::size_t zeros;  // size of the first part, which must be zero at the start
    std::size_t used;
  };
  // Cuts the workspace; with a null base, it only measures. For encoding this is only the memory of the counting
  // kernels: a small allocation is fast.
  static Carved carve(void *base, SequenceEncode &params) {
    Carver carver(base);
    params.report = carver.take<SequenceReport>(1);
    params.steps = carver.take<std::uint32_t>(core::max_components * core::step_magnitudes);
    params.counts = carver.take<std::uint32_t>(max_sequence_tables * core::sequence_symbols);
    params.exact_counts =
        carver.take<std::uint32_t>(static_cast<unsigned>(params.field.components) * params.blocks + 1);
    const std::size_t zeros = carver.used();
    params.tables = carver.take<SequenceTables>(1);
    params.shares = carver.take<PackedShare>(max_sequence_tables * core::sequence_symbols);
    return {zeros, carver.used()};
  }
  // Cuts the bytes of a chunk, arrays of its blocks, and pages, which take the rest. Returns the offset of the pages.
  static std::size_t carve_streams(void *base, SequenceEncode &params) {
    const int components = params.field.components;
    const std::uint64_t blocks = params.blocks;
    Carver carver(base);
    params.out = carver.take<std::uint8_t>(params.out_size);
    params.records = carver.take<core::SequenceRecord>(blocks);
    params.words = carver.take<std::uint32_t>(blocks + 1);
    params.word_offsets = carver.take<std::uint64_t>(blocks + 1);
    params.exact_offsets = carver.take<std::uint64_t>(static_cast<unsigned>(components) * blocks + 1);
    params.page_lists = carver.take<std::uint32_t>(blocks * (core::stream_room(components) / page_words));
    params.states = carver.take<std::uint32_t>(blocks * core::sequence_lanes);
    params.lane_escapes = carver.take<std::uint16_t>(blocks * core::sequence_lanes);
    params.scan_bytes = scan_size(blocks * static_cast<unsigned>(components) + 1);
    params.scan = carver.take<char>(params.scan_bytes);
    const std::size_t pages_at = carver.used();
    params.pages = carver.take<std::uint16_t>(0);
    return pages_at;
  }
  void prepare(SequenceEncode &params, Stream stream) {
    reserve(workspace, carve(nullptr, params).used);
    const Carved carved = carve(workspace.data(), params);
    check(cudaMemsetAsync(workspace.data(), 0, carved.zeros, stream), "zeros");
  }

  // Upper bounds for the pages and the bytes of a chunk, from the counts. Streams take slightly more than their symbols
  // say, and each one a part of a page.
  static std::uint64_t pages_for(const SequenceEncode &params, const SequenceReport &counted) {
    const std::uint64_t words = counted.stream_bits / 16;
    return (words + words / 64) / page_words + params.blocks + 1;
  }
  static std::uint64_t bytes_for(const SequenceEncode &params, const SequenceReport &counted) {
    const int components = params.field.components;
    const std::uint64_t padded = params.blocks * core::sequence_block_size;
    return sequence_start + counted.exact * exact_bytes + core::sequence_head_size(components) +
           4 * max_sequence_tables * core::sequence_symbols +
           params.blocks * (core::sequence_record_size(components) + 4 * core::sequence_lanes + 4) +
           padded / 8 * counted.low_bits + counted.escapes * 4 + counted.stream_bits / 8 + counted.stream_bits / 512 +
           8;
  }

  bool encode(const FieldInput &given, std::uint64_t particles, Stream stream) {
    chunk = {};
    std::vector<FieldInput> fields{given};
    check_inputs(fields, particles);
    format::prepare_fields(fields, particles);
    const FieldInput &input = fields[0];
    require_one_field(input.field, particles);
    if (!has_room_for_tables || particles > format::max_followed) return false;
    SequenceEncode params{};
    params.field.value = format::core_value(input.field.type);
    params.field.components = static_cast<int>(input.field.components.size());
    params.field.grid = format::grid_of(input);
    params.processors = static_cast<unsigned>(processors);
    params.packed = true;
    for (std::size_t d = 0; d < input.field.components.size(); ++d) {
      const ConstArray &array = input.components[d];
      require_reachable(array.data, device, "field " + input.field.components[d].name);
      params.field.array[d] = {static_cast<const char *>(array.data), array.stride, array_type(array.type)};
      params.packed &= is_packed(array.data, array.stride, input.field.type == ValueType::float32 ? 4 : 8);
    }
    forget_last_error();
    params.particles = particles;
    params.blocks = core::sequence_blocks(particles);
    prepare(params, stream);
    count_sequence(params, stream);
    SequenceReport report = finish(params.report, stream, "compression");
    if (report.failed != 0) return false;
    params.plain = params.packed && report.exact == 0;
    encode_with(params, report, bytes_for(params, report), pages_for(params, report), stream);
    if (report.failed != 0) return false;
    chunk = {bytes.data(),
             static_cast<std::size_t>(report.bytes),
             particles,
             {core::bit_cast<double>(report.error_bits)},
             ChunkKind::sequence};
    return true;
  }

  // Encodes with this much room. If that is too little, encodes again with the required room.
  void encode_with(SequenceEncode &params, SequenceReport &report, std::uint64_t size, std::uint64_t pages,
                   Stream stream) {
    for (;;) {
      params.out_size = round_up(size);
      reserve(bytes, carve_streams(nullptr, params) + (pages + 1) * page_bytes);
      const std::size_t pages_at = carve_streams(bytes.data(), params);
      params.pages_there =
          static_cast<std::uint32_t>(std::min<std::size_t>((bytes.capacity() - pages_at) / page_bytes - 1, most_pages));
      check(cudaMemsetAsync(params.words + params.blocks, 0, sizeof(*params.words), stream), "zeros");
      encode_streams(params, stream);
      write_sequence(params, stream);
      report = finish(params.report, stream, "compression");
      if (report.pages > most_pages) report.failed = 1;
      if (report.failed != 0 || is_complete(params, report)) return;
      size = report.bytes;
      pages = report.pages;
      check(cudaMemsetAsync(&params.report->pages, 0, sizeof(report.pages), stream), "zeros");
    }
  }
  static std::size_t round_up(std::uint64_t size) { return (size + page_bytes - 1) / page_bytes * page_bytes; }

  void decode(const void *from, std::size_t size, std::uint64_t particles, const FieldOutput &given, Stream stream) {
    check_memory(from, size, chunk_alignment, "the chunk");
    if (from == nullptr) throw Error(Status::corrupt, "an empty chunk");
    require_reachable(from, device, "the chunk");
    check_outputs({given}, particles);
    const FieldOutput output = with_steps({given})[0];
    require_one_field(output.field, particles);
    for (std::size_t d = 0; d < output.field.components.size(); ++d)
      if (output.components[d].data != nullptr)
        require_reachable(output.components[d].data, device, "field " + output.field.components[d].name);
    if (particles / core::sequence_block_size > size || particles > format::max_followed)
      throw Error(Status::corrupt, "more particles than a chunk of this length may have");
    if (!has_room_for_tables)
      throw Error(Status::unsupported, "sequence chunks need more shared memory than this device has");
    forget_last_error();
    reserve(workspace, decode_sequence_workspace(output, particles));
    std::uint32_t status = 0;
    decode_sequence_chunk(from, size, particles, output, workspace.data(), workspace.capacity(), &status, stream);
    check(cudaStreamSynchronize(stream), "decompression");
    if (status == chunk_unsupported)
      throw Error(Status::unsupported, "chunks of another kind or coding are decoded elsewhere");
    if (status != 0) throw Error(Status::corrupt, "the bytes of a chunk contradict the format");
  }

  int processors = 0;
  bool has_room_for_tables = false;
  std::uint64_t allocations = 0;
  DeviceBuffer workspace;
  DeviceBuffer bytes;  // the chunk, then arrays of blocks, then pages
  DeviceChunk chunk;   // points into `bytes`
};

SequenceCodec::SequenceCodec(int device) : state_(std::make_unique<State>(device)) {}
SequenceCodec::~SequenceCodec() = default;
SequenceCodec::SequenceCodec(SequenceCodec &&) noexcept = default;
SequenceCodec &SequenceCodec::operator=(SequenceCodec &&) noexcept = default;

const DeviceChunk *SequenceCodec::encode(const FieldInput &field, std::uint64_t particles, Stream stream) {
  const CurrentDevice current(state_->device);
  return state_->encode(field, particles, stream) ? &state_->chunk : nullptr;
}

void SequenceCodec::decode(const void *chunk, std::size_t size, std::uint64_t particles, const FieldOutput &field,
                           Stream stream) {
  const CurrentDevice current(state_->device);
  state_->decode(chunk, size, particles, field, stream);
}

void SequenceCodec::release() {
  const CurrentDevice current(state_->device);
  state_->release();
}

MemoryUse SequenceCodec::memory() const {
  return {state_->workspace.capacity() + state_->bytes.capacity(), state_->allocations};
}

}  // namespace gpz::cuda
