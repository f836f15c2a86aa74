// SPDX-License-Identifier: BSD-3-Clause
// A frame that is encoded: its rows, its images, and the history after it.
#include "gpz/core/step_motion.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/steps/follow.cuh"
#include "gpz/cuda/steps/kernels.hpp"
#include "gpz/cuda/steps/whole.cuh"

namespace gpz::cuda {
namespace {

constexpr unsigned threads = 128;
unsigned grid_of(std::uint64_t n) { return static_cast<unsigned>((n + threads - 1) / threads); }

__device__ __forceinline__ bool is_near(const StepRow &at) {
  const auto is_within = [](std::int32_t x) { return x > -lanes::max_position && x < lanes::max_position; };
  return is_within(at.x) && is_within(at.y) && is_within(at.z);
}

struct Indices {
  const std::int32_t *of[core::max_components];

  explicit Indices(const std::int32_t *const *columns) : of{columns[0], columns[1], columns[2]} {}
  __device__ lanes::GridVector at(std::uint64_t i) const { return {of[0][i], of[1][i], of[2][i]}; }
};

__global__ void __launch_bounds__(threads)
    find_octaves(const __grid_constant__ Indices last, const __grid_constant__ Indices now, std::uint64_t particles,
                 const __grid_constant__ molecule::Cell cell, std::int8_t *octave) {
  const std::uint64_t step = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  const std::uint64_t first = step * core::step_lanes;
  if (first >= particles) return;
  const std::uint64_t left = particles - first;
  octave[step] = static_cast<std::int8_t>(
      core::octave_of_step(left < core::step_lanes ? left : core::step_lanes, [&](std::size_t i) {
        lanes::GridVector moved = molecule::difference_of(now.at(first + i), last.at(first + i));
        cell.shorten(moved);
        return moved;
      }));
}

// Writes the row of each root, and the nearest image of the vector from the parent for other particles.
__global__ void __launch_bounds__(threads) find_vectors(const __grid_constant__ StepFinding params) {
  const std::uint64_t slot = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  const StepLayout &layout = params.layout;
  if (slot >= layout.slots) return;
  const std::uint32_t i = layout.particle_at[slot];
  if (i == no_particle) return;
  const auto position_of = [&](std::uint32_t p) {
    return lanes::GridVector{params.index[0][p], params.index[1][p], params.index[2][p]};
  };
  lanes::GridVector at = position_of(i);
  lanes::RowImage image = 0;
  if (layout.steps[slot / core::step_lanes].kind == core::StepKind::root) {
    if (!params.is_key) {
      const std::int32_t *const last = row_of_slot(params.rows.before, slot);
      const lanes::RowImage before = lanes::image_in(last);
      lanes::GridVector vector = molecule::difference_of(at, lanes::position_of(params.cell, last, before));
      image = lanes::sum_of(before, params.cell.shorten(vector));
      at = molecule::sum_of(lanes::position_in(last), vector);
      if (!lanes::is_moderate(before)) params.report->is_unfit = 1;
    }
    const auto is_within = [](std::int64_t x) { return x > -lanes::max_position && x < lanes::max_position; };
    if (!is_within(at[0]) || !is_within(at[1]) || !is_within(at[2])) params.report->is_unfit = 1;
  } else {
    at = molecule::difference_of(at, position_of(layout.particle_at[layout.parent[slot] / 8]));
    image = lanes::sum_of(0, params.cell.shorten(at));
  }
  store_whole(row_of_slot(params.rows.now, slot), at, image);
}

__global__ void __launch_bounds__(warp_size) add_parents(const __grid_constant__ StepFinding params) {
  const StepLayout::Block block = params.layout.blocks[blockIdx.x];
  bool is_fit = true;
  make_whole(params.layout, params.rows.now, block.first, block.end,
             [&](const WholeRow &whole, lanes::RowImage of_parent) {
               // The sum has less than 2^32 in magnitude, so that one that is too large does not become near.
               is_fit = is_fit && is_near(whole.row) && lanes::is_moderate(of_parent);
             });
  if (!is_fit) params.report->is_unfit = 1;
}

// Calls found(rule, code) for each rule that gives another image.
template <typename Found>
__device__ __forceinline__ void compare(const StepImages &params, std::uint64_t slot, const Found &found) {
  const std::int32_t *const row = row_of_slot(params.now, slot);
  const lanes::RowImage image = lanes::image_in(row);
  const lanes::RowImage last = params.is_key ? 0 : lanes::image_in(row_of_slot(params.before, slot));
  for (std::uint32_t k = 0; k < params.rule_count; ++k) {
    const StepImages::Rule &rule = params.rules[k];
    const lanes::RowImage usual = lanes::usual_position(rule.cell, rule.wraps, row, last).image;
    if (usual != image) found(k, lanes::code_of(image, usual));
  }
}

__global__ void __launch_bounds__(threads) find_images(const __grid_constant__ StepImages params) {
  const std::uint64_t slot = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  if (slot >= params.layout.slots || params.layout.particle_at[slot] == no_particle) return;
  compare(params, slot, [&](std::uint32_t rule, std::uint8_t code) {
    if (params.list == nullptr) {
      const std::uint32_t at = atomicAdd(params.report->images + rule, 1u);
      if (at < StepReport::most_images) params.report->list[rule][at] = {static_cast<std::uint32_t>(slot), code};
      if (code == lanes::too_far) params.report->is_far[rule] = 1;
      return;
    }
    const std::uint32_t at = atomicAdd(&params.report->listed, 1u);
    if (at < params.list_capacity) params.list[at] = {static_cast<std::uint32_t>(slot), code};
  });
}

__device__ __forceinline__ void store_pair(const StepRows &rows, std::size_t slot, StepRowPair &to) {
  const auto store = [&](const std::int32_t *from, unsigned at) {
    *reinterpret_cast<int4 *>(to.values + at) = *reinterpret_cast<const int4 *>(row_of_slot(from, slot));
  };
  store(rows.before, 0);
  store(rows.now, StepRowPair::now);
}

__global__ void __launch_bounds__(threads)
    pair_rows(const __grid_constant__ StepRows rows, std::uint64_t first, std::uint64_t count, StepRowPair *to) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  if (k < count) store_pair(rows, first + k, to[k]);
}

__global__ void __launch_bounds__(threads)
    sample_steps(const __grid_constant__ StepRows rows, const std::uint32_t *steps, StepSample *sample) {
  const std::size_t slot = std::size_t{steps[blockIdx.x]} * core::step_lanes;
  StepSample &to = sample[blockIdx.x];
  if (threadIdx.x < core::step_lanes) store_pair(rows, slot + threadIdx.x, to.rows[threadIdx.x]);
  for (std::uint32_t k = threadIdx.x; k < core::motion_columns * core::step_lanes; k += threads)
    to.motions[k] = rows.means[core::motion_columns * slot + k];
}

template <bool rests>
__global__ void __launch_bounds__(threads) follow(const __grid_constant__ DifferenceHistory history, Indices index) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= history.particles) return;
#pragma unroll
  for (int d = 0; d < core::max_components; ++d) follow_index<rests>(history, d, i, index.of[d][i]);
}

