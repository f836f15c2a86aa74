// SPDX-License-Identifier: BSD-3-Clause
// The C interface of gpz/cuda_trajectory.hpp.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpz/c/c_api.hpp"
#include "gpz/c/structures.hpp"
#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/host/c_inputs.hpp"
#include "gpz/cuda_trajectory.hpp"
#include "gpz/gpz_cuda.h"

struct gpz_cuda_trajectory {
  explicit gpz_cuda_trajectory(int device) : codec(device) {}

  gpz::cuda::TrajectoryCodec codec;
  gpz::cuda::DeviceChunk chunk;  // of the last encode; null data: none
  gpz::KeySchedule schedule;
  std::vector<gpz::EncodedChunk> written = std::vector<gpz::EncodedChunk>(1);  // keeps its memory between frames
  // Writer of the last frame. A difference frame is valid only directly behind it.
  const gpz_writer *writer = nullptr;
  std::size_t frames = 0;
  std::uint64_t size = 0;
};

namespace {

namespace cuda = gpz::cuda;
using cuda::device_inputs;
using gpz::c::guarded;
using gpz::c::number;
using gpz::c::opened;
using gpz::c::require;

void copy(const cuda::DeviceChunk &chunk, int device, void *to) {
  const cuda::CurrentDevice current(device);
  if (chunk.size != 0)
    cuda::check(cudaMemcpy(to, chunk.data, chunk.size, cudaMemcpyDeviceToHost), "copying a chunk to the host");
}

const cuda::DeviceChunk &encode(gpz_cuda_trajectory &codec, const std::vector<gpz::FieldInput> &inputs,
                                const gpz::FrameInfo &info, const int *rows, bool key, cuda::Stream stream) {
  codec.chunk = {};
  codec.chunk = codec.codec.encode(inputs, info.particles, rows, info.box, key, stream);
  return codec.chunk;
}

void write(gpz_cuda_trajectory &codec, gpz::Writer &writer, gpz::FrameInfo info,
           const std::vector<gpz::FieldInput> &inputs, const int *rows, cuda::Stream stream) {
  info.since_key = codec.schedule.next(info.fields);
  // Undone when the frame is written: if anything fails before, the next frame is a key frame.
  codec.schedule.restart();
  const cuda::DeviceChunk &encoded = encode(codec, inputs, info, rows, info.since_key == 0, stream);
  gpz::EncodedChunk &chunk = codec.written.front();
  chunk.bytes.resize(encoded.size);
  copy(encoded, codec.codec.device(), chunk.bytes.data());
  chunk.particles = encoded.particles;
  chunk.largest_error = encoded.largest_error;
  chunk.checksum = gpz::chunk_checksum(chunk.bytes.data(), chunk.bytes.size());
  codec.chunk = {};
  writer.write(info, codec.written);
  codec.schedule.written(info);
}

}  // namespace

