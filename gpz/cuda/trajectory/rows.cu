// SPDX-License-Identifier: BSD-3-Clause
#include <type_traits>

#include "gpz/core/keys.hpp"
#include "gpz/cuda/block/block_store.cuh"
#include "gpz/cuda/block/field_arguments.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/difference/state.hpp"
#include "gpz/cuda/difference/steps.cuh"
#include "gpz/cuda/trajectory/rows.hpp"
#include "gpz/format/section_head.hpp"

namespace gpz::cuda {
namespace {

constexpr unsigned row_threads = 256;

unsigned grid_for(std::uint64_t items) { return static_cast<unsigned>((items + row_threads - 1) / row_threads); }

__device__ std::uint64_t thread_index() { return std::uint64_t{blockIdx.x} * row_threads + threadIdx.x; }

template <typename T>
struct IndexSource {
  using Value = T;
  const std::int32_t *last[core::max_components];
  double step;
  __device__ T operator()(int d, std::uint64_t i) const {
    return core::grid_value<T>(static_cast<double>(last[d][i]), step);
  }
};

template <typename T>
struct KeySource {
  using Value = T;
  const std::int64_t *last[core::max_components];
  __device__ T operator()(int d, std::uint64_t i) const {
    if constexpr (std::is_integral_v<T>)
      return last[d][i];
    else
      return core::value_of<T>(static_cast<std::uint64_t>(last[d][i]));
  }
};

template <typename T>
struct ValueSource {
  using Value = T;
  DifferenceSource source;
  std::uint64_t first;
  __device__ T operator()(int d, std::uint64_t i) const {
    return source_value<T>(source, d, source_row(source, i - first));
  }
};

template <typename Source>
__global__ void __launch_bounds__(row_threads)
    write(const __grid_constant__ Source source, const __grid_constant__ DecodeField to, std::uint64_t first,
          std::uint64_t count) {
  const std::uint64_t k = thread_index();
  if (k >= count) return;
  const std::uint64_t i = first + k;
  const std::uint64_t row = row_of(to, i);
#pragma unroll
  for (int d = 0; d < core::max_components; ++d)
    if (d < to.components && to.data[d] != nullptr) store_in_row(to, d, row, source(d, i));
}

template <typename Source>
void launch(const Source &source, const FieldOutput &output, const RowRange &range, cudaStream_t stream) {
  if (range.count == 0) return;
  write<<<grid_for(range.count), row_threads, 0, stream>>>(source, decode_field(output, range.rows), range.first,
                                                           range.count);
  check(cudaGetLastError(), "values of a field");
}

template <typename T>
void launch_indices(const DeviceDifferenceState &state, const FieldOutput &output, const RowRange &range,
                    cudaStream_t stream) {
  IndexSource<T> source{};
  for (int d = 0; d < state.components; ++d) source.last[d] = state.last[d];
  source.step = output.field.step;
  launch(source, output, range, stream);
}

template <typename T>
void launch_keys(const std::int64_t *const *keys, const FieldOutput &output, const RowRange &range,
                 cudaStream_t stream) {
  KeySource<T> source{};
  for (std::size_t d = 0; d < output.field.components.size(); ++d) source.last[d] = keys[d];
  launch(source, output, range, stream);
}

template <typename T>
void launch_values(const DeviceValues &from, const FieldOutput &output, const RowRange &range, cudaStream_t stream) {
  launch(ValueSource<T>{source_of(from, static_cast<int>(output.field.components.size())), range.first}, output, range,
         stream);
}

template <typename T>
__global__ void __launch_bounds__(row_threads)
    write_exact(const std::uint64_t *exact, std::uint64_t count, const __grid_constant__ DecodeField to,
                std::uint64_t first, std::uint64_t particles, std::uint32_t *status) {
  const std::uint64_t k = thread_index();
  if (k >= count) return;
  const std::uint64_t d = exact[2 * k] >> format::exact_component_shift;
  const std::uint64_t i = exact[2 * k] & format::exact_row_mask;
  if (d >= static_cast<std::uint64_t>(to.components) || i >= particles) {
    atomicOr(status, section_damaged);
    return;
  }
  if (to.data[d] == nullptr) return;
  T value;
  if constexpr (sizeof(T) == 4)
    value = core::bit_cast<T>(static_cast<std::uint32_t>(exact[2 * k + 1]));
  else
    value = core::bit_cast<T>(exact[2 * k + 1]);
  store(to, static_cast<int>(d), first + i, value);
}

// Slot i is number i - (those before it that leave) of the ones that stay.
__global__ void __launch_bounds__(row_threads)
    find_staying(const std::uint32_t *leaving, std::uint32_t count, std::uint64_t slots, std::uint32_t *staying) {
  const std::uint64_t slot = thread_index();
  if (slot >= slots) return;
  std::uint32_t low = 0;
  std::uint32_t high = count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (leaving[middle] < slot)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == count || leaving[low] != slot) staying[slot - low] = static_cast<std::uint32_t>(slot);
}

__global__ void join(std::uint32_t *statuses, int count, const std::uint32_t *wide, std::uint32_t *all) {
  std::uint32_t status = wide != nullptr && *wide != 0 ? section_wide : 0;
  for (int k = static_cast<int>(threadIdx.x); k < count; k += warp_size) {
    status |= statuses[k];
    statuses[k] = 0;
  }
  status = warp_or(status);
  if (threadIdx.x == 0 && status != 0) *static_cast<volatile std::uint32_t *>(all) |= status;
}

}  // namespace