const KernelFile kernels(reinterpret_cast<const void *>(find_vectors));

}  // namespace

void launch_find_octaves(const std::int32_t *const *last, const std::int32_t *const *index, std::uint64_t particles,
                         const molecule::Cell &cell, std::int8_t *octave, cudaStream_t stream) {
  const std::uint64_t steps = (particles + core::step_lanes - 1) / core::step_lanes;
  if (steps == 0) return;
  find_octaves<<<grid_of(steps), threads, 0, stream>>>(Indices(last), Indices(index), particles, cell, octave);
  check(cudaGetLastError(), "displacements of steps");
}

void launch_find_rows(const StepFinding &params, cudaStream_t stream) {
  find_vectors<<<grid_of(params.layout.slots), threads, 0, stream>>>(params);
  if (params.layout.parent != nullptr) add_parents<<<params.layout.block_count, warp_size, 0, stream>>>(params);
  check(cudaGetLastError(), "rows of steps");
}

void launch_sample_steps(const StepRows &rows, const std::uint32_t *steps, std::uint32_t count, StepSample *sample,
                         cudaStream_t stream) {
  if (count == 0) return;
  sample_steps<<<count, threads, 0, stream>>>(rows, steps, sample);
  check(cudaGetLastError(), "sample of steps");
}

void launch_pair_rows(const StepRows &rows, std::uint64_t first, std::uint64_t count, StepRowPair *to,
                      cudaStream_t stream) {
  if (count == 0) return;
  pair_rows<<<grid_of(count), threads, 0, stream>>>(rows, first, count, to);
  check(cudaGetLastError(), "rows of steps");
}

void launch_find_images(const StepImages &params, cudaStream_t stream) {
  find_images<<<grid_of(params.layout.slots), threads, 0, stream>>>(params);
  check(cudaGetLastError(), "images of steps");
}

void launch_follow(const DifferenceHistory &history, const std::int32_t *const *index, bool rests,
                   cudaStream_t stream) {
  const Indices indices(index);
  if (rests)
    follow<true><<<grid_of(history.particles), threads, 0, stream>>>(history, indices);
  else
    follow<false><<<grid_of(history.particles), threads, 0, stream>>>(history, indices);
  check(cudaGetLastError(), "the history after a frame");
}

}  // namespace gpz::cuda
