// SPDX-License-Identifier: BSD-3-Clause
// The C interface of gpz/cuda_codec.hpp and of the pool.
#include "gpz/c/c_api.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "gpz/c/structures.hpp"
#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/host/c_inputs.hpp"
#include "gpz/cuda/host/c_outputs.hpp"
#include "gpz/cuda_codec.hpp"
#include "gpz/cuda_memory.hpp"
#include "gpz/gpz_cuda.h"

struct gpz_cuda_codec {
  explicit gpz_cuda_codec(int device) : codec(device) {}

  gpz::cuda::Codec codec;
  std::vector<gpz::EncodedChunk> written = std::vector<gpz::EncodedChunk>(1);  // keeps its memory between frames
};

namespace {

namespace cuda = gpz::cuda;
using cuda::device_inputs;
using cuda::device_outputs;
using gpz::c::guarded;
using gpz::c::opened;
using gpz::c::require;

static_assert(GPZ_CUDA_MAX_FIELDS == cuda::max_fields);
static_assert(offsetof(gpz_cuda_chunk, largest_error) + GPZ_CUDA_MAX_FIELDS * sizeof(double) == sizeof(gpz_cuda_chunk),
              "padding at the end would count as members");

}  // namespace

extern "C" {

gpz_status gpz_cuda_trim_pool(int device) {
  return guarded([&] { cuda::trim_pool(device); });
}

gpz_status gpz_cuda_outputs_of(const gpz_field *fields, size_t field_count, gpz_cuda_output *outputs) {
  return guarded([&] {
    const std::vector<gpz_field> given = gpz::c::taken_fields(fields, field_count);
    const auto inputs = device_inputs(given, 0);
    // Check all outputs before any is written.
    const std::size_t size = gpz::c::taken(outputs, field_count, "gpz_cuda_output").empty() ? 0 : outputs->struct_size;
    for (std::size_t f = 0; f < field_count; ++f) {
      gpz::Field field = inputs[f].field;
      gpz::fill_step(field);
      gpz_cuda_output output = gpz_cuda_new_output();
      output.stored = field.type == gpz::ValueType::integer ? GPZ_INT64 : given[f].type;
      output.components = static_cast<int>(field.components.size());
      output.leading = field.leading ? 1 : 0;
      output.bound = field.bound;
      output.step = field.step;
      output.type = given[f].type;
      gpz::c::give(output, gpz::c::element(outputs, size, f), "gpz_cuda_output");
    }
  });
}

gpz_status gpz_cuda_codec_create(int device, gpz_cuda_codec **codec) {
  return guarded([&] {
    gpz::c::start(codec, "codec");
    *codec = new gpz_cuda_codec(device);
  });
}

void gpz_cuda_codec_free(gpz_cuda_codec *codec) { delete codec; }

gpz_status gpz_cuda_codec_encode(gpz_cuda_codec *codec, const gpz_field *fields, size_t field_count, uint64_t particles,
                                 const int *rows, struct CUstream_st *stream, gpz_cuda_chunk *chunk) {
  return guarded([&] {
    opened(codec, "codec");
    gpz_cuda_chunk made = gpz_cuda_new_chunk();
    gpz::c::give(made, chunk, "gpz_cuda_chunk");  // clears the chunk, in case the call fails
    const auto inputs = device_inputs(fields, field_count, particles);
    const cuda::DeviceChunk &encoded = codec->codec.encode(inputs, particles, rows, stream);
    made.data = encoded.data;
    made.size = encoded.size;
    std::copy(encoded.largest_error.begin(), encoded.largest_error.end(), made.largest_error);
    gpz::c::give(made, chunk, "gpz_cuda_chunk");
  });
}

gpz_status gpz_cuda_codec_copy_chunk(gpz_cuda_codec *codec, void *host, size_t capacity) {
  return guarded([&] { opened(codec, "codec").codec.copy_chunk(host, capacity); });
}

gpz_status gpz_cuda_codec_write(gpz_cuda_codec *codec, gpz_writer *writer, const gpz_frame *frame,
                                const gpz_field *fields, size_t field_count, const int *rows,
                                struct CUstream_st *stream) {
  return guarded([&] {
    require(codec != nullptr && writer != nullptr, "a null pointer");
    gpz::FrameInfo info = gpz::c::frame_info(frame);
    const auto inputs = device_inputs(fields, field_count, info.particles);
    for (const auto &input : inputs) info.fields.push_back(input.field);
    codec->codec.encode(inputs, info.particles, rows, codec->written.front(), stream);
    writer->writer.write(info, codec->written);
  });
}

gpz_status gpz_cuda_codec_decode(gpz_cuda_codec *codec, const void *chunk, size_t size, uint64_t particles,
                                 const gpz_cuda_output *outputs, size_t output_count, uint64_t first_block,
                                 uint64_t block_count, struct CUstream_st *stream) {
  return guarded([&] {
    cuda::Codec &from = opened(codec, "codec").codec;
    from.decode(chunk, size, particles, device_outputs(outputs, output_count), stream, {first_block, block_count});
  });
}

gpz_status gpz_cuda_codec_decode_host(gpz_cuda_codec *codec, const void *chunk, size_t size, uint64_t particles,
                                      const gpz_cuda_output *outputs, size_t output_count, uint64_t first_block,
                                      uint64_t block_count, struct CUstream_st *stream) {
  return guarded([&] {
    cuda::Codec &from = opened(codec, "codec").codec;
    from.decode_from_host(chunk, size, particles, device_outputs(outputs, output_count), stream,
                          {first_block, block_count});
  });
}

gpz_status gpz_cuda_codec_release(gpz_cuda_codec *codec) {
  return guarded([&] { opened(codec, "codec").codec.release(); });
}

gpz_status gpz_cuda_codec_memory(const gpz_cuda_codec *codec, size_t *device_bytes, uint64_t *allocations) {
  return guarded([&] {
    const cuda::MemoryUse use = opened(codec, "codec").codec.memory();
    if (device_bytes != nullptr) *device_bytes = use.device_bytes;
    if (allocations != nullptr) *allocations = use.allocations;
  });
}

}  // extern "C"
