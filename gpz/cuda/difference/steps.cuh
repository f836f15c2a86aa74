// SPDX-License-Identifier: BSD-3-Clause
// Operations on single values of difference sections. Indices are below 2^30, so that nearly all arithmetic has 32
// bits. Results are those of gpz/core/residual.hpp.
#pragma once

#include <type_traits>

#include "gpz/core/pack.hpp"
#include "gpz/cuda/common/device_index.cuh"
#include "gpz/cuda/common/warp.cuh"
#include "gpz/cuda/difference/params.hpp"

namespace gpz::cuda {

inline constexpr std::uint32_t difference_block = core::default_block_size;
inline constexpr int difference_rows = static_cast<int>(difference_block) / warp_size;
// Rows in shared memory are padded by one word, so that a warp reads a row, and each lane its own row, without bank
// conflicts.
inline constexpr int padded_row = warp_size + 1;
inline constexpr int padded_block = difference_rows * padded_row;
inline constexpr int difference_warps = 2;  // per thread block, each with its own block of particles

template <typename T>
__device__ __forceinline__ T source_value(const DifferenceSource &source, int d, std::uint64_t row) {
  return *reinterpret_cast<const T *>(source.data[d] + static_cast<std::int64_t>(row) * source.stride[d]);
}
__device__ __forceinline__ std::uint64_t source_row(const DifferenceSource &source, std::uint64_t slot) {
  return source.rows == nullptr ? slot : source.rows[slot];
}
// Rows and slots of a block, in an order that suits memory.
class SourceBlock {
 public:
  __device__ __forceinline__ SourceBlock(const DifferenceSource &source, std::uint64_t block)
      : first_(static_cast<std::uint32_t>(block * difference_block)),
        window_(source.rows == nullptr || source.windows.first == nullptr ? no_window : source.windows.first[block]),
        rows_(source.rows == nullptr ? nullptr : source.rows + first_),
        words_(has_window() ? reinterpret_cast<const std::uint32_t *>(source.windows.slot + first_) : rows_) {}

  struct RowAndSlot {
    std::uint32_t row;
    std::uint32_t slot;  // counted from the block's first slot
  };
  // Visits each slot of the block once, for i from 0 on.
  __device__ __forceinline__ RowAndSlot operator[](std::uint32_t i) const { return at(i, load(i)); }

  // In two steps, so that several loads are in flight at once: the first step has no branches.
  __device__ __forceinline__ std::uint32_t load(std::uint32_t i) const {
    return words_ == nullptr ? 0 : words_[has_window() ? i / 2 : i];
  }
  __device__ __forceinline__ RowAndSlot at(std::uint32_t i, std::uint32_t word) const {
    if (!has_window()) return {rows_ == nullptr ? first_ + i : word, i};
    const std::uint32_t slot = word >> i % 2 * 16 & 0xFFFF;
    if ((slot & row_elsewhere) == 0) return {window_ + i, slot};
    return {rows_[slot - row_elsewhere], slot - row_elsewhere};
  }

 private:
  __device__ __forceinline__ bool has_window() const { return window_ != no_window; }

