// SPDX-License-Identifier: BSD-3-Clause
// The C interface of gpz/cuda_trajectory_decoder.hpp.
#include "gpz/c/c_api.hpp"
#include "gpz/cuda/host/c_outputs.hpp"
#include "gpz/cuda_trajectory_decoder.hpp"
#include "gpz/gpz_cuda.h"

struct gpz_cuda_decoder {
  explicit gpz_cuda_decoder(int device) : decoder(device) {}

  gpz::cuda::TrajectoryDecoder decoder;
};

namespace {

namespace cuda = gpz::cuda;
using cuda::device_outputs;
using gpz::c::guarded;
using gpz::c::opened;
using gpz::c::require;

cuda::TrajectoryDecoder &decoder_of(gpz_cuda_decoder *decoder) { return opened(decoder, "decoder").decoder; }

cuda::OutputOrder order_of(int flags) {
  require((flags & ~GPZ_SORT_BY_ID) == 0, "unknown flags");
  return flags != 0 ? cuda::OutputOrder::id : cuda::OutputOrder::stored;
}

}  // namespace

extern "C" {

gpz_status gpz_cuda_decoder_create(int device, gpz_cuda_decoder **decoder) {
  return guarded([&] {
    gpz::c::start(decoder, "decoder");
    *decoder = new gpz_cuda_decoder(device);
  });
}

gpz_status gpz_cuda_decoder_use_threads(gpz_cuda_decoder *decoder, int threads) {
  return guarded([&] { decoder_of(decoder).use_threads(threads); });
}

void gpz_cuda_decoder_free(gpz_cuda_decoder *decoder) { delete decoder; }

gpz_status gpz_cuda_decoder_decode(gpz_cuda_decoder *decoder, const void *chunk, size_t size, uint64_t particles,
                                   const gpz_cuda_output *outputs, size_t output_count, int flags,
                                   struct CUstream_st *stream) {
  return guarded([&] {
    decoder_of(decoder).decode(chunk, size, particles, device_outputs(outputs, output_count), order_of(flags), stream);
  });
}

gpz_status gpz_cuda_decoder_decode_host(gpz_cuda_decoder *decoder, const void *chunk, size_t size, uint64_t particles,
                                        const gpz_cuda_output *outputs, size_t output_count, int flags,
                                        struct CUstream_st *stream) {
  return guarded([&] {
    decoder_of(decoder).decode_from_host(chunk, size, particles, device_outputs(outputs, output_count), order_of(flags),
                                         stream);
  });
}

gpz_status gpz_cuda_decoder_queue(gpz_cuda_decoder *decoder, const void *chunk, const void *host, size_t size,
                                  uint64_t particles, const gpz_cuda_output *outputs, size_t output_count, int flags,
                                  struct CUstream_st *stream) {
  return guarded([&] {
    decoder_of(decoder).queue(chunk, host, size, particles, device_outputs(outputs, output_count), order_of(flags),
                              stream);
  });
}

gpz_status gpz_cuda_decoder_check(gpz_cuda_decoder *decoder) {
  return guarded([&] { decoder_of(decoder).check(); });
}

gpz_status gpz_cuda_decoder_finish(gpz_cuda_decoder *decoder) {
  return guarded([&] { decoder_of(decoder).finish(); });
}

gpz_status gpz_cuda_decoder_release(gpz_cuda_decoder *decoder) {
  return guarded([&] { decoder_of(decoder).release(); });
}

gpz_status gpz_cuda_decoder_memory(const gpz_cuda_decoder *decoder, size_t *device_bytes, uint64_t *allocations) {
  return guarded([&] {
    const cuda::MemoryUse use = opened(decoder, "decoder").decoder.memory();
    if (device_bytes != nullptr) *device_bytes = use.device_bytes;
    if (allocations != nullptr) *allocations = use.allocations;
  });
}

}  // extern "C"
