// SPDX-License-Identifier: BSD-3-Clause
// Computes the residuals of a block of particles and its new history, with one warp and in one pass.
#pragma once

#include "gpz/cuda/difference/code.cuh"
#include "gpz/cuda/difference/indices.cuh"

namespace gpz::cuda {

// Marks, with one word per row, particles whose followed position, last + displacement, is one period above or below
// the index.
struct ResidualImages {
  std::uint32_t above[core::max_components][difference_rows];
  std::uint32_t below[core::max_components][difference_rows];
};

// Memory of a warp. Exceptions have one word per row.
struct ResidualMemory {
  static constexpr std::uint32_t bitmap_room = 254;  // words: 2.6 bits a value; longer ones are assembled in staging

  std::uint32_t u[core::max_components][padded_block];  // each row ends with a bit mask of core::is_above
  std::uint32_t exception[core::max_components][difference_rows];
  union {
    std::uint32_t between[core::max_components][difference_rows];  // bit masks of core::is_between
    std::uint32_t flags[core::max_components * difference_rows];   // used afterwards
  };
  union {
    ResidualImages images;
    std::uint32_t bitmap[bitmap_room];  // used afterwards
  };
  std::uint32_t margin;
  std::uint32_t any_forced;
};

// Axis d as seen by the lane of a row.
__device__ __forceinline__ OwnRow own_row(const ResidualMemory &memory, int d, std::uint32_t n) {
  const auto lane = this_lane();
  return {memory.u[d] + lane * padded_row, memory.any_forced != 0 ? memory.exception[d][lane] : 0,
          own_row_particles(n)};
}

__device__ __forceinline__ void clear(ResidualMemory &memory) {
  const auto lane = this_lane();
#pragma unroll
  for (int d = 0; d < core::max_components; ++d)
    memory.exception[d][lane] = memory.images.above[d][lane] = memory.images.below[d][lane] = 0;
#pragma unroll
  for (int d = 0; d < core::max_components; ++d) {
    memory.between[d][lane] = core::is_between(nothing_expected) ? full_mask : 0;
    memory.u[d][lane * padded_row + warp_size] = core::is_above(nothing_expected) ? full_mask : 0;
  }
  if (lane == 0) memory.margin = memory.any_forced = 0;
  __syncwarp();
}

inline __device__ __noinline__ void note_invalid(const DifferenceEncode &params, std::uint64_t slot, int d,
                                                 bool valid) {
  if (valid) {
    params.totals->wide = 1;
    return;
  }
  const unsigned long long at = atomicAdd(&params.totals->invalid, 1ull);
  if (at < params.invalid.capacity) params.invalid.indices[at] = slot | static_cast<std::uint64_t>(d) << 32;
}

// Handles unusual values: those that crossed an edge, are beyond one, or jumped very far. Uses core's 64-bit functions,
// in the order of the CPU. Without `images`, only jumps count and crossings are not written: predictions are compared
// without images.
inline __device__ void note_unusual(const DifferenceHistory &history, ResidualMemory &memory, int d, int row,
                                    std::uint64_t slot, std::int32_t index, std::int32_t last,
                                    std::int32_t expected_here, bool images) {
  const DeviceAxis &axis = history.axis[d];
  const std::uint32_t bit = 1u << this_lane();
  const std::int64_t q = index;
  const std::int64_t moved = core::displacement(q, last, axis.grid);
  const std::int64_t followed = last + moved;
  const std::int64_t expected = core::wrap(followed, axis.grid);
  if (followed > q) atomicOr(&memory.images.above[d][row], bit);
  if (followed < q) atomicOr(&memory.images.below[d][row], bit);
  const std::int64_t left = moved - core::expected_step(expected_here);
  bool forced = core::narrow_number(core::residual_number(left, expected_here)) == core::widest_residual;
  const std::int8_t crossing = core::crossing(q, last, axis.grid);
  if (images && crossing != 0 && history.crossings[d] != nullptr) history.crossings[d][slot] = crossing;
  if (images && expected != q) {
    const std::uint32_t margin = core::margin_needed(q, expected, axis.grid);
    if (margin != 0)
      atomicMax(&memory.margin, margin);
    else
      forced = true;
  }
  if (!forced) return;
  atomicOr(&memory.exception[d][row], bit);
  memory.any_forced = 1;
}

struct RememberedValue {
  std::int32_t index;  // or a mark
  std::int32_t last;
  std::int32_t deviation;
  std::int32_t expected;
};

// The history of a value besides its last index: none (plain state); motion; or rest, for which no array is read
// (DeviceDifferenceState::at_rest).
enum class Past : std::uint8_t { none, moving, rest };

// Number of any residual. Keep is that of ResidualPass. History: the state is not plain.
template <bool History, bool Keep>
__device__ __noinline__ std::uint32_t code_any_value(const DifferenceEncode &params, ResidualMemory &memory, int d,
                                                     int row, std::uint64_t slot, RememberedValue value) {
  const DifferenceHistory &history = params.history;
  const DeviceAxis &axis = history.axis[d];
  const bool good = is_index(value.index);
  const std::int32_t q = good ? value.index : value.last;
  const std::int32_t direct = q - value.last;
  const std::int32_t moved = device_displacement(direct, axis);
  if constexpr (Keep) {
    if (!good) note_invalid(params, slot, d, value.index != not_on_grid);
    history.last[d][slot] = q;
    if constexpr (History) {
      history.deviation[d][slot] = device_next_deviation(value.deviation, history.frames, moved);
      history.previous[d][slot] = device_limit(moved);
    }
  }
  if (!is_near(direct, axis) || !is_inside(q, axis))
    note_unusual(history, memory, d, row, slot, q, value.last, value.expected, Keep);
  return residual_number32(moved - core::expected_step(value.expected), value.expected);
}

// Replaces indices by residuals. Keep: updates the history and records invalid values. Full: the block is full.
template <int D, Past past, bool Predict, bool Keep, bool Full>
class ResidualPass {
 public:
  __device__ __forceinline__ ResidualPass(const DifferenceEncode &params, std::uint64_t block, std::uint32_t n,
                                          core::Predictor predictor, ResidualMemory &memory)
      : params_(params), memory_(memory), first_(block * difference_block), n_(n), predictor_(predictor) {}