  std::uint32_t first_;
  std::uint32_t window_;
  const std::uint32_t *rows_;
  const std::uint32_t *words_;
};

// is_near: a particle with this difference crosses no edge. is_usual: it also moves by a usual distance only.
__device__ __forceinline__ bool is_near(std::int32_t direct, const DeviceAxis &axis) {
  const auto half = static_cast<std::uint32_t>(axis.half);
  return static_cast<std::uint32_t>(direct) + half <= 2 * half;
}

__device__ __forceinline__ bool is_usual(std::int32_t direct, const DeviceAxis &axis) {
  const auto most = static_cast<std::uint32_t>(axis.usual);
  return static_cast<std::uint32_t>(direct) + most <= 2 * most;
}

// core::displacement for a difference of two such indices.
__device__ __forceinline__ std::int32_t device_displacement(std::int32_t direct, const DeviceAxis &axis) {
  const std::int32_t back = direct < 0 ? axis.period : -axis.period;
  return is_near(direct, axis) ? direct : direct + back;
}

__device__ __forceinline__ bool is_inside(std::int32_t q, const DeviceAxis &axis) {
  return static_cast<std::uint32_t>(q) - static_cast<std::uint32_t>(axis.lo) < axis.span;
}

// core::wrap; x may be any number.
__device__ __forceinline__ std::int32_t device_wrap(std::int32_t x, const DeviceAxis &axis) {
  return x < axis.lo ? x + axis.period : is_inside(x, axis) ? x : x - axis.period;
}

// core::next_deviation.
__device__ __forceinline__ std::int32_t device_next_deviation(std::int32_t deviation, std::int32_t frames,
                                                              std::int32_t moved) {
  const std::int64_t sum = static_cast<std::int64_t>(-frames) * moved + deviation;
  const auto low = static_cast<std::int32_t>(sum);
  const auto high = static_cast<std::int32_t>(sum >> 32);
  const std::int32_t kept = high == (low >> 31) ? low : (high >> 31) ^ INT32_MAX;
  return max(min(kept, core::deviation_limit), -core::deviation_limit);
}

__device__ __forceinline__ std::int32_t device_limit(std::int32_t moved) {
  return max(min(moved, core::history_limit), -core::history_limit);
}

// Residuals modulo 2^32. Residuals with more bits are exceptions.
__device__ __forceinline__ std::int32_t turned(std::int32_t r, bool above) {
  return above ? static_cast<std::int32_t>(0u - static_cast<std::uint32_t>(r)) : r;
}
__device__ __forceinline__ std::uint32_t residual_number32(std::int32_t r, std::int32_t expected) {
  const std::int32_t x = turned(r, core::is_above(expected));
  return static_cast<std::uint32_t>(x) << 1 ^ static_cast<std::uint32_t>(x >> 31);
}
__device__ __forceinline__ std::int32_t numbered_residual32(std::uint32_t u, bool above) {
  return turned(static_cast<std::int32_t>(u >> 1 ^ (0u - (u & 1))), above);
}

// Value of core::expect without any prediction.
inline constexpr std::int32_t nothing_expected = 32;

__device__ __forceinline__ core::Predictor chosen_predictor(const DifferenceFit &fit) {
  return fit.with < fit.without ? fit.fitted : core::Predictor{};
}
__device__ __forceinline__ bool predicts(const core::Predictor &p) { return (p.velocity | p.previous | p.mean) != 0; }

// Element i < 2^30 of an array with a base that is uniform across the warp, addressed by a 32-bit offset.
template <typename T>
__device__ __forceinline__ T &element(T *base, std::uint32_t i) {
  static_assert(sizeof(T) == 4);
  using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
  return *reinterpret_cast<T *>(reinterpret_cast<Byte *>(base) + i * 4u);
}

// History of some rows of a lane, with all loads in flight at once. `Deviations`: includes the deviations.
template <int D, int Rows, bool Deviations, bool Predict>
struct HistoryRows {
  std::int32_t last[Rows][D];
  std::int32_t deviation[Rows][D];
  std::int32_t velocity[Rows][D];
  std::int32_t previous[Rows][D];

  // Row k: particle `first` + i.
  __device__ __forceinline__ void fetch(int k, const DifferenceHistory &history, std::uint64_t first, std::uint32_t i) {
#pragma unroll
    for (int d = 0; d < D; ++d) {
      last[k][d] = element(history.last[d] + first, i);
      if constexpr (Deviations) deviation[k][d] = element(history.deviation[d] + first, i);
      if constexpr (Predict) {
        velocity[k][d] = element(history.velocity[d] + first, i);
        previous[k][d] = element(history.previous[d] + first, i);
      }
    }
  }

  // All rows: particles `at`, at + 32, ....
  __device__ __forceinline__ void fetch(const DifferenceHistory &history, std::uint64_t at) {
#pragma unroll
    for (int d = 0; d < D; ++d)
#pragma unroll
      for (int k = 0; k < Rows; ++k) {
        last[k][d] = (history.last[d] + at)[k * warp_size];
        if constexpr (Deviations) deviation[k][d] = (history.deviation[d] + at)[k * warp_size];
        if constexpr (Predict) {
          velocity[k][d] = (history.velocity[d] + at)[k * warp_size];
          previous[k][d] = (history.previous[d] + at)[k * warp_size];
        }
      }
  }

  __device__ __forceinline__ std::int32_t own_deviation(int k, int d) const {
    if constexpr (!Deviations) return 0;
    return deviation[k][d];
  }

  // core::expect.
  __device__ __forceinline__ std::int32_t expect(int k, int d, const core::Predictor &predictor,
                                                 std::int32_t reciprocal) const {
    if constexpr (!Predict) return nothing_expected;
    return core::expect(predictor, velocity[k][d], previous[k][d], core::offset_to_mean(deviation[k][d], reciprocal));
  }
};

__device__ __forceinline__ bool is_cancelled(const DifferenceEncode &params) {
  return params.cancelled != nullptr && *params.cancelled != 0;
}

// Number of particles of block b.
__device__ __forceinline__ std::uint32_t particles_of(const DifferenceHistory &history, std::uint64_t b) {
  const std::uint64_t left = history.particles - b * difference_block;
  return left < difference_block ? static_cast<std::uint32_t>(left) : difference_block;
}
// Number of particles in the row of this lane, in a block of n.
__device__ __forceinline__ int own_row_particles(std::uint32_t n) {
  return max(min(static_cast<int>(n) - static_cast<int>(this_lane()) * warp_size, warp_size), 0);
}

}  // namespace gpz::cuda
