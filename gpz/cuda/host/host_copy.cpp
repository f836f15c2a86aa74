// SPDX-License-Identifier: BSD-3-Clause
// gpz::cuda::HostCopy: copies chunks to pinned host memory in a stream of its own.
#include <cuda_runtime_api.h>

#include <optional>

#include "gpz/cuda/common/device_object.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda_transfer.hpp"
#include "gpz/error.hpp"

namespace gpz::cuda {

struct HostCopy::State : DeviceObject {
  explicit State(int on) : DeviceObject(on) {
    require_device(on);
    const CurrentDevice current(on);
    stream.emplace();
    done.emplace(cudaEventBlockingSync);
  }
  ~State() {
    give_back([this] {
      done->wait();
      buffer.release();
    });
  }

  void clear() {
    done->wait();
    bytes = 0;
    particles = 0;
    largest_error.clear();
  }

  void reserve(std::size_t size) {
    if (size <= buffer.capacity()) return;
    buffer.release();
    buffer.allocate(size);
  }

  void start(const DeviceChunk &chunk) {
    largest_error = chunk.largest_error;
    check_handled(cudaMemcpyAsync(buffer.data(), chunk.data, chunk.size, cudaMemcpyDeviceToHost, stream->get()),
                  "copy to the host");
    try {
      done->record(stream->get());
    } catch (const Error &) {
      if (cudaStreamSynchronize(stream->get()) != cudaSuccess) forget_last_error();
      throw;
    }
    bytes = chunk.size;
    particles = chunk.particles;
  }

  PinnedBuffer buffer;
  std::optional<OwnStream> stream;
  std::optional<Event> done;
  // Properties of the chunk in `buffer`.
  std::size_t bytes = 0;
  std::uint64_t particles = 0;
  std::vector<double> largest_error;
};

HostCopy::HostCopy(int device) : state_(std::make_unique<State>(device)) {}
HostCopy::~HostCopy() = default;
HostCopy::HostCopy(HostCopy &&) noexcept = default;
HostCopy &HostCopy::operator=(HostCopy &&) noexcept = default;

void HostCopy::reserve(std::size_t bytes) {
  const CurrentDevice current(state_->device);
  state_->clear();
  state_->reserve(bytes);
}

std::size_t HostCopy::capacity() const { return state_->buffer.capacity(); }

void HostCopy::start(const DeviceChunk &chunk) {
  if (chunk.data == nullptr) throw Error(Status::not_found, "there is no chunk to copy");
  const CurrentDevice current(state_->device);
  state_->clear();
  state_->reserve(chunk.size);
  state_->start(chunk);
}

void HostCopy::wait() const {
  const CurrentDevice current(state_->device);
  state_->done->wait();
}

ChunkView HostCopy::view() const {
  return {state_->particles, 0, static_cast<const std::uint8_t *>(state_->buffer.data()), state_->bytes,
          state_->largest_error};
}

}  // namespace gpz::cuda
