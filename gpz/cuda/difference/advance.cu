// SPDX-License-Identifier: BSD-3-Clause
// Advances states by frames that are not coded as residuals.
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/difference/state.hpp"
#include "gpz/cuda/difference/steps.cuh"
#include "gpz/error.hpp"

namespace gpz::cuda {
namespace {

constexpr unsigned advance_threads = 256;

// Unchanged: all indices are those of the previous frame, and there are no values.
template <typename T, bool Unchanged>
__global__ void __launch_bounds__(advance_threads)
    advance(const __grid_constant__ DifferenceHistory history, const __grid_constant__ DifferenceSource source,
            int components, std::uint32_t *wide) {
  const std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * advance_threads + threadIdx.x;
  if (i >= history.particles) return;
  const std::uint64_t row = Unchanged ? i : source_row(source, i);
#pragma unroll
  for (int d = 0; d < core::max_components; ++d) {
    if (d >= components) return;
    std::int32_t moved = 0;
    if constexpr (!Unchanged) {
      const std::int32_t q = kept_index(source_value<T>(source, d, row), source.grid, wide);
      moved = q - history.last[d][i];
      history.last[d][i] = q;
    }
    history.deviation[d][i] = device_next_deviation(history.deviation[d][i], history.frames, moved);
    history.previous[d][i] = device_limit(moved);
  }
}

template <typename T, bool Unchanged>
void launch(const DifferenceHistory &history, const DifferenceSource &source, int components, std::uint32_t *wide,
            cudaStream_t stream) {
  if (history.particles == 0) return;
  const auto ctas = static_cast<unsigned>((history.particles + advance_threads - 1) / advance_threads);
  advance<T, Unchanged><<<ctas, advance_threads, 0, stream>>>(history, source, components, wide);
  check(cudaGetLastError(), "the history after a frame");
}

}  // namespace

void advance_difference(DeviceDifferenceState &state, const DeviceValues *values, std::uint32_t *wide, Stream stream) {
  if (state.plain) throw Error(Status::invalid_argument, "plain states are not followed");
  const DifferenceHistory history = history_of(state, {});
  if (values == nullptr) {
    launch<float, true>(history, {}, state.components, wide, stream);
  } else {
    const ConstArray::Type type = check_values(*values, state.particles, state.components, state.plain);
    const DifferenceSource source = source_of(*values, state.components);
    if (type == ConstArray::Type::float32)
      launch<float, false>(history, source, state.components, wide, stream);
    else
      launch<double, false>(history, source, state.components, wide, stream);
  }
  count_frame(state);
}

}  // namespace gpz::cuda
