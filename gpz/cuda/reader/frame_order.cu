// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/reader/frame_order.hpp"

namespace gpz::cuda {
namespace {

constexpr unsigned threads = 256;

__global__ void compare(const std::int64_t *a, const std::int64_t *b, std::uint64_t n, std::uint32_t *differs) {
  const std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i < n && a[i] != b[i]) *differs = 1;
}

// Bytes per particle of both arrays of ids and of IdRanks.
constexpr std::uint64_t bytes_each = 64;

template <typename T>
T *in(const DeviceBuffer &buffer) {
  return static_cast<T *>(buffer.data());
}

}  // namespace

std::int64_t *FrameOrder::ids(std::uint64_t n) {
  if (n > UINT32_MAX) throw Error(Status::limit_exceeded, "more particles than can be sorted by id");
  if (n > capacity_) {
    release();
    const std::uint64_t room = n + n / 8;
    format::require_memory(room, bytes_each);
    charge_ = format::Charge(room * bytes_each);
    for (DeviceBuffer &buffer : ids_) buffer.allocate(room * sizeof(std::int64_t), 0);
    differs_.allocate(sizeof(std::uint32_t), 0);
    answer_.make();
    capacity_ = room;
    ++allocations_;
  }
  return in<std::int64_t>(ids_[filled_]);
}

bool FrameOrder::are_known(std::uint64_t n, Stream stream) {
  if (n != known_) return false;
  check_handled(cudaMemsetAsync(differs_.data(), 0, sizeof(std::uint32_t), stream), "comparing ids");
  const auto blocks = static_cast<unsigned>((n + threads - 1) / threads);
  compare<<<blocks, threads, 0, stream>>>(in<std::int64_t>(ids_[0]), in<std::int64_t>(ids_[1]), n,
                                          in<std::uint32_t>(differs_));
  check_handled(cudaGetLastError(), "comparing ids");
  check_handled(
      cudaMemcpyAsync(&answer_->differs, differs_.data(), sizeof answer_->differs, cudaMemcpyDeviceToHost, stream),
      "comparing ids");
  check_handled(cudaStreamSynchronize(stream), "comparing ids");
  return answer_->differs == 0;
}

const std::uint32_t *FrameOrder::rows(std::uint64_t n, Stream stream) {
  if (n == 0) return nullptr;
  if (!are_known(n, stream)) {
    known_ = 0;
    ranks_.find(in<std::int64_t>(ids_[filled_]), n, &answer_->bits, stream);
    known_ = n;
    filled_ = 1 - filled_;
  }
  return ranks_.rows();
}

void FrameOrder::release() {
  for (DeviceBuffer *const buffer : {&ids_[0], &ids_[1], &differs_}) buffer->release();
  answer_.release();
  ranks_.release();
  charge_ = {};
  capacity_ = known_ = 0;
}

MemoryUse FrameOrder::memory() const {
  return {ids_[0].capacity() + ids_[1].capacity() + differs_.capacity() + ranks_.device_bytes(),
          allocations_ + ranks_.allocations()};
}

}  // namespace gpz::cuda
