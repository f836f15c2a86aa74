// SPDX-License-Identifier: BSD-3-Clause
// gpz::cuda::Codec: owns the memory that callers of gpz/cuda.hpp have to provide.
#include <cuda_runtime_api.h>

#include <new>
#include <string>
#include <vector>

#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/device_object.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/host/block_calls.hpp"
#include "gpz/cuda_codec.hpp"
#include "gpz/error.hpp"

namespace gpz::cuda {
namespace {

// Results that kernels report.
struct Report {
  CompressResult result;
  std::uint32_t damaged;
};

}  // namespace

struct Codec::State : DeviceObject {
  explicit State(int on) : DeviceObject(on) {
    require_device(device);
    const CurrentDevice current(device);
    report.make();
  }
  ~State() {
    give_back([this] {
      release();
      report.release();
    });
  }

  void release() {
    workspace.release();
    bytes.release();
    chunk = {};
  }

  // Makes room for a call. Buffers that must grow lose their contents: all of them are released before the first
  // allocation.
  void reserve(std::size_t workspace_size, std::size_t chunk_size) {
    const bool more_workspace = workspace_size > workspace.capacity();
    const bool more_bytes = chunk_size > bytes.capacity();
    if (more_workspace) workspace.release();
    if (more_bytes) bytes.release();
    try {
      if (more_workspace) allocate(workspace, workspace_size);
      if (more_bytes) allocate(bytes, chunk_size);
    } catch (const Error &) {
      // Do not keep a large workspace without use. The bytes may be the chunk that is to be decoded.
      workspace.release();
      if (chunk_size != 0) bytes.release();
      throw;
    }
  }

  void allocate(DeviceBuffer &buffer, std::size_t size) {
    buffer.allocate(size);
    ++allocations;
  }

  void encode(const std::vector<FieldInput> &fields, std::uint64_t particles, const int *rows, Stream stream) {
    chunk = {};
    const std::vector<FieldInput> prepared = prepared_inputs(fields, particles, rows, device);
    reserve(compress_workspace_size(prepared, particles), compressed_bound(prepared, particles));
    compress(prepared, particles, rows, workspace.data(), workspace.capacity(), bytes.data(), bytes.capacity(),
             &report->result, stream);
    check(cudaStreamSynchronize(stream), "compression");
    require_fits(report->result);
    chunk = {bytes.data(), static_cast<std::size_t>(report->result.bytes), particles,
             largest_errors(report->result, fields.size())};
  }

  // Encoding has finished, so that no stream needs to be waited for.
  void copy_to_host(void *host) const {
    check(cudaMemcpy(host, chunk.data, chunk.size, cudaMemcpyDeviceToHost), "copy to the host");
  }

  void decode(const void *from, std::size_t size, std::uint64_t particles, const std::vector<FieldOutput> &fields,
              Stream stream, BlockRange range) {
    check_chunk(from, size, device);
    decompress(from, size, particles, fields, workspace.data(), workspace.capacity(), &report->damaged, stream, range);
    check(cudaStreamSynchronize(stream), "decompression");
    require_decoded(report->damaged);
  }

  // Common start of both decoding functions. Returns the fields in the form that decompress() needs.
  std::vector<FieldOutput> prepare(const std::vector<FieldOutput> &fields, std::uint64_t particles,
                                   std::size_t chunk_size) {
    std::vector<FieldOutput> prepared = prepared_outputs(fields, particles, device);
    reserve(decompress_workspace_size(prepared, particles), chunk_size);
    return prepared;
  }

  std::uint64_t allocations = 0;
  PinnedReport<Report> report;
  DeviceBuffer workspace;
  DeviceBuffer bytes;
  DeviceChunk chunk;  // points into `bytes`
};

Codec::Codec(int device) : state_(std::make_unique<State>(device)) {}
Codec::~Codec() = default;
Codec::Codec(Codec &&) noexcept = default;
Codec &Codec::operator=(Codec &&) noexcept = default;

int Codec::device() const { return state_->device; }

const DeviceChunk &Codec::encode(const std::vector<FieldInput> &fields, std::uint64_t particles, const int *rows,
                                 Stream stream) {
  const CurrentDevice current(state_->device);
  state_->encode(fields, particles, rows, stream);
  return state_->chunk;
}

void Codec::encode(const std::vector<FieldInput> &fields, std::uint64_t particles, const int *rows, EncodedChunk &out,
                   Stream stream) {
  const CurrentDevice current(state_->device);
  state_->encode(fields, particles, rows, stream);
  try {
    out.bytes.resize(state_->chunk.size);
    out.largest_error = state_->chunk.largest_error;
  } catch (const std::bad_alloc &) {
    throw Error(Status::out_of_memory,
                "no host memory for a chunk of " + std::to_string(state_->chunk.size) + " bytes");
  }
  state_->copy_to_host(out.bytes.data());
  out.particles = particles;
  out.checksum = chunk_checksum(out.bytes.data(), out.bytes.size());
}

const DeviceChunk &Codec::chunk() const { return state_->chunk; }

void Codec::copy_chunk(void *host, std::size_t capacity) const {
  const DeviceChunk &chunk = state_->chunk;
  if (chunk.data == nullptr) throw Error(Status::not_found, "the codec has no chunk");
  if (chunk.size > capacity)
    throw Error(Status::limit_exceeded,
                "the chunk has " + std::to_string(chunk.size) + " bytes, which is more than " + "there is room for");
  if (host == nullptr) throw Error(Status::invalid_argument, "no host memory");
  const CurrentDevice current(state_->device);
  state_->copy_to_host(host);
}

void Codec::decode(const void *chunk, std::size_t size, std::uint64_t particles, const std::vector<FieldOutput> &fields,
                   Stream stream, BlockRange range) {
  const CurrentDevice current(state_->device);
  const std::vector<FieldOutput> prepared = state_->prepare(fields, particles, 0);
  state_->decode(chunk, size, particles, prepared, stream, range);
}

void Codec::decode_from_host(const void *chunk, std::size_t size, std::uint64_t particles,
                             const std::vector<FieldOutput> &fields, Stream stream, BlockRange range) {
  check_memory(chunk, size, 1, "the chunk");
  const CurrentDevice current(state_->device);
  state_->chunk = {};
  const std::vector<FieldOutput> prepared = state_->prepare(fields, particles, size);
  if (size != 0)
    check(cudaMemcpyAsync(state_->bytes.data(), chunk, size, cudaMemcpyHostToDevice, stream), "copy to the device");
  state_->decode(state_->bytes.data(), size, particles, prepared, stream, range);
}

void Codec::release() {
  const CurrentDevice current(state_->device);
  state_->release();
}

MemoryUse Codec::memory() const {
  return {state_->workspace.capacity() + state_->bytes.capacity(), state_->allocations};
}

}  // namespace gpz::cuda
