// SPDX-License-Identifier: BSD-3-Clause
// Rows from indices, where sections did not follow each other, and indices from rows.
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

struct Indices {
  const std::int32_t *of[core::max_components];
};

// Writes the position of each root, and the nearest image of the vector from the parent for other particles.
__global__ void find_vectors(const __grid_constant__ StepLayout layout, std::int32_t *rows, Indices last,
                             const __grid_constant__ molecule::Cell cell) {
  const std::uint64_t slot = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  if (slot >= layout.slots) return;
  const std::uint32_t i = layout.particle_at[slot];
  if (i == no_particle) return;
  const auto position_of = [&](std::uint32_t p) {
    return lanes::GridVector{last.of[0][p], last.of[1][p], last.of[2][p]};
  };
  lanes::GridVector vector = position_of(i);
  lanes::Image image{};
  if (layout.steps[slot / core::step_lanes].kind != core::StepKind::root) {
    vector = molecule::difference_of(vector, position_of(layout.particle_at[layout.parent[slot] / 8]));
    image = cell.shorten(vector);
  }
  store_whole(row_of_slot(rows, slot), vector, lanes::sum_of(0, image));
}

__global__ void __launch_bounds__(warp_size)
    add_parents(const __grid_constant__ StepLayout layout, std::int32_t *rows) {
  const StepLayout::Block block = layout.blocks[blockIdx.x];
  make_whole(layout, rows, block.first, block.end, [](const WholeRow &, lanes::RowImage) {});
}

// Motions of particles without bonds, from the history.
__global__ void __launch_bounds__(threads) find_motions(const __grid_constant__ StepLayout layout, float *motions,
                                                        const __grid_constant__ DifferenceHistory history, float part) {
  const std::uint64_t slot = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  if (slot >= layout.slots) return;
  const std::uint32_t i = layout.particle_at[slot];
  if (i == no_particle) return;
#pragma unroll
  for (unsigned d = 0; d < core::max_components; ++d) {
    core::KnownMotion known{};
    if (!history.at_rest) known = {history.velocity[d][i], history.previous[d][i], history.deviation[d][i]};
    core::start_motion(motions, slot, d, known, part);
  }
}

// Marks the rows of particles whose image is not the usual one, above the image.
constexpr int mark_at = 24;

__global__ void mark_images(const __grid_constant__ StepPlacing params) {
  const std::uint32_t k = blockIdx.x * threads + threadIdx.x;
  if (k >= params.image_count) return;
  const StepImage image = params.images[k];
  std::int32_t *const row = row_of_slot(params.rows, image.slot);
  // Slots that are not in use are never read.
  lanes::store_image(row, lanes::image_in(row) | (image.code + 1) << mark_at);
}

template <bool rests>
__global__ void __launch_bounds__(threads) find_positions(const __grid_constant__ StepPlacing params) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= params.layout.particles) return;
  std::int32_t *const to = row_of_slot(params.rows, params.layout.slot_of[i]);
  const int4 full = *reinterpret_cast<const int4 *>(to);
  const std::int32_t row[3] = {full.x, full.y, full.z};
  const auto marked = static_cast<std::uint32_t>(full.w);
  const lanes::RowImage last = marked & ((1u << mark_at) - 1);
  lanes::PositionInBox position = lanes::usual_position(params.cell, params.wraps, row, last);
  if (marked >> mark_at != 0) {
    position.image =
        lanes::sum_of(position.image, lanes::image_of_code(static_cast<std::uint8_t>((marked >> mark_at) - 1)));
    position.at = lanes::position_of(params.cell, row, position.image);
  }
  if (position.image != marked) lanes::store_image(to, position.image);
  const DifferenceHistory &history = params.history;
  bool is_wide = false;
#pragma unroll
  for (int d = 0; d < core::max_components; ++d) {
    is_wide |= position.at[d] <= -device_index_end || position.at[d] >= device_index_end;
    follow_index<rests>(history, d, i, static_cast<std::int32_t>(position.at[d]));
  }
  if (is_wide) atomicOr(params.status, section_wide);
}

const KernelFile kernels(reinterpret_cast<const void *>(add_parents));

}  // namespace

void launch_start_rows(const StepLayout &layout, const StepRows &rows, const std::int32_t *const *last,
                       const molecule::Cell &cell, cudaStream_t stream) {
  if (layout.block_count == 0) return;
  find_vectors<<<grid_of(layout.slots), threads, 0, stream>>>(layout, rows.before, {{last[0], last[1], last[2]}}, cell);
  if (layout.parent != nullptr) add_parents<<<layout.block_count, warp_size, 0, stream>>>(layout, rows.before);
  check(cudaGetLastError(), "rows of steps");
}

void launch_start_motions(const StepLayout &layout, const StepRows &rows, const DifferenceHistory &history,
                          cudaStream_t stream) {
  if (layout.slots == 0) return;
  const float part = 1.0F / static_cast<float>(history.frames);
  find_motions<<<grid_of(layout.slots), threads, 0, stream>>>(layout, rows.next_means, history, part);
  check(cudaGetLastError(), "motions of steps");
}

void launch_place_steps(const StepPlacing &params, cudaStream_t stream) {
  if (params.layout.particles == 0) return;
  if (params.image_count != 0) mark_images<<<grid_of(params.image_count), threads, 0, stream>>>(params);
  if (params.rests)
    find_positions<true><<<grid_of(params.layout.particles), threads, 0, stream>>>(params);
  else
    find_positions<false><<<grid_of(params.layout.particles), threads, 0, stream>>>(params);
  check(cudaGetLastError(), "indices of steps");
}

}  // namespace gpz::cuda