  __device__ __forceinline__ void run(ResidualTotals (&totals)[D]) {
    // Load the next rows while these are coded.
    Batch next;
    fetch(0, next);
#pragma unroll 1
    for (int start = 0; start < difference_rows; start += batch_rows) {
      const Batch batch = next;
      if (start + batch_rows < difference_rows) fetch(start + batch_rows, next);
#pragma unroll
      for (int k = 0; k < batch_rows; ++k) code(start + k, k, batch, totals);
    }
    __syncwarp();
  }

 private:
  static constexpr int batch_rows = 2;
  static constexpr bool History = past != Past::none;
  using Batch = HistoryRows<D, batch_rows, past == Past::moving && (Keep || Predict), Predict>;

  __device__ __forceinline__ void fetch(int start, Batch &batch) const {
    if constexpr (Full) {
      batch.fetch(params_.history, particle(start));
    } else {
#pragma unroll
      for (int k = 0; k < batch_rows; ++k) {
        const std::uint32_t i = static_cast<std::uint32_t>(start + k) * warp_size + this_lane();
        batch.fetch(k, params_.history, first_, min(i, n_ - 1));  // beyond the end: the last particle again
      }
    }
  }

  // Particle of this lane in a row.
  __device__ __forceinline__ std::uint64_t particle(int row) const {
    return first_ + static_cast<std::uint32_t>(row) * warp_size + this_lane();
  }

