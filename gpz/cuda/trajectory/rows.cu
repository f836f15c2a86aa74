// SPDX-License-Identifier: BSD-3-Clause
#include <type_traits>

#include "gpz/core/block.hpp"
#include "gpz/core/keys.hpp"
#include "gpz/cuda/block/block_store.cuh"
#include "gpz/cuda/block/exact_values.cuh"
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

// Sources load all components of a particle at once and ignore components that the field does not have.
template <typename T>
struct IndexSource {
  using Value = T;
  const std::int32_t *last[core::max_components];
  double step;
  __device__ void load(int components, std::uint64_t i, T (&value)[core::max_components]) const {
#pragma unroll
    for (int d = 0; d < core::max_components; ++d)
      if (d < components) value[d] = core::grid_value<T>(static_cast<double>(last[d][i]), step);
  }
};

template <typename T>
struct PackedSource {
  using Value = T;
  const PackedIndices *packed;
  double step;
  __device__ void load(int /*components*/, std::uint64_t i, T (&value)[core::max_components]) const {
    const int4 q = __ldg(reinterpret_cast<const int4 *>(packed) + i);
    value[0] = core::grid_value<T>(static_cast<double>(q.x), step);
    value[1] = core::grid_value<T>(static_cast<double>(q.y), step);
    value[2] = core::grid_value<T>(static_cast<double>(q.z), step);
  }
};

template <typename T>
struct KeySource {
  using Value = T;
  const std::int64_t *last[core::max_components];
  __device__ void load(int components, std::uint64_t i, T (&value)[core::max_components]) const {
#pragma unroll
    for (int d = 0; d < core::max_components; ++d) {
      if (d >= components) continue;
      if constexpr (std::is_integral_v<T>)
        value[d] = last[d][i];
      else
        value[d] = core::value_of<T>(static_cast<std::uint64_t>(last[d][i]));
    }
  }
};

template <typename T>
struct ValueSource {
  using Value = T;
  DifferenceSource source;
  std::uint64_t first;
  __device__ void load(int components, std::uint64_t i, T (&value)[core::max_components]) const {
    const std::uint64_t row = source_row(source, i - first);
#pragma unroll
    for (int d = 0; d < core::max_components; ++d)
      if (d < components) value[d] = source_value<T>(source, d, row);
  }
};

template <typename Source>
__device__ void write_one(const Source &source, const DecodeField &to, std::uint64_t particle, std::uint64_t row) {
  typename Source::Value value[core::max_components];
  source.load(to.components, particle, value);
#pragma unroll
  for (int d = 0; d < core::max_components; ++d)
    if (d < to.components && to.data[d] != nullptr) store(to, d, row, value[d]);
}

// Writes particle after particle, to rows in any order.
template <typename Source>
__global__ void __launch_bounds__(row_threads)
    scatter(const __grid_constant__ Source source, const __grid_constant__ DecodeField to, std::uint64_t first,
            std::uint64_t count, const std::uint32_t *rows) {
  const std::uint64_t k = thread_index();
  if (k >= count) return;
  write_one(source, to, first + k, rows == nullptr ? first + k : rows[first + k]);
}

// Writes row after row, as block decoders do. A thread block writes 1,024 rows, a warp some groups of 32 rows, whose
// particles it reads at once. `particles`: of the rows, if they are in another order.
constexpr int rows_at_once = static_cast<int>(block_size / row_threads);

