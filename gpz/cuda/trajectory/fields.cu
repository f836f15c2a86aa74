// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpz/core/keys.hpp"
#include "gpz/cuda/common/check.hpp"
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
__global__ void __launch_bounds__(field_threads)
    widen(const char *data, std::ptrdiff_t stride, const int *rows, std::uint64_t n, std::int64_t *out) {
  const std::uint64_t i = thread_index();
  if (i >= n) return;
  const std::int64_t row = rows == nullptr ? static_cast<std::int64_t>(i) : rows[i];
  out[i] = *reinterpret_cast<const T *>(data + row * stride);
}

template <typename T>
struct Columns {
  T *column[core::max_components];
};

template <typename T>
__global__ void __launch_bounds__(field_threads)
    find_change(const __grid_constant__ DifferenceSource source, std::uint64_t n, int components,
                Columns<std::int32_t> last, std::uint32_t *changed) {
  const std::uint64_t i = thread_index();
  if (i >= n) return;
  const SourcePlace at = source_place(source, i);
#pragma unroll
  for (int d = 0; d < core::max_components; ++d) {
    if (d >= components) return;
    if (source_value<T>(source, d, at.row) != last.column[d][at.slot]) *changed = 1;
  }
}

template <typename T>
__global__ void __launch_bounds__(field_threads)
    take_keys(const __grid_constant__ DifferenceSource source, std::uint64_t n, int components,
              Columns<std::int64_t> last, std::uint32_t *changed, const std::uint32_t *cancelled) {
  const std::uint64_t i = thread_index();
  if (i >= n || (cancelled != nullptr && *cancelled != 0)) return;
  const SourcePlace at = source_place(source, i);
#pragma unroll
  for (int d = 0; d < core::max_components; ++d) {
    if (d >= components) return;
    const auto key = static_cast<std::int64_t>(core::key_of(source_value<T>(source, d, at.row)));
    if (changed != nullptr && last.column[d][at.slot] != key) *changed = 1;
    last.column[d][at.slot] = key;
  }
}

__global__ void __launch_bounds__(field_threads)
    gather(const std::int64_t *from, const std::uint32_t *kept, std::uint64_t count, std::int64_t *to) {
  const std::uint64_t i = thread_index();
  if (i < count) to[i] = from[kept[i]];
}

__global__ void __launch_bounds__(field_threads)
    add(std::int32_t *last, const std::int8_t *crossings, std::uint64_t n) {
  const std::uint64_t i = thread_index();
  if (i < n && crossings[i] != 0) last[i] += crossings[i];
}

}  // namespace

void load_integers(const ConstArray &array, const int *rows, std::uint64_t n, std::int64_t *out, Stream stream) {
  if (n == 0) return;
  const auto *data = static_cast<const char *>(array.data);
  if (array.type == ConstArray::Type::int32)
    widen<std::int32_t><<<grid_for(n), field_threads, 0, stream>>>(data, array.stride, rows, n, out);
  else if (array.type == ConstArray::Type::int64)
    widen<std::int64_t><<<grid_for(n), field_threads, 0, stream>>>(data, array.stride, rows, n, out);
  else
    throw Error(Status::invalid_argument, "floats where integers belong");
  check(cudaGetLastError(), "copy of integers");
}

void compare_integers(const DeviceValues &values, const DeviceDifferenceState &state, std::uint32_t *changed,
                      Stream stream) {
  const std::uint64_t n = state.particles;
  const ConstArray::Type type = check_values(values, n, state.components, true);
  if (n == 0) return;
  const DifferenceSource source = source_of(values, state.components);
  Columns<std::int32_t> last{};
  std::copy_n(state.last, core::max_components, last.column);
  if (type == ConstArray::Type::int32)
    find_change<std::int32_t><<<grid_for(n), field_threads, 0, stream>>>(source, n, state.components, last, changed);
  else
    find_change<std::int64_t><<<grid_for(n), field_threads, 0, stream>>>(source, n, state.components, last, changed);
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
  if (n == 0) return;
  add<<<grid_for(n), field_threads, 0, stream>>>(last, crossings, n);
  check(cudaGetLastError(), "crossed edges");
}

}  // namespace gpz::cuda