extern "C" {

gpz_status gpz_cuda_trajectory_create(int device, gpz_cuda_trajectory **codec) {
  return guarded([&] {
    gpz::c::start(codec, "codec");
    *codec = new gpz_cuda_trajectory(device);
  });
}

void gpz_cuda_trajectory_free(gpz_cuda_trajectory *codec) { delete codec; }

gpz_status gpz_cuda_trajectory_set_order(gpz_cuda_trajectory *codec, gpz_order order) {
  return guarded([&] {
    opened(codec, "codec");
    gpz::c::require_order(number(order));
    if (order == GPZ_ORDER_ID)
      throw gpz::Error(gpz::Status::unsupported,
                       "order id is not written on a GPU: write the frames from host memory by gpz_writer_write");
    if (order == GPZ_ORDER_MEMORY)
      throw gpz::Error(gpz::Status::unsupported,
                       "order memory is not written by gpz_cuda_trajectory: write the frames from host memory by "
                       "gpz_writer_write, or use gpz::cuda::SequenceCodec of C++");
  });
}

gpz_status gpz_cuda_trajectory_set_effort(gpz_cuda_trajectory *codec, gpz_effort effort) {
  return guarded([&] {
    opened(codec, "codec");
    gpz::c::require_effort(number(effort));
    if (effort != GPZ_EFFORT_FAST)
      throw gpz::Error(gpz::Status::unsupported,
                       "a GPU writes effort fast only: write the frames from host memory by "
                       "gpz_writer_write");
  });
}

gpz_status gpz_cuda_trajectory_encode(gpz_cuda_trajectory *codec, const gpz_frame *frame, const gpz_field *fields,
                                      size_t field_count, const int *rows, int key, struct CUstream_st *stream,
                                      gpz_cuda_chunk *chunk, gpz_chunk_kind *kind) {
  return guarded([&] {
    opened(codec, "codec");
    gpz_cuda_chunk made = gpz_cuda_new_chunk();
    gpz::c::give(made, chunk, "gpz_cuda_chunk");  // clears the chunk, in case the call fails
    const gpz::FrameInfo info = gpz::c::frame_info(frame);
    const auto inputs = device_inputs(fields, field_count, info.particles);
    codec->schedule.restart();  // a frame of gpz_cuda_trajectory_write must not follow this chunk
    const cuda::DeviceChunk &encoded = encode(*codec, inputs, info, rows, key != 0, stream);
    made.data = encoded.data;
    made.size = encoded.size;
    std::copy(encoded.largest_error.begin(), encoded.largest_error.end(), made.largest_error);
    if (kind != nullptr) *kind = static_cast<gpz_chunk_kind>(encoded.kind);
    gpz::c::give(made, chunk, "gpz_cuda_chunk");
  });
}

gpz_status gpz_cuda_trajectory_copy_chunk(gpz_cuda_trajectory *codec, void *host, size_t capacity) {
  return guarded([&] {
    opened(codec, "codec");
    require(host != nullptr, "host is a null pointer");
    if (codec->chunk.data == nullptr) throw gpz::Error(gpz::Status::not_found, "there is no chunk to copy");
    if (codec->chunk.size > capacity)
      throw gpz::Error(gpz::Status::limit_exceeded, "the chunk is larger than the memory for its copy");
    copy(codec->chunk, codec->codec.device(), host);
  });
}

gpz_status gpz_cuda_trajectory_set_key_interval(gpz_cuda_trajectory *codec, unsigned frames) {
  return guarded([&] { opened(codec, "codec").schedule.set_interval(frames); });
}

gpz_status gpz_cuda_trajectory_write(gpz_cuda_trajectory *codec, gpz_writer *writer, const gpz_frame *frame,
                                     const gpz_field *fields, size_t field_count, const int *rows,
                                     struct CUstream_st *stream) {
  return guarded([&] {
    require(codec != nullptr && writer != nullptr, "a null pointer");
    gpz::FrameInfo info = gpz::c::frame_info(frame);
    const auto inputs = device_inputs(fields, field_count, info.particles);
    for (const auto &input : inputs) info.fields.push_back(input.field);
    if (codec->writer != writer || codec->frames != writer->writer.frames().size() ||
        codec->size != writer->writer.size())
      codec->schedule.restart();
    write(*codec, writer->writer, info, inputs, rows, stream);
    codec->writer = writer;
    codec->frames = writer->writer.frames().size();
    codec->size = writer->writer.size();
  });
}

gpz_status gpz_cuda_trajectory_release(gpz_cuda_trajectory *codec) {
  return guarded([&] {
    opened(codec, "codec");
    codec->chunk = {};
    codec->codec.release();
  });
}

gpz_status gpz_cuda_trajectory_memory(const gpz_cuda_trajectory *codec, size_t *device_bytes, uint64_t *allocations) {
  return guarded([&] {
    const cuda::MemoryUse use = opened(codec, "codec").codec.memory();
    if (device_bytes != nullptr) *device_bytes = use.device_bytes;
    if (allocations != nullptr) *allocations = use.allocations;
  });
}

}  // extern "C"
