// SPDX-License-Identifier: BSD-3-Clause
// The C interface of gpz/cuda_memory.hpp.
#include <algorithm>

#include "gpz/c/c_api.hpp"
#include "gpz/c/structures.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/host/c_inputs.hpp"
#include "gpz/cuda/host/c_outputs.hpp"
#include "gpz/cuda_memory.hpp"
#include "gpz/gpz_cuda.h"

namespace {

namespace cuda = gpz::cuda;
using gpz::c::guarded;
using gpz::c::require;

}  // namespace

extern "C" {

gpz_status gpz_cuda_trim_pool(int device) {
  return guarded([&] { cuda::trim_pool(device); });
}

gpz_status gpz_cuda_pool_use(int device, size_t *held, size_t *in_use) {
  return guarded([&] {
    const cuda::PoolUse use = cuda::pool_use(device);
    if (held != nullptr) *held = use.held;
    if (in_use != nullptr) *in_use = use.in_use;
  });
}

gpz_status gpz_cuda_malloc(size_t size, struct CUstream_st *stream, void **memory) {
  return guarded([&] {
    require(memory != nullptr, "memory is a null pointer");
    *memory = nullptr;
    *memory = cuda::PoolMemory(size, stream).detach();
  });
}

gpz_status gpz_cuda_free(const void *memory, struct CUstream_st *stream) {
  return guarded([&] {
    if (memory == nullptr) return;
    cudaPointerAttributes attributes{};
    cuda::check_handled(cudaPointerGetAttributes(&attributes, memory), "kind of memory");
    require(attributes.type == cudaMemoryTypeDevice, "the memory is not device memory");
    const cuda::CurrentDevice current(attributes.device);
    cuda::check_handled(cuda::DeviceMemory::give_back(const_cast<void *>(memory), stream), "giving memory back");
  });
}

gpz_status gpz_cuda_compress_now(const gpz_field *fields, size_t field_count, uint64_t particles, const int *rows,
                                 struct CUstream_st *stream, gpz_cuda_chunk *chunk) {
  return guarded([&] {
    gpz_cuda_chunk made = gpz_cuda_new_chunk();
    gpz::c::give(made, chunk, "gpz_cuda_chunk");  // clears the chunk, in case the call fails
    cuda::PoolChunk encoded =
        cuda::compress_now(cuda::device_inputs(fields, field_count, particles), particles, rows, stream);
    made.size = encoded.size;
    std::copy(encoded.largest_error.begin(), encoded.largest_error.end(), made.largest_error);
    made.data = encoded.memory.detach();
    gpz::c::give(made, chunk, "gpz_cuda_chunk");
  });
}

gpz_status gpz_cuda_decompress_now(const void *chunk, size_t size, uint64_t particles, const gpz_cuda_output *outputs,
                                   size_t output_count, uint64_t first_block, uint64_t block_count,
                                   struct CUstream_st *stream) {
  return guarded([&] {
    cuda::decompress_now(chunk, size, particles, cuda::device_outputs(outputs, output_count), stream,
                         {first_block, block_count});
  });
}

}  // extern "C"
