// SPDX-License-Identifier: BSD-3-Clause
// Loads the values of a full block for its warp. Common layouts of the caller's arrays are known at compile time. Value
// (d, row) belongs to particle row * 32 + lane. Call fetch() before any use.
#pragma once

#include <cuda_pipeline.h>

#include <cstdint>

#include "gpz/cuda/block/block_writer.cuh"
#include "gpz/cuda/block/encode_params.hpp"
#include "gpz/cuda/common/warp.cuh"

namespace gpz::cuda {

inline constexpr int any_stride = 0;

// Distance between particles, in values, if it is equal for all components and no rows are selected: 1 for separate
// arrays, 3 for x y z of one particle after the other, as in LAMMPS. Otherwise any_stride.
inline int common_stride(const FieldParams &field, const int *rows) {
  const auto size = static_cast<std::int64_t>(core::words_of_value(field.value)) * 4;
  const std::int64_t stride = field.array[0].stride / size;
  if (rows != nullptr || (stride != 1 && stride != 3)) return any_stride;
  for (int d = 0; d < field.components; ++d)
    if (field.array[d].stride != stride * size) return any_stride;
  return static_cast<int>(stride);
}

// True if arrays can be copied in units of 16 bytes: separate arrays, or one array of x y z.
inline bool can_be_staged(const FieldParams &field) {
  const auto size = static_cast<std::ptrdiff_t>(core::words_of_value(field.value)) * 4;
  const bool together = field.array[0].stride == 3 * size;
  if (together && field.components != 3) return false;
  for (int d = 0; d < field.components; ++d) {
    if (together && field.array[d].data != field.array[0].data + d * size) return false;
    if ((!together || d == 0) && reinterpret_cast<std::uintptr_t>(field.array[d].data) % 16 != 0) return false;
  }
  return true;
}

__device__ __forceinline__ std::uint32_t row_particle(int row) {
  return static_cast<unsigned>(row) * warp_size + threadIdx.x;
}

// Loads directly from the caller's arrays.
template <typename T, int Stride>
class BlockLoad {
 public:
  static constexpr std::size_t staging_bytes = 16;  // unused, but a type must have a size
  __device__ BlockLoad(const FieldParams &field, const int *, std::uint64_t block, const void *) {
#pragma unroll
    for (int d = 0; d < core::max_components; ++d)
      if (d < field.components)
        at_[d] = reinterpret_cast<const T *>(field.array[d].data) + (block * block_size + threadIdx.x) * Stride;
  }
  __device__ void fetch() const {}
  __device__ __forceinline__ std::uint32_t particle(int row) const { return row_particle(row); }
  __device__ __forceinline__ T operator()(int d, int row) const { return at_[d][row * (warp_size * Stride)]; }

 private:
  const T *at_[core::max_components];
};

template <typename T>
class BlockLoad<T, any_stride> {
 public:
  static constexpr std::size_t staging_bytes = 16;  // unused, but a type must have a size
  __device__ BlockLoad(const FieldParams &field, const int *rows, std::uint64_t block, const void *)
      : field_(field), rows_(rows), first_(block * block_size) {}
  __device__ void fetch() const {}
  __device__ __forceinline__ std::uint32_t particle(int row) const { return row_particle(row); }
  __device__ __forceinline__ T operator()(int d, int row) const {
    return load<T>(field_.array[d], rows_, first_ + particle(row));
  }

 private:
  const FieldParams &field_;
  const int *rows_;
  std::uint64_t first_;
};

// Loads through shared memory: the whole block is in flight at once, without using registers.
template <typename T, int Stride>
class StagedLoad {
 public:
  static constexpr std::size_t staging_bytes = core::max_components * block_size * sizeof(T);
  __device__ StagedLoad(const FieldParams &field, const int *, std::uint64_t block, void *shared)
      : field_(field), block_(block), values_(static_cast<T *>(shared)) {}
  __device__ __forceinline__ void fetch() const {
    constexpr int arrays = Stride == 1 ? core::max_components : 1;
    constexpr int bytes = static_cast<int>(block_size * sizeof(T)) * Stride;
#pragma unroll
    for (int a = 0; a < arrays; ++a) {
      if (a >= field_.components) continue;
      const char *from = field_.array[a].data + block_ * bytes + threadIdx.x * 16;
      char *to = reinterpret_cast<char *>(values_) + a * bytes + threadIdx.x * 16;
#pragma unroll
      for (int at = 0; at < bytes; at += 16 * warp_size) __pipeline_memcpy_async(to + at, from + at, 16);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
  }
  __device__ __forceinline__ std::uint32_t particle(int row) const { return row_particle(row); }
  __device__ __forceinline__ T operator()(int d, int row) const {
    return Stride == 1 ? values_[d * static_cast<int>(block_size) + static_cast<int>(particle(row))]
                       : values_[particle(row) * Stride + d];
  }

 private:
  const FieldParams &field_;
  std::uint64_t block_;
  T *values_;
};

}  // namespace gpz::cuda