  // Values of a row are nearly always usual, which takes a third of the instructions. All others share one branch.
  __device__ __forceinline__ void code(int row, int k, const Batch &batch, ResidualTotals (&totals)[D]) {
    const auto i = static_cast<std::uint32_t>(row) * warp_size + this_lane();
    const bool active = Full || i < n_;
    std::uint32_t *stored = &memory_.u[0][row * padded_row + static_cast<int>(this_lane())];
    std::int32_t index[D];
    std::int32_t expected[D];
    bool usual = true;
#pragma unroll
    for (int d = 0; d < D; ++d) {
      const DeviceAxis &axis = params_.history.axis[d];
      index[d] = active ? static_cast<std::int32_t>(stored[d * padded_block]) : batch.last[k][d];
      expected[d] = batch.expect(k, d, predictor_, params_.history.reciprocal);
      // Marks fail this test, because they are far from all indices.
      const std::uint32_t direct = static_cast<std::uint32_t>(index[d]) - static_cast<std::uint32_t>(batch.last[k][d]);
      usual &= is_usual(static_cast<std::int32_t>(direct), axis) && is_inside(index[d], axis);
    }
    std::uint32_t u[D] = {};
    if (usual) {
#pragma unroll
      for (int d = 0; d < D; ++d) u[d] = code_usual(row - k, k, d, index[d], expected[d], batch, active);
    } else if (active) {
#pragma unroll
      for (int d = 0; d < D; ++d)
        u[d] = code_any_value<History, Keep>(params_, memory_, d, row, first_ + i,
                                             {index[d], batch.last[k][d], batch.own_deviation(k, d), expected[d]});
    }
    if constexpr (past == Past::rest && Keep)
      if (active) start_velocity(first_ + i);
#pragma unroll
    for (int d = 0; d < D; ++d) {
      u[d] = active ? u[d] : 0;
      stored[d * padded_block] = u[d];
      totals[d].add(u[d]);
    }
    if constexpr (Predict) note_sides(row, expected);
  }

  // code_any_value() for a usual value.
  __device__ __forceinline__ std::uint32_t code_usual(int start, int k, int d, std::int32_t q, std::int32_t expected,
                                                      const Batch &batch, bool active) const {
    const DifferenceHistory &history = params_.history;
    const std::uint64_t at = particle(start);
    const std::int32_t moved = q - batch.last[k][d];
    if (Keep && active) {
      (history.last[d] + at)[k * warp_size] = q;
      if constexpr (History) {
        const std::int32_t sum = batch.own_deviation(k, d) - history.frames * moved;
        (history.deviation[d] + at)[k * warp_size] = max(min(sum, core::deviation_limit), -core::deviation_limit);
        (history.previous[d] + at)[k * warp_size] = moved;
      }
    }
    return residual_number32(moved - core::expected_step(expected), expected);
  }

  // This frame's displacements go to `previous`. What is the velocity now is `previous` of the next frame.
  __device__ __forceinline__ void start_velocity(std::uint64_t slot) const {
#pragma unroll
    for (int d = 0; d < D; ++d) params_.history.velocity[d][slot] = 0;
  }

  // Records core::is_above and core::is_between of the expected steps in a row.
  __device__ __forceinline__ void note_sides(int row, const std::int32_t (&expected)[D]) {
    std::uint32_t above = 0;
    std::uint32_t between = 0;
#pragma unroll
    for (int d = 0; d < D; ++d) {
      const bool own = static_cast<int>(this_lane()) == d;
      const std::uint32_t all_above = __ballot_sync(full_mask, core::is_above(expected[d]));
      const std::uint32_t all_between = __ballot_sync(full_mask, core::is_between(expected[d]));
      above = own ? all_above : above;
      between = own ? all_between : between;
    }
    if (this_lane() >= D) return;
    memory_.u[this_lane()][row * padded_row + warp_size] = above;
    memory_.between[this_lane()][row] = between;
  }

  const DifferenceEncode &params_;
  ResidualMemory &memory_;
  std::uint64_t first_;
  std::uint32_t n_;
  core::Predictor predictor_;
};

// Returns the largest error of this lane's values.
template <typename T, int D, Past past, bool Predict, bool Keep>
__device__ __forceinline__ double find_residuals(const DifferenceEncode &params, std::uint64_t block, std::uint32_t n,
                                                 core::Predictor predictor, ResidualMemory &memory,
                                                 ResidualTotals (&totals)[D]) {
  double error;
  if (n == difference_block) {
    error = IndexPass<T, D, true>(params.source, block, n, memory.u).run();
    ResidualPass<D, past, Predict, Keep, true>(params, block, n, predictor, memory).run(totals);
  } else {
    error = IndexPass<T, D, false>(params.source, block, n, memory.u).run();
    ResidualPass<D, past, Predict, Keep, false>(params, block, n, predictor, memory).run(totals);
  }
  return error;
}

}  // namespace gpz::cuda
