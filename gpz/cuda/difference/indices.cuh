// SPDX-License-Identifier: BSD-3-Clause
// The values of a block of particles as grid indices in shared memory, each at the place of its slot, for its warp.
// Where the rows of the block are a window of consecutive ones, they are read in the order of memory, whatever the
// order of the slots: nothing is read twice, and shared memory does what permutation there is.
#pragma once

#include "gpz/cuda/difference/steps.cuh"

namespace gpz::cuda {

// In the place of an index that cannot be: indices are below 2^30.
inline constexpr std::int32_t not_on_grid = INT32_MIN;
inline constexpr std::int32_t too_wide = INT32_MIN + 1;
__device__ __forceinline__ bool is_index(std::int32_t q) { return q > too_wide; }

// Where the number of slot i of a block is.
__device__ __forceinline__ std::uint32_t padded(std::uint32_t i) { return i + i / warp_size; }
static_assert(padded_row == warp_size + 1);

// Full: the block is.
template <typename T, int D, bool Full>
class IndexPass {
 public:
  using Indices = std::uint32_t[core::max_components][padded_block];

  // Of a block with n particles.
  __device__ __forceinline__ IndexPass(const DifferenceSource &source, std::uint64_t block, std::uint32_t n,
                                       Indices &out)
      : source_(source), out_(out), first_(block * difference_block), window_(window_of(source, block)), n_(n) {}

  // Returns the largest error of this lane's values.
  __device__ __forceinline__ double run() {
    if (window_ == no_window)
      gather();
    else if (D > 1 && source_.packed)
      read_packed_window();
    else
      read_window();
    __syncwarp();
    return error_;
  }

 private:
  static constexpr int batch_rows = 4;

  __device__ __forceinline__ std::uint32_t number(int row) const {
    return static_cast<std::uint32_t>(row) * warp_size + this_lane();
  }
  __device__ __forceinline__ std::uint32_t within(std::uint32_t i, std::uint32_t end) const {
    return Full ? i : min(i, end - 1);
  }

  __device__ __forceinline__ void put(int d, std::uint32_t slot, T x) { put(out_[d], padded(slot), x); }
  __device__ __forceinline__ void put(std::uint32_t *column, std::uint32_t at, T x) {
    const DeviceIndex index = device_index(x, source_.grid);
    std::int32_t q = index.q;
    if (index.good())
      error_ = index.error > error_ ? index.error : error_;
    else
      q = index.valid ? too_wide : not_on_grid;
    column[at] = static_cast<std::uint32_t>(q);
  }

  // Slot by slot, wherever its row is.
  __device__ __forceinline__ void gather() {
    const std::uint32_t *rows = source_.rows + first_;
#pragma unroll 1
    for (int start = 0; start < difference_rows; start += batch_rows) {
      T x[batch_rows][D];
#pragma unroll
      for (int k = 0; k < batch_rows; ++k) {
        const std::uint64_t row = rows[within(number(start + k), n_)];
#pragma unroll
        for (int d = 0; d < D; ++d) x[k][d] = source_value<T>(source_, d, row);
      }
#pragma unroll
      for (int k = 0; k < batch_rows; ++k) {
        const std::uint32_t i = number(start + k);
#pragma unroll
        for (int d = 0; d < D; ++d)
          if (Full || i < n_) put(d, i, x[k][d]);
      }
    }
  }

  // Row by row.
  __device__ __forceinline__ void read_window() {
#pragma unroll 1
    for (int start = 0; start < difference_rows; start += batch_rows) {
      T x[batch_rows][D];
      std::uint32_t slot[batch_rows];
#pragma unroll
      for (int k = 0; k < batch_rows; ++k) {
        const std::uint32_t i = within(number(start + k), n_);
        slot[k] = window_slot(source_, first_, i);
#pragma unroll
        for (int d = 0; d < D; ++d) x[k][d] = source_value<T>(source_, d, window_ + i);
      }
#pragma unroll
      for (int k = 0; k < batch_rows; ++k) {
#pragma unroll
        for (int d = 0; d < D; ++d)
          if (Full || number(start + k) < n_) put(d, slot[k], x[k][d]);
      }
    }
  }

  // Value by value, where nothing is between the components of a row, and nothing between rows.
  __device__ __forceinline__ void read_packed_window() {
    const T *values = reinterpret_cast<const T *>(source_.data[0]) + std::uint64_t{window_} * D;
    const std::uint32_t end = n_ * D;
    // Of each of the D values of this lane among those of 32 rows.
    std::uint32_t lane[D];
    std::uint32_t *column[D];
#pragma unroll
    for (int c = 0; c < D; ++c) {
      const std::uint32_t at = static_cast<std::uint32_t>(c) * warp_size + this_lane();
      lane[c] = at / D;
      column[c] = out_[at % D];
    }
#pragma unroll 1
    for (int start = 0; start < difference_rows; start += batch_rows) {
      T x[batch_rows][D];
      std::uint32_t slot[batch_rows];
#pragma unroll
      for (int k = 0; k < batch_rows; ++k) {
        slot[k] = window_slot(source_, first_, within(number(start + k), n_));
#pragma unroll
        for (int c = 0; c < D; ++c) x[k][c] = values[within(number((start + k) * D + c), end)];
      }
#pragma unroll
      for (int k = 0; k < batch_rows; ++k) {
        const std::uint32_t own = padded(slot[k]);
#pragma unroll
        for (int c = 0; c < D; ++c) {
          const std::uint32_t at = __shfl_sync(full_mask, own, static_cast<int>(lane[c]));
          if (Full || number((start + k) * D + c) < end) put(column[c], at, x[k][c]);
        }
      }
    }
  }

  const DifferenceSource &source_;
  Indices &out_;
  std::uint64_t first_;
  std::uint32_t window_;  // its first row
  std::uint32_t n_;
  double error_ = 0;
};

}  // namespace gpz::cuda