template <typename Source, template <typename> typename Store, typename Out>
__global__ void __launch_bounds__(row_threads)
    gather(const __grid_constant__ Source source, const __grid_constant__ DecodeField to, std::uint64_t count,
           const std::uint32_t *particles) {
  __shared__ typename Store<Out>::Shared shared[row_threads / warp_size];
  const auto particle_of = [&](std::uint64_t row) { return particles == nullptr ? row : particles[row]; };
  const std::uint64_t first = std::uint64_t{blockIdx.x} * block_size;
  const std::uint32_t warp = threadIdx.x / warp_size;
  const int start = static_cast<int>(warp) * rows_at_once;
  const auto row_of = [&](int k) { return first + static_cast<unsigned>(start + k) * warp_size + this_lane(); };
  if (count - first < block_size) {
    for (int k = 0; k < rows_at_once; ++k)
      if (row_of(k) < count) write_one(source, to, particle_of(row_of(k)), row_of(k));
    return;
  }
  std::uint64_t particle[rows_at_once];
#pragma unroll
  for (int k = 0; k < rows_at_once; ++k) particle[k] = particle_of(row_of(k));
  typename Source::Value value[rows_at_once][core::max_components] = {};
#pragma unroll
  for (int k = 0; k < rows_at_once; ++k) source.load(to.components, particle[k], value[k]);
  Store<Out> store(to, blockIdx.x, shared[warp]);
#pragma unroll
  for (int k = 0; k < rows_at_once; ++k) {
    Out out[core::max_components];
#pragma unroll
    for (int d = 0; d < core::max_components; ++d) out[d] = static_cast<Out>(value[k][d]);
    store.put(start + k, out);
  }
}

template <template <typename> typename Store, typename Out, typename Source>
void launch_gather(const Source &source, const DecodeField &to, const RowRange &range, cudaStream_t stream) {
  const auto ctas = static_cast<unsigned>(core::blocks_of(range.count));
  gather<Source, Store, Out><<<ctas, row_threads, 0, stream>>>(source, to, range.count, range.particles);
}

// Returns false if the arrays are of another type, or not next to each other.
template <typename Out, typename Source>
bool launch_full_lines(const Source &source, const DecodeField &to, const RowRange &range, cudaStream_t stream) {
  const Layout layout = layout_of(to, std::is_same_v<Out, float> ? ArrayType::float32 : ArrayType::float64);
  if (layout == Layout::separate)
    launch_gather<SeparateStore, Out>(source, to, range, stream);
  else if (layout == Layout::interleaved)
    launch_gather<InterleavedStore, Out>(source, to, range, stream);
  return layout != Layout::any;
}

template <typename Source>
void launch(const Source &source, const FieldOutput &output, const RowRange &range, cudaStream_t stream) {
  using T = typename Source::Value;
  if (range.count == 0) return;
  const DecodeField to = decode_field(output);
  const bool has_all = range.first == 0 && (range.rows == nullptr || range.particles != nullptr);
  if (!has_all) {
    scatter<<<grid_for(range.count), row_threads, 0, stream>>>(source, to, range.first, range.count, range.rows);
  } else {
    bool is_done = false;
    if constexpr (!std::is_integral_v<T>) is_done = launch_full_lines<float>(source, to, range, stream);
    if constexpr (std::is_same_v<T, double>) is_done = is_done || launch_full_lines<double>(source, to, range, stream);
    if (!is_done) launch_gather<AnyStore, T>(source, to, range, stream);
  }
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
  const auto components = static_cast<int>(output.field.components.size());
  launch(ValueSource<T>{source_of(from, components), range.first}, output, range, stream);
}

template <typename T>
__global__ void __launch_bounds__(row_threads)
    write_exact(const std::uint64_t *exact, std::uint64_t count, const __grid_constant__ DecodeField to,
                std::uint64_t first, std::uint64_t particles, const std::uint32_t *rows, std::uint32_t *status) {
  const std::uint64_t k = thread_index();
  if (k >= count) return;
  const auto row = [&](std::uint64_t i) { return rows == nullptr ? first + i : rows[first + i]; };
  if (!store_exact<T>(exact + 2 * k, to, particles, row)) atomicOr(status, section_damaged);
}

// A staying slot i gets number i less the number of leaving slots before it.
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

void write_packed(const PackedIndices *packed, const FieldOutput &output, const RowRange &range, Stream stream) {
  if (output.field.type == ValueType::float32)
    launch(PackedSource<float>{packed, output.field.step}, output, range, stream);
  else
    launch(PackedSource<double>{packed, output.field.step}, output, range, stream);
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
  const DecodeField to = decode_field(output);
  if (output.field.type == ValueType::float32)
    write_exact<float>
        <<<grid_for(count), row_threads, 0, stream>>>(pairs, count, to, range.first, range.count, range.rows, status);
  else
    write_exact<double>
        <<<grid_for(count), row_threads, 0, stream>>>(pairs, count, to, range.first, range.count, range.rows, status);
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
