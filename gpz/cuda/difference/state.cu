// SPDX-License-Identifier: BSD-3-Clause
// States of difference frames in device memory: how they start, and how they change when particles arrive and leave.
#include <algorithm>
#include <utility>

#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/carver.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/difference/state.hpp"
#include "gpz/cuda/difference/steps.cuh"
#include "gpz/error.hpp"

namespace gpz::cuda {
namespace {

constexpr unsigned state_threads = 256;
constexpr std::int32_t largest_lo = 1 << 29;
constexpr std::int32_t largest_period = 1 << 30;

unsigned grid_for(std::uint64_t items) { return static_cast<unsigned>((items + state_threads - 1) / state_threads); }

void require(bool good, const char *what) {
  if (!good) throw Error(Status::invalid_argument, what);
}

struct IndexOutputs {
  std::int32_t *out[core::max_components];
};

template <typename T>
__global__ void __launch_bounds__(state_threads)
    quantize_values(const __grid_constant__ DifferenceSource source, std::uint64_t n, int components, IndexOutputs to,
                    std::uint32_t *wide) {
  const std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * state_threads + threadIdx.x;
  if (i >= n) return;
  const std::uint64_t row = source_row(source, i);
#pragma unroll
  for (int d = 0; d < core::max_components; ++d) {
    if (d >= components) return;
    to.out[d][i] = kept_index(source_value<T>(source, d, row), source.grid, wide);
  }
}

template <typename T>
__global__ void __launch_bounds__(state_threads)
    quantize_and_check(const __grid_constant__ DifferenceSource source, std::uint64_t n, int components,
                       IndexOutputs to, IndexReport *report) {
  const std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * state_threads + threadIdx.x;
  double error = 0;
  bool is_invalid = false;
  bool is_wide = false;
  if (i < n) {
    const std::uint64_t row = source_row(source, i);
#pragma unroll
    for (int d = 0; d < core::max_components; ++d) {
      if (d >= components) break;
      const DeviceIndex index = device_index(source_value<T>(source, d, row), source.grid);
      to.out[d][i] = index.good ? index.q : 0;
      is_invalid |= !index.valid;
      is_wide |= index.valid && !index.good;
      error = index.good && index.error > error ? index.error : error;
    }
  }
#pragma unroll
  for (int offset = warp_size / 2; offset > 0; offset /= 2) {
    const double other = __shfl_down_sync(full_mask, error, offset);
    error = other > error ? other : error;
  }
  if (is_invalid) report->invalid = 1;
  if (is_wide) report->wide = 1;
  // Bits of positive doubles are in the order of their values. Few warps have a larger error than those before.
  const auto bits = static_cast<unsigned long long>(__double_as_longlong(error));
  if (this_lane() == 0 && bits > *static_cast<volatile unsigned long long *>(&report->error))
    atomicMax(&report->error, bits);
}

// Gathers the values of kept particles; zeros follow.
__global__ void __launch_bounds__(state_threads) gather_kept(const std::int32_t *from, const std::uint32_t *kept,
                                                             std::uint64_t count, std::uint64_t all, std::int32_t *to) {
  const std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * state_threads + threadIdx.x;
  if (i < all) to[i] = i < count ? from[kept[i]] : 0;
}

bool fits(const core::GridAxis &axis) {
  const core::GridAxis checked = core::checked_axis(axis);
  return checked.period == 0 ||
         (checked.period <= largest_period && checked.lo >= -largest_lo && checked.lo <= largest_lo);
}

DeviceAxis device_axis(const core::GridAxis &axis, std::uint64_t frames) {
  const core::GridAxis checked = core::checked_axis(axis);
  // A deviation and `frames` usual displacements stay below 2^31 in sum.
  const auto usual = static_cast<std::int32_t>(
      std::min<std::uint64_t>(core::history_limit, (INT32_MAX - core::deviation_limit) / frames));
  if (checked.period == 0) return {INT32_MIN, UINT32_MAX, std::int32_t{1} << 30, 0, usual, checked};
  const auto period = static_cast<std::int32_t>(checked.period);
  return {static_cast<std::int32_t>(checked.lo),
          static_cast<std::uint32_t>(period),
          period / 2,
          period,
          std::min(usual, period / 2),
          checked};
}

DeviceDifferenceState carve(void *memory, std::uint64_t capacity, int components, bool plain, std::size_t &used) {
  require(components >= 1 && components <= core::max_components, "a state has 1 to 3 components");
  require(capacity < std::uint64_t{1} << 32, "a state has fewer than 2^32 particles");
  Carver carver(memory);
  DeviceDifferenceState state;
  for (int d = 0; d < components; ++d) {
    state.last[d] = carver.take<std::int32_t>(capacity);
    if (plain) continue;
    state.deviation[d] = carver.take<std::int32_t>(capacity);
    state.velocity[d] = carver.take<std::int32_t>(capacity);
    state.previous[d] = carver.take<std::int32_t>(capacity);
  }
  state.spare = carver.take<std::int32_t>(capacity);
  state.capacity = capacity;
  state.components = components;
  state.plain = plain;
  used = carver.used();
  return state;
}

}  // namespace

std::size_t difference_state_size(std::uint64_t capacity, int components, bool plain) {
  std::size_t used = 0;
  carve(nullptr, capacity, components, plain, used);
  return used;
}

DeviceDifferenceState place_difference_state(void *memory, std::uint64_t capacity, int components, bool plain) {
  std::size_t used = 0;
  return carve(memory, capacity, components, plain, used);
}

bool can_follow(const core::GridBox &box) { return std::all_of(box.begin(), box.end(), fits); }

ConstArray::Type check_values(const DeviceValues &values, std::uint64_t n, int components, bool plain) {
  const ConstArray::Type type = values.component[0].type;
  const bool integers = type == ConstArray::Type::int32 || type == ConstArray::Type::int64;
  require(integers == plain, "integers belong to plain states, floats to others");
  for (int d = 0; d < components; ++d) {
    const ConstArray &array = values.component[static_cast<std::size_t>(d)];
    require(array.type == type, "components of different types");
    require(n == 0 || array.data != nullptr, "a component without data");
    const auto size = static_cast<std::ptrdiff_t>(element_size(type));
    require(reinterpret_cast<std::uintptr_t>(array.data) % static_cast<std::uintptr_t>(size) == 0 &&
                array.stride % size == 0,
            "elements that are not aligned to their size");
  }
  return type;
}

DifferenceSource source_of(const DeviceValues &values, int components) {
  DifferenceSource source{};
  for (int d = 0; d < components; ++d) {
    const ConstArray &array = values.component[static_cast<std::size_t>(d)];
    source.data[d] = static_cast<const char *>(array.data);
    source.stride[d] = array.stride;
  }
  const auto size = static_cast<std::ptrdiff_t>(element_size(values.component[0].type));
  source.packed = true;
  for (int d = 0; d < components; ++d)
    source.packed &= source.data[d] == source.data[0] + d * size && source.stride[d] == components * size;
  source.rows = values.rows;
  source.windows = values.windows;
  source.grid = values.grid;
  return source;
}

DifferenceHistory history_of(const DeviceDifferenceState &state, const core::GridBox &box,
                             const DeviceCrossings &crossings) {
  require(state.frames != 0 && state.frames < INT32_MAX, "a state without a key frame, or with too many since");
  require(can_follow(box), "a box whose edges have too many grid units");
  DifferenceHistory history{};
  for (int d = 0; d < core::max_components; ++d) {
    history.last[d] = state.last[d];
    history.deviation[d] = state.deviation[d];
    history.velocity[d] = state.velocity[d];
    history.previous[d] = state.previous[d];
    history.crossings[d] = crossings[static_cast<std::size_t>(d)];
    history.axis[d] = device_axis(box[static_cast<std::size_t>(d)], state.frames);
  }
  history.particles = state.particles;
  history.blocks = (state.particles + difference_block - 1) / difference_block;
  history.frames = static_cast<std::int32_t>(state.frames);
  history.at_rest = state.at_rest();
  history.reciprocal = core::reciprocal_of(state.frames);
  return history;
}

void count_frame(DeviceDifferenceState &state) {
  std::swap(state.velocity, state.previous);
  state.is_motionless = false;
  ++state.frames;
}

void end_motion(DeviceDifferenceState &state, Stream stream) {
  for (int d = 0; d < state.components && !state.is_motionless && state.particles != 0; ++d)
    for (std::int32_t *column : {state.deviation[d], state.velocity[d], state.previous[d]})
      check(cudaMemsetAsync(column, 0, state.particles * sizeof(std::int32_t), stream), "clearing");
  state.is_motionless = true;
}

void undo_frame(DeviceDifferenceState &state) {
  std::swap(state.velocity, state.previous);
  --state.frames;
}

void find_indices(const DeviceValues &values, std::uint64_t n, int components, std::int32_t *const *out,
                  std::uint32_t *wide, Stream stream) {
  const ConstArray::Type type = values.component[0].type;
  check_values(values, n, components, type == ConstArray::Type::int32 || type == ConstArray::Type::int64);
  if (n == 0) return;
  const DifferenceSource source = source_of(values, components);
  IndexOutputs to{};
  std::copy_n(out, components, to.out);
  const unsigned ctas = grid_for(n);
  if (type == ConstArray::Type::int32)
    quantize_values<std::int32_t><<<ctas, state_threads, 0, stream>>>(source, n, components, to, wide);
  if (type == ConstArray::Type::int64)
    quantize_values<std::int64_t><<<ctas, state_threads, 0, stream>>>(source, n, components, to, wide);
  if (type == ConstArray::Type::float32)
    quantize_values<float><<<ctas, state_threads, 0, stream>>>(source, n, components, to, wide);
  if (type == ConstArray::Type::float64)
    quantize_values<double><<<ctas, state_threads, 0, stream>>>(source, n, components, to, wide);
  check(cudaGetLastError(), "grid indices");
}

void find_indices(const DeviceValues &values, std::uint64_t n, int components, std::int32_t *const *out,
                  IndexReport *report, Stream stream) {
  const ConstArray::Type type = check_values(values, n, components, false);
  if (n == 0) return;
  const DifferenceSource source = source_of(values, components);
  IndexOutputs to{};
  std::copy_n(out, components, to.out);
  if (type == ConstArray::Type::float32)
    quantize_and_check<float><<<grid_for(n), state_threads, 0, stream>>>(source, n, components, to, report);
  else
    quantize_and_check<double><<<grid_for(n), state_threads, 0, stream>>>(source, n, components, to, report);
  check(cudaGetLastError(), "grid indices");
}

void start_difference(DeviceDifferenceState &state, const DeviceValues &values, std::uint64_t n, std::uint32_t *wide,
                      Stream stream) {
  state.particles = 0;
  state.frames = 1;
  replace_difference(state, nullptr, 0, values, n, wide, stream);
}

void add_at_rest(DeviceDifferenceState &state, std::uint64_t count, Stream stream) {
  for (int d = 0; d < state.components && !state.plain && !state.at_rest() && count != 0; ++d)
    for (std::int32_t *column : {state.deviation[d], state.velocity[d], state.previous[d]})
      check(cudaMemsetAsync(column + state.particles, 0, count * sizeof(std::int32_t), stream), "clearing");
  state.particles += count;
}

void replace_difference(DeviceDifferenceState &state, const std::uint32_t *kept, std::uint64_t count,
                        const DeviceValues &added, std::uint64_t added_count, std::uint32_t *wide, Stream stream) {
  require(count <= state.particles && added_count <= state.capacity && count + added_count <= state.capacity,
          "more particles than a state has room for");
  const std::uint64_t all = count + added_count;
  // Not in place: other threads may still read the slot that would be written.
  const auto keep = [&](std::int32_t *&column) {
    if (all == 0) return;
    gather_kept<<<grid_for(all), state_threads, 0, stream>>>(column, kept, count, all, state.spare);
    check(cudaGetLastError(), "particles of a state");
    std::swap(column, state.spare);
  };
  std::int32_t *behind[core::max_components] = {};
  for (int d = 0; d < state.components; ++d) {
    if (count != 0) keep(state.last[d]);
    behind[d] = state.last[d] + count;
    if (state.plain || state.at_rest()) continue;
    keep(state.deviation[d]);
    keep(state.velocity[d]);
    keep(state.previous[d]);
  }
  if (added_count != 0) {
    check_values(added, added_count, state.components, state.plain);
    find_indices(added, added_count, state.components, behind, wide, stream);
  }
  state.particles = all;
}

namespace {
const KernelFile kernels(reinterpret_cast<const void *>(gather_kept));
}  // namespace

}  // namespace gpz::cuda
