// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/carver.hpp"
#include "gpz/cuda/reader/staged_values.hpp"

namespace gpz::cuda {
namespace {

constexpr unsigned threads = 256;

// Copies bits. A narrower type gets the low bits.
template <typename From, typename To>
__global__ void place(const From *values, const std::uint32_t *rows, std::uint64_t n, char *to, std::ptrdiff_t stride) {
  const std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i >= n) return;
  const std::uint64_t row = rows != nullptr ? rows[i] : i;
  *reinterpret_cast<To *>(to + static_cast<std::ptrdiff_t>(row) * stride) = static_cast<To>(values[i]);
}

template <typename From, typename To>
void launch(const void *values, const DeviceArray &to, std::uint64_t n, const std::uint32_t *rows, Stream stream) {
  const auto blocks = static_cast<unsigned>((n + threads - 1) / threads);
  place<From, To><<<blocks, threads, 0, stream>>>(static_cast<const From *>(values), rows, n,
                                                  static_cast<char *>(to.data), to.stride);
  check_handled(cudaGetLastError(), "writing values");
}

}  // namespace

void place_values(const void *values, ConstArray::Type type, const DeviceArray &to, std::uint64_t n,
                  const std::uint32_t *rows, Stream stream) {
  if (n == 0) return;
  if (element_size(type) == sizeof(std::uint32_t))
    launch<std::uint32_t, std::uint32_t>(values, to, n, rows, stream);
  else if (element_size(to.type) == sizeof(std::uint32_t))
    launch<std::uint64_t, std::uint32_t>(values, to, n, rows, stream);
  else
    launch<std::uint64_t, std::uint64_t>(values, to, n, rows, stream);
}

void StagedValues::reserve(const std::vector<DeviceArray> &arrays, std::uint64_t n) {
  columns_.clear();
  n_ = n;
  Carver layout(nullptr);
  if (!arrays.empty()) format::require_memory(n, arrays.size() * sizeof(std::uint64_t));
  for (const DeviceArray &array : arrays) {
    columns_.push_back({layout.used(), array});
    layout.take<char>(n * columns_.back().size());
  }
  size_ = layout.used();
  if (size_ <= device_.capacity()) return;
  device_.release();
  device_charge_ = {};
  device_charge_ = format::Charge(size_);
  device_.allocate(size_, 0);
  ++allocations_;
}

void StagedValues::reserve_on_host() {
  if (size_ <= host_.capacity()) return;
  host_.release();
  host_charge_ = {};
  host_charge_ = format::Charge(size_);
  host_.allocate(size_, 0);
}

void StagedValues::copy_from_host(Stream stream) {
  if (size_ == 0) return;
  check_handled(cudaMemcpyAsync(device_.data(), host_.data(), size_, cudaMemcpyHostToDevice, stream),
                "copy to the device");
}

void *StagedValues::on_device(const Column &column) const { return static_cast<char *>(device_.data()) + column.at; }
void *StagedValues::on_host(const Column &column) const { return static_cast<char *>(host_.data()) + column.at; }

void StagedValues::place(const std::uint32_t *rows, Stream stream) const {
  for (const Column &column : columns_) place_values(on_device(column), column.type(), column.to, n_, rows, stream);
}

void StagedValues::release() {
  device_.release();
  host_.release();
  device_charge_ = {};
  host_charge_ = {};
}

MemoryUse StagedValues::memory() const { return {device_.capacity(), allocations_}; }

}  // namespace gpz::cuda