void write_indices(const DeviceDifferenceState &state, const FieldOutput &output, const RowRange &range,
                   Stream stream) {
  if (output.field.type == ValueType::float32) return launch_indices<float>(state, output, range, stream);
  launch_indices<double>(state, output, range, stream);
}

void write_keys(const std::int64_t *const *keys, const FieldOutput &output, const RowRange &range, Stream stream) {
  if (output.field.type == ValueType::integer) return launch_keys<std::int64_t>(keys, output, range, stream);
  if (output.field.type == ValueType::float32) return launch_keys<float>(keys, output, range, stream);
  launch_keys<double>(keys, output, range, stream);
}

void write_values(const DeviceValues &from, const FieldOutput &output, const RowRange &range, Stream stream) {
  if (output.field.type == ValueType::float32) return launch_values<float>(from, output, range, stream);
  launch_values<double>(from, output, range, stream);
}

void write_exact_values(const void *exact, std::uint64_t count, const FieldOutput &output, const RowRange &range,
                        std::uint32_t *status, Stream stream) {
  if (count == 0) return;
  const auto *pairs = static_cast<const std::uint64_t *>(exact);
  const DecodeField to = decode_field(output, range.rows);
  if (output.field.type == ValueType::float32)
    write_exact<float><<<grid_for(count), row_threads, 0, stream>>>(pairs, count, to, range.first, range.count, status);
  else
    write_exact<double>
        <<<grid_for(count), row_threads, 0, stream>>>(pairs, count, to, range.first, range.count, status);
  check(cudaGetLastError(), "exact values");
}

void list_staying(const std::uint32_t *leaving, std::uint64_t count, std::uint64_t slots, std::uint32_t *staying,
                  Stream stream) {
  if (slots == 0) return;
  find_staying<<<grid_for(slots), row_threads, 0, stream>>>(leaving, static_cast<std::uint32_t>(count), slots, staying);
  check(cudaGetLastError(), "particles that stay");
}

void join_statuses(std::uint32_t *statuses, int count, const std::uint32_t *wide, std::uint32_t *all, Stream stream) {
  join<<<1, warp_size, 0, stream>>>(statuses, count, wide, all);
  check(cudaGetLastError(), "statuses");
}

}  // namespace gpz::cuda
