// SPDX-License-Identifier: BSD-3-Clause
// Loads the values of a block as grid indices to shared memory, each at its slot, with one warp. If the rows of the
// slots are close together, slots come in the order of their rows, and consecutive lanes read consecutive values.
// Nothing is read twice, and permutations happen in shared memory.
#pragma once

#include "gpz/cuda/difference/steps.cuh"

namespace gpz::cuda {

// Marks values without an index: indices are below 2^30 in magnitude.
inline constexpr std::int32_t not_on_grid = INT32_MIN;
inline constexpr std::int32_t too_wide = INT32_MIN + 1;
__device__ __forceinline__ bool is_index(std::int32_t q) { return q > too_wide; }

// Position of slot i of a block in padded memory.
__device__ __forceinline__ std::uint32_t padded(std::uint32_t i) { return i + i / warp_size; }
static_assert(padded_row == warp_size + 1);

// `Full`: the block is full.
template <typename T, int D, bool Full>
class IndexPass {
 public:
  using Indices = std::uint32_t[core::max_components][padded_block];

  // For a block with n particles.
  __device__ __forceinline__ IndexPass(const DifferenceSource &source, std::uint64_t block, std::uint32_t n,
                                       Indices &out)
      : source_(source), block_(source, block), out_(out), n_(n) {}

  // Returns the largest error of this lane's values.
  __device__ __forceinline__ double run() {
    if (D > 1 && source_.packed)
      read(PackedRows(source_));
    else
      read(AnyRows(source_));
    __syncwarp();
    return error_;
  }

 private:
  static constexpr int batch_rows = 4;

  // How lanes share the D values of 32 slots: each lane takes its own slot (AnyRows), or lanes take values in the order
  // of memory (PackedRows).
  struct AnyRows {
    const DifferenceSource &source;
    __device__ explicit AnyRows(const DifferenceSource &from) : source(from) {}
    __device__ __forceinline__ int lane(int) const { return static_cast<int>(this_lane()); }
    __device__ __forceinline__ int component(int c) const { return c; }
    __device__ __forceinline__ std::uint32_t theirs(std::uint32_t own, int) const { return own; }
    __device__ __forceinline__ T value(std::uint32_t row, int c) const { return source_value<T>(source, c, row); }
  };
  struct PackedRows {
    const T *values[D];
    __device__ explicit PackedRows(const DifferenceSource &source) {
#pragma unroll
      for (int c = 0; c < D; ++c) values[c] = reinterpret_cast<const T *>(source.data[0]) + component(c);
    }
    __device__ __forceinline__ int lane(int c) const { return (c * warp_size + static_cast<int>(this_lane())) / D; }
    __device__ __forceinline__ int component(int c) const {
      return (c * warp_size + static_cast<int>(this_lane())) % D;
    }
    __device__ __forceinline__ std::uint32_t theirs(std::uint32_t own, int c) const {
      return __shfl_sync(full_mask, own, lane(c));
    }
    __device__ __forceinline__ T value(std::uint32_t row, int c) const { return values[c][std::uint64_t{row} * D]; }
  };

  template <typename Rows>
  __device__ __forceinline__ void read(const Rows &rows) {
    std::uint32_t *column[D];
#pragma unroll
    for (int c = 0; c < D; ++c) column[c] = out_[rows.component(c)];
    std::uint32_t next[batch_rows];
    fetch(0, next);
#pragma unroll 1
    for (int start = 0; start < difference_rows; start += batch_rows) {
      T x[batch_rows][D];
      std::uint32_t row[batch_rows];
      std::uint32_t at[batch_rows];
      // Find all rows before any value is loaded: a load for a row would wait for the loads before it.
#pragma unroll
      for (int k = 0; k < batch_rows; ++k) {
        const SourceBlock::RowAndSlot source = block_.at(number(start + k), next[k]);
        row[k] = source.row;
        at[k] = padded(source.slot);
      }
#pragma unroll
      for (int k = 0; k < batch_rows; ++k) {
#pragma unroll
        for (int c = 0; c < D; ++c) x[k][c] = rows.value(rows.theirs(row[k], c), c);
      }
      if (start + batch_rows < difference_rows) fetch(start + batch_rows, next);
      bool all_good = true;
#pragma unroll
      for (int k = 0; k < batch_rows; ++k) {
#pragma unroll
        for (int c = 0; c < D; ++c) {
          const std::uint32_t to = rows.theirs(at[k], c);
          const int particle = (start + k) * warp_size + rows.lane(c);
          if (Full || particle < static_cast<int>(n_)) all_good &= put(column[c][to], x[k][c]);
        }
      }
      if (__all_sync(full_mask, all_good)) continue;
#pragma unroll
      for (int k = 0; k < batch_rows; ++k) {
#pragma unroll
        for (int c = 0; c < D; ++c) mark(column[c][rows.theirs(at[k], c)], x[k][c]);
      }
    }
  }

  __device__ __forceinline__ std::uint32_t number(int row) const {
    const std::uint32_t i = static_cast<std::uint32_t>(row) * warp_size + this_lane();
    return Full ? i : min(i, n_ - 1);
  }
  __device__ __forceinline__ void fetch(int start, std::uint32_t (&words)[batch_rows]) const {
#pragma unroll
    for (int k = 0; k < batch_rows; ++k) words[k] = block_.load(number(start + k));
  }

  // Returns false if the value has no index.
  __device__ __forceinline__ bool put(std::uint32_t &to, T x) {
    const DeviceIndex index = device_index(x, source_.grid);
    to = static_cast<std::uint32_t>(index.q);
    error_ = index.good & (index.error > error_) ? index.error : error_;
    return index.good;
  }
  __device__ __forceinline__ void mark(std::uint32_t &to, T x) const {
    const DeviceIndex index = device_index(x, source_.grid);
    if (!index.good) to = static_cast<std::uint32_t>(index.valid ? too_wide : not_on_grid);
  }

  const DifferenceSource &source_;
  SourceBlock block_;
  Indices &out_;
  std::uint32_t n_;
  double error_ = 0;
};

}  // namespace gpz::cuda
