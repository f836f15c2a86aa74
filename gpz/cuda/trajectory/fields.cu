// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpz/core/keys.hpp"
#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/difference/state.hpp"
#include "gpz/cuda/difference/steps.cuh"
#include "gpz/cuda/trajectory/fields.hpp"
#include "gpz/error.hpp"

namespace gpz::cuda {
namespace {

constexpr unsigned field_threads = 256;

unsigned grid_for(std::uint64_t items) { return static_cast<unsigned>((items + field_threads - 1) / field_threads); }

__device__ std::uint64_t thread_index() { return static_cast<std::uint64_t>(blockIdx.x) * field_threads + threadIdx.x; }

template <typename T>
__device__ T element_at(const char *data, std::ptrdiff_t stride, std::uint64_t i) {
  return *reinterpret_cast<const T *>(data + static_cast<std::ptrdiff_t>(i) * stride);
}

template <typename From, typename To>
__global__ void __launch_bounds__(field_threads)
    take_elements(const char *data, std::ptrdiff_t stride, const int *rows, std::uint64_t n, To *out) {
  const std::uint64_t i = thread_index();
  if (i < n) out[i] = element_at<From>(data, stride, rows == nullptr ? i : static_cast<std::uint64_t>(rows[i]));
}

template <typename From, typename To>
void take(const ConstArray &array, const int *rows, std::uint64_t n, To *out, cudaStream_t stream) {
  const auto *data = static_cast<const char *>(array.data);
  take_elements<From, To><<<grid_for(n), field_threads, 0, stream>>>(data, array.stride, rows, n, out);
  check(cudaGetLastError(), "copy of integers");
}

constexpr unsigned compared_at_once = 8;

template <typename T>
__global__ void __launch_bounds__(field_threads)
    find_difference(const char *data, std::ptrdiff_t stride, const T *copy, std::uint64_t n, std::uint32_t *changed) {
  const std::uint64_t first = static_cast<std::uint64_t>(blockIdx.x) * (field_threads * compared_at_once) + threadIdx.x;
  bool differs = false;
#pragma unroll
  for (unsigned k = 0; k < compared_at_once; ++k) {
    const std::uint64_t i = first + k * field_threads;
    if (i < n) differs |= copy[i] != element_at<T>(data, stride, i);
  }
  if (differs) *changed = 1;
}

template <typename T>
struct Columns {
  T *column[core::max_components];
};

// One thread block per block of slots. All loads of a thread are in flight at once.
template <typename T>
__global__ void __launch_bounds__(field_threads)
    find_change(const __grid_constant__ DifferenceSource source, std::uint64_t n, int components,
                Columns<std::int32_t> last, std::uint32_t *changed) {
  constexpr std::uint32_t share = difference_block / field_threads;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * difference_block;
  const SourceBlock block(source, blockIdx.x);
  std::uint32_t word[share];
#pragma unroll
  for (std::uint32_t k = 0; k < share; ++k) {
    const std::uint32_t i = k * field_threads + threadIdx.x;
    word[k] = first + i < n ? block.load(i) : 0;
  }
  bool differs = false;
#pragma unroll
  for (int d = 0; d < core::max_components; ++d) {
    if (d >= components) break;
#pragma unroll
    for (std::uint32_t k = 0; k < share; ++k) {
      const std::uint32_t i = k * field_threads + threadIdx.x;
      if (first + i >= n) continue;
      const SourceBlock::RowAndSlot at = block.at(i, word[k]);
      differs |= source_value<T>(source, d, at.row) != last.column[d][first + at.slot];
    }
  }
  if (differs) *changed = 1;
}

template <typename T>
__global__ void __launch_bounds__(field_threads)
    take_keys(const __grid_constant__ DifferenceSource source, std::uint64_t n, int components,
              Columns<std::int64_t> last, std::uint32_t *changed, const std::uint32_t *cancelled) {
  const std::uint64_t i = thread_index();
  if (i >= n || (cancelled != nullptr && *cancelled != 0)) return;
  const SourceBlock::RowAndSlot at =
      SourceBlock(source, i / difference_block)[static_cast<std::uint32_t>(i) % difference_block];
  const std::uint64_t slot = i / difference_block * difference_block + at.slot;
#pragma unroll
  for (int d = 0; d < core::max_components; ++d) {
    if (d >= components) return;
    const auto key = static_cast<std::int64_t>(core::key_of(source_value<T>(source, d, at.row)));
    if (changed != nullptr && last.column[d][slot] != key) *changed = 1;
    last.column[d][slot] = key;
  }
}

__global__ void __launch_bounds__(field_threads)
    gather(const std::int64_t *from, const std::uint32_t *kept, std::uint64_t count, std::int64_t *to) {
  const std::uint64_t i = thread_index();
  if (i < count) to[i] = from[kept[i]];
}

template <typename T>
__global__ void __launch_bounds__(field_threads) add(T *last, const std::int8_t *crossings, std::uint64_t n) {
  const std::uint64_t i = thread_index();
  if (i < n && crossings[i] != 0) last[i] = static_cast<T>(core::sum_of(last[i], crossings[i]));
}

template <typename T>
void launch_add(T *last, const std::int8_t *crossings, std::uint64_t n, cudaStream_t stream) {
  if (n == 0) return;
  add<<<grid_for(n), field_threads, 0, stream>>>(last, crossings, n);
  check(cudaGetLastError(), "crossed edges");
}

}  // namespace

void load_integers(const ConstArray &array, const int *rows, std::uint64_t n, std::int64_t *out, Stream stream) {
  if (n == 0) return;
  if (array.type == ConstArray::Type::int32) return take<std::int32_t>(array, rows, n, out, stream);
  if (array.type == ConstArray::Type::int64) return take<std::int64_t>(array, rows, n, out, stream);
  throw Error(Status::invalid_argument, "floats where integers belong");
}

void copy_integers(const ConstArray &array, std::uint64_t n, void *out, Stream stream) {
  if (n == 0) return;
  const auto *data = static_cast<const char *>(array.data);
  const auto size = static_cast<std::ptrdiff_t>(element_size(array.type));
  if (array.stride == size)
    return check(cudaMemcpyAsync(out, data, n * static_cast<std::size_t>(size), cudaMemcpyDeviceToDevice, stream),
                 "copy of integers");
  if (array.type == ConstArray::Type::int32)
    return take<std::int32_t>(array, nullptr, n, static_cast<std::int32_t *>(out), stream);
  take<std::int64_t>(array, nullptr, n, static_cast<std::int64_t *>(out), stream);
}

void compare_copies(const ConstArray &array, const void *copy, std::uint64_t n, std::uint32_t *changed, Stream stream) {
  if (n == 0) return;
  const auto *data = static_cast<const char *>(array.data);
  const unsigned ctas = grid_for((n + compared_at_once - 1) / compared_at_once);
  if (array.type == ConstArray::Type::int32)
    find_difference<<<ctas, field_threads, 0, stream>>>(data, array.stride, static_cast<const std::int32_t *>(copy), n,
                                                        changed);
  else
    find_difference<<<ctas, field_threads, 0, stream>>>(data, array.stride, static_cast<const std::int64_t *>(copy), n,
                                                        changed);
  check(cudaGetLastError(), "comparison of integers");
}

void compare_integers(const DeviceValues &values, const DeviceDifferenceState &state, std::uint32_t *changed,
                      Stream stream) {
  const std::uint64_t n = state.particles;
  const ConstArray::Type type = check_values(values, n, state.components, true);
  if (n == 0) return;
  const DifferenceSource source = source_of(values, state.components);
  Columns<std::int32_t> last{};
  std::copy_n(state.last, core::max_components, last.column);
  const auto ctas = static_cast<unsigned>((n + difference_block - 1) / difference_block);
  if (type == ConstArray::Type::int32)
    find_change<std::int32_t><<<ctas, field_threads, 0, stream>>>(source, n, state.components, last, changed);
  else
    find_change<std::int64_t><<<ctas, field_threads, 0, stream>>>(source, n, state.components, last, changed);
  check(cudaGetLastError(), "comparison of integers");
}

void follow_keys(const DeviceValues &values, std::uint64_t n, int components, std::int64_t *const *last,
                 std::uint32_t *changed, Stream stream, const std::uint32_t *cancelled) {
  const ConstArray::Type type = check_values(values, n, components, false);
  if (n == 0) return;
  const DifferenceSource source = source_of(values, components);
  Columns<std::int64_t> columns{};
  std::copy_n(last, components, columns.column);
  if (type == ConstArray::Type::float32)
    take_keys<float><<<grid_for(n), field_threads, 0, stream>>>(source, n, components, columns, changed, cancelled);
  else
    take_keys<double><<<grid_for(n), field_threads, 0, stream>>>(source, n, components, columns, changed, cancelled);
  check(cudaGetLastError(), "keys of floats");
}

void keep_integers(const std::int64_t *from, const std::uint32_t *kept, std::uint64_t count, std::int64_t *to,
                   Stream stream) {
  if (count == 0) return;
  gather<<<grid_for(count), field_threads, 0, stream>>>(from, kept, count, to);
  check(cudaGetLastError(), "integers of particles");
}

void add_crossings(std::int32_t *last, const std::int8_t *crossings, std::uint64_t n, Stream stream) {
  launch_add(last, crossings, n, stream);
}
void add_crossings(std::int64_t *last, const std::int8_t *crossings, std::uint64_t n, Stream stream) {
  launch_add(last, crossings, n, stream);
}

namespace {
const KernelFile kernels(reinterpret_cast<const void *>(gather));
}  // namespace

}  // namespace gpz::cuda
