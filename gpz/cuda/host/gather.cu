// SPDX-License-Identifier: BSD-3-Clause
// gpz::cuda::Gather.
#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_select.cuh>
#include <limits>
#include <string>
#include <utility>

#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda_gather.hpp"

namespace gpz::cuda {
namespace {

struct HasBits {
  const int *flags;
  int bits;
  __device__ bool operator()(int row) const { return (flags[row] & bits) != 0; }
};

template <typename T>
__global__ void unpack_bits(const char *packed, std::ptrdiff_t stride, std::uint64_t rows, BitField bits,
                            std::int32_t *out) {
  const std::uint64_t row = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const auto value = *reinterpret_cast<const T *>(packed + static_cast<std::ptrdiff_t>(row) * stride);
  out[row] = static_cast<std::int32_t>(static_cast<std::uint32_t>(value >> bits.shift) & bits.mask) - bits.zero;
}

// cub counts rows in an int, and one launch has a thread for each.
void check_rows(std::uint64_t rows) {
  if (rows > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
    throw Error(Status::limit_exceeded, "at most 2^31 - 1 rows are possible, not " + std::to_string(rows));
}

}  // namespace

struct Gather::State {
  explicit State(int on) : device(on) {
    require_device(on);
    const CurrentDevice current(on);
    host_count.allocate(sizeof(int), 0);
  }
  ~State() {
    try {
      const CurrentDevice current(device);
      release();
      host_count.release();
    } catch (const Error &) {  // the device is lost, and its memory with it
      forget_last_error();
    }
  }
  State(const State &) = delete;
  State &operator=(const State &) = delete;

  void release() {
    for (DeviceBuffer *buffer : {&rows, &scratch, &count}) buffer->release();
    for (DeviceBuffer &column : columns) column.release();
  }

  template <typename T>
  T *room(DeviceBuffer &buffer, std::size_t elements) {
    if (buffer.capacity() < elements * sizeof(T)) {
      buffer.release();
      try {
        buffer.allocate(elements * sizeof(T));
      } catch (const Error &) {
        release();
        throw;
      }
      ++allocations;
    }
    return static_cast<T *>(buffer.data());
  }

  int device;
  DeviceBuffer rows, scratch, count, columns[max_columns];
  PinnedBuffer host_count;
  std::uint64_t allocations = 0;
};

Gather::Gather(int device) : state_(std::make_unique<State>(device)) {}
Gather::~Gather() = default;
Gather::Gather(Gather &&) noexcept = default;
Gather &Gather::operator=(Gather &&) noexcept = default;

Gather::Rows Gather::select(const int *flags, std::uint64_t rows, int bits, Stream stream) {
  check_rows(rows);
  if (rows == 0) return {};
  const CurrentDevice current(state_->device);
  check_memory(flags, rows, sizeof(int), "the array of flags");
  require_reachable(flags, state_->device, "the array of flags");
  forget_last_error();  // earlier errors of the caller are not this call's
  const auto items = static_cast<int>(rows);
  int *list = state_->room<int>(state_->rows, rows);
  int *count = state_->room<int>(state_->count, 1);
  const thrust::counting_iterator<int> numbers(0);
  const HasBits chosen{flags, bits};
  std::size_t bytes = 0;
  check_handled(cub::DeviceSelect::If(nullptr, bytes, numbers, list, count, items, chosen, stream), "selection");
  void *scratch = state_->room<char>(state_->scratch, bytes);
  check_handled(cub::DeviceSelect::If(scratch, bytes, numbers, list, count, items, chosen, stream), "selection");
  auto *found = static_cast<int *>(state_->host_count.data());
  check_handled(cudaMemcpyAsync(found, count, sizeof(int), cudaMemcpyDeviceToHost, stream), "selection");
  check_handled(cudaStreamSynchronize(stream), "selection");
  return {list, static_cast<std::uint64_t>(*found)};
}

ConstArray Gather::unpack(const ConstArray &packed, std::uint64_t rows, const BitField &bits, int column,
                          Stream stream) {
  if (packed.type != ConstArray::Type::int32 && packed.type != ConstArray::Type::int64)
    throw Error(Status::invalid_argument, "only integers have bits to unpack");
  if (column < 0 || column >= max_columns)
    throw Error(Status::invalid_argument, "no column " + std::to_string(column) + " to unpack to");
  check_rows(rows);
  const ConstArray unpacked{nullptr, sizeof(std::int32_t), ConstArray::Type::int32};
  if (rows == 0) return unpacked;
  const CurrentDevice current(state_->device);
  check_memory(packed.data, rows, size_of(packed.type), "the array of integers");
  if (packed.stride % static_cast<std::ptrdiff_t>(size_of(packed.type)) != 0)
    throw Error(Status::invalid_argument, "the stride of the integers is not a multiple of their size");
  require_reachable(packed.data, state_->device, "the array of integers");
  forget_last_error();
  auto *out = state_->room<std::int32_t>(state_->columns[column], rows);
  const auto *data = static_cast<const char *>(packed.data);
  constexpr unsigned threads = 256;
  const auto blocks = static_cast<unsigned>((rows + threads - 1) / threads);
  if (packed.type == ConstArray::Type::int32)
    unpack_bits<std::int32_t><<<blocks, threads, 0, stream>>>(data, packed.stride, rows, bits, out);
  else
    unpack_bits<std::int64_t><<<blocks, threads, 0, stream>>>(data, packed.stride, rows, bits, out);
  check_handled(cudaGetLastError(), "unpacking bits");
  return {out, unpacked.stride, unpacked.type};
}

void Gather::release() {
  const CurrentDevice current(state_->device);
  state_->release();
}

MemoryUse Gather::memory() const {
  std::size_t bytes = state_->rows.capacity() + state_->scratch.capacity() + state_->count.capacity();
  for (const DeviceBuffer &column : state_->columns) bytes += column.capacity();
  return {bytes, state_->allocations};
}

}  // namespace gpz::cuda
