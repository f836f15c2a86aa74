// SPDX-License-Identifier: BSD-3-Clause
// gpz/cuda_memory.hpp: memory of the pool for callers, and block chunks with all memory from there.
#include <utility>

#include "gpz/cuda/common/carver.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/host/block_calls.hpp"
#include "gpz/cuda_memory.hpp"
#include "gpz/error.hpp"

namespace gpz::cuda {
namespace {

int current_device() {
  int device = 0;
  check_handled(cudaGetDevice(&device), "current device");
  return device;
}

// Memory for a call: a result that kernels report, and the workspace after it.
template <typename Result>
class CallMemory {
 public:
  CallMemory(std::size_t workspace_size, Stream stream) : size_(workspace_size), stream_(stream) {
    memory_ = PoolMemory(carve(nullptr), stream);
    carve(memory_.data());
  }

  Result *result() const { return result_; }
  void *workspace() const { return workspace_; }
  std::size_t workspace_size() const { return size_; }

  // Waits for the kernels, and gives the memory back.
  Result finish(const char *what) {
    Result result{};
    check_handled(cudaMemcpyAsync(&result, result_, sizeof(Result), cudaMemcpyDeviceToHost, stream_), what);
    check_handled(cudaStreamSynchronize(stream_), what);
    memory_.release(stream_);
    return result;
  }

 private:
  std::size_t carve(void *base) {
    Carver carver(base);
    result_ = carver.take<Result>(1);
    workspace_ = carver.take<char>(size_);
    return carver.used();
  }

  PoolMemory memory_;
  std::size_t size_;
  Stream stream_;
  Result *result_ = nullptr;
  void *workspace_ = nullptr;
};

}  // namespace

PoolUse pool_use(int device) {
  require_device(device);
  const CurrentDevice current(device);
  PoolUse use;
  check_handled(DeviceMemory::pool_use(use.held, use.in_use), "use of the memory pool");
  return use;
}

void trim_pool(int device) {
  require_device(device);
  const CurrentDevice current(device);
  check_handled(DeviceMemory::trim_pool(), "giving memory back");
}

PoolMemory::PoolMemory(std::size_t size, Stream stream) : size_(size), device_(current_device()) {
  const cudaError_t error = DeviceMemory::take(&data_, size, stream);
  if (error == cudaSuccess) return;
  data_ = nullptr;
  forget_last_error();
  if (error == cudaErrorMemoryAllocation) throw_no_memory(DeviceMemory::name, size);
  check(error, DeviceMemory::name);
}

PoolMemory::~PoolMemory() { release(); }

PoolMemory::PoolMemory(PoolMemory &&other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)), device_(other.device_) {}

PoolMemory &PoolMemory::operator=(PoolMemory &&other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(device_, other.device_);
  return *this;
}

void PoolMemory::release() noexcept {
  if (data_ == nullptr) return;
  try {
    const CurrentDevice current(device_);
    if (DeviceMemory::give_back(data_) != cudaSuccess) forget_last_error();
  } catch (const Error &) {
    forget_last_error();  // the device is lost, and its memory with it
  }
  data_ = nullptr;
  size_ = 0;
}

void PoolMemory::release(Stream stream) noexcept {
  if (data_ == nullptr) return;
  try {
    const CurrentDevice current(device_);
    if (DeviceMemory::give_back(data_, stream) == cudaSuccess) {
      data_ = nullptr;
      size_ = 0;
      return;
    }
  } catch (const Error &) {
  }
  forget_last_error();
  release();
}

PoolChunk compress_now(const std::vector<FieldInput> &fields, std::uint64_t particles, const int *rows, Stream stream) {
  const std::vector<FieldInput> prepared = prepared_inputs(fields, particles, rows, current_device());
  PoolChunk chunk;
  chunk.memory = PoolMemory(compressed_bound(prepared, particles), stream);
  CallMemory<CompressResult> call(compress_workspace_size(prepared, particles), stream);
  compress(prepared, particles, rows, call.workspace(), call.workspace_size(), chunk.memory.data(), chunk.memory.size(),
           call.result(), stream);
  const CompressResult result = call.finish("compression");
  require_fits(result);
  chunk.size = static_cast<std::size_t>(result.bytes);
  chunk.largest_error = largest_errors(result, fields.size());
  return chunk;
}

void decompress_now(const void *chunk, std::size_t size, std::uint64_t particles,
                    const std::vector<FieldOutput> &fields, Stream stream, BlockRange range) {
  const int device = current_device();
  check_chunk(chunk, size, device);
  const std::vector<FieldOutput> prepared = prepared_outputs(fields, particles, device);
  CallMemory<std::uint32_t> call(decompress_workspace_size(prepared, particles), stream);
  decompress(chunk, size, particles, prepared, call.workspace(), call.workspace_size(), call.result(), stream, range);
  require_decoded(call.finish("decompression"));
}

}  // namespace gpz::cuda
