// SPDX-License-Identifier: BSD-3-Clause
// gpz::cuda::Gather: selects rows and unpacks columns in device memory.
#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_select.cuh>
#include <limits>
#include <string>
#include <utility>

#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/device_object.hpp"
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
__device__ T element(const ConstArray &array, std::uint64_t row) {
  return *reinterpret_cast<const T *>(static_cast<const char *>(array.data) +
                                      static_cast<std::ptrdiff_t>(row) * array.stride);
}

template <typename T>
__device__ std::int32_t take(T value, const BitField &bits) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value >> bits.shift) & bits.mask) - bits.zero;
}

template <typename T>
__global__ void unpack_bits(ConstArray packed, std::uint64_t rows, BitField bits, std::int32_t *out) {
  const std::uint64_t row = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row < rows) out[row] = take(element<T>(packed, row), bits);
}

template <typename Real, typename T>
__global__ void add_edges(ConstArray x, ConstArray packed, std::uint64_t rows, Unwrapping how, double *out) {
  const std::uint64_t row = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const T image = element<T>(packed, row);
  double sum = element<Real>(x, row);
  for (int axis = 0; axis < 3; ++axis)
    sum = __dadd_rn(sum, __dmul_rn(how.edges[axis], static_cast<double>(take(image, how.images[axis]))));
  out[row] = sum;
}

// Call `call` with a value of the array's type: an integer, or a floating-point number.
template <typename Call>
void with_integer(ConstArray::Type type, const Call &call) {
  type == ConstArray::Type::int32 ? call(std::int32_t{}) : call(std::int64_t{});
}

template <typename Call>
void with_real(ConstArray::Type type, const Call &call) {
  type == ConstArray::Type::float32 ? call(float{}) : call(double{});
}

constexpr unsigned threads = 256;

unsigned blocks(std::uint64_t rows) { return static_cast<unsigned>((rows + threads - 1) / threads); }

// cub counts rows in an int, and each row takes one thread of a launch.
void check_rows(std::uint64_t rows) {
  if (rows > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
    throw Error(Status::limit_exceeded, "at most 2^31 - 1 rows are possible, not " + std::to_string(rows));
}

}  // namespace

struct Gather::State : DeviceObject {
  explicit State(int on) : DeviceObject(on) {
    require_device(on);
    const CurrentDevice current(on);
    host_count.make();
  }
  ~State() {
    give_back([this] {
      release();
      host_count.release();
    });
  }

  void release() {
    for (DeviceBuffer *buffer : {&rows, &scratch, &count}) buffer->release();
    for (DeviceBuffer &column : columns) column.release();
    for (DeviceBuffer &column : unwrapped) column.release();
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

  DeviceBuffer rows, scratch, count, columns[max_columns], unwrapped[max_columns];
  PinnedReport<int> host_count;
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
  forget_last_error();  // earlier errors of the caller do not belong to this call
  const auto items = static_cast<int>(rows);
  int *list = state_->room<int>(state_->rows, rows);
  int *count = state_->room<int>(state_->count, 1);
  const thrust::counting_iterator<int> numbers(0);
  const HasBits chosen{flags, bits};
  std::size_t bytes = 0;
  check_handled(cub::DeviceSelect::If(nullptr, bytes, numbers, list, count, items, chosen, stream), "selection");
  void *scratch = state_->room<char>(state_->scratch, bytes);
  check_handled(cub::DeviceSelect::If(scratch, bytes, numbers, list, count, items, chosen, stream), "selection");
  check_handled(cudaMemcpyAsync(state_->host_count.get(), count, sizeof(int), cudaMemcpyDeviceToHost, stream),
                "selection");
  check_handled(cudaStreamSynchronize(stream), "selection");
  return {list, static_cast<std::uint64_t>(*state_->host_count)};
}

namespace {

// Checks `array` before a column is made from it. `what` names it in messages.
void check_array(const ConstArray &array, std::uint64_t rows, int device, const char *what) {
  check_memory(array.data, rows, element_size(array.type), what);
  if (array.stride % static_cast<std::ptrdiff_t>(element_size(array.type)) != 0)
    throw Error(Status::invalid_argument, std::string("the stride of ") + what + " is not a multiple of their size");
  require_reachable(array.data, device, what);
}

void check_column(int column, const ConstArray &packed) {
  if (!is_integer(packed.type)) throw Error(Status::invalid_argument, "only integers have bits to unpack");
  if (column < 0 || column >= Gather::max_columns)
    throw Error(Status::invalid_argument, "no column " + std::to_string(column) + " to unpack to");
}

}  // namespace

ConstArray Gather::unpack(const ConstArray &packed, std::uint64_t rows, const BitField &bits, int column,
                          Stream stream) {
  check_column(column, packed);
  check_rows(rows);
  const ConstArray unpacked{nullptr, sizeof(std::int32_t), ConstArray::Type::int32};
  if (rows == 0) return unpacked;
  const CurrentDevice current(state_->device);
  check_array(packed, rows, state_->device, "the array of integers");
  forget_last_error();
  auto *out = state_->room<std::int32_t>(state_->columns[column], rows);
  with_integer(packed.type, [&](auto integer) {
    unpack_bits<decltype(integer)><<<blocks(rows), threads, 0, stream>>>(packed, rows, bits, out);
  });
  check_handled(cudaGetLastError(), "unpacking bits");
  return {out, unpacked.stride, unpacked.type};
}

ConstArray Gather::unwrap(const ConstArray &x, const ConstArray &packed, std::uint64_t rows, const Unwrapping &how,
                          int column, Stream stream) {
  check_column(column, packed);
  if (is_integer(x.type)) throw Error(Status::invalid_argument, "coordinates are floating-point numbers");
  check_rows(rows);
  const ConstArray unwrapped{nullptr, sizeof(double), ConstArray::Type::float64};
  if (rows == 0) return unwrapped;
  const CurrentDevice current(state_->device);
  check_array(packed, rows, state_->device, "the array of integers");
  check_array(x, rows, state_->device, "the array of coordinates");
  forget_last_error();
  auto *out = state_->room<double>(state_->unwrapped[column], rows);
  with_real(x.type, [&](auto real) {
    with_integer(packed.type, [&](auto integer) {
      add_edges<decltype(real), decltype(integer)><<<blocks(rows), threads, 0, stream>>>(x, packed, rows, how, out);
    });
  });
  check_handled(cudaGetLastError(), "unwrapping");
  return {out, unwrapped.stride, unwrapped.type};
}

void Gather::release() {
  const CurrentDevice current(state_->device);
  state_->release();
}

MemoryUse Gather::memory() const {
  std::size_t bytes = state_->rows.capacity() + state_->scratch.capacity() + state_->count.capacity();
  for (const DeviceBuffer &column : state_->columns) bytes += column.capacity();
  for (const DeviceBuffer &column : state_->unwrapped) bytes += column.capacity();
  return {bytes, state_->allocations};
}

}  // namespace gpz::cuda
