// SPDX-License-Identifier: BSD-3-Clause
// gpz::cuda::SequenceCodec: its memory, and what it lets pass.
#include "gpz/cuda/block/field_arguments.hpp"
#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/carver.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/common/scan.cuh"
#include "gpz/cuda/sequence/params.hpp"
#include "gpz/cuda_sequence.hpp"
#include "gpz/error.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::cuda {
namespace {

void require_one_field(const Field &field, std::uint64_t particles) {
  if (field.type == ValueType::integer || field.bound == 0 || particles == 0)
    throw Error(Status::invalid_argument, "a sequence is of particles whose positions are floats with a bound");
}

}  // namespace

struct SequenceCodec::State {
  explicit State(int on) : device(on) {
    require_device(device);
    const CurrentDevice current(device);
    check_handled(cudaHostAlloc(reinterpret_cast<void **>(&report), sizeof(SequenceReport), cudaHostAllocPortable),
                  "pinned host memory");
  }
  ~State() {
    try {
      const CurrentDevice current(device);
      release();
      if (cudaFreeHost(report) != cudaSuccess) forget_last_error();
    } catch (const Error &) {  // the device is lost, and its memory with it
      forget_last_error();
    }
  }
  State(const State &) = delete;
  State &operator=(const State &) = delete;

  void release() {
    workspace.release();
    bytes.release();
    chunk = {};
  }

  void reserve(DeviceBuffer &buffer, std::size_t size) {
    if (size <= buffer.capacity()) return;
    buffer.release();
    try {
      buffer.allocate(size);
    } catch (const Error &) {
      workspace.release();
      throw;
    }
    ++allocations;
  }

  // The report of the kernels that were queued.
  void finish(SequenceReport *on_device, Stream stream, const char *what) {
    check(cudaMemcpyAsync(report, on_device, sizeof(SequenceReport), cudaMemcpyDeviceToHost, stream), what);
    check(cudaStreamSynchronize(stream), what);
  }

  // Cuts the workspace; with nullptr it only measures.
  static std::size_t carve(void *base, SequenceEncode &params, void *&scan) {
    const int components = params.field.components;
    const std::uint64_t blocks = params.blocks;
    Carver carver(base);
    // What has to be zero before comes first.
    params.report = carver.take<SequenceReport>(1);
    params.steps = carver.take<std::uint32_t>(core::max_components * core::step_magnitudes);
    params.counts = carver.take<std::uint32_t>(max_sequence_tables * core::sequence_symbols);
    params.words = carver.take<std::uint32_t>(blocks + 1);
    params.tables = carver.take<SequenceTables>(1);
    params.shares = carver.take<PackedShare>(max_sequence_tables * core::sequence_symbols);
    params.records = carver.take<core::SequenceRecord>(blocks);
    params.word_offsets = carver.take<std::uint64_t>(blocks + 1);
    params.staged = carver.take<std::uint32_t>(blocks * core::sequence_room(components));
    params.streams = carver.take<std::uint16_t>(blocks * core::stream_room(components));
    scan = carver.take<char>(scan_size(blocks + 1));
    return carver.used();
  }
  static std::size_t carve(void *base, SequenceDecode &params, void *&scan) {
    const std::uint64_t blocks = params.blocks;
    Carver carver(base);
    params.report = carver.take<SequenceReport>(1);
    params.words = carver.take<std::uint32_t>(blocks + 1);
    params.tables = carver.take<SequenceTables>(1);
    params.shares = carver.take<PackedShare>(max_sequence_tables * core::sequence_symbols);
    params.symbols = carver.take<std::uint16_t>(max_sequence_tables * core::ans_total);
    params.word_offsets = carver.take<std::uint64_t>(blocks + 1);
    params.steps =
        carver.take<std::int32_t>(static_cast<unsigned>(params.field.components) * blocks * core::sequence_block_size);
    scan = carver.take<char>(scan_size(blocks + 1));
    return carver.used();
  }

  // Memory for the kernels, zero up to their tables.
  template <typename Params>
  void *prepare(Params &params, Stream stream) {
    void *scan = nullptr;
    reserve(workspace, carve(nullptr, params, scan));
    carve(workspace.data(), params, scan);
    const auto zeros =
        static_cast<std::size_t>(reinterpret_cast<char *>(params.tables) - static_cast<char *>(workspace.data()));
    check(cudaMemsetAsync(workspace.data(), 0, zeros, stream), "zeros");
    return scan;
  }

  bool encode(const FieldInput &given, std::uint64_t particles, Stream stream) {
    chunk = {};
    std::vector<FieldInput> fields{given};
    check_inputs(fields, particles);
    format::prepare_fields(fields, particles);
    const FieldInput &input = fields[0];
    require_one_field(input.field, particles);
    for (std::size_t d = 0; d < input.field.components.size(); ++d)
      require_reachable(input.components[d].data, device, "field " + input.field.components[d].name);
    forget_last_error();
    SequenceEncode params{};
    params.field.value = format::core_value(input.field.type);
    params.field.components = static_cast<int>(input.field.components.size());
    params.field.grid = format::grid_of(input);
    for (std::size_t d = 0; d < input.field.components.size(); ++d)
      params.field.array[d] = {static_cast<const char *>(input.components[d].data), input.components[d].stride,
                               array_type(input.components[d].type)};
    params.particles = particles;
    params.blocks = core::sequence_blocks(particles);
    const int components = params.field.components;
    const std::uint64_t most =
        sequence_start + core::sequence_head_size(components) + 4 * max_sequence_tables * core::sequence_symbols +
        params.blocks * (core::sequence_record_size(components) + 4 * core::sequence_room(components) +
                         2 * core::stream_room(components)) +
        8;
    reserve(bytes, most);
    void *const scan = prepare(params, stream);
    params.out = static_cast<std::uint8_t *>(bytes.data());
    encode_sequence(params, scan, scan_size(params.blocks + 1), stream);
    finish(params.report, stream, "compression");
    if (report->failed != 0) return false;
    chunk = {bytes.data(),
             static_cast<std::size_t>(report->bytes),
             particles,
             {core::bit_cast<double>(report->error_bits)},
             ChunkKind::sequence};
    return true;
  }

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
    if (particles / core::sequence_block_size > size)
      throw Error(Status::corrupt, "more particles than a chunk of this length may have");
    forget_last_error();
    SequenceDecode params{};
    params.field = decode_field(output);
    params.chunk = static_cast<const std::uint32_t *>(from);
    params.size = size;
    params.particles = particles;
    params.blocks = core::sequence_blocks(particles);
    void *const scan = prepare(params, stream);
    decode_sequence(params, scan, scan_size(params.blocks + 1), stream);
    finish(params.report, stream, "decompression");
    if (report->failed == chunk_unsupported)
      throw Error(Status::unsupported,
                  "chunks of another kind, and exact values in the order of memory, are decoded elsewhere");
    if (report->failed != 0) throw Error(Status::corrupt, "the bytes of a chunk contradict the format");
  }

  int device;
  std::uint64_t allocations = 0;
  SequenceReport *report = nullptr;
  DeviceBuffer workspace;
  DeviceBuffer bytes;
  DeviceChunk chunk;  // in `bytes`
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
